-- Grain: one row per suite, category, config, axis, item: the items in which groups lie farthest apart, and
-- the address of the lists that name them. fct_recommended_items holds all.
{%- set most_items = 30 %}
with ranked as (
    select
        *,
        -- What differs by rounding alone ties: its last digits are the engine's.
        row_number() over (
            partition by suite, category, config, axis
            order by p_family asc nulls last, round(gap, 9) desc, n_item desc, item asc
        ) as item_rank,
        count(*) over (partition by suite, category, config, axis) as n_compared,
        count(case when {{ meets('p_family', '<=', significance_level()) }} then 1 end) over (
            partition by suite, category, config, axis
        ) as n_beyond
    from {{ ref('fct_recommended_items') }}
    where not is_control
)

select
    {{ contract_columns(without=['category_slug', 'responses_slug', 'group_key', 'p_words']) }},
    {{ page_slugs() }},
    {{ p_in_words('p_family') }} as p_words,
    left(md5(axis || ':' || group_high), 8) as group_key
from ranked
where item_rank <= {{ most_items }}
