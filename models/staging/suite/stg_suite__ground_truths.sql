-- Grain: one row per suite, category, outcome_set.
with source as (
    select * from {{ source('raw', 'suite_ground_truths') }}
)

select
    suite,
    category,
    outcome_set,
    ground_truth,
    dimension,
    attribute
from source
