-- Grain: one row per suite, attribute, word.
select
    suite,
    attribute,
    attribute_position,
    group_value,
    group_position,
    reference_share,
    word
from {{ source('raw', 'suite_protected_words') }}
