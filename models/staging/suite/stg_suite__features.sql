-- Grain: one row per suite, feature: declared ranges.
with features as (
    select
        suite,
        {{ members('definition', 'ranges') }} as feature
    from {{ source('raw', 'suites') }}
)

select
    features.suite,
    features.feature.key as feature,
    cast({{ json_text('features.feature.value', '[0]') }} as double) as range_low,
    cast({{ json_text('features.feature.value', '[1]') }} as double) as range_high
from features
