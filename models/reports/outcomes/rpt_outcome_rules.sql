-- Grain: one row per suite, category, outcome_set, label ('' for a score): the active rules in words.
select
    *,
    {{ measure_in_words('feature') }} as measure_words
from {{ ref('dim_outcome_rules') }}
