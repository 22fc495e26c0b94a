{# The groups of an axis in one statistic, one row per analysis_key, statistic, parameters; `listed` has a row a group. #}
{% macro groups_summarised(listed) -%}
{%- set key = 'analysis_key, statistic, parameters' %}
with listed as (
    select * from {{ listed }}
),

ends as (
    select
        {{ key }},
        any_value(unit) as unit,
        count(*) filter (where is_compared) as n_groups,
        count(*) filter (where not is_compared) as n_groups_excluded,
        cast(coalesce(sum(n) filter (where is_compared), 0) as bigint) as n,
        min(value) filter (where is_compared) as lowest,
        max(value) filter (where is_compared) as highest,
        {{ ordered_list('value', 'value', 'is_compared and value is not null') }} as ascending
    from listed
    group by {{ key }}
),

judged as (
    select
        *,
        -- Of the values in their order, on which last digits depend.
        {{ list_mean('ascending') }} as average,
        {{ list_deviation('ascending', is_sample=false) }} as deviation,
        {{ list_deviation('ascending', is_sample=true) }} as deviation_sample,
        -- Values that differ by rounding alone are equal: groups tie, and there is nothing to standardise.
        1e-12 * greatest(1, abs(highest), abs(lowest)) as slack,
        highest - lowest <= 1e-12 * greatest(1, abs(highest), abs(lowest)) as is_equal
    from ends
),

groups_at_ends as (
    select
        listed.analysis_key,
        listed.statistic,
        listed.parameters,
        array_agg(listed.group_value) filter (where listed.value <= judged.lowest + judged.slack)
            as groups_low,
        array_agg(listed.group_value) filter (where listed.value >= judged.highest - judged.slack)
            as groups_high
    from listed
    inner join judged using (analysis_key, statistic, parameters)
    where
        listed.is_compared
        and (listed.value <= judged.lowest + judged.slack or listed.value >= judged.highest - judged.slack)
    group by listed.analysis_key, listed.statistic, listed.parameters
)

select
    judged.* {{ without('slack') }},
    {{ joined_list('array_sort(groups_at_ends.groups_low)', "'; '") }} as group_low,
    {{ joined_list('array_sort(groups_at_ends.groups_high)', "'; '") }} as group_high
from judged
left join groups_at_ends using (analysis_key, statistic, parameters)
{%- endmacro %}
