-- Grain: one row per suite, category, judge, attribute, group_b, text_key.
select
    suite,
    category,
    judge,
    attribute,
    group_a,
    group_b,
    text_key,
    exchanged_text_key,
    content_key
from {{ source('raw', 'exchanged_texts') }}
