-- Grain: one row per response_key, outcome_set. Failed responses keep a row without an outcome.
select
    {{ contract_columns() }}
from {{ ref('int_outcomes_assigned') }}
