-- Grain: one row per suite, category, outcome_set.
select
    suite,
    category,
    outcome_set,
    ground_truth,
    dimension,
    attribute
from {{ source('raw', 'suite_ground_truths') }}
