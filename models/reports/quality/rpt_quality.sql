-- Grain: one row per rule, suite, category, config, scope.
select
    {{ contract_columns() }}
from {{ ref('fct_quality') }}
