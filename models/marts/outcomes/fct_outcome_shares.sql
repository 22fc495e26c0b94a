-- Grain: one row per suite, category, config, axis, outcome_set, group_value, outcome: the heat maps.
with analyses as (
    select * from {{ ref('int_analyses_listed') }}
    where measure_kind = 'outcome'
)

select
    analyses.suite,
    analyses.category,
    analyses.config,
    analyses.is_simulated,
    analyses.axis,
    analyses.axis_position,
    analyses.measure as outcome_set,
    cells.group_value,
    row_number() over (
        partition by cells.analysis_key, cells.outcome
        order by cells.attribute_codes
    ) as group_position,
    cells.outcome,
    cells.n_cell,
    cells.n_group,
    cells.share,
    {{ weighed_wilson('cells.n_cell', 'cells.n_group', 'low') }} as share_low,
    {{ weighed_wilson('cells.n_cell', 'cells.n_group', 'high') }} as share_high,
    cells.pooled_share,
    analyses.exposure,
    analyses.is_control
from {{ ref('int_outcomes_counted') }} as cells
inner join analyses using (analysis_key)
{{ weighed_shares('analyses', "'outcome'", 'analyses.measure', 'cells.group_value', 'cells.outcome') }}
