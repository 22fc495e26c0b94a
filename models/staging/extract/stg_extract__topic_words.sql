-- Grain: one row per clustering_key, topic_position, word_position.
select
    clustering_key,
    topic_position,
    word_position,
    word,
    share,
    share_elsewhere,
    similarity
from {{ source('raw', 'topic_words') }}
