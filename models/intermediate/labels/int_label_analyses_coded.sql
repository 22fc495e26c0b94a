-- Grain: one row per analysis_key, response_key: all answers of the tables of which people have read some,
-- with what is read and what people say. `said`: label, none or untold (nobody can tell); null where nobody
-- has looked, or nobody knows how likely the answer was drawn.
with labels as (
    select * from {{ ref('int_labels_agreed') }}
    where probability is not null
),

labelled as (
    select distinct
        suite,
        category,
        config_key,
        measure
    from labels
),

outcomes as (
    select
        *,
        case when rule_kind = 'score' then feature else outcome_set end as measure
    from {{ ref('int_outcomes_assigned') }}
)

select
    analyses.analysis_key,
    outcomes.response_key,
    outcomes.outcome_set,
    grouped.group_code,
    grouped.group_value,
    dense_rank() over (partition by analyses.analysis_key order by outcomes.prompt_key) - 1 as prompt_code,
    dense_rank() over (partition by analyses.analysis_key order by outcomes.block_key) - 1 as block_code,
    dense_rank() over (partition by analyses.analysis_key order by coalesce(strata.stratum, '')) - 1
        as stratum_code,
    case
        when outcomes.rule_kind = 'score' then outcomes.outcome_status <> 'ok'
        else outcomes.outcome_status = 'failed_response'
    end as is_missing,
    case when outcomes.is_counted then outcomes.outcome end as outcome,
    outcomes.score,
    case
        when labels.response_key is null then null
        when analyses.measure_kind = 'score' and labels.value is null then null
        when analyses.measure_kind = 'score' or labels.is_label_counted then 'label'
        when labels.label is null then 'untold'
        else 'none'
    end as said,
    case when labels.is_label_counted then labels.label end as label,
    labels.value,
    1 / labels.probability as weight
from {{ ref('int_analyses_listed') }} as analyses
inner join labelled using (suite, category, config_key, measure)
inner join outcomes using (suite, category, config_key, measure)
inner join {{ ref('int_prompts_grouped') }} as on_axes
    on
        outcomes.prompt_key = on_axes.prompt_key
        and analyses.axis = on_axes.axis
inner join {{ ref('int_analysis_groups_coded') }} as grouped
    on
        analyses.analysis_key = grouped.analysis_key
        and on_axes.group_value = grouped.group_value
left join labels
    on
        outcomes.outcome_set = labels.outcome_set
        and outcomes.response_key = labels.response_key
left join {{ ref('int_prompt_strata_listed') }} as strata
    on
        outcomes.prompt_key = strata.prompt_key
        and analyses.axis = strata.axis
where (analyses.measure_kind = 'score') = (outcomes.rule_kind = 'score')
order by analyses.analysis_key, outcomes.response_key
