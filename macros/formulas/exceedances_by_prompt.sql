{# Scores of a prompt's answers beside a threshold (SPEC ST-9 to ST-11, TX-1), one row per keys, prompt_key and
   block_key: the share of answers above it, the highest score, whether any is above. Their means over prompts are
   the fraction, the expected maximum and the probability. The relation has the keys, prompt_key, block_key,
   response_key, value, threshold, is_at_least and has_equal_repeats; with the last, each prompt is judged on as many
   answers as the one with fewest has. A missing value counts nowhere; a prompt without any has no row. #}
{% macro exceedances_by_prompt(relation, keys) -%}
    {%- set exceeds -%}
    case when is_at_least then {{ meets('value', '>=', 'threshold') }} else {{ meets('value', '>', 'threshold') }} end
    {%- endset -%}
    select
        {{ keys | join(', ') }},
        prompt_key,
        block_key,
        max(n_answers) as n_answers,
        count(*) as n_values,
        avg(case when {{ exceeds }} then 1e0 else 0e0 end) as fraction,
        max(value) as maximum,
        max(case when {{ exceeds }} then 1e0 else 0e0 end) as is_exceeded
    from (
        select
            *,
            min(n_answers) over (partition by {{ keys | join(', ') }}) as n_fewest
        from (
            select
                *,
                count(*) over (partition by {{ keys | join(', ') }}, prompt_key) as n_answers,
                row_number() over (
                    partition by {{ keys | join(', ') }}, prompt_key
                    order by response_key
                ) as answer_position
            from {{ relation }}
            where value is not null
        )
    )
    where not has_equal_repeats or answer_position <= n_fewest
    group by {{ keys | join(', ') }}, prompt_key, block_key
{%- endmacro %}
