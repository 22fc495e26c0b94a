-- Grain: one row per analysis_key: every standard of SPEC 9.1, over all groups of the axis pooled. Where the
-- suite weighs groups alike, a standard is the mean of the groups' own, and a bin's fullness the sum of its
-- shares of the groups; groups below the minimum cell then have no say.
-- depends_on: {{ ref('selection_standards') }}
{%- set standards = declared_rows('selection_standards', 'standard_id') %}
{%- set modes = standards | selectattr('macro', 'none') | list %}
{%- set columns, averages, chosen, midpoints, joins = [], [], [], [], [] %}
{%- for row in standards if row['macro'] %}
{%- set name = 's_' ~ row['standard_id'] %}
{%- do columns.append(declared_expression(row) ~ ' as ' ~ name) %}
{%- do averages.append(exact_mean(name) ~ ' as ' ~ name) %}
{%- do chosen.append('coalesce(weighted.' ~ name ~ ', pooled.' ~ name ~ ') as ' ~ name) %}
{%- endfor %}
{%- for row in modes %}
{%- set mode, width = 'mode_' ~ row['standard_id'], row['parameters']['width'] %}
{%- set midpoint = 'pooled.lowest + (' ~ mode ~ '.bin + 0.5) * ' ~ width %}
{%- do midpoints.append(midpoint ~ ' as s_' ~ row['standard_id']) %}
{%- do joins.append('inner join ' ~ mode ~ ' on pooled.analysis_key = ' ~ mode ~ '.analysis_key') %}
{%- endfor %}
with samples as (
    select
        listed.group_feature_key,
        suites.minimum_cell
    from {{ ref('int_group_features_listed') }} as listed
    inner join {{ ref('stg_suite__suites') }} as suites using (suite)
    inner join {{ ref('stg_suite__choices') }} as choices
        on
            listed.suite = choices.suite
            and choices.standard_weighting = 'group'
),

-- Groups that weigh as much as any other, where the suite wants that.
weights as (
    select
        coded.group_feature_key,
        1e0 / count(coded.value) as weight
    from {{ ref('int_feature_values_coded') }} as coded
    inner join samples using (group_feature_key)
    group by coded.group_feature_key, samples.minimum_cell
    having count(coded.value) >= samples.minimum_cell
),

coded as (
    select
        coded.analysis_key,
        coded.group_feature_key,
        coded.value,
        weights.group_feature_key is not null as is_weighted,
        -- A family whose groups weigh alike leaves out the small ones.
        coalesce(weights.weight, case when samples.group_feature_key is null then 1e0 else 0e0 end) as weight
    from {{ ref('int_feature_values_coded') }} as coded
    left join samples using (group_feature_key)
    left join weights using (group_feature_key)
    where coded.value is not null
),

of_groups as (
    select
        analysis_key,
        group_feature_key,
        {{ columns | join(',\n        ') }}
    from coded
    where is_weighted
    group by analysis_key, group_feature_key
),

weighted as (
    select
        analysis_key,
        {{ averages | join(',\n        ') }}
    from of_groups
    group by analysis_key
),

pooled as (
    select
        analysis_key,
        min(value) as lowest,
        {{ columns | join(',\n        ') }}
    from coded
    group by analysis_key
)

{%- for row in modes %},

bins_{{ row['standard_id'] }} as (
    select
        coded.analysis_key,
        {{ bin_of('((coded.value - pooled.lowest) / ' ~ row['parameters']['width'] ~ ')') }} as bin,
        -- Shares that add up to the same number tie.
        round(sum(coded.weight), 9) as n
    from coded
    inner join pooled using (analysis_key)
    group by coded.analysis_key, bin
),

mode_{{ row['standard_id'] }} as (
    select
        analysis_key,
        -- Ties: the lowest bin.
        max_by(bin, (n, -bin)) as bin
    from bins_{{ row['standard_id'] }}
    group by analysis_key
)
{%- endfor %}

select
    pooled.analysis_key,
    pooled.lowest,
    {{ chosen | join(',\n    ') }},
    {{ midpoints | join(',\n    ') }}
from pooled
left join weighted using (analysis_key)
{{ joins | join('\n') }}
