-- Every verdict has the limits of one threshold, the suite's own where it has one, and every threshold judged
-- all that it is for, once. A profile without thresholds would otherwise judge nothing in silence. Written
-- without the model that applies the limits.
with profiles as (
    select
        suite,
        {{ unnested('profiles') }} as profile
    from {{ ref('stg_suite__suites') }}
),

of_profiles as (
    select
        profiles.suite,
        thresholds.*,
        '' as statistic,
        1 as standing
    from profiles
    left join {{ ref('thresholds') }} as thresholds using (profile)
),

of_suites as (
    select
        *,
        2 as standing
    from {{ ref('stg_suite__thresholds') }}
),

limits as (
    {{ union_by_name(['of_profiles', 'of_suites']) }}
),

expected as (
    select
        coalesce(limits.profile, 'none') as profile,
        limits.green_limit,
        limits.red_limit,
        limits.direction,
        limits.unit,
        limits.suite,
        judged.category,
        judged.config,
        judged.measure,
        judged.axis,
        judged.metric,
        judged.group_value
    from limits
    left join {{ ref('int_judged_numbers_collected') }} as judged
        on
            limits.suite = judged.suite
            and limits.metric = judged.metric
            and limits.axis_kind in ('any', judged.axis_kind)
            and limits.statistic in ('', judged.statistic)
    where limits.metric is null or judged.suite is not null
    qualify
        limits.metric is null
        or rank() over (
            partition by limits.profile, judged.suite, judged.metric, judged.axis_kind
            order by limits.standing desc
        ) = 1
        and row_number() over (
            partition by
                limits.profile, judged.suite, judged.category, judged.config, judged.measure, judged.axis,
                judged.metric, judged.group_value
            order by limits.standing desc, limits.axis_kind = 'any' asc
        ) = 1
),

verdicts as (
    select * from {{ ref('fct_verdicts') }}
)

select
    coalesce(expected.profile, verdicts.profile) as profile,
    coalesce(expected.suite, verdicts.suite) as suite,
    coalesce(expected.category, verdicts.category) as category,
    coalesce(expected.config, verdicts.config) as config,
    coalesce(expected.measure, verdicts.measure) as measure,
    coalesce(expected.axis, verdicts.axis) as axis,
    coalesce(expected.metric, verdicts.metric) as metric,
    coalesce(expected.group_value, verdicts.group_value) as group_value,
    count(*) as n_rows
from expected
full join verdicts
    on
        expected.profile = verdicts.profile
        and expected.suite = verdicts.suite
        and expected.category = verdicts.category
        and expected.config = verdicts.config
        and expected.measure = verdicts.measure
        and expected.axis = verdicts.axis
        and expected.metric = verdicts.metric
        and expected.group_value = verdicts.group_value
        and expected.direction = verdicts.direction
        and expected.unit = verdicts.unit
        and expected.green_limit = verdicts.green_limit
        and expected.red_limit is not distinct from verdicts.red_limit
group by all
having count(*) <> 1 or count(expected.profile) <> 1 or count(verdicts.profile) <> 1
