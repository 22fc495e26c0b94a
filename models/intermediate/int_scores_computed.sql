-- Grain: one row per analysis_id, group_value of kind score.
with analysed as (
    select * from {{ ref('int_responses_analysed') }}
    where kind = 'score' and not is_excluded
),

totals as (
    select
        analysis_id,
        count(*) as n,
        avg(value) as mean_all,
        stddev_samp(value) as standard_deviation_all
    from analysed
    group by analysis_id
),

groups as (
    select
        analysis_id,
        group_value,
        attribute_codes,
        count(*) as n_group,
        avg(value) as mean,
        var_samp(value) as variance,
        stddev_samp(value) as standard_deviation
    from analysed
    group by analysis_id, group_value, attribute_codes
)

select
    groups.*,
    totals.n,
    totals.mean_all,
    totals.standard_deviation_all,
    case when groups.n_group < totals.n then
        {{ ratio('groups.mean - totals.mean_all', 'totals.standard_deviation_all') }}
    end as dbi,
    case when groups.n_group < totals.n then
        sqrt({{ ratio('totals.n - groups.n_group', 'groups.n_group') }})
    end as attainable_max,
    row_number() over (partition by groups.analysis_id order by groups.attribute_codes) as group_rank,
    count(*) over (partition by groups.analysis_id) as n_groups
from groups
inner join totals on groups.analysis_id = totals.analysis_id
