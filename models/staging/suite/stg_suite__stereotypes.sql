-- Grain: one row per suite.
with source as (
    select * from {{ source('raw', 'suite_stereotypes') }}
)

select
    suite,
    categories,
    countings,
    tokeniser,
    beta,
    smoothing,
    is_size_normalised
from source
