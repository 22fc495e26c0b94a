-- Grain: one row per suite, topic_set, segment_value, is_simulated.
select
    suite,
    topic_set,
    segment_value,
    is_simulated,
    clustering_key
from {{ source('raw', 'suite_clusterings') }}
