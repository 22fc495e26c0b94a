-- Grain: one row per suite, axis. Kept beside the marts: views among them read it without the raw database.
select
    suite,
    axis,
    reference_kind,
    group_value
from {{ ref('stg_suite__references') }}
