{# All rows of a relation with p_holm, q_value and n_tests over a declared family (SPEC INF-7).
   Holm (1979) for gates, Benjamini-Hochberg (1995) for exploration. Rows without a p-value are in no family. #}
{% macro with_adjusted_p(relation, p, family) -%}
    select
        * {{ without('p_rank, p_rank_last') }},
        case when {{ p }} is not null then least(1, max((n_tests - p_rank + 1) * {{ p }}) over (
            partition by {{ family | join(', ') }}, {{ p }} is null
            order by p_rank
            rows between unbounded preceding and current row
        )) end as p_holm,
        case when {{ p }} is not null then least(1, min(n_tests * {{ p }} / p_rank_last) over (
            partition by {{ family | join(', ') }}, {{ p }} is null
            order by p_rank
            rows between current row and unbounded following
        )) end as q_value
    from (
        select
            *,
            count({{ p }}) over (partition by {{ family | join(', ') }}) as n_tests,
            -- Equal p-values share the smallest rank for Holm and the largest for Benjamini-Hochberg.
            rank() over (partition by {{ family | join(', ') }}, {{ p }} is null order by {{ p }}) as p_rank,
            rank() over (partition by {{ family | join(', ') }}, {{ p }} is null order by {{ p }})
            + count(*) over (partition by {{ family | join(', ') }}, {{ p }}) - 1 as p_rank_last
        from {{ relation }}
    )
{%- endmacro %}
