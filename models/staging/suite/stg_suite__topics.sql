-- Grain: one row per suite, topic_set.
with topics as (
    select
        suite,
        definition ->> 'encoder' as scorer,
        unnest(cast(definition -> 'topics' as json[])) as topics,
        {{ list_positions("definition -> 'topics'") }} as topic_set_position
    from {{ source('raw', 'suites') }}
)

select
    suite,
    topics ->> 'topic_set' as topic_set,
    topic_set_position,
    topics ->> 'of' as pool,
    topics ->> 'segment' as segment,
    cast(topics -> 'clusters' as integer) as n_clusters,
    topics ->> 'centre' as centre,
    scorer,
    cast(topics -> 'membership' as boolean) as has_membership,
    cast(topics -> 'distances' as varchar[]) as distances,
    cast(topics -> 'categories' as varchar[]) as categories
from topics
