-- Grain: one row per clustering_key, topic_position.
with source as (
    select * from {{ source('raw', 'topics') }}
)

select
    clustering_key,
    topic_position,
    n_texts,
    n_members,
    centroid,
    centre
from source
