-- Grain: one row per suite, category, config, measure, axis: the two groups that lie farthest apart.
with analyses as (
    select * from {{ ref('int_analyses_listed') }}
    where measure_kind in ('outcome', 'score')
),

corrected as (
    select * from {{ ref('int_analyses_corrected') }}
    where status <> 'too_few_labels'
),

corrected_shares as (
    select * from corrected
    where statistic = 'share'
),

counted as (
    select
        cells.analysis_key,
        cells.outcome,
        cells.group_value,
        cells.n_group,
        cells.n_cell,
        coalesce(corrected_shares.value, cells.share) as value
    from {{ ref('int_outcomes_counted') }} as cells
    left join corrected_shares
        on
            cells.analysis_key = corrected_shares.analysis_key
            and cells.outcome = corrected_shares.outcome
            and cells.group_value = corrected_shares.group_value
),

corrected_means as (
    select * from corrected
    where statistic = 'mean'
),

averaged as (
    select
        scores.analysis_key,
        '' as outcome,
        scores.group_value,
        scores.n_group,
        cast(null as bigint) as n_cell,
        coalesce(corrected_means.value, scores.mean) as value
    from {{ ref('int_scores_computed') }} as scores
    left join corrected_means
        on
            scores.analysis_key = corrected_means.analysis_key
            and scores.group_value = corrected_means.group_value
    where scores.mean is not null
),

valued as (
    select * from counted
    union all
    select * from averaged
),

gaps as (
    select
        analysis_key,
        outcome,
        max(value) - min(value) as gap,
        -- What differs by rounding alone ties: its last digits are the engine's.
        max_by(group_value, (round(value, 9), group_value)) as group_high,
        min_by(group_value, (round(value, 9), group_value)) as group_low
    from valued
    group by analysis_key, outcome
),

-- Of two labels each is as far apart as the other: the favourable one is told, as impact ratios tell it.
widest as (
    select
        gaps.*,
        row_number() over (
            partition by gaps.analysis_key
            order by round(gaps.gap, 9) desc, coalesce(rules.is_favourable, false) desc, gaps.outcome desc
        ) as place
    from gaps
    inner join analyses on gaps.analysis_key = analyses.analysis_key
    left join {{ ref('dim_outcome_rules') }} as rules
        on
            analyses.suite = rules.suite
            and analyses.category = rules.category
            and analyses.measure = rules.outcome_set
            and gaps.outcome = rules.label
    where gaps.gap > 0
),

-- What is resampled of scores is the gap in standard deviations of all scores.
scales as (
    select
        analysis_key,
        max(standard_deviation_all) as scale
    from {{ ref('int_scores_computed') }}
    group by analysis_key
),

resampled as (
    select * from {{ ref('int_analyses_resampled') }}
    where statistic in ('max_share_gap', 'max_mean_gap') and group_value = ''
),

corrected_gaps as (
    select * from corrected
    where statistic in ('max_share_gap', 'max_mean_gap') and group_value = ''
),

tested as (
    select
        resampled.analysis_key,
        coalesce(scales.scale, 1.0) as scale,
        {%- for column in ['ci_low', 'ci_high', 'null_median', 'null_p95', 'p_value'] %}
        case
            when corrected_gaps.analysis_key is null then resampled.{{ column }}
            else corrected_gaps.{{ column }}
        end as {{ column }},
        {%- endfor %}
        resampled.resampling_unit,
        resampled.n_units,
        corrected_gaps.n_labels
    from resampled
    left join corrected_gaps using (analysis_key)
    left join scales using (analysis_key)
),

-- What came measured and no rule reads has no analysis: its gap is the range of its means.
came_measured as (
    select
        features.suite,
        features.category,
        features.feature
    from {{ ref('int_features_measured') }} as features
    anti join {{ ref('stg_suite__outcome_rules') }} as rules
        on
            features.suite = rules.suite
            and features.category = rules.category
            and features.feature = rules.feature
            and rules.rule_kind = 'score'
    where features.scorer = 'ready'
),

mean_ranges as (
    select
        *,
        'score' as measure_kind
    from {{ ref('fct_disparities') }}
    where
        statistic = 'mean'
        and disparity = 'range'
        and calibration = 'none'
        and roll_up = 'none'
        and config <> 'baseline'
        and value > 0
),

ranges as (
    select mean_ranges.*
    from mean_ranges
    semi join came_measured using (suite, category, feature)
),

means as (
    select *
    from {{ ref('fct_summary_statistics') }}
    where statistic = 'mean' and calibration = 'none' and roll_up = 'none'
),

items as (
    select
        *,
        row_number() over (
            partition by suite, category, config, axis order by round(gap, 9) desc, n_item desc, item asc
        ) as place
    from {{ ref('fct_recommended_items') }}
    where gap > 0
),

-- What is told of the widest gap is held against the widest of any item.
item_gaps as (
    select * from {{ ref('int_item_gaps_judged') }}
)

select
    {{ analysis_columns() }},
    analyses.measure,
    analyses.measure_kind,
    analyses.axis,
    widest.outcome,
    widest.group_high,
    widest.group_low,
    high.value as value_high,
    low.value as value_low,
    high.n_cell as n_cell_high,
    low.n_cell as n_cell_low,
    high.n_group as n_group_high,
    low.n_group as n_group_low,
    widest.gap,
    -- One gap has one interval: that of the range of means, where it was drawn.
    {%- for column in ['ci_low', 'ci_high'] %}
    case
        when tested.n_labels is null and mean_ranges.{{ column }} is not null then mean_ranges.{{ column }}
        else tested.{{ column }} * tested.scale
    end as {{ column }},
    {%- endfor %}
    tested.null_median * tested.scale as null_median,
    tested.null_p95 * tested.scale as null_p95,
    tested.p_value,
    tested.n_labels,
    analyses.n,
    analyses.n_groups,
    tested.resampling_unit,
    tested.n_units,
    analyses.exposure,
    analyses.is_control,
    1 as metric_version
from widest
inner join analyses using (analysis_key)
inner join valued as high
    on
        widest.analysis_key = high.analysis_key
        and widest.outcome = high.outcome
        and widest.group_high = high.group_value
inner join valued as low
    on
        widest.analysis_key = low.analysis_key
        and widest.outcome = low.outcome
        and widest.group_low = low.group_value
left join tested on widest.analysis_key = tested.analysis_key
left join mean_ranges
    on
        analyses.measure_kind = mean_ranges.measure_kind
        and analyses.suite = mean_ranges.suite
        and analyses.category = mean_ranges.category
        and analyses.config = mean_ranges.config
        and analyses.axis = mean_ranges.axis
        and analyses.measure = mean_ranges.feature
        and round(widest.gap, 9) = round(mean_ranges.value, 9)
where widest.place = 1
union all
select
    {{ analysis_columns('ranges') }},
    ranges.feature as measure,
    'score' as measure_kind,
    ranges.axis,
    '' as outcome,
    ranges.group_high,
    ranges.group_low,
    high.value as value_high,
    low.value as value_low,
    cast(null as bigint) as n_cell_high,
    cast(null as bigint) as n_cell_low,
    high.n as n_group_high,
    low.n as n_group_low,
    ranges.value as gap,
    ranges.ci_low,
    ranges.ci_high,
    ranges.null_median,
    ranges.null_p95,
    ranges.p_value,
    cast(null as bigint) as n_labels,
    ranges.n,
    ranges.n_groups,
    ranges.resampling_unit,
    ranges.n_units,
    ranges.exposure,
    ranges.is_control,
    1 as metric_version
from ranges
inner join means as high
    on
        ranges.suite = high.suite
        and ranges.category = high.category
        and ranges.config = high.config
        and ranges.axis = high.axis
        and ranges.feature = high.feature
        and ranges.group_high = high.group_value
inner join means as low
    on
        ranges.suite = low.suite
        and ranges.category = low.category
        and ranges.config = low.config
        and ranges.axis = low.axis
        and ranges.feature = low.feature
        and ranges.group_low = low.group_value
union all
select
    {{ analysis_columns('items') }},
    item_gaps.measure,
    'outcome' as measure_kind,
    items.axis,
    items.item as outcome,
    items.group_high,
    items.group_low,
    items.share_high as value_high,
    items.share_low as value_low,
    items.n_cell_high,
    items.n_cell_low,
    items.n_group_high,
    items.n_group_low,
    items.gap,
    item_gaps.ci_low,
    item_gaps.ci_high,
    item_gaps.null_median,
    item_gaps.null_p95,
    item_gaps.p_value,
    cast(null as bigint) as n_labels,
    items.n,
    items.n_groups,
    items.resampling_unit,
    items.n_units,
    items.exposure,
    items.is_control,
    1 as metric_version
from items
inner join item_gaps using (suite, category, config, axis)
where items.place = 1
