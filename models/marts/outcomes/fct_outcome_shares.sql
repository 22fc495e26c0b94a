-- Grain: one row per suite, category, config, axis, outcome_set, group_value, outcome: the heat maps.
{%- set worth = 'coalesce(weighed.answer_worth, 1)' %}
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
    {{ wilson('cells.n_cell * ' ~ worth, 'cells.n_group * ' ~ worth, 'low') }} as share_low,
    {{ wilson('cells.n_cell * ' ~ worth, 'cells.n_group * ' ~ worth, 'high') }} as share_high,
    cells.pooled_share,
    analyses.exposure,
    analyses.is_control
from {{ ref('int_outcomes_counted') }} as cells
inner join analyses using (analysis_key)
left join {{ ref('int_shares_weighed') }} as weighed
    on
        weighed.share_of = 'outcome'
        and analyses.suite = weighed.suite
        and analyses.category = weighed.category
        and analyses.config_key = weighed.config_key
        and analyses.measure = weighed.measure
        and analyses.axis = weighed.axis
        and cells.group_value = weighed.group_value
        and cells.outcome = weighed.outcome
