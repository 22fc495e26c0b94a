-- Every verdict has the limits of one threshold, and every threshold judged all that it is for, once. A
-- profile without thresholds would otherwise judge nothing in silence.
with expected as (
    select
        suites.profile,
        thresholds.green_limit,
        thresholds.red_limit,
        thresholds.direction,
        thresholds.unit,
        judged.suite,
        judged.category,
        judged.config,
        judged.measure,
        judged.axis,
        judged.metric,
        judged.group_value
    from (
        select
            suite,
            unnest(profiles) as profile
        from {{ ref('stg_suite__suites') }}
    ) as suites
    left join {{ ref('thresholds') }} as thresholds on suites.profile = thresholds.profile
    left join {{ ref('int_judged_numbers_collected') }} as judged
        on
            suites.suite = judged.suite
            and thresholds.metric = judged.metric
            and (thresholds.axis_kind = 'any' or thresholds.axis_kind = judged.axis_kind)
    where thresholds.profile is null or judged.suite is not null
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
