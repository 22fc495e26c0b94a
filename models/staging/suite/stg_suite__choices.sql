-- Grain: one row per suite.
select
    suite,
    standard_weighting,
    baseline_kind
from {{ source('raw', 'suite_choices') }}
