-- Grain: one row per suite, target_list, form.
select
    suite,
    target_list,
    word,
    form
from {{ source('raw', 'suite_target_words') }}
