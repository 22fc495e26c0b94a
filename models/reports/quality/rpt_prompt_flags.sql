-- Grain: one row per suite, category, axis, group_value, flag.
select
    {{ contract_columns() }}
from {{ ref('fct_prompt_flags') }}
