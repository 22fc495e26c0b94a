-- Grain: one row per suite, axis: the chosen references, of which marts that are views read without the raw database.
select
    suite,
    axis,
    reference_kind,
    group_value
from {{ ref('stg_suite__references') }}
