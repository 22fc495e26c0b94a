-- Grain: one row per suite, topic_set.
with source as (
    select * from {{ source('raw', 'suite_topics') }}
)

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
from source
