-- Grain: one row per suite, axis.
select
    suite,
    axis,
    reference_kind,
    group_value
from {{ source('raw', 'suite_references') }}
