-- Grain: one row per suite, axis: what Local Law 144's tables are made over.
select
    suite,
    axis,
    axis_role,
    minimum_share
from {{ source('raw', 'suite_local_law_axes') }}
