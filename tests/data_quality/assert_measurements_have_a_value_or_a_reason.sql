-- A number and a status that says there is one come together (SPEC CON-1).
select
    response_key,
    feature,
    value,
    measurement_status
from {{ ref('fct_measurements') }}
where
    (measurement_status in ('ok', 'capped', 'truncated'))
    is distinct from (value is not null and {{ is_finite('value') }})
