-- Grain: one row per suite, topic_set.
select
    suite,
    topic_set,
    topic_set_position,
    pool,
    segment,
    n_clusters,
    centre,
    scorer,
    has_membership,
    distances,
    categories
from {{ source('raw', 'suite_topics') }}
