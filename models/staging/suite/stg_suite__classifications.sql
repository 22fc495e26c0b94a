-- Grain: one row per suite, category.
with source as (
    select * from {{ source('raw', 'suite_classifications') }}
)

select
    suite,
    category,
    outcome_set,
    attribute,
    true_labels,
    predicted_labels
from source
