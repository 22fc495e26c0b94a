-- Grain: one row per suite, feature.
with scores as (
    select
        suite,
        {{ unnested(json_items('definition', 'stereotypes.scores')) }} as score
    from {{ source('raw', 'suites') }}
)

select
    suite,
    {{ json_text('score', 'feature') }} as feature,
    cast({{ json_text('score', 'threshold') }} as double) as threshold,
    cast({{ json_text('score', 'at_least') }} as boolean) as is_at_least,
    cast({{ json_text('score', 'equal_repeats') }} as boolean) as has_equal_repeats,
    cast({{ json_text('score', 'minimum_repeats') }} as integer) as minimum_repeats
from scores
