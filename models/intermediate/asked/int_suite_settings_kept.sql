-- Grain: one row per suite: settings of which marts that are views read, without the raw database.
select
    suite,
    minimum_cell
from {{ ref('stg_suite__suites') }}
