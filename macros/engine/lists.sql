{# Lists, where the engines differ. On both: array_contains, array_distinct, array_sort, array_position (from 1; wrapped in
   nullif(…, 0)), filter(list, x -> …), flatten, map_keys, map_values. Places count from 1. #}

{% macro list_of(items) -%}
    {{ return(adapter.dispatch('list_of', 'plumbline')(items)) }}
{%- endmacro %}

{% macro duckdb__list_of(items) -%}
    [{{ items }}]
{%- endmacro %}

{% macro spark__list_of(items) -%}
    array({{ items }})
{%- endmacro %}

{% macro empty_list(type='string') -%}
    {{ return(adapter.dispatch('empty_list', 'plumbline')(type)) }}
{%- endmacro %}

{% macro duckdb__empty_list(type) -%}
    cast([] as {{ type }}[])
{%- endmacro %}

{% macro spark__empty_list(type) -%}
    cast(array() as array<{{ type }}>)
{%- endmacro %}

{# A list with its items as doubles. #}
{% macro list_of_doubles(list) -%}
    {{ return(adapter.dispatch('list_of_doubles', 'plumbline')(list)) }}
{%- endmacro %}

{% macro duckdb__list_of_doubles(list) -%}
    cast({{ list }} as double[])
{%- endmacro %}

{% macro spark__list_of_doubles(list) -%}
    cast({{ list }} as array<double>)
{%- endmacro %}

{% macro list_length(list) -%}
    {{ return(adapter.dispatch('list_length', 'plumbline')(list)) }}
{%- endmacro %}

{% macro duckdb__list_length(list) -%}
    len({{ list }})
{%- endmacro %}

{% macro spark__list_length(list) -%}
    array_size({{ list }})
{%- endmacro %}

{# How many items are not null. #}
{% macro n_known_items(list) -%}
    {{ return(adapter.dispatch('n_known_items', 'plumbline')(list)) }}
{%- endmacro %}

{% macro duckdb__n_known_items(list) -%}
    list_count({{ list }})
{%- endmacro %}

{% macro spark__n_known_items(list) -%}
    array_size(array_compact({{ list }}))
{%- endmacro %}

{# The item at a place; null beyond the ends. #}
{% macro item_at(list, place) -%}
    {{ return(adapter.dispatch('item_at', 'plumbline')(list, place)) }}
{%- endmacro %}

{% macro duckdb__item_at(list, place) -%}
    {{ list }}[{{ place }}]
{%- endmacro %}

{% macro spark__item_at(list, place) -%}
    get({{ list }}, cast({{ place }} as integer) - 1)
{%- endmacro %}

{% macro first_items(list, n) -%}
    {{ return(adapter.dispatch('first_items', 'plumbline')(list, n)) }}
{%- endmacro %}

{% macro duckdb__first_items(list, n) -%}
    ({{ list }})[1:{{ n }}]
{%- endmacro %}

{% macro spark__first_items(list, n) -%}
    slice({{ list }}, 1, {{ n }})
{%- endmacro %}

{% macro items_after(list, place) -%}
    {{ return(adapter.dispatch('items_after', 'plumbline')(list, place)) }}
{%- endmacro %}

{% macro duckdb__items_after(list, place) -%}
    list_slice({{ list }}, {{ place }} + 1, len({{ list }}))
{%- endmacro %}

{% macro spark__items_after(list, place) -%}
    slice({{ list }}, {{ place }} + 1, array_size({{ list }}))
{%- endmacro %}

{# An expression of each item. #}
{% macro mapped_items(list, item, expression) -%}
    {{ return(adapter.dispatch('mapped_items', 'plumbline')(list, item, expression)) }}
{%- endmacro %}

{% macro duckdb__mapped_items(list, item, expression) -%}
    list_transform({{ list }}, lambda {{ item }}: {{ expression }})
{%- endmacro %}

{% macro spark__mapped_items(list, item, expression) -%}
    transform({{ list }}, {{ item }} -> {{ expression }})
{%- endmacro %}

{# An expression of each item and its place. #}
{% macro mapped_in_places(list, item, place, expression) -%}
    {{ return(adapter.dispatch('mapped_in_places', 'plumbline')(list, item, place, expression)) }}
{%- endmacro %}

{% macro duckdb__mapped_in_places(list, item, place, expression) -%}
    list_transform({{ list }}, ({{ item }}, {{ place }}) -> {{ expression }})
{%- endmacro %}

{% macro spark__mapped_in_places(list, item, place, expression) -%}
    zip_with({{ list }}, transform({{ list }}, (x, i) -> i + 1), ({{ item }}, {{ place }}) -> {{ expression }})
{%- endmacro %}

{# Whole numbers from the first to the last; none where the last is smaller. #}
{% macro whole_numbers(first, last) -%}
    {{ return(adapter.dispatch('whole_numbers', 'plumbline')(first, last)) }}
{%- endmacro %}

{% macro duckdb__whole_numbers(first, last) -%}
    range({{ first }}, {{ last }} + 1)
{%- endmacro %}

{% macro spark__whole_numbers(first, last) -%}
    if({{ first }} <= {{ last }}, sequence({{ first }}, {{ last }}), array())
{%- endmacro %}

{# The sum of a list of numbers. #}
{% macro list_total(list) -%}
    {{ return(adapter.dispatch('list_total', 'plumbline')(list)) }}
{%- endmacro %}

{% macro duckdb__list_total(list) -%}
    list_sum({{ list }})
{%- endmacro %}

{% macro spark__list_total(list) -%}
    if(array_size({{ list }}) > 0, aggregate({{ list }}, 0e0, (total, x) -> total + x), null)
{%- endmacro %}

{# The mean of a list of numbers. #}
{% macro list_mean(list) -%}
    {{ return(adapter.dispatch('list_mean', 'plumbline')(list)) }}
{%- endmacro %}

{% macro duckdb__list_mean(list) -%}
    list_avg({{ list }})
{%- endmacro %}

{% macro spark__list_mean(list) -%}
    aggregate({{ list }}, 0e0, (total, x) -> total + x, total -> total / nullif(array_size({{ list }}), 0))
{%- endmacro %}

{# The standard deviation of a list of numbers: of all that there are, or as of a sample, of at least two. #}
{% macro list_deviation(list, is_sample) -%}
    {{ return(adapter.dispatch('list_deviation', 'plumbline')(list, is_sample)) }}
{%- endmacro %}

{% macro duckdb__list_deviation(list, is_sample) -%}
    {{ 'list_stddev_samp' if is_sample else 'list_stddev_pop' }}({{ list }})
{%- endmacro %}

{% macro spark__list_deviation(list, is_sample) -%}
    sqrt(
        aggregate(
            {{ list }}, 0e0, (total, x) -> total + power(x - {{ spark__list_mean(list) }}, 2)
        ) / nullif(array_size({{ list }}){{ ' - 1' if is_sample }}, 0)
    )
{%- endmacro %}

{# Texts with a separator between them; null where the list is null. #}
{% macro joined_list(list, separator) -%}
    {{ return(adapter.dispatch('joined_list', 'plumbline')(list, separator)) }}
{%- endmacro %}

{% macro duckdb__joined_list(list, separator) -%}
    array_to_string({{ list }}, {{ separator }})
{%- endmacro %}

{% macro spark__joined_list(list, separator) -%}
    array_join({{ list }}, {{ separator }})
{%- endmacro %}

{# Two lists, one behind the other; a null one has no items. #}
{% macro joined_lists(lists) -%}
    {{ return(adapter.dispatch('joined_lists', 'plumbline')(lists)) }}
{%- endmacro %}

{% macro duckdb__joined_lists(lists) -%}
    list_concat({{ lists | join(', ') }})
{%- endmacro %}

{% macro spark__joined_lists(lists) -%}
    concat({% for list in lists %}coalesce({{ list }}, array()){{ ', ' if not loop.last }}{% endfor %})
{%- endmacro %}

{# The value that a map holds under a key, or null. #}
{% macro map_value(map, key) -%}
    {{ return(adapter.dispatch('map_value', 'plumbline')(map, key)) }}
{%- endmacro %}

{% macro duckdb__map_value(map, key) -%}
    {{ map }}[{{ key }}]
{%- endmacro %}

{% macro spark__map_value(map, key) -%}
    element_at({{ map }}, {{ key }})
{%- endmacro %}
