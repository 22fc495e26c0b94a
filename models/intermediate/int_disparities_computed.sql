-- Grain: one row per family_id, statistic_key, disparity_id (SPEC 10).
-- depends_on: {{ ref('disparities') }}
{%- set disparities = declared_rows('disparities', 'disparity_id') %}
{%- set key = 'family_id, statistic_key' %}
with listed as (
    select * from {{ ref('int_disparity_values_listed') }}
),

rates as (
    select statistic_id as statistic_key
    from {{ ref('statistics') }}
    where unit = 'share'
),

ends as (
    select
        {{ key }},
        count(*) filter (is_compared) as n_groups,
        count(*) filter (not is_compared) as n_groups_excluded,
        cast(coalesce(sum(n) filter (is_compared), 0) as bigint) as n,
        min(value) filter (is_compared) as lowest,
        max(value) filter (is_compared) as highest,
        avg(value) filter (is_compared) as average,
        stddev_pop(value) filter (is_compared) as deviation,
        stddev_samp(value) filter (is_compared) as deviation_sample,
        {{ smallest_values('value', 3, 'is_compared') }} as smallest,
        {{ largest_values('value', 3, 'is_compared') }} as largest
    from listed
    group by {{ key }}
),

judged as (
    select
        *,
        -- Values that differ by rounding alone are equal: groups tie, and there is nothing to standardise.
        1e-12 * greatest(1, abs(highest), abs(lowest)) as slack,
        highest - lowest <= 1e-12 * greatest(1, abs(highest), abs(lowest)) as is_equal,
        statistic_key = 0 or statistic_key >= 1000 as is_rate,
        statistic_key = 0
        or statistic_key >= 1000
        or statistic_key in (select statistic_key from rates) as is_share
    from ends
),

groups_at_ends as (
    select
        listed.family_id,
        listed.statistic_key,
        string_agg(listed.group_value, '; ' order by listed.group_value)
        filter (listed.value <= judged.lowest + judged.slack) as group_low,
        string_agg(listed.group_value, '; ' order by listed.group_value)
        filter (listed.value >= judged.highest - judged.slack) as group_high
    from listed
    inner join judged
        on
            listed.family_id = judged.family_id
            and listed.statistic_key = judged.statistic_key
    where
        listed.is_compared
        and (listed.value <= judged.lowest + judged.slack or listed.value >= judged.highest - judged.slack)
    group by listed.family_id, listed.statistic_key
),

unpivoted as (
    select
        {{ key }},
        n_groups,
        n_groups_excluded,
        n,
        is_rate,
        unnest([
            {%- for row in disparities %}
            {%- set expression = declared_expression(row) %}
            {
                'disparity_id': {{ row['disparity_id'] }},
                'is_for_rates_only': {{ row['applies_to'] == 'rates' }},
                'value': {{ finite(expression['value']) }},
                'null_status': {{ expression['status'] }},
                'attainable_max': cast({{ expression['bound'] }} as double)
            }
            {%- if not loop.last %},{% endif %}
            {%- endfor %}
        ], recursive := true)
    from judged
)

select
    unpivoted.family_id,
    unpivoted.statistic_key,
    unpivoted.disparity_id,
    unpivoted.value,
    case
        when unpivoted.value is not null then 'ok'
        when unpivoted.n_groups = 0 then 'all_missing'
        else unpivoted.null_status
    end as status,
    case when unpivoted.n_groups > 1 then unpivoted.attainable_max end as attainable_max,
    groups_at_ends.group_low,
    groups_at_ends.group_high,
    unpivoted.n_groups,
    unpivoted.n_groups_excluded,
    unpivoted.n
from unpivoted
left join groups_at_ends
    on
        unpivoted.family_id = groups_at_ends.family_id
        and unpivoted.statistic_key = groups_at_ends.statistic_key
where unpivoted.is_rate or not unpivoted.is_for_rates_only
