-- Grain: one row per part, measure, outcome, response_key: a number for each answer of a config that is
-- compared with another one, whose mean over answers is what the comparison is of.
-- part: `outcome` (1 where the answer has it), `measurement` (a feature), `precision` (the share of topics in
-- which the answer lies as near as its baseline), `answering` (whether there was an answer, and how long).
{%- set tolerance = 0.1 %}
{%- set carried = ['suite', 'domain', 'category', 'config_key', 'config', 'response_key', 'prompt_key'] %}
{%- set carried_columns = carried | join(',\n        ') %}
with configs as (
    select config_key_control as config_key from {{ ref('int_treatments_listed') }}
    union
    select config_key_treated as config_key from {{ ref('int_treatments_listed') }}
),

responses as (
    select responses.*
    from {{ ref('int_responses_joined') }} as responses
    inner join configs using (config_key)
),

outcomes as (
    select outcomes.*
    from {{ ref('int_outcomes_assigned') }} as outcomes
    inner join configs using (config_key)
    where outcomes.rule_kind <> 'score'
),

labels as (
    select distinct
        suite,
        category,
        outcome_set,
        outcome as label
    from outcomes
    where is_counted
),

-- Refusals are asked about even where there are none.
failures as (
    select distinct
        suite,
        category,
        response_status as failure
    from responses
    where response_status <> 'ok'
    union
    select distinct
        suite,
        category,
        'refused' as failure
    from responses
),

topics as (
    select
        topics.*,
        case
            when topics.topic_measure = 'membership' then topics.topic_set
            else topics.topic_measure || '_distance_to_' || topics.topic_set
        end as measure,
        case when topics.topic_measure = 'membership' then 0 else {{ tolerance }} end as tolerance
    from {{ ref('int_topics_measured') }} as topics
    inner join configs using (config_key)
    where topics.value is not null and topics.baseline_topic_value is not null
),

valued as (
    select
        'outcome' as part,
        outcomes.outcome_set as measure,
        labels.label as outcome,
        case when outcomes.outcome = labels.label then 1e0 else 0e0 end as value,
        outcomes.{{ carried | join(',\n        outcomes.') }}
    from outcomes
    inner join labels using (suite, category, outcome_set)
    where outcomes.is_counted
    union all
    select
        'measurement' as part,
        measured.feature as measure,
        '' as outcome,
        measured.value,
        {{ carried_columns }}
    from {{ ref('int_responses_measured') }} as measured
    inner join configs using (config_key)
    where measured.value is not null
    union all
    select
        'precision' as part,
        measure,
        '' as outcome,
        avg(case when abs(value - baseline_topic_value) <= tolerance then 1e0 else 0e0 end) as value,
        {{ carried_columns }}
    from topics
    group by measure, {{ carried | join(', ') }}
    union all
    select
        'answering' as part,
        'response_status' as measure,
        failures.failure as outcome,
        case when responses.response_status = failures.failure then 1e0 else 0e0 end as value,
        responses.{{ carried | join(',\n        responses.') }}
    from responses
    inner join failures using (suite, category)
    union all
    select
        'answering' as part,
        outcome_set as measure,
        'unread' as outcome,
        case when is_matched then 0e0 else 1e0 end as value,
        {{ carried_columns }}
    from outcomes
    where response_status = 'ok'
    union all
    select
        'answering' as part,
        'answer_length' as measure,
        '' as outcome,
        cast(texts.n_characters as double) as value,
        {{ carried_columns }}
    from responses
    inner join {{ ref('stg_extract__texts') }} as texts using (text_key)
    where responses.response_status = 'ok'
)

select
    valued.*,
    responses.block_key,
    responses.repeat_index
from valued
inner join responses using (response_key)
