-- Grain: one row per analysis_key, group_code.
with coded as (
    select
        analysis_key,
        group_code,
        group_value,
        attribute_codes,
        count(*) as n
    from {{ ref('int_analysis_responses_coded') }}
    group by all
)

select
    coded.*,
    coalesce(missing.n_missing, 0) as n_missing
from coded
inner join {{ ref('int_analyses_listed') }} as analyses on coded.analysis_key = analyses.analysis_key
left join {{ ref('int_missing_answers_counted') }} as missing
    on
        analyses.suite = missing.suite
        and analyses.category = missing.category
        and analyses.config_key = missing.config_key
        and analyses.measure = missing.measure
        and analyses.axis = missing.axis
        and coded.group_value = missing.group_value
