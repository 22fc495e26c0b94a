-- SQL and the resampling kernel define the same statistics: on the observed data they agree, also on what
-- cannot be computed. Every statistic that SQL computes must have been resampled.
with selections as (
    select
        analyses.analysis_id,
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
            and analyses.kind = 'selection'
    where rates.status not in ('empty_group', 'all_missing', 'too_few')
),

computed as (
    select
        analysis_id,
        'chi_square' as statistic,
        '' as group_value,
        chi_square as value
    from {{ ref('int_associations_computed') }}
    union all
    select
        analysis_id,
        'cramers_v' as statistic,
        '' as group_value,
        cramers_v as value
    from {{ ref('int_associations_computed') }}
    union all
    select
        analysis_id,
        'cramers_v_corrected' as statistic,
        '' as group_value,
        cramers_v_corrected as value
    from {{ ref('int_associations_computed') }}
    union all
    select
        analysis_id,
        metric || '_' || reference as statistic,
        group_value,
        value
    from {{ ref('int_deviations_computed') }}
    union all
    select
        analysis_id,
        'max_' || metric || '_' || reference as statistic,
        '' as group_value,
        max(value) as value
    from {{ ref('int_deviations_computed') }}
    group by analysis_id, metric, reference
    union all
    select
        analysis_id,
        'mean_' || metric || '_' || reference as statistic,
        '' as group_value,
        avg(value) as value
    from {{ ref('int_deviations_computed') }}
    group by analysis_id, metric, reference
    union all
    select
        analysis_id,
        'mean' as statistic,
        group_value,
        mean as value
    from {{ ref('int_scores_computed') }}
    union all
    select
        analysis_id,
        'dbi' as statistic,
        group_value,
        dbi as value
    from {{ ref('int_scores_computed') }}
    union all
    select
        analysis_id,
        'max_abs_dbi' as statistic,
        '' as group_value,
        max(abs(dbi)) as value
    from {{ ref('int_scores_computed') }}
    group by analysis_id
    union all
    select
        analysis_id,
        case when test = 'anova' then 'anova_f' else test end as statistic,
        '' as group_value,
        value
    from {{ ref('int_score_tests_computed') }}
    union all
    select
        analysis_id,
        effect as statistic,
        '' as group_value,
        effect_value as value
    from {{ ref('int_score_tests_computed') }}
    union all
    select
        analysis_id,
        unbiased_effect as statistic,
        '' as group_value,
        unbiased_effect_value as value
    from {{ ref('int_score_tests_computed') }}
    union all
    select
        analysis_id,
        'selection_rate' as statistic,
        group_value,
        selection_rate as value
    from selections
    union all
    select
        analysis_id,
        'impact_ratio' as statistic,
        group_value,
        impact_ratio as value
    from selections
    union all
    select
        analysis_id,
        'chosen_ratio' as statistic,
        group_value,
        chosen_impact_ratio as value
    from selections
    where chosen_impact_ratio is not null
    union all
    select
        analysis_id,
        'min_impact_ratio' as statistic,
        '' as group_value,
        min(impact_ratio) as value
    from selections
    group by analysis_id
)

select
    computed.*,
    resampled.value as value_resampled,
    resampled.status
from computed
left join {{ ref('int_analyses_resampled') }} as resampled
    on
        computed.analysis_id = resampled.analysis_id
        and computed.statistic = resampled.statistic
        and computed.group_value = resampled.group_value
where
    resampled.analysis_id is null
    or case
        when resampled.value is null then computed.value is null
        -- The root of what is left of two equal numbers: rounding of 1e-16 becomes 1e-8.
        when computed.statistic = 'cramers_v_corrected'
            then abs(power(computed.value, 2) - power(resampled.value, 2)) <= 1e-9
        else abs(computed.value - resampled.value) <= 1e-9 * greatest(1, abs(resampled.value))
    end is not true
