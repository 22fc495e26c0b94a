-- Grain: one row per sample_id, standard_id, method_id: how many values meet the criterion (SPEC 9.1).
-- depends_on: {{ ref('selection_standards') }} {{ ref('selection_methods') }}
{%- set standards = declared_rows('selection_standards', 'standard_id') %}
{%- set methods = declared_rows('selection_methods', 'method_id') %}
{%- set pairs, slacks, columns = [], [], [] %}
{%- for standard in standards %}
{%- set name = 's_' ~ standard['standard_id'] %}
{%- set value, slack = 'families.' ~ name, 'families.' ~ name ~ '_slack' %}
{%- do slacks.append(standard_slack('standards.' ~ name) ~ ' as ' ~ name ~ '_slack') %}
{%- for method in methods if standard['macro'] is none or not method['needs_mode'] %}
{%- set mode = {'lowest': 'families.lowest', 'width': standard['parameters']['width']} %}
{%- do pairs.append((standard, method)) %}
{%- do columns.append(
    'count_if(' ~ declared_expression(method, standard=value, slack=slack, mode=mode) ~ ') as c_'
    ~ standard['standard_id'] ~ '_' ~ method['method_id']
) %}
{%- endfor %}
{%- endfor %}
with families as (
    select
        listed.family_id,
        standards.* exclude (family_id),
        {{ slacks | join(',\n        ') }}
    from (select distinct family_id from {{ ref('int_group_features_listed') }}) as listed
    left join {{ ref('int_standards_computed') }} as standards on listed.family_id = standards.family_id
),

counted as (
    select
        coded.sample_id,
        any_value(coded.family_id) as family_id,
        count(coded.value) as n,
        count(*) - count(coded.value) as n_missing,
        {{ columns | join(',\n        ') }}
    from {{ ref('int_feature_values_coded') }} as coded
    inner join families on coded.family_id = families.family_id
    group by coded.sample_id
)

select
    counted.sample_id,
    counted.family_id,
    counted.n,
    counted.n_missing,
    unnest([
        {%- for standard, method in pairs %}
        {
            'standard_id': {{ standard['standard_id'] }},
            'method_id': {{ method['method_id'] }},
            'standard_value': families.s_{{ standard['standard_id'] }},
            'n_selected': cast(counted.c_{{ standard['standard_id'] }}_{{ method['method_id'] }} as bigint)
        }
        {%- if not loop.last %},{% endif %}
        {%- endfor %}
    ], recursive := true)
from counted
inner join families on counted.family_id = families.family_id
