-- Grain: one row per suite: what was set before anything was asked.
select
    {{ contract_columns(without=['profiles', 'scorers']) }},
    {{ joined_list('profiles', "', '") }} as profiles,
    {{ joined_list('scorers', "', '") }} as scorers
from {{ ref('dim_suites') }}
