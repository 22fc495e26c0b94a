-- The widest gap in means stands in two marts. Where both drew it, and no labels correct it, pages that read
-- the one or the other give the same interval.
select
    contrasts.suite,
    contrasts.category,
    contrasts.config,
    contrasts.axis,
    contrasts.measure,
    contrasts.ci_low,
    contrasts.ci_high,
    ranges.ci_low as range_low,
    ranges.ci_high as range_high
from {{ ref('fct_contrasts') }} as contrasts
inner join {{ ref('fct_disparities') }} as ranges
    on
        contrasts.suite = ranges.suite
        and contrasts.category = ranges.category
        and contrasts.config = ranges.config
        and contrasts.axis = ranges.axis
        and contrasts.measure = ranges.feature
where
    contrasts.measure_kind = 'score'
    and contrasts.n_labels is null
    and ranges.statistic = 'mean'
    and ranges.disparity = 'range'
    and ranges.calibration = 'none'
    and ranges.roll_up = 'none'
    and ranges.ci_low is not null
    and abs(contrasts.gap - ranges.value) <= 1e-9
    and (contrasts.ci_low = ranges.ci_low and contrasts.ci_high = ranges.ci_high) is not true
