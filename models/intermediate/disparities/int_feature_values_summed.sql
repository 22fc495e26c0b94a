-- Grain: one row per group_feature_key, prompt_id: the sums of which means and selection rates are made. A
-- prompt's repeats go together: no resampling parts them.
-- depends_on: {{ ref('selection_standards') }} {{ ref('selection_methods') }}
-- depends_on: {{ ref('int_criteria_requested') }}
{%- set standards, methods, names, columns = {}, {}, [], [] %}
{%- for row in declared_rows('selection_standards', 'standard_id') %}
{%- do standards.update({row['standard_id']: row}) %}
{%- endfor %}
{%- for row in declared_rows('selection_methods', 'method_id') %}
{%- do methods.update({row['method_id']: row}) %}
{%- endfor %}
{#- What any suite asks for is summed for all; int_feature_analyses_resampled takes each suite's own. #}
{%- set asked = declared_rows('int_criteria_requested', 'standard_id, method_id') %}
{%- for row in asked %}
{%- set name = row['standard_id'] ~ '_' ~ row['method_id'] %}
{%- if name not in names %}
{%- do names.append(name) %}
{%- set standard, value = standards[row['standard_id']], 'standards.s_' ~ row['standard_id'] %}
{%- do columns.append(
    'count(*) filter (where '
    ~ declared_expression(
        methods[row['method_id']],
        standard=value,
        slack=limit_slack(value),
        mode={'lowest': 'standards.lowest', 'width': standard['parameters']['width']}
    )
    ~ ') as rate_sum_' ~ name
) %}
{%- endif %}
{%- endfor %}
with resampled as (
    select listed.group_feature_key
    from {{ ref('int_group_features_listed') }} as listed
    inner join {{ ref('stg_suite__suites') }} as suites using (suite)
    where suites.n_permutations > 0 or suites.n_bootstrap > 0
)

select
    coded.group_feature_key,
    coded.analysis_key,
    coded.group_id,
    coded.prompt_id,
    coded.cell_id,
    coded.block_id,
    count(*) as n,
    {%- for column in columns %}
    {{ column }},
    {%- endfor %}
    sum(coded.value) as mean_sum
from {{ ref('int_feature_values_coded') }} as coded
inner join {{ ref('int_standards_computed') }} as standards using (analysis_key)
inner join resampled using (group_feature_key)
where coded.value is not null
group by
    coded.group_feature_key, coded.analysis_key, coded.group_id, coded.prompt_id, coded.cell_id,
    coded.block_id
