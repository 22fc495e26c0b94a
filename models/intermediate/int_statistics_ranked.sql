-- Grain: one row per sample_id, statistic_id: rank correlations with the baseline (SPEC SUM-11).
-- depends_on: {{ ref('statistics') }}
{%- set statistics = declared_rows('statistics', 'statistic_id', "statistic = 'spearman'") %}
with samples as (
    select sample_id
    from {{ ref('int_samples_listed') }}
    -- A calibrated baseline is constant: nothing correlates with it.
    where has_baseline and calibration = 'none'
),

pairs as (
    select
        coded.sample_id,
        coded.value,
        coded.baseline_value
    from {{ ref('int_values_coded') }} as coded
    inner join samples on coded.sample_id = samples.sample_id
    where coded.value is not null and coded.baseline_value is not null
),

-- Equal values share the average of their ranks.
ranked as (
    select
        sample_id,
        rank() over (partition by sample_id order by value)
        + (count(*) over (partition by sample_id, value) - 1) / 2.0 as value_rank,
        rank() over (partition by sample_id order by baseline_value)
        + (count(*) over (partition by sample_id, baseline_value) - 1) / 2.0 as baseline_rank
    from pairs
)

{%- for statistic in statistics %}
select
    sample_id,
    {{ statistic['statistic_id'] }} as statistic_id,
    {{ statistic_pearson({}, 'value_rank', 'baseline_rank') }} as value
from ranked
group by sample_id
{%- if not loop.last %}
union all
{%- endif %}
{%- endfor %}
