-- Grain: one row per suite: what was set before anything was asked.
select
    {{ contract_columns(without=['profiles', 'scorers']) }},
    array_to_string(profiles, ', ') as profiles,
    array_to_string(scorers, ', ') as scorers
from {{ ref('dim_suites') }}
