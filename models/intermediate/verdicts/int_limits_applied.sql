-- Grain: one row per suite, profile, metric, axis_kind (single or intersection), statistic ('' for each): the
-- limit that judges. What a suite declares of a metric takes the place of all that its profile has of it.
with placed as (
    select
        suite,
        {{ unnested_in_places('profiles', 'profile', 'place') }}
    from {{ ref('stg_suite__suites') }}
),

profiles as (
    select
        suite,
        profile,
        place = 1 as is_gate_profile
    from placed
),

shipped as (
    select
        profiles.suite,
        thresholds.*,
        '' as statistic,
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
    {{ union_by_name(['shipped', 'own_limits']) }}
),

kinds as (
    select {{ unnested(list_of("'single', 'intersection'")) }} as axis_kind
)

select
    listed.suite,
    listed.profile,
    profiles.is_gate_profile,
    listed.metric,
    kinds.axis_kind,
    listed.statistic,
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
    rank() over (
        partition by listed.suite, listed.profile, listed.metric, kinds.axis_kind
        order by listed.is_own desc
    ) = 1
    and row_number() over (
        partition by listed.suite, listed.profile, listed.metric, kinds.axis_kind, listed.statistic
        order by listed.is_own desc, listed.axis_kind = 'any' asc
    ) = 1
