-- Grain: one row per suite, profile, metric, axis_kind (single or intersection): the limit that judges. What
-- a suite declares takes the place of its profile's.
with profiles as (
    select
        suite,
        unnest(profiles) as profile,
        generate_subscripts(profiles, 1) = 1 as is_gate_profile
    from {{ ref('stg_suite__suites') }}
),

shipped as (
    select
        profiles.suite,
        thresholds.*,
        false as is_own
    from profiles
    inner join {{ ref('thresholds') }} as thresholds using (profile)
),

own_limits as (
    select
        *,
        true as is_own
    from {{ ref('stg_suite__thresholds') }}
),

listed as (
    select * from shipped
    union all by name
    select * from own_limits
),

kinds as (
    select unnest(['single', 'intersection']) as axis_kind
)

select
    listed.suite,
    listed.profile,
    profiles.is_gate_profile,
    listed.metric,
    kinds.axis_kind,
    listed.unit,
    listed.direction,
    listed.green_limit,
    listed.red_limit,
    not listed.is_gated as is_beside,
    profiles.is_gate_profile and listed.is_gated as is_gated,
    listed.is_own,
    listed.source,
    listed.note
from listed
inner join profiles using (suite, profile)
inner join kinds on listed.axis_kind in ('any', kinds.axis_kind)
qualify
    row_number() over (
        partition by listed.suite, listed.profile, listed.metric, kinds.axis_kind
        order by listed.is_own desc, listed.axis_kind = 'any' asc
    ) = 1
