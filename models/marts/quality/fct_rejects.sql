-- Grain: one row per reject_key.
select
    {{ contract_columns() }}
from {{ ref('stg_load__rejects') }}
