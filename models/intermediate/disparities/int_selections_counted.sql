-- Grain: one row per group_feature_key, standard, method: how many values meet the criterion (SPEC 9.1).
-- depends_on: {{ ref('selection_standards') }} {{ ref('selection_methods') }}
{%- set standards = declared_rows('selection_standards', 'standard_id') %}
{%- set methods = declared_rows('selection_methods', 'method_id') %}
{%- set rows, slacks, columns = [], [], [] %}
{%- for standard in standards %}
{%- set name = 's_' ~ standard['standard_id'] %}
{%- set value, slack = 'analyses.' ~ name, 'analyses.' ~ name ~ '_slack' %}
{%- do slacks.append(limit_slack('standards.' ~ name) ~ ' as ' ~ name ~ '_slack') %}
{%- for method in methods if standard['macro'] is none or not method['needs_mode'] %}
{%- set mode = {'lowest': 'analyses.lowest', 'width': standard['parameters']['width']} %}
{%- do rows.append({
    'standard': "'" ~ standard['standard'] ~ "'",
    'method': "'" ~ method['method'] ~ "'",
    'standard_value': value,
    'n_selected': 'cast(counted.c_' ~ standard['standard_id'] ~ '_' ~ method['method_id'] ~ ' as bigint)'
}) %}
{%- do columns.append(
    'sum(cast(' ~ declared_expression(method, standard=value, slack=slack, mode=mode) ~ ' as integer)) as c_'
    ~ standard['standard_id'] ~ '_' ~ method['method_id']
) %}
{%- endfor %}
{%- endfor %}
with analyses as (
    select
        listed.analysis_key,
        standards.* {{ without('analysis_key') }},
        {{ slacks | join(',\n        ') }}
    from (select distinct analysis_key from {{ ref('int_group_features_listed') }}) as listed
    left join {{ ref('int_standards_computed') }} as standards on listed.analysis_key = standards.analysis_key
),

counted as (
    select
        coded.group_feature_key,
        any_value(coded.analysis_key) as analysis_key,
        count(coded.value) as n,
        count(*) - count(coded.value) as n_missing,
        {{ columns | join(',\n        ') }}
    from {{ ref('int_feature_values_coded') }} as coded
    inner join analyses using (analysis_key)
    group by coded.group_feature_key
)

select
    counted.group_feature_key,
    counted.analysis_key,
    counted.n,
    counted.n_missing,
    {{ unnested_rows(rows) }}
from counted
inner join analyses using (analysis_key)
