-- Grain: one row per suite, category, text_key: the items of an answer's list, the best first. Equal ones
-- count once, where they stand first; letters' case, quotes, numbers and bullets are no part of an item.
{%- set wide = '[0-9\\x{FF10}-\\x{FF19}]{1,4}[\\x{FF0E}\\x{FF09}\\x{3001}][[:space:]\\x{3000}]*' %}
{%- set mark = pattern('^(([0-9]{1,4}[.):]|[-*•])[[:space:]]+|' ~ wide ~ ')') %}
{#- They say in which direction a line is read, or join nothing: two items that differ in them look alike. #}
{%- set directions = '\\x{200E}\\x{200F}\\x{202A}-\\x{202E}\\x{2066}-\\x{2069}' %}
{%- set invisible = pattern('[\\x{200B}\\x{2060}\\x{FEFF}' ~ directions ~ ']') %}
{%- set space = "' ' || chr(9) || chr(10) || chr(13)" %}
{%- set line = trimmed('part', space) %}
{%- set seen = all_replaced('texts.text', invisible, '') %}
with answers as (
    select distinct
        suite,
        category,
        text_key
    from {{ ref('int_responses_joined') }}
    where is_usable
),

parts as (
    select
        answers.*,
        declared.is_numbered,
        declared.list_size,
        declared.rest_pattern,
        {{ unnested_in_places(split_text(seen, 'declared.separator'), 'part', 'place') }}
    from answers
    inner join {{ ref('stg_suite__recommendations') }} as declared using (suite, category)
    inner join {{ ref('stg_extract__texts') }} as texts using (text_key)
),

unmarked as (
    select
        * {{ without('part') }},
        {{ matches(line, mark) }} as has_mark,
        {{ all_replaced(line, mark, '') }} as entry
    from parts
),

items as (
    select
        * {{ without('entry') }},
        {{ lowered(composed(trimmed(
            'case when rest_pattern is null then entry else ' ~ all_replaced('entry', 'rest_pattern', '') ~ ' end',
            space ~ " || '\"*_“”'"
        ))) }} as item
    from unmarked
),

firsts as (
    select
        suite,
        category,
        text_key,
        list_size,
        item,
        min(place) as place
    from items
    where item <> '' and (has_mark or not is_numbered)
    group by all
)

select
    suite,
    category,
    text_key,
    {{ first_items(ordered_list('item', 'place'), 'coalesce(list_size, 1000)') }} as items
from firsts
group by suite, category, text_key, list_size
