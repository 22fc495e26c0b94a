-- Grain: one row per suite.
select
    suite,
    categories,
    countings,
    tokeniser,
    beta,
    smoothing,
    is_size_normalised
from {{ source('raw', 'suite_stereotypes') }}
