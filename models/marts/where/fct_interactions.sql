-- Grain: one row per suite, category, config, axis, measure_kind, measure, of axes of several attributes that
-- prompts show.
with resampled as (
    select * from {{ ref('int_interactions_resampled') }}
),

outcomes as (
    select distinct
        analysis_key,
        outcome,
        dense_rank() over (partition by analysis_key order by outcome) - 1 as outcome_code
    from {{ ref('int_outcomes_counted') }}
),

tests as (
    select
        analyses.*,
        resampled.* {{ without('analysis_key') }},
        case when resampled.status = 'ok' then coalesce(outcomes.outcome, '') else '' end as outcome
    from {{ ref('int_analyses_listed') }} as analyses
    inner join resampled using (analysis_key)
    left join outcomes using (analysis_key, outcome_code)
),

corrected as (
    {{ with_adjusted_p(
        'tests', 'p_value', ['suite', 'category', 'measure_kind', 'measure', 'is_simulated']
    ) }}
)

select
    {{ analysis_columns('corrected') }},
    corrected.axis,
    corrected.measure_kind,
    corrected.measure,
    corrected.share as interaction_share,
    corrected.status,
    corrected.p_value,
    corrected.p_holm,
    case when corrected.p_value is not null then corrected.n_tests end as n_tests,
    corrected.null_median,
    corrected.null_p95,
    corrected.group_value,
    corrected.outcome,
    corrected.departure,
    corrected.dof,
    corrected.n_units,
    corrected.n,
    corrected.n_groups,
    corrected.exposure,
    1 as metric_version
from corrected
