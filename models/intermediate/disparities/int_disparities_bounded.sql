-- Grain: one row per analysis_key, statistic, parameters, disparity: how far a range or ratio of means, or of
-- shares of favourable answers, could lie, whatever the missing answers had been (SPEC INF-11). Only where
-- some are missing.
{%- set columns = 'group_value, n, n_missing' %}
with listed as (
    select
        analysis_key,
        statistic,
        parameters,
        value,
        {{ columns }}
    from {{ ref('int_statistics_listed') }}
    where (is_compared or is_silent) and statistic = 'mean'
    union all
    select
        analysis_key,
        'selection_rate' as statistic,
        {{ criterion('standard', 'method') }} as parameters,
        selection_rate as value,
        {{ columns }}
    from {{ ref('int_selections_rated') }}
    where (is_compared or is_silent) and standard = 'favourable_outcome'
),

-- A share is between 0 and 1, a mean where its feature can be.
ranges as (
    select
        analysis_key,
        any_value(range_low) as range_low,
        any_value(range_high) as range_high
    from {{ ref('int_group_features_listed') }}
    group by analysis_key
),

ranged as (
    select
        listed.*,
        case when listed.statistic = 'mean' then ranges.range_low else 0 end as range_low,
        case when listed.statistic = 'mean' then ranges.range_high else 1 end as range_high
    from listed
    left join ranges on listed.analysis_key = ranges.analysis_key
),

ends as (
    select
        analysis_key,
        statistic,
        parameters,
        group_value,
        n_missing,
        range_low,
        (coalesce(n * value, 0) + n_missing * range_low) / (n + n_missing) as lowest,
        (coalesce(n * value, 0) + n_missing * range_high) / (n + n_missing) as highest
    from ranged
    where range_low is not null and range_high is not null
    qualify sum(n_missing) over (partition by analysis_key, statistic, parameters) > 0
),

-- The furthest apart are the highest that a group can be and the lowest that another can.
others as (
    select
        *,
        least(
            min(lowest) over (
                partition by analysis_key, statistic, parameters
                order by group_value rows between unbounded preceding and 1 preceding
            ),
            min(lowest) over (
                partition by analysis_key, statistic, parameters
                order by group_value rows between 1 following and unbounded following
            )
        ) as lowest_other
    from ends
),

summarised as (
    select
        analysis_key,
        statistic,
        parameters,
        min(range_low) >= 0 as is_ratio,
        greatest(0, max(lowest) - min(highest)) as range_low,
        greatest(0, max(highest - lowest_other)) as range_high,
        least(1, min({{ ratio('lowest_other', 'highest') }})) as ratio_low,
        least(1, {{ ratio('min(highest)', 'max(lowest)') }}) as ratio_high,
        cast(sum(n_missing) as bigint) as n_missing
    from others
    group by analysis_key, statistic, parameters
    having count(*) > 1
)

select
    analysis_key,
    statistic,
    parameters,
    'range' as disparity,
    range_low as bound_low,
    range_high as bound_high,
    n_missing
from summarised
union all
select
    analysis_key,
    statistic,
    parameters,
    {{ unnested(
        "case statistic when 'mean' then " ~ list_of("'min_max_ratio'")
        ~ " else " ~ list_of("'min_max_ratio', 'min_impact_ratio'") ~ " end"
    ) }} as disparity,
    ratio_low as bound_low,
    ratio_high as bound_high,
    n_missing
from summarised
where is_ratio
