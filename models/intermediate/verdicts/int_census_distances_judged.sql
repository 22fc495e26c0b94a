-- Grain: one row per suite, category, config_key, measure, axis, group_value: distances from the census, on
-- the attribute that the suite names.
with shown as (
    select distinct
        suite,
        category,
        config_key,
        {{ unnested('shown_attributes') }} as attribute
    from {{ ref('int_axes_shown') }}
)

select
    {{ analysis_columns() }},
    analyses.config_key,
    analyses.outcome_set as measure,
    truths.attribute as axis,
    'single' as axis_kind,
    'jsd_census_nats' as metric,
    analyses.group_value,
    analyses.jsd_nats as value,
    analyses.ci_low,
    analyses.ci_high,
    {%- for column in ['null_p05', 'null_median', 'null_p95', 'bound_low', 'bound_high', 'value_low',
        'value_high', 'n_blocks', 'p_value', 'attainable', 'min_attainable_p', 'resampling_unit', 'n_units',
        'tail', 'null_tails'] %}
    analyses.{{ column }},
    {%- endfor %}
    analyses.n,
    -- Of this group: the others' are of another number.
    analyses.n_missing,
    1 as n_groups,
    analyses.n as n_smallest_group,
    analyses.minimum_group,
    shown.attribute is null as is_control,
    case when shown.attribute is null then {{ list_of('truths.attribute') }} else {{ empty_list() }} end
        as hidden_attributes
from {{ ref('int_census_distances_resampled') }} as analyses
inner join {{ ref('stg_suite__ground_truths') }} as truths using (suite, category, outcome_set)
left join shown using (suite, category, config_key, attribute)
