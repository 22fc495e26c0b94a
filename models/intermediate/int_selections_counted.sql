-- Grain: one row per sample_id, standard_id, method_id: how many values meet the criterion (SPEC 9.1).
-- depends_on: {{ ref('selection_standards') }} {{ ref('selection_methods') }}
{%- set standards = declared_rows('selection_standards', 'standard_id') %}
{%- set methods = declared_rows('selection_methods', 'method_id') %}
{%- set pairs, columns = [], [] %}
{%- for standard in standards %}
{%- set value = 'standards.s_' ~ standard['standard_id'] %}
{%- do columns.append('any_value(' ~ value ~ ') as s_' ~ standard['standard_id']) %}
{%- for method in methods if standard['macro'] is none or not method['needs_mode'] %}
{%- set mode = {'lowest': 'standards.lowest', 'width': standard['parameters']['width']} %}
{%- do pairs.append((standard, method)) %}
{%- do columns.append(
    'count_if(' ~ declared_expression(method, standard=value, mode=mode) ~ ') as c_'
    ~ standard['standard_id'] ~ '_' ~ method['method_id']
) %}
{%- endfor %}
{%- endfor %}
with counted as (
    select
        coded.sample_id,
        any_value(coded.family_id) as family_id,
        count(coded.value) as n,
        count(*) - count(coded.value) as n_missing,
        {{ columns | join(',\n        ') }}
    from {{ ref('int_values_coded') }} as coded
    left join {{ ref('int_standards_computed') }} as standards on coded.family_id = standards.family_id
    group by coded.sample_id
)

select
    sample_id,
    family_id,
    n,
    n_missing,
    unnest([
        {%- for standard, method in pairs %}
        {
            'standard_id': {{ standard['standard_id'] }},
            'method_id': {{ method['method_id'] }},
            'standard_value': s_{{ standard['standard_id'] }},
            'n_selected': cast(c_{{ standard['standard_id'] }}_{{ method['method_id'] }} as bigint)
        }
        {%- if not loop.last %},{% endif %}
        {%- endfor %}
    ], recursive := true)
from counted
