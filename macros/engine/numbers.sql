{# Numbers and vectors, where the engines differ. #}

{# Neither NaN nor infinite; null for null. #}
{% macro is_finite(x) -%}
    {{ return(adapter.dispatch('is_finite', 'plumbline')(x)) }}
{%- endmacro %}

{% macro duckdb__is_finite(x) -%}
    isfinite({{ x }})
{%- endmacro %}

{# NaN is larger than infinity there. #}
{% macro spark__is_finite(x) -%}
    (abs({{ x }}) < double('Infinity'))
{%- endmacro %}

{# Logarithm of the gamma function of a positive number. #}
{% macro log_gamma(x) -%}
    {{ return(adapter.dispatch('log_gamma', 'plumbline')(x)) }}
{%- endmacro %}

{% macro duckdb__log_gamma(x) -%}
    lgamma({{ x }})
{%- endmacro %}

{# Stirling's series at x + 8, where five terms are exact to 1e-12, less the logarithm of what lies between. #}
{% macro spark__log_gamma(x) -%}
    transform(
        array(cast({{ x }} as double)),
        x -> (x + 7.5D) * ln(x + 8) - (x + 8) + ln(2 * pi()) / 2
            + (1 / 12D - (1 / 360D - (1 / 1260D - (1 / 1680D - 1 / (1188D * (x + 8) * (x + 8)))
            / (x + 8) / (x + 8)) / (x + 8) / (x + 8)) / (x + 8) / (x + 8)) / (x + 8)
            - ln(x * (x + 1) * (x + 2) * (x + 3) * (x + 4) * (x + 5) * (x + 6) * (x + 7))
    )[0]
{%- endmacro %}

{# 63 bits of a text's MD5 as a whole number. #}
{% macro number_of(text) -%}
    {{ return(adapter.dispatch('number_of', 'plumbline')(text)) }}
{%- endmacro %}

{% macro duckdb__number_of(text) -%}
    cast(md5_number_lower({{ text }}) >> 1 as bigint)
{%- endmacro %}

{# DuckDB reads the last eight bytes from the right. #}
{% macro spark__number_of(text) -%}
    cast(cast(conv(concat(
        {%- for place in range(31, 16, -2) %}substr(md5({{ text }}), {{ place }}, 2){{ ', ' if not loop.last }}{% endfor -%}
    ), 16, 10) as decimal(20, 0)) div 2 as bigint)
{%- endmacro %}

{# Inner product of two lists of numbers of equal length. #}
{% macro inner_product(a, b) -%}
    {{ return(adapter.dispatch('inner_product', 'plumbline')(a, b)) }}
{%- endmacro %}

{% macro duckdb__inner_product(a, b) -%}
    list_inner_product({{ a }}, {{ b }})
{%- endmacro %}

{% macro spark__inner_product(a, b) -%}
    aggregate(zip_with({{ a }}, {{ b }}, (x, y) -> x * y), get({{ a }}, 0) - get({{ a }}, 0), (total, x) -> total + x)
{%- endmacro %}

{# Cosine of two lists of numbers of equal length, neither all 0. #}
{% macro cosine(a, b) -%}
    {{ return(adapter.dispatch('cosine', 'plumbline')(a, b)) }}
{%- endmacro %}

{% macro duckdb__cosine(a, b) -%}
    list_cosine_similarity({{ a }}, {{ b }})
{%- endmacro %}

{# In the precision of the lists, as DuckDB has it. #}
{% macro spark__cosine(a, b) -%}
    {%- set norms = 'sqrt(' ~ inner_product(a, a) ~ ' * ' ~ inner_product(b, b) ~ ')' -%}
    greatest(-1, least(1, if(
        typeof({{ a }}) = 'array<float>',
        cast({{ inner_product(a, b) }} / cast({{ norms }} as float) as float),
        {{ inner_product(a, b) }} / {{ norms }}
    )))
{%- endmacro %}

{# Distance in a straight line between two lists of numbers of equal length. #}
{% macro straight_distance(a, b) -%}
    {{ return(adapter.dispatch('straight_distance', 'plumbline')(a, b)) }}
{%- endmacro %}

{% macro duckdb__straight_distance(a, b) -%}
    list_distance({{ a }}, {{ b }})
{%- endmacro %}

{% macro spark__straight_distance(a, b) -%}
    sqrt(aggregate(zip_with({{ a }}, {{ b }}, (x, y) -> power(cast(x as double) - y, 2)), 0e0, (total, x) -> total + x))
{%- endmacro %}

{# Absolute differences of two lists of numbers of equal length, item by item. #}
{% macro list_gaps(a, b) -%}
    {{ return(adapter.dispatch('list_gaps', 'plumbline')(a, b)) }}
{%- endmacro %}

{% macro duckdb__list_gaps(a, b) -%}
    list_transform(list_zip({{ a }}, {{ b }}), lambda pair: abs(pair[1] - pair[2]))
{%- endmacro %}

{% macro spark__list_gaps(a, b) -%}
    zip_with({{ a }}, {{ b }}, (x, y) -> abs(x - y))
{%- endmacro %}

{# What tells rows apart, for ordering them by chance: a hash of columns. Spark knows no such hash; there it is the list of
   what is hashed, of which a Python model makes DuckDB's. #}
{% macro hash_of(columns) -%}
    {{ return(adapter.dispatch('hash_of', 'plumbline')(columns)) }}
{%- endmacro %}

{% macro duckdb__hash_of(columns) -%}
    hash({{ columns | join(', ') }})
{%- endmacro %}

{% macro spark__hash_of(columns) -%}
    array({{ columns | join(', ') }})
{%- endmacro %}
