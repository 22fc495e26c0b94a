-- Grain: one row per suite, category, config_key, axis, group_value: answers by what they predict and what is
-- true.
select
    {{ analysis_columns('units') }},
    units.config_key,
    units.axis,
    units.outcome_set,
    units.group_value,
    sum(units.n_counted) < any_value(settings.minimum_cell) as is_excluded,
    {%- for count in ['true_positives', 'false_positives', 'false_negatives', 'true_negatives', 'unknown'] %}
    cast(sum(units.n_{{ count }}) as bigint) as n_{{ count }}
    {%- if not loop.last %},{% endif %}
    {%- endfor %}
from {{ ref('int_classification_units_counted') }} as units
inner join {{ ref('stg_suite__suites') }} as settings using (suite)
group by
    {{ analysis_columns('units') }}, units.config_key, units.axis, units.outcome_set, units.group_value
having sum(units.n_counted) > 0
