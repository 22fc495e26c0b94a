-- Grain: one row per suite, axis.
select
    suite,
    {{ unnested(json_texts('definition', 'pairs.axes')) }} as axis,
    {{ json_text('definition', 'pairs.against') }} as against,
    {{ json_text('definition', 'pairs.text') }} as text_variant
from {{ source('raw', 'suites') }}
