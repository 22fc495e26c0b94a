-- SQL and the resampling kernel define the same statistics: on the observed data they agree, also on what
-- cannot be computed. Every statistic that SQL computes must have been resampled.
with selections as (
    select
        analyses.analysis_key,
        rates.group_value,
        rates.selection_rate,
        rates.impact_ratio,
        rates.chosen_impact_ratio
    from {{ ref('fct_selection_rates') }} as rates
    inner join {{ ref('int_analyses_listed') }} as analyses
        on
            rates.suite = analyses.suite
            and rates.category = analyses.category
            and rates.config = analyses.config
            and rates.axis = analyses.axis
            and rates.feature = analyses.measure
            and analyses.measure_kind = 'selection'
    where rates.status not in ('empty_group', 'all_missing', 'too_few')
),

computed as (
    select
        analysis_key,
        'chi_square' as statistic,
        '' as group_value,
        chi_square as value
    from {{ ref('int_associations_computed') }}
    union all
    select
        analysis_key,
        'cramers_v' as statistic,
        '' as group_value,
        cramers_v as value
    from {{ ref('int_associations_computed') }}
    union all
    select
        analysis_key,
        'cramers_v_corrected' as statistic,
        '' as group_value,
        cramers_v_corrected as value
    from {{ ref('int_associations_computed') }}
    union all
    select
        analysis_key,
        metric || '_' || reference as statistic,
        group_value,
        value
    from {{ ref('int_deviations_computed') }}
    union all
    select
        analysis_key,
        'max_' || metric || '_' || reference as statistic,
        '' as group_value,
        max(value) as value
    from {{ ref('int_deviations_computed') }}
    group by analysis_key, metric, reference
    union all
    select
        analysis_key,
        'mean_' || metric || '_' || reference as statistic,
        '' as group_value,
        avg(value) as value
    from {{ ref('int_deviations_computed') }}
    group by analysis_key, metric, reference
    union all
    select
        analysis_key,
        'mean' as statistic,
        group_value,
        mean as value
    from {{ ref('int_scores_computed') }}
    union all
    select
        analysis_key,
        'dbi' as statistic,
        group_value,
        dbi as value
    from {{ ref('int_scores_computed') }}
    union all
    select
        analysis_key,
        'max_abs_dbi' as statistic,
        '' as group_value,
        max(abs(dbi)) as value
    from {{ ref('int_scores_computed') }}
    group by analysis_key
    union all
    select
        analysis_key,
        case when test = 'anova' then 'anova_f' else test end as statistic,
        '' as group_value,
        value
    from {{ ref('int_score_tests_computed') }}
    union all
    select
        analysis_key,
        effect as statistic,
        '' as group_value,
        effect_value as value
    from {{ ref('int_score_tests_computed') }}
    union all
    select
        analysis_key,
        unbiased_effect as statistic,
        '' as group_value,
        unbiased_effect_value as value
    from {{ ref('int_score_tests_computed') }}
    union all
    select
        analysis_key,
        'selection_rate' as statistic,
        group_value,
        selection_rate as value
    from selections
    union all
    select
        analysis_key,
        'impact_ratio' as statistic,
        group_value,
        impact_ratio as value
    from selections
    union all
    select
        analysis_key,
        'chosen_ratio' as statistic,
        group_value,
        chosen_impact_ratio as value
    from selections
    where chosen_impact_ratio is not null
    union all
    select
        analysis_key,
        'min_impact_ratio' as statistic,
        '' as group_value,
        min(impact_ratio) as value
    from selections
    group by analysis_key
)

select
    computed.*,
    resampled.value as value_resampled,
    resampled.status
from computed
left join {{ ref('int_analyses_resampled') }} as resampled
    on
        computed.analysis_key = resampled.analysis_key
        and computed.statistic = resampled.statistic
        and computed.group_value = resampled.group_value
where
    resampled.analysis_key is null
    or case
        when resampled.value is null then computed.value is null
        -- The root of what is left of two equal numbers: rounding of 1e-16 becomes 1e-8.
        when computed.statistic = 'cramers_v_corrected'
            then abs(power(computed.value, 2) - power(resampled.value, 2)) <= 1e-9
        else abs(computed.value - resampled.value) <= 1e-9 * greatest(1, abs(resampled.value))
    end is not true
