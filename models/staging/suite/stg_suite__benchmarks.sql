-- Grain: one row per suite.
select
    suite,
    {{ json_text('definition', 'benchmark.name') }} as benchmark,
    {{ json_text('definition', 'benchmark.set') }} as outcome_set
from {{ source('raw', 'suites') }}
where {{ json_text('definition', 'benchmark.name') }} is not null
