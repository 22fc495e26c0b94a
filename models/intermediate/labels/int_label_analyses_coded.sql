-- Grain: one row per analysis_key, response_key: all answers of the tables of which people have read some,
-- with what is read and what people say as codes: -2 is none of the labels, -1 what nobody can tell.
-- `said_code` and `value` are null where nobody has looked, or nobody knows how likely the answer was drawn.
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

codes as (
    select * from {{ ref('int_label_outcomes_coded') }}
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
    grouped.group_code,
    grouped.group_value,
    dense_rank() over (
        partition by analyses.analysis_key order by coalesce(cells.cell, outcomes.prompt_key)
    ) - 1 as cell_code,
    dense_rank() over (partition by analyses.analysis_key order by outcomes.block_key) - 1 as block_code,
    dense_rank() over (partition by analyses.analysis_key order by coalesce(strata.stratum, '')) - 1
        as stratum_code,
    case
        when outcomes.rule_kind = 'score' then outcomes.outcome_status <> 'ok'
        else outcomes.outcome_status = 'failed_response'
    end as is_missing,
    case when outcomes.is_counted then read_as.outcome_code else -2 end as read_code,
    outcomes.score,
    case
        when labels.response_key is null then null
        when labels.is_label_counted then said_as.outcome_code
        when labels.label is null then -1
        else -2
    end as said_code,
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
left join codes as read_as
    on
        outcomes.suite = read_as.suite
        and outcomes.category = read_as.category
        and outcomes.config_key = read_as.config_key
        and outcomes.measure = read_as.measure
        and outcomes.outcome = read_as.outcome
left join codes as said_as
    on
        labels.suite = said_as.suite
        and labels.category = said_as.category
        and labels.config_key = said_as.config_key
        and labels.measure = said_as.measure
        and labels.label = said_as.outcome
left join {{ ref('int_prompt_strata_listed') }} as strata
    on
        outcomes.prompt_key = strata.prompt_key
        and analyses.axis = strata.axis
left join {{ ref('int_prompt_cells_listed') }} as cells
    on
        outcomes.prompt_key = cells.prompt_key
        and analyses.axis = cells.axis
where (analyses.measure_kind = 'score') = (outcomes.rule_kind = 'score')
order by analyses.analysis_key, outcomes.response_key
