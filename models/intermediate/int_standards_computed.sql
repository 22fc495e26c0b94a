-- Grain: one row per family_id: every standard of SPEC 9.1, over all groups of the axis pooled.
-- depends_on: {{ ref('selection_standards') }}
{%- set standards = declared_rows('selection_standards', 'standard_id') %}
{%- set modes = standards | selectattr('macro', 'none') | list %}
{%- set columns, midpoints, joins = [], [], [] %}
{%- for row in standards if row['macro'] %}
{%- do columns.append(declared_expression(row) ~ ' as s_' ~ row['standard_id']) %}
{%- endfor %}
{%- for row in modes %}
{%- set mode, width = 'mode_' ~ row['standard_id'], row['parameters']['width'] %}
{%- set midpoint = 'pooled.lowest + (' ~ mode ~ '.bin + 0.5) * ' ~ width %}
{%- do midpoints.append(midpoint ~ ' as s_' ~ row['standard_id']) %}
{%- do joins.append('inner join ' ~ mode ~ ' on pooled.family_id = ' ~ mode ~ '.family_id') %}
{%- endfor %}
with coded as (
    select
        family_id,
        value
    from {{ ref('int_values_coded') }}
    where value is not null
),

pooled as (
    select
        family_id,
        min(value) as lowest,
        {{ columns | join(',\n        ') }}
    from coded
    group by family_id
)

{%- for row in modes %},

bins_{{ row['standard_id'] }} as (
    select
        coded.family_id,
        floor((coded.value - pooled.lowest) / {{ row['parameters']['width'] }}) as bin,
        count(*) as n
    from coded
    inner join pooled on coded.family_id = pooled.family_id
    group by coded.family_id, bin
),

mode_{{ row['standard_id'] }} as (
    select
        family_id,
        -- Ties: the lowest bin.
        arg_max(bin, (n, -bin)) as bin
    from bins_{{ row['standard_id'] }}
    group by family_id
)
{%- endfor %}

select
    pooled.*,
    {{ midpoints | join(',\n    ') }}
from pooled
{{ joins | join('\n') }}
