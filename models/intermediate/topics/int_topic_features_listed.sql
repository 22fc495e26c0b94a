-- Grain: one row per suite, feature: what is measured against the clusters that a suite asks for.
-- depends_on: {{ ref('distances') }}
with asked as (
    select
        *,
        {{ unnested(whole_numbers(1, 'n_clusters')) }} as topic_position
    from {{ ref('stg_suite__topics') }}
),

distances as (
    select
        *,
        {{ unnested('distances') }} as distance
    from asked
),

measures as (
    select
        suite,
        topic_set,
        scorer,
        topic_position,
        'membership' as measure,
        topic_set || '_' || topic_position as feature
    from asked
    where has_membership
    union all
    select
        suite,
        topic_set,
        scorer,
        topic_position,
        distance as measure,
        distance || '_distance_to_' || topic_set || '_' || topic_position as feature
    from distances
),

kinds as (
    select
        distance as measure,
        range_low,
        range_high
    from {{ ref('distances') }}
    union all
    select
        'membership' as measure,
        0 as range_low,
        1 as range_high
)

select
    measures.*,
    kinds.range_low,
    kinds.range_high
from measures
inner join kinds using (measure)
