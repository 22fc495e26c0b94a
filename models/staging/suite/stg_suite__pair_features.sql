-- Grain: one row per suite, feature.
select
    suite,
    {{ unnested(json_texts('definition', 'pairs.features')) }} as feature
from {{ source('raw', 'suites') }}
