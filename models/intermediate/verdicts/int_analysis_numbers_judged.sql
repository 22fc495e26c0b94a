-- Grain: one row per analysis_key, metric: what thresholds judge of outcomes, scores and selections.
with tests as (
    select * from {{ ref('int_analysis_tests_adjusted') }}
),

selections as (
    select
        analysis_key,
        coalesce(arg_min(group_value, (value, group_value)) filter (value is not null), '') as group_value
    from {{ ref('int_analyses_resampled') }}
    where statistic = 'selection_rate'
    group by analysis_key
),

numbers as (
    select
        analysis_key,
        'chi_square' as statistic,
        'chi_square_p' as metric,
        '' as group_value,
        cast(null as double) as value,
        cast(null as double) as attainable
    from {{ ref('int_associations_computed') }}
    where status = 'ok'
    union all
    select
        analysis_key,
        'cramers_v' as statistic,
        'cramers_v' as metric,
        '' as group_value,
        cramers_v as value,
        1.0 as attainable
    from {{ ref('int_associations_computed') }}
    union all
    -- The group that deviates most.
    select
        analysis_key,
        'max_' || metric || '_pooled' as statistic,
        'max_' || metric as metric,
        coalesce(arg_max(group_value, (value, group_value)) filter (value is not null), '') as group_value,
        max(value) as value,
        max(attainable_max) as attainable
    from {{ ref('int_deviations_computed') }}
    where reference = 'pooled'
    group by analysis_key, metric
    union all
    select
        analysis_key,
        'max_abs_dbi' as statistic,
        'max_abs_dbi' as metric,
        coalesce(arg_max(group_value, (abs(dbi), group_value)) filter (dbi is not null), '') as group_value,
        max(abs(dbi)) as value,
        max(attainable_max) as attainable
    from {{ ref('int_scores_computed') }}
    group by analysis_key
    union all
    select
        tests.analysis_key,
        'min_impact_ratio' as statistic,
        'min_impact_ratio' as metric,
        selections.group_value,
        tests.value,
        0.0 as attainable
    from tests
    inner join selections using (analysis_key)
    where tests.statistic = 'min_impact_ratio'
)

select
    {{ analysis_columns() }},
    analyses.config_key,
    analyses.measure,
    analyses.axis,
    {{ axis_kind('analyses.n_attributes') }} as axis_kind,
    {{ metric_on_axis('numbers.metric', 'analyses.n_attributes') }} as metric,
    numbers.group_value,
    -- Of chi-square the p-value is what is judged.
    case when numbers.metric = 'chi_square_p' then tests.p_value else numbers.value end as value,
    {%- for column in ['ci_low', 'ci_high', 'null_p05', 'null_median', 'null_p95'] %}
    case when numbers.metric <> 'chi_square_p' then tests.{{ column }} end as {{ column }},
    {%- endfor %}
    tests.p_value,
    tests.p_holm,
    tests.n_tests,
    case when numbers.metric = 'chi_square_p' then tests.min_attainable_p else numbers.attainable end
        as attainable,
    tests.min_attainable_p,
    tests.resampling_unit,
    tests.n_units,
    tests.permutation_scheme,
    analyses.n,
    analyses.n_groups,
    analyses.n_smallest_group,
    analyses.minimum_group,
    analyses.is_control,
    analyses.hidden_attributes
from numbers
inner join {{ ref('int_analyses_listed') }} as analyses using (analysis_key)
left join tests using (analysis_key, statistic)
