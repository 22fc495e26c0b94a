-- Grain: one row per suite, topic_set.
with topics as (
    select
        suite,
        {{ json_text('definition', 'encoder') }} as scorer,
        {{ unnested_in_places(json_items('definition', 'topics'), 'topics', 'topic_set_position', first=0) }}
    from {{ source('raw', 'suites') }}
)

select
    suite,
    {{ json_text('topics', 'topic_set') }} as topic_set,
    topic_set_position,
    {{ json_text('topics', 'of') }} as pool,
    {{ json_text('topics', 'segment') }} as segment,
    cast({{ json_text('topics', 'clusters') }} as integer) as n_clusters,
    {{ json_text('topics', 'centre') }} as centre,
    scorer,
    cast({{ json_text('topics', 'membership') }} as boolean) as has_membership,
    {{ json_texts('topics', 'distances') }} as distances,
    {{ json_texts('topics', 'categories') }} as categories
from topics
