{# Aggregates, where the engines differ. On both: `filter (where …)`, but not of a window, and max_by and min_by. #}

{# Values in the order of a key, which may be several expressions. DuckDB's aggregates with an order take 8 KB and
   more for every group: pairs are sorted in a list. A list in the order of its own values it sorts so itself. #}
{% macro ordered_list(value, by, condition=none, distinct=false) -%}
    {{ return(adapter.dispatch('ordered_list', 'plumbline')(value, by, condition, distinct)) }}
{%- endmacro %}

{% macro duckdb__ordered_list(value, by, condition, distinct) -%}
    {%- set chosen = ' filter (where ' ~ condition ~ ')' if condition else '' -%}
    {%- if by == value -%}
    list({{ 'distinct ' if distinct }}{{ value }} order by {{ by }}){{ chosen }}
    {%- else -%}
    list_transform(
        list_sort(list({{ 'distinct ' if distinct }}{'place': row({{ by }}), 'item': {{ value }}}){{ chosen }}),
        lambda pair: pair['item']
    )
    {%- endif -%}
{%- endmacro %}

{# An engine that knows no order in an aggregate sorts pairs; a list of nothing is null, as DuckDB has it. #}
{% macro spark__ordered_list(value, by, condition, distinct) -%}
    nullif(transform(
        array_sort(
            {{ 'collect_set' if distinct else 'collect_list' }}(struct({{ by }}, {{ value }} as item))
            {%- if condition %} filter (where {{ condition }}){% endif %}
        ),
        pair -> pair.item
    ), array())
{%- endmacro %}

{# Texts in the order of a key, with a separator between them. #}
{% macro ordered_text(value, separator, by, condition=none) -%}
    {{ return(adapter.dispatch('ordered_text', 'plumbline')(value, separator, by, condition)) }}
{%- endmacro %}

{% macro duckdb__ordered_text(value, separator, by, condition) -%}
    list_aggregate({{ ordered_list(value, by, condition) }}, 'string_agg', {{ separator }})
{%- endmacro %}

{% macro spark__ordered_text(value, separator, by, condition) -%}
    string_agg({{ value }}, {{ separator }}) within group (order by {{ by }})
    {%- if condition %} filter (where {{ condition }}){% endif %}
{%- endmacro %}

{# A quantile, linearly interpolated between order statistics (numpy's default). #}
{% macro quantile(expression, q) -%}
    {{ return(adapter.dispatch('quantile', 'plumbline')(expression, q)) }}
{%- endmacro %}

{# The usual ones come from one list, for which the engine keeps and orders the values once. #}
{% macro duckdb__quantile(expression, q) -%}
    {%- set usual = [0.25, 0.5, 0.75] -%}
    {%- if q | float in usual -%}
    quantile_cont({{ expression }}, {{ usual }})[{{ usual.index(q | float) + 1 }}]
    {%- else -%}
    quantile_cont({{ expression }}, {{ q }})
    {%- endif -%}
{%- endmacro %}

{% macro spark__quantile(expression, q) -%}
    {{ spark__quantiles(expression, [q]) }}[0]
{%- endmacro %}

{# Skewness of at least three values, adjusted for bias. #}
{% macro adjusted_skewness(x) -%}
    {{ return(adapter.dispatch('adjusted_skewness', 'plumbline')(x)) }}
{%- endmacro %}

{% macro duckdb__adjusted_skewness(x) -%}
    skewness({{ x }})
{%- endmacro %}

{% macro spark__adjusted_skewness(x) -%}
    skewness({{ x }}) * sqrt(count({{ x }}) * (count({{ x }}) - 1e0)) / nullif(count({{ x }}) - 2, 0)
{%- endmacro %}

{# Excess kurtosis of at least four values, adjusted for bias. #}
{% macro adjusted_kurtosis(x) -%}
    {{ return(adapter.dispatch('adjusted_kurtosis', 'plumbline')(x)) }}
{%- endmacro %}

{% macro duckdb__adjusted_kurtosis(x) -%}
    kurtosis({{ x }})
{%- endmacro %}

{% macro spark__adjusted_kurtosis(x) -%}
    (count({{ x }}) - 1e0) * ((count({{ x }}) + 1e0) * kurtosis({{ x }}) + 6)
    / nullif((count({{ x }}) - 2e0) * (count({{ x }}) - 3e0), 0)
{%- endmacro %}

{# Excess kurtosis as the plain ratio of moments. #}
{% macro moment_kurtosis(x) -%}
    {{ return(adapter.dispatch('moment_kurtosis', 'plumbline')(x)) }}
{%- endmacro %}

{% macro duckdb__moment_kurtosis(x) -%}
    kurtosis_pop({{ x }})
{%- endmacro %}

{% macro spark__moment_kurtosis(x) -%}
    kurtosis({{ x }})
{%- endmacro %}

{# Several quantiles as a list. #}
{% macro quantiles(expression, shares) -%}
    {{ return(adapter.dispatch('quantiles', 'plumbline')(expression, shares)) }}
{%- endmacro %}

{% macro duckdb__quantiles(expression, shares) -%}
    quantile_cont({{ expression }}, {{ shares }})
{%- endmacro %}

{# A list is ordered five times as fast as Spark's `percentile` counts its distinct values. #}
{% macro spark__quantiles(expression, shares) -%}
    transform(array(sort_array(collect_list({{ expression }}))), v -> case when size(v) > 0 then array(
    {%- for share in shares %}
    {%- set place = (share | float) ~ 'e0 * (size(v) - 1)' %}
        v[cast(floor({{ place }}) as int)]
        + ({{ place }} - floor({{ place }})) * (v[cast(ceil({{ place }}) as int)] - v[cast(floor({{ place }}) as int)])
        {{- ',' if not loop.last }}
    {%- endfor %}
    ) end)[0]
{%- endmacro %}

{# A sum or mean of doubles in the order of a key, on which its last digits depend; Spark's have none. #}
{% macro in_order(aggregate, value, by) -%}
    {{ return(adapter.dispatch('in_order', 'plumbline')(aggregate, value, by)) }}
{%- endmacro %}

{% macro duckdb__in_order(aggregate, value, by) -%}
    list_aggregate({{ ordered_list(value, by) }}, '{{ aggregate }}')
{%- endmacro %}

{% macro spark__in_order(aggregate, value, by) -%}
    {{ aggregate }}({{ value }})
{%- endmacro %}

{# A sum of numbers from 0 to 1, whose last digits no order of rows changes; `in_order` keeps all values in
   memory for that. Whole numbers of 2^-60, and of 2^-69 below 1e-3, add up exactly. #}
{% macro sum_of_shares(share) -%}
    {{ return(adapter.dispatch('sum_of_shares', 'plumbline')(share)) }}
{%- endmacro %}

{% macro duckdb__sum_of_shares(share) -%}
    coalesce(sum(case when {{ share }} >= 1e-3 then cast({{ share }} * pow(2, 60) as bigint) end), 0) / pow(2, 60)
    + coalesce(
        sum(case when {{ share }} >= 1e-9 and {{ share }} < 1e-3 then cast({{ share }} * pow(2, 69) as bigint) end), 0
    ) / pow(2, 69)
    + coalesce(sum(case when {{ share }} < 1e-9 then {{ share }} end), 0)
{%- endmacro %}

{% macro spark__sum_of_shares(share) -%}
    sum({{ share }})
{%- endmacro %}

{# A mean of doubles, whose last digits no order of rows changes, at a few operations a row and no memory. Multiples
   of 2^-62 from 2^-10 to 2^36, and of 2^-92 below, add up exactly; what is smaller than 2^-40 or larger does not. #}
{% macro exact_mean(value) -%}
    {{ return(adapter.dispatch('exact_mean', 'plumbline')(value)) }}
{%- endmacro %}

{% macro duckdb__exact_mean(value) -%}
    {%- set size = 'abs(' ~ value ~ ')' -%}
    {%- set near = size ~ ' >= pow(2, -10) and ' ~ size ~ ' < pow(2, 36)' -%}
    {%- set small = size ~ ' >= pow(2, -40) and ' ~ size ~ ' < pow(2, -10)' -%}
    (
        coalesce(cast(sum(case when {{ near }} then cast({{ value }} * pow(2, 62) as hugeint) end) as double), 0)
        / pow(2, 62)
        + coalesce(cast(sum(case when {{ small }} then cast({{ value }} * pow(2, 92) as hugeint) end) as double), 0)
        / pow(2, 92)
        + coalesce(sum(case when {{ size }} < pow(2, -40) or {{ size }} >= pow(2, 36) then {{ value }} end), 0)
    ) / nullif(count({{ value }}), 0)
{%- endmacro %}

{% macro spark__exact_mean(value) -%}
    avg({{ value }})
{%- endmacro %}
