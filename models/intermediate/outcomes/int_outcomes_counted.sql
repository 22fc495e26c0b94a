-- Grain: one row per analysis_key, group_value, outcome: the contingency tables, empty cells included.
with analysed as (
    select
        analysis_key,
        group_value,
        attribute_codes,
        outcome
    from {{ ref('int_responses_analysed') }}
    where measure_kind = 'outcome' and not is_excluded
),

cells as (
    select
        analysis_key,
        group_value,
        outcome,
        count(*) as n_cell
    from analysed
    group by analysis_key, group_value, outcome
),

group_totals as (
    select
        analysis_key,
        group_value,
        attribute_codes,
        count(*) as n_group
    from analysed
    group by analysis_key, group_value, attribute_codes
),

outcome_totals as (
    select
        analysis_key,
        outcome,
        count(*) as n_outcome
    from analysed
    group by analysis_key, outcome
),

totals as (
    select
        analysis_key,
        count(*) as n
    from analysed
    group by analysis_key
)

select
    group_totals.analysis_key,
    group_totals.group_value,
    group_totals.attribute_codes,
    outcome_totals.outcome,
    coalesce(cells.n_cell, 0) as n_cell,
    group_totals.n_group,
    outcome_totals.n_outcome,
    totals.n,
    {{ ratio('group_totals.n_group * outcome_totals.n_outcome', 'totals.n') }} as n_expected,
    {{ ratio('coalesce(cells.n_cell, 0)', 'group_totals.n_group') }} as share,
    {{ ratio('outcome_totals.n_outcome', 'totals.n') }} as pooled_share
from group_totals
inner join outcome_totals using (analysis_key)
inner join totals using (analysis_key)
left join cells using (analysis_key, group_value, outcome)
