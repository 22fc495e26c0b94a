-- Grain: one row per suite, word.
select
    suite,
    unnest(cast(definition -> '$.stereotypes.stop_words' as varchar[])) as word
from {{ source('raw', 'suites') }}
