-- Grain: one row per suite, axis.
select
    suite,
    axis,
    against,
    text_variant
from {{ source('raw', 'suite_pairs') }}
