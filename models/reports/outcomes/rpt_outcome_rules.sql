-- Grain: one row per suite, category, outcome_set, label ('' for a score): the active rules in words.
select * from {{ ref('dim_outcome_rules') }}
