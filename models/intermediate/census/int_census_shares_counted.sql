-- Grain: one row per suite, category, config_key, outcome_set, published_label, sex: answers and the
-- census's figures on the same labels (SPEC FS-13). Answers that are no published group are left out of both.
with truths as (
    select * from {{ ref('stg_suite__ground_truths') }}
    where ground_truth = 'singstat'
),

labels as (
    select distinct
        truths.suite,
        truths.category,
        truths.outcome_set,
        truths.attribute,
        truths.dimension,
        rules.label as outcome,
        crosswalk.published_label
    from truths
    inner join {{ ref('stg_suite__outcome_rules') }} as rules using (suite, category, outcome_set)
    inner join {{ ref('singstat_crosswalk') }} as crosswalk
        on
            truths.dimension = crosswalk.dimension
            and rules.label = crosswalk.audit_label
    where crosswalk.relation <> 'not_an_occupation'
),

census as (
    select
        dimension,
        published_label,
        sex,
        year,
        last_updated,
        employed_thousands
    from {{ ref('stg_singstat__employed_residents') }}
    where is_latest
),

cells as (
    select distinct
        labels.suite,
        labels.category,
        labels.outcome_set,
        labels.attribute,
        labels.published_label,
        census.sex,
        census.year as ground_truth_year,
        census.employed_thousands
    from labels
    inner join census using (dimension, published_label)
),

answers as (
    select
        suite,
        category,
        config_key,
        outcome_set,
        published_label,
        sex,
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
    cells.sex,
    cells.ground_truth_year,
    cells.employed_thousands,
    coalesce(answers.n_answers, 0) as n_answers
from cells
inner join configs using (suite, category)
left join answers using (suite, category, config_key, outcome_set, published_label, sex)
