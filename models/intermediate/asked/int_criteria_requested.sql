-- Grain: one row per standard_id, method_id: the criteria that any suite has resampled.
select distinct
    standard_id,
    method_id
from {{ ref('int_resampling_requested') }}
where standard_id is not null
