-- On every axis the responses analysed, small groups included, and those missing are all responses (DQ-8).
with responses as (
    select
        joined.suite,
        joined.category,
        joined.config_key,
        grouped.axis,
        count(*) as n_responses
    from {{ ref('int_responses_joined') }} as joined
    inner join {{ ref('int_prompts_grouped') }} as grouped on joined.prompt_key = grouped.prompt_key
    group by all
),

analysed as (
    select
        suite,
        category,
        config_key,
        measure,
        axis,
        measure_kind,
        count(*) as n_analysed
    from {{ ref('int_responses_analysed') }}
    group by all
),

missing as (
    select * from {{ ref('int_missing_answers_counted') }}
    where group_value = ''
)

select
    responses.suite,
    responses.category,
    responses.config_key,
    responses.axis,
    analysed.measure,
    analysed.measure_kind,
    responses.n_responses,
    analysed.n_analysed,
    missing.n_missing
from responses
inner join analysed
    on
        responses.suite = analysed.suite
        and responses.category = analysed.category
        and responses.config_key = analysed.config_key
        and responses.axis = analysed.axis
left join missing
    on
        analysed.suite = missing.suite
        and analysed.category = missing.category
        and analysed.config_key = missing.config_key
        and analysed.axis = missing.axis
        and analysed.measure = missing.measure
where responses.n_responses is distinct from analysed.n_analysed + coalesce(missing.n_missing, 0)
