-- Grain: one row per analysis_key, metric: what thresholds judge of outcomes, scores and selections.
{%- set weighted = ['ci_low', 'ci_high', 'null_p05', 'null_median', 'null_p95'] %}
{%- set of_the_corrected = ['adjusted_value', 'p_adjusted', 'confounding', 'bound_low', 'bound_high',
    'value_low', 'value_high', 'adjusted_ci_low', 'adjusted_ci_high', 'adjusted_null_p05',
    'adjusted_null_median', 'adjusted_null_p95'] + weighted %}
with tests as (
    select * from {{ ref('int_analysis_tests_adjusted') }}
),

analyses as (
    select * from {{ ref('int_analyses_listed') }}
),

-- Where people have read enough answers, what is judged is corrected for what was read wrongly.
corrected as (
    select
        * {{ without('adjusted_value, p_adjusted') }},
        -- Groups that people find alike are as equal as can be, too.
        coalesce(
            adjusted_value, value, case status when 'zero_variance' then 0.0 when 'zero_max' then 1.0 end
        ) as adjusted_value,
        coalesce(p_adjusted, p_value, case when status = 'zero_variance' then 1.0 end) as p_adjusted
    from {{ ref('int_analyses_corrected') }}
    where status <> 'too_few_labels' and outcome = ''
),

corrected_extremes as (
    select
        analysis_key,
        case statistic
            when 'dbi' then 'max_abs_dbi'
            when 'selection_rate' then 'min_impact_ratio'
            else 'max_' || statistic
        end as statistic,
        -- What differs by rounding alone ties: its last digits are the engine's.
        max_by(group_value, (
            round(
                case statistic when 'selection_rate' then -value when 'dbi' then abs(value) else value end, 9
            ),
            group_value
        )) as group_value
    from corrected
    where
        statistic in ('fdi_pooled', 'jsd_nats_pooled', 'dbi', 'selection_rate')
        and group_value <> ''
        and value is not null
    group by analysis_key, statistic
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
        coalesce(max_by(group_value, (round(value, 9), group_value)) filter (where value is not null), '')
            as group_value,
        max(attainable_max) as attainable
    from {{ ref('int_deviations_computed') }}
    where reference = 'pooled'
    group by analysis_key, metric
    union all
    select
        analysis_key,
        'max_abs_dbi' as statistic,
        coalesce(max_by(group_value, (round(abs(dbi), 9), group_value)) filter (where dbi is not null), '')
            as group_value,
        max(attainable_max) as attainable
    from {{ ref('int_scores_computed') }}
    group by analysis_key
    union all
    select
        analysis_key,
        'min_impact_ratio' as statistic,
        coalesce(min_by(group_value, (round(value, 9), group_value)) filter (where value is not null), '')
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
        coalesce(corrected_extremes.group_value, deviating.group_value, '') as group_value_deviating,
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
    left join corrected_extremes
        on
            tests.analysis_key = corrected_extremes.analysis_key
            and tests.statistic = corrected_extremes.statistic
    where
        -- Of intersections the deviations have a name of their own (SPEC FS-3), and so have failures.
        case
            when metrics.metric in ('max_fdi', 'mean_fdi') then analyses.n_attributes = 1
            when metrics.metric in ('max_idi', 'mean_idi') then analyses.n_attributes > 1
            when metrics.metric = 'max_share_gap' then analyses.measure <> 'response_status'
            when metrics.metric = 'max_failure_gap' then analyses.measure = 'response_status'
            else true
        end
),

judged as (
    select
        numbers.* {{ without(of_the_corrected | join(', ')) }},
        {%- for column in of_the_corrected %}
        case
            when corrected.analysis_key is null then numbers.{{ column }}
            else corrected.{{ column }}
        end as {{ column }},
        {%- endfor %}
        corrected.n_missing,
        corrected.n_labels,
        corrected.label_part,
        -- What the number is where all groups are alike.
        case when numbers.metric = 'min_impact_ratio' then 1 else 0 end as equality
    from numbers
    left join corrected
        on
            numbers.analysis_key = corrected.analysis_key
            and numbers.statistic = corrected.statistic
            and corrected.group_value = ''
)

select
    {{ analysis_columns() }},
    analyses.config_key,
    analyses.measure,
    analyses.axis,
    {{ axis_kind('analyses.n_attributes') }} as axis_kind,
    judged.metric,
    judged.group_value_deviating as group_value,
    -- Of chi-square the p-value is what is judged. Groups that all give one answer are as equal as can be.
    -- Where people find no outcome in any answer, what a rule reads there is none.
    case
        when analyses.n_groups < 2 then null
        when judged.n_labels is not null and judged.adjusted_value is null then null
        when judged.metric = 'chi_square_p'
            then coalesce(judged.p_value, case when judged.status = 'zero_variance' then 1.0 end)
        when judged.status = 'zero_variance' then 0.0
        when judged.metric = 'min_impact_ratio' and judged.status = 'zero_max' then 1.0
        else judged.value
    end as value,
    -- Corrected by labels, and at equal weights of the other attributes, where groups differ in those too.
    case when judged.metric <> 'chi_square_p' then judged.adjusted_value else judged.p_adjusted end
        as adjusted_value,
    judged.confounding,
    judged.p_adjusted,
    {%- for column in ['value_low', 'value_high'] %}
    case when judged.metric <> 'chi_square_p' then judged.{{ column }} end as {{ column }},
    {%- endfor %}
    -- Interval and chance are of the number that is judged.
    {%- for column in weighted %}
    case
        when judged.metric = 'chi_square_p' then null
        when judged.confounding is null then judged.{{ column }}
        else judged.adjusted_{{ column }}
    end as {{ column }},
    {%- endfor %}
    -- Bounds without width, such as of one favourable answer in all, say nothing of where the truth lies.
    {%- for column in ['bound_low', 'bound_high'] %}
    case
        when judged.metric = 'chi_square_p' then null
        when
            round(judged.bound_low, 9) = round(judged.bound_high, 9)
            and round(judged.bound_low, 9) <> judged.equality
            then null
        else judged.{{ column }}
    end as {{ column }},
    {%- endfor %}
    judged.n_missing,
    judged.n_labels,
    judged.label_part,
    judged.n_blocks,
    judged.p_value,
    judged.p_holm,
    judged.attainable,
    judged.min_attainable_p,
    judged.resampling_unit,
    judged.n_units,
    judged.permutation_scheme,
    analyses.n,
    analyses.n_groups,
    analyses.n_smallest_group,
    analyses.minimum_group,
    analyses.is_control,
    analyses.hidden_attributes,
    judged.analysis_key,
    judged.statistic,
    -- What becomes of a chi-square's evidence where the missing answers make groups as alike as can be.
    case
        when judged.metric = 'chi_square_p'
            then
                judged.value_low
                > case when judged.confounding is null then judged.null_p95 else judged.adjusted_null_p95 end
    end as is_evident_at_worst
from judged
inner join analyses on judged.analysis_key = analyses.analysis_key
