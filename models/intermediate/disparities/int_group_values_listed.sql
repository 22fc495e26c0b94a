-- Grain: one row per family_id, statistic_key, group_value: what disparities are computed from.
-- statistic_key: the statistic_id; of selection rates 1000 + 10 * standard_id + method_id, 0 for favourable
-- outcomes, whose family_id is negative.
with samples as (
    select
        listed.sample_id,
        listed.group_value,
        suites.minimum_cell
    from {{ ref('int_group_features_listed') }} as listed
    inner join {{ ref('int_suite_settings_kept') }} as suites on listed.suite = suites.suite
),

computed as (
    select * from {{ ref('int_statistics_computed') }}
),

rated as (
    select * from {{ ref('int_selections_rated') }}
),

favourable as (
    select
        -1 - analysis_id as family_id,
        group_value,
        avg(value) as value,
        count(*) as n
    from {{ ref('int_responses_analysed') }}
    where kind = 'selection'
    group by analysis_id, group_value, is_excluded
    having not is_excluded
)

select
    computed.family_id,
    computed.statistic_id as statistic_key,
    samples.group_value,
    computed.value,
    computed.n,
    -- A group below the suite's minimum cell has its statistics, but is not compared.
    computed.value is not null and computed.n >= samples.minimum_cell as is_compared
from computed
inner join samples on computed.sample_id = samples.sample_id
union all
select
    rated.family_id,
    1000 + 10 * rated.standard_id + rated.method_id as statistic_key,
    samples.group_value,
    rated.selection_rate as value,
    rated.n,
    rated.is_compared
from rated
inner join samples on rated.sample_id = samples.sample_id
union all
select
    family_id,
    0 as statistic_key,
    group_value,
    value,
    n,
    true as is_compared
from favourable
