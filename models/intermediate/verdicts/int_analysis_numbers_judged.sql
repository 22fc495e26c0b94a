-- Grain: one row per analysis_key, metric: what thresholds judge of outcomes, scores and selections.
with tests as (
    select * from {{ ref('int_analysis_tests_adjusted') }}
),

analyses as (
    select * from {{ ref('int_analyses_listed') }}
),

metrics as (
    select
        metric,
        statistic
    from {{ ref('judged_metrics') }}
    where model = 'int_analyses_resampled'
),

-- The group that lies farthest from the others, and how far a group can.
deviating as (
    select
        analysis_key,
        'max_' || metric || '_pooled' as statistic,
        coalesce(max_by(group_value, (value, group_value)) filter (where value is not null), '')
            as group_value,
        max(attainable_max) as attainable
    from {{ ref('int_deviations_computed') }}
    where reference = 'pooled'
    group by analysis_key, metric
    union all
    select
        analysis_key,
        'max_abs_dbi' as statistic,
        coalesce(max_by(group_value, (abs(dbi), group_value)) filter (where dbi is not null), '')
            as group_value,
        max(attainable_max) as attainable
    from {{ ref('int_scores_computed') }}
    group by analysis_key
    union all
    select
        analysis_key,
        'min_impact_ratio' as statistic,
        coalesce(min_by(group_value, (value, group_value)) filter (where value is not null), '')
            as group_value,
        null as attainable
    from {{ ref('int_analyses_resampled') }}
    where statistic = 'selection_rate'
    group by analysis_key
),

numbers as (
    select
        tests.*,
        metrics.metric,
        coalesce(deviating.group_value, '') as group_value_deviating,
        case metrics.metric
            when 'chi_square_p' then tests.min_attainable_p
            -- Two groups of equal size can lie two standard deviations apart, others farther.
            when 'max_mean_gap' then 2.0
            when 'min_impact_ratio' then 0.0
            else coalesce(deviating.attainable, 1.0)
        end as attainable
    from tests
    inner join metrics on tests.statistic = metrics.statistic
    inner join analyses on tests.analysis_key = analyses.analysis_key
    left join deviating
        on
            tests.analysis_key = deviating.analysis_key
            and tests.statistic = deviating.statistic
    where
        -- Of intersections the deviations have a name of their own (SPEC FS-3), and so have failures.
        case
            when metrics.metric in ('max_fdi', 'mean_fdi') then analyses.n_attributes = 1
            when metrics.metric in ('max_idi', 'mean_idi') then analyses.n_attributes > 1
            when metrics.metric = 'max_share_gap' then analyses.measure <> 'response_status'
            when metrics.metric = 'max_failure_gap' then analyses.measure = 'response_status'
            else true
        end
)

select
    {{ analysis_columns() }},
    analyses.config_key,
    analyses.measure,
    analyses.axis,
    {{ axis_kind('analyses.n_attributes') }} as axis_kind,
    numbers.metric,
    numbers.group_value_deviating as group_value,
    -- Of chi-square the p-value is what is judged. Groups that all give one answer are as equal as can be.
    case
        when analyses.n_groups < 2 then null
        when numbers.metric = 'chi_square_p'
            then coalesce(numbers.p_value, case when numbers.status = 'zero_variance' then 1.0 end)
        when numbers.status = 'zero_variance' then 0.0
        when numbers.metric = 'min_impact_ratio' and numbers.status = 'zero_max' then 1.0
        else numbers.value
    end as value,
    -- At equal weights of the other attributes, where groups differ in those too.
    case when numbers.metric <> 'chi_square_p' then numbers.adjusted_value else numbers.p_adjusted end
        as adjusted_value,
    numbers.confounding,
    numbers.p_adjusted,
    {%- for column in ['ci_low', 'ci_high', 'null_p05', 'null_median', 'null_p95', 'bound_low', 'bound_high',
        'value_low', 'value_high'] %}
    case when numbers.metric <> 'chi_square_p' then numbers.{{ column }} end as {{ column }},
    {%- endfor %}
    numbers.n_blocks,
    numbers.p_value,
    numbers.p_holm,
    numbers.attainable,
    numbers.min_attainable_p,
    numbers.resampling_unit,
    numbers.n_units,
    numbers.permutation_scheme,
    analyses.n,
    analyses.n_groups,
    analyses.n_smallest_group,
    analyses.minimum_group,
    analyses.is_control,
    analyses.hidden_attributes,
    numbers.analysis_key,
    numbers.statistic,
    -- What becomes of a chi-square's evidence where the missing answers make groups as alike as can be.
    case when numbers.metric = 'chi_square_p' then numbers.value_low > numbers.null_p95 end
        as is_evident_at_worst
from numbers
inner join analyses on numbers.analysis_key = analyses.analysis_key
