-- Grain: one row per suite, category, outcome_set, annotator_a, annotator_b, metric.
select {{ contract_columns() }}
from {{ ref('fct_label_agreement') }}
