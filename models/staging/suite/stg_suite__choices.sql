-- Grain: one row per suite.
select
    suite,
    {{ json_text('definition', 'standard_weighting') }} as standard_weighting,
    {{ json_text('definition', 'measurements.baseline_kind') }} as baseline_kind
from {{ source('raw', 'suites') }}
