-- Grain: one row per suite, attribute, group_value: the size of the group's list and its fair share. Of two
-- groups, group_a is the one that the suite names first; more than two are no pair.
with listed as (
    select
        suite,
        attribute,
        group_value,
        min(group_position) as group_position,
        min(reference_share) as reference_share,
        count(*) as n_listed
    from {{ ref('stg_suite__protected_words') }}
    group by suite, attribute, group_value
)

select
    *,
    case
        when count(*) over in_attribute = 2 then first_value(group_value) over in_attribute
        else ''
    end as group_a,
    case
        when count(*) over in_attribute = 2 then last_value(group_value) over in_attribute
        else ''
    end as group_b
from listed
window
    in_attribute as (
        partition by suite, attribute
        order by group_position
        rows between unbounded preceding and unbounded following
    )
