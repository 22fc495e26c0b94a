-- Grain: one row per clustering_key, topic_position, word_position: why a theme has its words.
select
    words.clustering_key,
    words.topic_position,
    words.word_position,
    words.word,
    words.share as word_share,
    words.share_elsewhere as word_share_elsewhere,
    words.similarity as centre_similarity
from {{ ref('stg_extract__topic_words') }} as words
semi join {{ ref('dim_topics') }} using (clustering_key)
