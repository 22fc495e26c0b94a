-- Grain: one row per suite, category, config_key, outcome_set, published_label, group_value: answers and the
-- published figures on the same labels (SPEC FS-13). Answers that are no published group are in neither.
with answers as (
    select
        suite,
        category,
        config_key,
        outcome_set,
        published_label,
        group_value,
        count(*) as n_answers
    from {{ ref('int_census_answers_listed') }}
    group by all
),

configs as (
    select distinct
        suite,
        domain,
        category,
        config_key,
        config,
        model,
        role,
        is_simulated
    from {{ ref('int_responses_joined') }}
)

select
    configs.suite,
    configs.domain,
    configs.category,
    configs.config_key,
    configs.config,
    configs.model,
    configs.role,
    configs.is_simulated,
    cells.outcome_set,
    cells.published_label,
    cells.attribute,
    cells.group_value,
    cells.ground_truth_year,
    cells.figure,
    cells.figure_kind,
    cells.published_by,
    cells.published_on,
    cells.source_url,
    cells.licence,
    coalesce(answers.n_answers, 0) as n_answers
from {{ ref('int_census_figures_listed') }} as cells
inner join configs using (suite, category)
left join answers using (suite, category, config_key, outcome_set, published_label, group_value)
