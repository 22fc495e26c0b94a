-- Grain: one row per term: the word list of every page.
select
    {{ contract_columns(without=['forms']) }},
    coalesce(forms, '') as forms
from {{ ref('terms') }}
