-- Grain: one row per suite, target_list, form.
with source as (
    select * from {{ source('raw', 'suite_target_words') }}
)

select
    suite,
    target_list,
    word,
    form
from source
