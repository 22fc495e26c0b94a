-- Grain: one row per suite, category.
select
    suite,
    category,
    outcome_set,
    attribute,
    true_labels,
    predicted_labels
from {{ source('raw', 'suite_classifications') }}
