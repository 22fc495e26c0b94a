-- Grain: one row per group_feature_key, statistic_id: modes and divergences from the baseline (SPEC SUM-3,
-- SUM-9).
-- depends_on: {{ ref('statistics') }}
{%- set modes = declared_rows('statistics', 'statistic_id', "statistic = 'mode'") %}
{%- set divergences = declared_rows('statistics', 'statistic_id', "statistic = 'kl_divergence'") %}
{%- set histograms = {} %}
{%- for row in divergences %}
{%- set edges, zeros = row['parameters']['edges'], row['parameters']['zeros'] %}
{%- if edges not in ('shared', 'own') or zeros not in ('add_half', 'floor') %}
{%- do exceptions.raise_compiler_error('kl_divergence: no such parameters: ' ~ row['parameters']) %}
{%- endif %}
{%- do histograms.update({edges ~ '_' ~ row['parameters']['bins']: row['parameters']}) %}
{%- endfor %}
with coded as (
    select
        group_feature_key,
        analysis_key,
        value,
        baseline_value
    from {{ ref('int_feature_values_coded') }}
),

ends as (
    select
        aggregated.group_feature_key,
        samples.has_baseline,
        aggregated.lowest,
        aggregated.highest,
        aggregated.baseline_lowest,
        aggregated.baseline_highest,
        -- The same edges for all that are compared, so that groups' divergences can be.
        coalesce(
            samples.range_low,
            min(least(aggregated.lowest, aggregated.baseline_lowest)) over families
        ) as shared_lowest,
        coalesce(
            samples.range_high,
            max(greatest(aggregated.highest, aggregated.baseline_highest)) over families
        ) as shared_highest
    from {{ ref('int_statistics_aggregated') }} as aggregated
    inner join {{ ref('int_group_features_listed') }} as samples using (group_feature_key)
    window families as (partition by samples.analysis_key)
),

{%- for mode in modes %}

bins_{{ mode['statistic_id'] }} as (
    select
        coded.group_feature_key,
        {{ bin_of('((coded.value - ends.lowest) / ' ~ mode['parameters']['width'] ~ ')') }} as bin,
        min(ends.lowest) as lowest,
        count(*) as n
    from coded
    inner join ends using (group_feature_key)
    where coded.value is not null
    group by coded.group_feature_key, bin
),

mode_{{ mode['statistic_id'] }} as (
    select
        group_feature_key,
        {{ mode['statistic_id'] }} as statistic_id,
        min(lowest) + (max_by(bin, (n, -bin)) + 0.5) * {{ mode['parameters']['width'] }} as value
    from bins_{{ mode['statistic_id'] }}
    group by group_feature_key
),
{%- endfor %}
{%- for name, parameters in histograms.items() %}
{%- set side, other = ('shared_', 'shared_') if parameters['edges'] == 'shared' else ('', 'baseline_') %}
{%- set ends, other_ends = [], [] %}
{%- for end in ('lowest', 'highest') %}
{%- do ends.append('ends.' ~ side ~ end) %}
{%- do other_ends.append('ends.' ~ other ~ end) %}
{%- endfor %}

sides_{{ name }} as (
    select
        coded.group_feature_key,
        {{ histogram_bin('coded.value', ends[0], ends[1], parameters['bins']) }} as bin,
        count(*) as n,
        0 as n_baseline
    from coded
    inner join ends using (group_feature_key)
    where ends.has_baseline and coded.value is not null
    group by coded.group_feature_key, bin
    union all
    select
        coded.group_feature_key,
        {{ histogram_bin('coded.baseline_value', other_ends[0], other_ends[1], parameters['bins']) }} as bin,
        0 as n,
        count(*) as n_baseline
    from coded
    inner join ends using (group_feature_key)
    where ends.has_baseline and coded.baseline_value is not null
    group by coded.group_feature_key, bin
),

cells_{{ name }} as (
    select
        group_feature_key,
        bin,
        cast(sum(n) as double) as n,
        cast(sum(n_baseline) as double) as n_baseline,
        cast(sum(sum(n)) over (partition by group_feature_key) as double) as n_all,
        cast(sum(sum(n_baseline)) over (partition by group_feature_key) as double) as n_baseline_all
    from sides_{{ name }}
    group by group_feature_key, bin
),
{%- endfor %}
{%- for row in divergences %}
{%- set bins = row['parameters']['bins'] %}
{%- if row['parameters']['zeros'] == 'add_half' %}
{%- set p = '(n + 0.5) / (n_all + 0.5 * ' ~ bins ~ ')' %}
{%- set q = '(n_baseline + 0.5) / (n_baseline_all + 0.5 * ' ~ bins ~ ')' %}
{%- set empty = kl_term(p | replace('(n ', '(0 '), q | replace('(n_baseline ', '(0 ')) %}
{#- Bins that neither side fills weigh in too. #}
{%- set divergence = 'sum(' ~ kl_term(p, q) ~ ') + (' ~ bins ~ ' - count(*)) * min(' ~ empty ~ ')' %}
{%- else %}
{%- set p, q = 'greatest(n / n_all, 1e-10)', 'greatest(n_baseline / n_baseline_all, 1e-10)' %}
{%- set divergence = 'sum(' ~ kl_term(p, q) ~ ')' %}
{%- endif %}

kl_{{ row['statistic_id'] }} as (
    select
        group_feature_key,
        {{ row['statistic_id'] }} as statistic_id,
        case when min(n_all) > 0 and min(n_baseline_all) > 0 then {{ divergence }} end as value
    from cells_{{ row['parameters']['edges'] }}_{{ bins }}
    group by group_feature_key
),
{%- endfor %}

computed as (
    {%- for mode in modes %}
    select * from mode_{{ mode['statistic_id'] }}
    union all
    {%- endfor %}
    {%- for row in divergences %}
    select * from kl_{{ row['statistic_id'] }}
    {%- if not loop.last %}
    union all
    {%- endif %}
    {%- endfor %}
)

select
    group_feature_key,
    statistic_id,
    {{ finite('value') }} as value
from computed
