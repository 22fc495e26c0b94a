-- Grain: one row per suite, feature.
with scores as (
    select
        suite,
        unnest(cast(definition -> '$.stereotypes.scores' as json[])) as score
    from {{ source('raw', 'suites') }}
)

select
    suite,
    score ->> 'feature' as feature,
    cast(score -> 'threshold' as double) as threshold,
    cast(score -> 'at_least' as boolean) as is_at_least,
    cast(score -> 'equal_repeats' as boolean) as has_equal_repeats,
    cast(score -> 'minimum_repeats' as integer) as minimum_repeats
from scores
