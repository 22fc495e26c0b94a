-- Grain: one row per group_feature_key, statistic, parameters. What cannot be computed is null with a status
-- (SPEC CON-1).
-- depends_on: {{ ref('statistics') }}
{%- set statistics = declared_rows('statistics', 'statistic_id') %}
{%- set pivoted, columns, rows = [], [], [] %}
{%- for row in statistics %}
{%- set name, id = 's_' ~ row['statistic_id'], row['statistic_id'] %}
{%- if row['stage'] == 'aggregate' %}
{%- do columns.append('aggregated.' ~ name) %}
{%- else %}
{%- do pivoted.append('max(case when statistic_id = ' ~ id ~ ' then value end) as ' ~ name) %}
{%- do columns.append('others_by_sample.' ~ name) %}
{%- endif %}
{%- do rows.append({
    'statistic': "'" ~ row['statistic'] ~ "'",
    'parameters': "'" ~ row['parameters_text'] ~ "'",
    'unit': "'" ~ row['unit'] ~ "'",
    'needs_baseline': row['needs_baseline'] | lower,
    'min_n': row['min_n'],
    'null_status': "'" ~ row['null_status'] ~ "'",
    'value': finite(name)
}) %}
{%- endfor %}
with others as (
    select * from {{ ref('int_statistics_binned') }}
    union all
    select * from {{ ref('int_rank_statistics_computed') }}
),

others_by_sample as (
    select
        group_feature_key,
        {{ pivoted | join(',\n        ') }}
    from others
    group by group_feature_key
),

joined as (
    select
        samples.group_feature_key,
        samples.analysis_key,
        samples.has_baseline,
        coalesce(aggregated.n, 0) as n,
        coalesce(aggregated.n_missing, 0) as n_missing,
        coalesce(aggregated.n_pairs, 0) as n_pairs,
        {{ columns | join(',\n        ') }}
    from {{ ref('int_group_features_listed') }} as samples
    left join {{ ref('int_statistics_aggregated') }} as aggregated using (group_feature_key)
    left join others_by_sample using (group_feature_key)
),

unpivoted as (
    select
        group_feature_key,
        analysis_key,
        has_baseline,
        n,
        n_missing,
        n_pairs,
        {{ unnested_rows(rows) }}
    from joined
)

select
    group_feature_key,
    analysis_key,
    statistic,
    parameters,
    unit,
    value,
    case
        when value is not null then 'ok'
        when n + n_missing = 0 then 'empty_group'
        when n = 0 or (needs_baseline and n_pairs = 0) then 'all_missing'
        when case when needs_baseline then n_pairs else n end < min_n then 'too_few'
        else null_status
    end as status,
    case when needs_baseline then n_pairs else n end as n,
    case when needs_baseline then n - n_pairs else 0 end + n_missing as n_missing
from unpivoted
where has_baseline or not needs_baseline
