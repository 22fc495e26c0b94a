-- Grain: one row per suite, category, config, axis, feature.
with analyses as (
    select * from {{ ref('int_analyses_listed') }}
    where measure_kind = 'score'
),

tested as (
    select * from {{ ref('int_score_assumptions_tested') }}
)

select
    {{ analysis_columns() }},
    analyses.axis,
    analyses.measure as feature,
    tested.normality_test,
    tested.normality,
    tested.normality_p,
    tested.equal_variance,
    tested.equal_variance_p,
    case
        when tested.normality_p is null and tested.equal_variance_p is null then 'not tested'
        when
            {{ meets('tested.normality_p', '<', significance_level()) }}
            and {{ meets('tested.equal_variance_p', '<', significance_level()) }}
            then 'neither normal nor of equal variance'
        when {{ meets('tested.normality_p', '<', significance_level()) }} then 'not normal'
        when {{ meets('tested.equal_variance_p', '<', significance_level()) }} then 'not of equal variance'
        else 'nothing against them'
    end as finding,
    analyses.n,
    analyses.n_groups,
    analyses.exposure,
    analyses.is_control,
    1 as metric_version
from analyses
left join tested on analyses.analysis_key = tested.analysis_key
