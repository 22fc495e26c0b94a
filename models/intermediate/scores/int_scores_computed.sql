-- Grain: one row per analysis_key, group_value of scores.
with analysed as (
    select * from {{ ref('int_responses_analysed') }}
    where measure_kind = 'score' and not is_excluded
),

totals as (
    select
        analysis_key,
        count(*) as n,
        avg(value) as mean_all,
        stddev_samp(value) as standard_deviation_all
    from analysed
    group by analysis_key
),

by_group as (
    select
        analysis_key,
        group_value,
        attribute_codes,
        count(*) as n_group,
        avg(value) as mean,
        var_samp(value) as variance,
        stddev_samp(value) as standard_deviation
    from analysed
    group by analysis_key, group_value, attribute_codes
)

select
    by_group.*,
    totals.n,
    totals.mean_all,
    totals.standard_deviation_all,
    case
        when by_group.n_group < totals.n
            then {{ ratio('by_group.mean - totals.mean_all', 'totals.standard_deviation_all') }}
    end as dbi,
    case
        when by_group.n_group < totals.n
            then sqrt({{ ratio('totals.n - by_group.n_group', 'by_group.n_group') }})
    end as attainable_max,
    row_number() over (partition by by_group.analysis_key order by by_group.attribute_codes) as group_rank,
    count(*) over (partition by by_group.analysis_key) as n_groups
from by_group
inner join totals using (analysis_key)
