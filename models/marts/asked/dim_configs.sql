-- Grain: one row per config_key.
select
    {{ contract_columns() }}
from {{ ref('int_configs_labelled') }}
