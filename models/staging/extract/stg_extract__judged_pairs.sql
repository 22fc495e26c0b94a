-- Grain: one row per pair_key: two texts in the order in which a judge is shown them.
select
    pair_key,
    first_text_key,
    second_text_key
from {{ source('raw', 'judged_pairs') }}
