-- Grain: one row per response_key, outcome_set whose outcome is a published group, about a group of people
-- that has figures, too.
with figures as (
    select distinct
        suite,
        category,
        outcome_set,
        attribute,
        group_value
    from {{ ref('int_census_figures_listed') }}
),

truths as (
    select distinct
        suite,
        category,
        outcome_set,
        attribute
    from figures
),

outcomes as (
    select
        assigned.*,
        {{ map_value('prompts.attributes', 'truths.attribute') }} as group_value
    from {{ ref('int_outcomes_assigned') }} as assigned
    inner join truths using (suite, category, outcome_set)
    inner join {{ ref('stg_assemble__prompts') }} as prompts using (prompt_key)
    where assigned.is_counted
)

select
    outcomes.suite,
    outcomes.category,
    outcomes.config_key,
    outcomes.outcome_set,
    outcomes.response_key,
    labels.published_label,
    outcomes.group_value,
    outcomes.prompt_key,
    outcomes.block_key
from outcomes
inner join {{ ref('int_census_labels_matched') }} as labels
    on
        outcomes.suite = labels.suite
        and outcomes.category = labels.category
        and outcomes.outcome_set = labels.outcome_set
        and outcomes.outcome = labels.label
inner join figures
    on
        outcomes.suite = figures.suite
        and outcomes.category = figures.category
        and outcomes.outcome_set = figures.outcome_set
        and outcomes.group_value = figures.group_value
