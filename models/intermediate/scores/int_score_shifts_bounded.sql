-- Grain: one row per analysis_key, group_value of scores, where answers are missing and the feature has a
-- range: how far a mean and a DBI could lie, whatever the missing scores had been (SPEC INF-11).
with computed as (
    select
        analysis_key,
        group_value,
        n_group,
        mean,
        n_groups,
        coalesce((n_group - 1) * variance, 0) as squares
    from {{ ref('int_scores_computed') }}
),

-- With its missing answers, a group that no table holds would be one more; without a score its mean weighs
-- nothing.
silent as (
    select
        analysis_key,
        group_value,
        cast(sum(n_read) as bigint) as n_group,
        coalesce({{ ratio('sum(n_read * value)', 'sum(n_read)') }}, 0) as mean,
        sum(n_read * power(value, 2)) as squares_of_values
    from {{ ref('int_silent_answers_counted') }}
    group by analysis_key, group_value
),

analyses_computed as (
    select distinct
        analysis_key,
        n_groups
    from computed
),

scores as (
    select * from computed
    union all
    select
        silent.analysis_key,
        silent.group_value,
        silent.n_group,
        silent.mean,
        analyses_computed.n_groups,
        greatest(0, coalesce(silent.squares_of_values - silent.n_group * power(silent.mean, 2), 0)) as squares
    from analyses_computed
    inner join silent using (analysis_key)
),

-- Sums of numbers depend on their order.
together as (
    select
        *,
        sum(n_group) over axes as n,
        sum(n_group * mean) over axes / sum(n_group) over axes as mean_all
    from scores
    window axes as (
        partition by analysis_key
        order by group_value rows between unbounded preceding and unbounded following
    )
),

analyses as (
    select * from {{ ref('int_analyses_listed') }}
    where measure_kind = 'score'
),

missing as (
    select * from {{ ref('int_missing_answers_counted') }}
),

sized as (
    select
        scores.analysis_key,
        scores.group_value,
        scores.n_groups,
        features.range_low,
        features.range_high,
        scores.n_group as n_own,
        scores.n - scores.n_group as n_others,
        coalesce(missing.n_missing, 0) as missing_own,
        sum(coalesce(missing.n_missing, 0)) over axes - coalesce(missing.n_missing, 0) as missing_others,
        scores.mean as mean_own,
        {{ ratio(
            'scores.n * scores.mean_all - scores.n_group * scores.mean', 'scores.n - scores.n_group'
        ) }} as mean_others,
        sum(scores.squares + scores.n_group * power(scores.mean - scores.mean_all, 2)) over (
            partition by scores.analysis_key
            order by scores.group_value rows between unbounded preceding and unbounded following
        ) as squares
    from together as scores
    inner join analyses on scores.analysis_key = analyses.analysis_key
    inner join {{ ref('int_features_listed') }} as features
        on
            analyses.suite = features.suite
            and analyses.category = features.category
            and analyses.measure = features.feature
    left join missing
        on
            analyses.suite = missing.suite
            and analyses.category = missing.category
            and analyses.config_key = missing.config_key
            and analyses.measure = missing.measure
            and analyses.axis = missing.axis
            and scores.group_value = missing.group_value
    where features.range_low is not null and features.range_high is not null
    window axes as (partition by scores.analysis_key)
    qualify sum(coalesce(missing.n_missing, 0)) over axes > 0
),

{%- set sides = ['own', 'others'] %}

-- Means with all that is missing at either end.
ends as (
    select
        *,
        {%- for side in sides %}
        {%- for end in ('low', 'high') %}
        (n_{{ side }} * mean_{{ side }} + missing_{{ side }} * range_{{ end }})
        / (n_{{ side }} + missing_{{ side }}) as {{ side }}_{{ end }},
        {%- endfor %}
        n_{{ side }} + missing_{{ side }} as filled_{{ side }},
        {%- endfor %}
        n_own + missing_own + n_others + missing_others as n_filled
    from sized
),

-- The squares within the group and within all others: at least what was seen, at most with every missing
-- score as far from them and from one another as the range allows.
spread as (
    select
        *,
        greatest(0, squares - n_own * n_others / (n_own + n_others) * power(mean_own - mean_others, 2))
            as squares_low,
        own_high - others_low as gap_high,
        own_low - others_high as gap_low,
        squares_low
        {%- for side in sides %}
        + n_{{ side }} * missing_{{ side }} / filled_{{ side }}
        * power(greatest(range_high - mean_{{ side }}, mean_{{ side }} - range_low), 2)
        + missing_{{ side }} * power(range_high - range_low, 2) / 4
        {%- endfor %} as squares_high
    from ends
)

select
    analysis_key,
    group_value,
    own_low as mean_low,
    own_high as mean_high,
    case when n_groups > 1 then coalesce({{ ratio(
        'filled_others / n_filled * gap_low',
        'sqrt((case when gap_low > 0 then squares_high else squares_low end '
        ~ '+ filled_own * filled_others / n_filled * power(gap_low, 2)) / (n_filled - 1))'
    ) }}, 0) end as dbi_low,
    case when n_groups > 1 then coalesce({{ ratio(
        'filled_others / n_filled * gap_high',
        'sqrt((case when gap_high < 0 then squares_high else squares_low end '
        ~ '+ filled_own * filled_others / n_filled * power(gap_high, 2)) / (n_filled - 1))'
    ) }}, 0) end as dbi_high
from spread
