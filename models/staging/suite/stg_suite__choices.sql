-- Grain: one row per suite.
with source as (
    select * from {{ source('raw', 'suite_choices') }}
)

select
    suite,
    standard_weighting,
    baseline_kind
from source
