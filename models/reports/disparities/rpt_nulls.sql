-- Grain: one row per suite, category, config, axis, feature, calibration, number_key: a number of how far
-- groups differ, beside what equal groups would give. At most 3,000, comparisons before controls.
{%- set upper = 'collected.null_p95 - collected.null_median' %}
{%- set lower = 'collected.null_median - collected.null_p05' %}
with disparities as (
    select * from {{ ref('fct_disparities') }}
    -- The baseline less itself is nothing.
    where
        null_p05 is not null
        and not (config = 'baseline' and calibration = 'baseline')
        and roll_up = 'none'
),

-- The other numbers that profiles judge, each once, as the gate's profile does; of several groups' the
-- largest. Interval, chance and the corrected p are of the number that is judged: labels or equal weights may
-- have made it another than was read, of which p_value is.
verdicts as (
    select
        *,
        coalesce(adjusted_value, value) as judged_value
    from {{ ref('fct_verdicts') }}
    where null_p05 is not null and metric not in ('min_impact_ratio', 'chi_square_p')
    qualify
        row_number() over (
            partition by suite, category, config, measure, axis, metric
            order by is_gate_profile desc, profile asc, judged_value desc, group_value asc
        ) = 1
),

bounds as (
    select
        suite,
        category,
        config,
        axis,
        outcome_set as measure,
        metric,
        max(attainable_max) as attainable_max
    from {{ ref('fct_group_deviations') }}
    where reference = 'pooled' and metric in ('max_fdi', 'max_idi', 'max_jsd_nats')
    group by suite, category, config, axis, outcome_set, metric
    union all
    select
        suite,
        category,
        config,
        axis,
        feature as measure,
        'max_abs_dbi' as metric,
        max(attainable_max) as attainable_max
    from {{ ref('fct_score_shifts') }}
    group by suite, category, config, axis, feature
),

metrics as (
    {{ metric_titles() }}
),

of_disparities as (
    select
        disparities.suite,
        disparities.category,
        disparities.config,
        disparities.is_simulated,
        disparities.axis,
        disparities.feature,
        disparities.calibration,
        disparities.statistic,
        disparities.parameters,
        disparities.disparity,
        declared.title as disparity_title,
        case declared.better when 'higher' then 'low' else 'high' end as unequal_end,
        disparities.value,
        disparities.ci_low,
        disparities.ci_high,
        disparities.null_p05,
        disparities.null_median,
        disparities.null_p95,
        disparities.p_value,
        disparities.p_holm as p_corrected,
        {{ meets('disparities.p_holm', '<=', significance_level()) }} as is_significant,
        'after Holm' as correction,
        disparities.n_tests,
        disparities.attainable_max,
        disparities.n_groups,
        disparities.n,
        disparities.resampling_unit,
        disparities.n_units,
        disparities.is_control,
        case
            when disparities.disparity = 'min_impact_ratio' then 1
            when disparities.disparity = 'range' then 2
            else 3
        end as disparity_position
    from disparities
    inner join {{ ref('disparities') }} as declared using (disparity)
    where
        -- Of rates it says what the smallest impact ratio says.
        not (disparities.statistic = 'selection_rate' and disparities.disparity = 'min_max_ratio')
        -- Of two groups every z-score is 1.
        and not (disparities.n_groups = 2 and disparities.disparity in ('max_z', 'min_z', 'max_abs_z'))
),

of_verdicts as (
    select
        verdicts.suite,
        verdicts.category,
        verdicts.config,
        verdicts.is_simulated,
        verdicts.axis,
        verdicts.measure as feature,
        'none' as calibration,
        case when verdicts.metric = 'max_abs_dbi' then 'mean' else 'share' end as statistic,
        '' as parameters,
        verdicts.metric as disparity,
        coalesce(metrics.title, verdicts.metric) as disparity_title,
        case verdicts.direction when 'lower_is_worse' then 'low' else 'high' end as unequal_end,
        verdicts.judged_value as value,
        verdicts.ci_low,
        verdicts.ci_high,
        verdicts.null_p05,
        verdicts.null_median,
        verdicts.null_p95,
        case when verdicts.judged_value = verdicts.value then verdicts.p_value end as p_value,
        verdicts.p_family as p_corrected,
        verdicts.is_significant,
        'corrected' as correction,
        verdicts.n_tests,
        case when {{ begins_with('verdicts.metric', 'cramers_v') }} then 1 else bounds.attainable_max end
            as attainable_max,
        verdicts.n_groups,
        verdicts.n,
        verdicts.resampling_unit,
        verdicts.n_units,
        verdicts.is_control,
        0 as disparity_position
    from verdicts
    left join metrics using (metric)
    left join bounds using (suite, category, config, axis, measure, metric)
),

collected as (
    {{ union_by_name(['of_disparities', 'of_verdicts']) }}
),

categories as (
    {{ category_titles() }}
),

-- Before what is left out has a sentence, too.
ranked as (
    select
        collected.*,
        coalesce(categories.title, '') as category_title,
        coalesce(categories.category_position, 0) as category_position,
        dense_rank() over (order by disparity_position asc, statistic desc, parameters asc, disparity asc)
            as number_position,
        count(*) over () as n_found,
        row_number() over (
            order by
                is_control asc, disparity_position asc, statistic desc, parameters asc, disparity asc,
                suite asc, coalesce(categories.category_position, 0) asc, category asc, axis asc, feature asc,
                calibration asc, config asc
        ) as position
    from collected
    left join categories using (suite, category)
),

placed as (
    select
        collected.*,
        case collected.statistic
            when 'selection_rate' then 'selection rates'
            else replace(collected.statistic, '_', ' ') || 's'
        end as things,
        collected.n_groups || ' ' || things as compared,
        case
            when collected.parameters = 'standard=favourable_outcome;method=in_set' then 'favourable answers'
            when collected.parameters = 'standard=mean;method=larger' then 'at least the mean of all groups'
            else replace(replace(collected.parameters, ';', ', '), '_', ' ')
        end as parameters_in_words,
        -- 1 is the end of the band on the side of unequal groups, 0 its middle. What rounding alone has
        -- opened is no band.
        case collected.unequal_end
            when 'high'
                then {{ ratio(
                    'collected.value - collected.null_median',
                    'case when ' ~ upper ~ ' > 1e-9 then ' ~ upper ~ ' end'
                ) }}
            else {{ ratio(
                'collected.null_median - collected.value',
                'case when ' ~ lower ~ ' > 1e-9 then ' ~ lower ~ ' end'
            ) }}
        end as excess,
        case collected.unequal_end
            when 'high' then {{ meets('collected.value', '>', 'collected.null_p95') }}
            else {{ meets('collected.value', '<', 'collected.null_p05') }}
        end as is_beyond,
        {{ rounded('collected.value') }} as value_in_words
    from ranked as collected
    where collected.position <= 3000
),

worded as (
    select
        *,
        left(md5(statistic || '|' || parameters || '|' || disparity), 8) as number_key,
        disparity_title
        || case
            when statistic = 'share' or disparity = 'max_abs_dbi' then ''
            when parameters = '' then ' of ' || things
            else ' of ' || things || ' (' || parameters_in_words || ')'
        end as number_title,
        case
            when is_beyond is not true then 'within'
            when is_significant then 'beyond'
            else 'beyond_alone'
        end as place,
        case
            when disparity in ('min_impact_ratio', 'min_max_ratio')
                then 'the smallest of ' || compared || ' is ' || value_in_words || ' of the largest'
            when disparity = 'range'
                then 'the largest and the smallest of ' || compared || ' are ' || value_in_words || ' apart'
            when disparity = 'standard_deviation'
                then compared || ' have a standard deviation of ' || value_in_words
            when disparity = 'dixon_q' then disparity_title || ' of ' || compared || ' is ' || value_in_words
            when disparity in ('max_z', 'min_z', 'max_abs_z')
                then
                    'the '
                    || case disparity
                        when 'max_z' then 'largest' when 'min_z' then 'smallest' else 'farthest'
                    end
                    || ' of ' || compared || ' lies at ' || value_in_words
                    || ' standard deviations from their average'
            else disparity_title || ' over ' || n_groups || ' groups is ' || value_in_words
        end
        || '; ' || n_groups || ' equal groups would give between ' || {{ rounded('null_p05') }} || ' and '
        || {{ rounded('null_p95') }} || ' nine times in ten'
        || coalesce(
            ' (' || nullif(concat_ws(
                ', ',
                'p ' || {{ p_in_words('p_value') }},
                correction || ' over ' || n_tests || case when n_tests = 1 then ' test ' else ' tests ' end
                || case when p_value is null then 'p ' else '' end || {{ p_in_words('p_corrected') }}
            ), '') || ')',
            ''
        )
        || '.' as sentence
    from placed
)

select
    {{ contract_columns(without=['category_slug', 'responses_slug', 'is_baseline']) }},
    {{ page_slugs() }},
    config = 'baseline' as is_baseline
from worded
