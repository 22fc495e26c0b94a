{# All rows of a relation with p_holm, q_value and n_tests over a declared family (SPEC INF-7).
   Holm (1979) for gates, Benjamini-Hochberg (1995) for exploration. Rows without a p-value are in no family.
   Each p-value that there is is corrected once: windows over whole rows would sort all their columns. #}
{% macro with_adjusted_p(relation, p, family) -%}
    {%- set of_family = [] %}
    {%- set same = ["listed." ~ p ~ " is not distinct from adjusted.p"] %}
    {%- for part in family %}
        {%- do of_family.append("part_" ~ loop.index) %}
        {%- do same.append("(" ~ part ~ ") is not distinct from adjusted.part_" ~ loop.index) %}
    {%- endfor %}
    {%- set in_order = "partition by " ~ of_family | join(', ') ~ " order by p nulls last rows between " %}
    select
        listed.*,
        adjusted.n_tests,
        adjusted.p_holm,
        adjusted.q_value
    from {{ relation }} as listed
    left join (
        select
            *,
            case when p is not null then least(1, max((n_tests - p_rank_last + n_equal) * p) over (
                {{ in_order }} unbounded preceding and current row
            )) end as p_holm,
            case when p is not null then least(1, min(n_tests * p / p_rank_last) over (
                {{ in_order }} current row and unbounded following
            )) end as q_value
        from (
            -- Equal p-values share the smallest rank for Holm and the largest for Benjamini-Hochberg.
            select
                *,
                cast(sum(n_equal) over (partition by {{ of_family | join(', ') }}) as bigint) as n_tests,
                cast(sum(n_equal) over (
                    {{ in_order }} unbounded preceding and current row
                ) as bigint) as p_rank_last
            from (
                select
                    {% for part in family -%}
                        {{ part }} as part_{{ loop.index }},
                    {% endfor -%}
                    {{ p }} as p,
                    count({{ p }}) as n_equal
                from {{ relation }}
                group by all
            )
        )
    ) as adjusted
        on {{ same | join(' and ') }}
{%- endmacro %}
