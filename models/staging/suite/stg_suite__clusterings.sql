-- Grain: one row per suite, topic_set, segment_value, is_simulated.
with source as (
    select * from {{ source('raw', 'suite_clusterings') }}
)

select
    suite,
    topic_set,
    segment_value,
    is_simulated,
    clustering_key
from source
