-- Grain: one row per suite, style: the measured numbers that a benchmark's score is computed from.
select
    suite,
    {{ json_text('definition', 'benchmark.name') }} as benchmark,
    {{ unnested(json_texts('definition', 'benchmark.styles')) }} as style
from {{ source('raw', 'suites') }}
