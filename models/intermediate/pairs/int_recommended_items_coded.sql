-- Grain: one row per analysis_key, response_key, item: which lists name which item, by the groups of an axis.
-- A list that names none of the items that are compared keeps one row, whose item is null.
{#- What is resampled are all items at once: those beyond so many stand in the fewest lists. -#}
{%- set most_items = 100 %}
with lists as (
    select
        responses.suite,
        responses.domain,
        responses.category,
        responses.config_key,
        responses.config,
        responses.model,
        responses.role,
        responses.is_simulated,
        grouped.axis,
        grouped.group_value,
        grouped.attribute_codes,
        responses.prompt_key,
        responses.block_key,
        responses.response_key,
        recommended.items,
        count(*) over (
            partition by
                responses.suite, responses.category, responses.config_key, grouped.axis, grouped.group_value
        ) as n_group
    from {{ ref('int_responses_joined') }} as responses
    inner join {{ ref('int_recommendations_listed') }} as recommended using (suite, category, text_key)
    inner join {{ ref('int_prompts_grouped') }} as grouped using (suite, category, prompt_key)
    where responses.is_usable
),

compared as (
    select
        lists.* {{ without('n_group') }},
        {{ analysis_key('lists', "'recommended'", "'items'") }} as analysis_key
    from lists
    inner join {{ ref('stg_suite__suites') }} as settings using (suite)
    where lists.n_group >= settings.minimum_cell
),

named as (
    select
        analysis_key,
        response_key,
        {{ unnested('items') }} as item
    from compared
),

counted as (
    select
        analysis_key,
        item,
        count(*) as n_item
    from named
    group by analysis_key, item
),

kept as (
    select
        *,
        count(*) over (partition by analysis_key) as n_items,
        row_number() over (partition by analysis_key order by n_item desc, item asc) as place
    from counted
),

coded as (
    select
        *,
        dense_rank() over (partition by analysis_key order by item) - 1 as item_code
    from kept
    where place <= {{ most_items }}
),

of_lists as (
    select
        named.analysis_key,
        named.response_key,
        coded.item,
        coded.item_code,
        coded.n_items
    from named
    inner join coded using (analysis_key, item)
)

select
    compared.* {{ without('items') }},
    of_lists.item,
    of_lists.item_code,
    of_lists.n_items,
    dense_rank() over (partition by compared.analysis_key order by compared.attribute_codes) - 1
        as group_code,
    dense_rank() over (
        partition by compared.analysis_key order by coalesce(cells.cell, compared.prompt_key)
    ) - 1 as cell_code,
    dense_rank() over (partition by compared.analysis_key order by compared.block_key) - 1 as block_code
from compared
left join of_lists
    on
        compared.analysis_key = of_lists.analysis_key
        and compared.response_key = of_lists.response_key
left join {{ ref('int_prompt_cells_listed') }} as cells
    on
        compared.prompt_key = cells.prompt_key
        and compared.axis = cells.axis
