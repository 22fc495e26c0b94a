-- Grain: one row per suite, category, outcome, group_label. No filter: cells that no suite takes stay.
select
    suite,
    category,
    outcome_set,
    outcome,
    group_label,
    figure,
    published_label,
    group_value,
    source_file,
    source_row,
    file_sha256
from {{ source('raw', 'ground_truth_figures') }}
