-- Grain: one row per suite, category, config, axis, measure, group_value, outcome: six cells a table at most.
with cells as (
    select
        *,
        row_number() over (
            partition by suite, category, config, axis, measure
            order by abs(residual) desc, residual desc, group_value asc, outcome asc
        ) as residual_rank
    from {{ ref('fct_cell_residuals') }}
    -- Of two groups, the one's cell says what the other's does.
    where residual is not null and (n_groups > 2 or residual >= 0)
)

select
    {{ contract_columns(without=[
        'category_slug', 'responses_slug', 'group_key', 'outcome_key', 'p_family_words'
    ]) }},
    {{ p_in_words('p_family') }} as p_family_words,
    {{ page_slugs() }},
    left(md5(axis || ':' || group_value), 8) as group_key,
    left(md5(measure || ':' || outcome), 8) as outcome_key
from cells
where residual_rank <= 6
