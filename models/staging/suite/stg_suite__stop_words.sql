-- Grain: one row per suite, word.
select
    suite,
    {{ unnested(json_texts('definition', 'stereotypes.stop_words')) }} as word
from {{ source('raw', 'suites') }}
