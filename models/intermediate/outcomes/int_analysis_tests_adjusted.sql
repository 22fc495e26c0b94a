-- Grain: one row per analysis_key, statistic at the axis's level, with p-values corrected over its family:
-- one measure and statistic over configs and axes (SPEC INF-7). Controls are in no family.
with resampled as (
    select * {{ without('tail, null_tails') }} from {{ ref('int_analyses_resampled') }}
    where group_value = ''
),

tests as (
    select
        resampled.*,
        analyses.suite,
        analyses.category,
        analyses.measure_kind,
        analyses.measure,
        analyses.is_simulated,
        analyses.is_control,
        case when not analyses.is_control then resampled.p_value end as family_p
    from resampled
    inner join {{ ref('int_analyses_listed') }} as analyses using (analysis_key)
)

{{ with_adjusted_p(
    'tests', 'family_p', ['suite', 'category', 'measure_kind', 'measure', 'statistic', 'is_simulated']
) }}
