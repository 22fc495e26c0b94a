-- Grain: one row per suite, target_list, form.
with words as (
    select
        suite,
        {{ unnested(json_items('definition', 'stereotypes.target_words')) }} as word
    from {{ source('raw', 'suites') }}
),

listed as (
    select
        suite,
        {{ json_text('word', 'target_list') }} as target_list,
        {{ json_text('word', 'word') }} as word,
        {{ json_text('word', 'form') }} as form
    from words
)

select
    *,
    dense_rank() over (order by suite, target_list, word) as word_place
from listed
