-- Grain: one row per suite, distance: how answers are held against their baselines.
with distances as (
    select
        suite,
        {{ unnested(json_texts('definition', 'distances')) }} as distance,
        {{ json_text('definition', 'encoder') }} as scorer
    from {{ source('raw', 'suites') }}
)

select
    suite,
    distance,
    scorer,
    distance || '_distance_wrt_baseline' as feature
from distances
