-- Grain: one row per clustering_key, topic_position.
select
    clustering_key,
    topic_position,
    n_texts,
    n_members,
    centroid,
    centre
from {{ source('raw', 'topics') }}
