-- Grain: one row per suite, category, judge: whose answers a judge reads.
with judges as (
    select
        suite,
        {{ unnested(json_items('definition', 'judges')) }} as judge
    from {{ source('raw', 'suites') }}
)

select
    suite,
    {{ unnested(json_texts('judge', 'categories')) }} as category,
    {{ json_text('judge', 'name') }} as judge,
    {{ json_text('judge', 'feature') }} as feature,
    {{ json_text('judge', 'text') }} as text_variant,
    coalesce({{ json_text('judge', 'reads') }}, 'answers') = 'pairs' as compares_pairs,
    cast({{ json_text('judge', 'characters') }} as integer) as max_characters,
    {{ json_text('judge', 'rubric') }} as rubric,
    {{ json_texts('judge', 'labels') }} as labels
from judges
