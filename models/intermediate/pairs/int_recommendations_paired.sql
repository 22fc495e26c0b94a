-- Grain: one row per pair_kind, axis, response_key_a, response_key_b, measured_as: how alike two lists are.
-- List 1, whose ranks count, is that of group_a; against the group that the suite names as reference, the
-- other's.
with lists as (
    select * from {{ ref('int_recommendations_listed') }}
),

ordered as (
    select
        pairs.pair_kind,
        pairs.axis,
        pairs.response_key_a,
        pairs.response_key_b,
        pairs.is_usable,
        declared.has_langfair_scale,
        case when chosen_references.suite is null then lists_a.items else lists_b.items end as items_1,
        case when chosen_references.suite is null then lists_b.items else lists_a.items end as items_2
    from {{ ref('int_response_pairs_listed') }} as pairs
    inner join {{ ref('stg_suite__recommendations') }} as declared using (suite, category)
    left join {{ ref('int_reference_groups_listed') }} as chosen_references
        on
            pairs.suite = chosen_references.suite
            and pairs.axis = chosen_references.axis
            and pairs.group_a = chosen_references.group_value
    left join lists as lists_a
        on
            pairs.suite = lists_a.suite
            and pairs.category = lists_a.category
            and pairs.text_key_a = lists_a.text_key
    left join lists as lists_b
        on
            pairs.suite = lists_b.suite
            and pairs.category = lists_b.category
            and pairs.text_key_b = lists_b.text_key
),

placed as (
    select
        *,
        {{ list_length('items_1') }} as n_1,
        {{ list_length('items_2') }} as n_2,
        {{ mapped_items('items_1', 'item', 'nullif(array_position(items_2, item), 0)') }} as positions
    from ordered
),

measured as (
    select
        *,
        {{ recommendation_jaccard('positions', 'n_1', 'n_2') }} as recommendation_jaccard,
        {{ recommendation_serp('positions', 'n_1', 'n_2') }} as recommendation_serp,
        {{ recommendation_prag('positions', 'n_1', 'n_2') }} as recommendation_prag,
        {{ recommendation_serp('positions', 'n_1', 'n_2', as_langfair=true) }}
            as recommendation_serp_langfair,
        {{ recommendation_prag('positions', 'n_1', 'n_2', as_langfair=true) }}
            as recommendation_prag_langfair
    from placed
)

{% for metric in ['jaccard', 'serp', 'prag', 'serp_langfair', 'prag_langfair'] -%}
select
    pair_kind,
    axis,
    response_key_a,
    response_key_b,
    'recommendation_{{ metric }}' as measured_as,
    case when n_1 > 0 and n_2 > 0 then recommendation_{{ metric }} end as value,
    case
        when not is_usable then 'failed_response'
        when n_1 > 0 and n_2 > 0 then 'ok'
        else 'empty'
    end as measurement_status
from measured
{% if metric.endswith('_langfair') -%}
where has_langfair_scale
{% endif -%}
{%- if not loop.last -%}
union all
{% endif -%}
{%- endfor %}
