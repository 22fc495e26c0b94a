-- Grain: one row per suite.
select
    suite,
    definition ->> 'standard_weighting' as standard_weighting,
    definition ->> '$.measurements.baseline_kind' as baseline_kind
from {{ source('raw', 'suites') }}
