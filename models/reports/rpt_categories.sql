-- Grain: one row per suite, category, config, measure: what a category page is about.
with categories as (
    select * from {{ ref('dim_categories') }}
),

responses as (
    select * from {{ ref('dim_responses') }}
),

prompts as (
    select * from {{ ref('dim_prompts') }}
),

asked as (
    select
        responses.suite,
        responses.category,
        responses.config,
        responses.is_simulated,
        count(*) as n_responses,
        count(distinct responses.prompt_key) as n_prompts,
        arg_min(prompts.prompt, prompts.prompt_key) as example_prompt
    from responses
    inner join prompts on responses.prompt_key = prompts.prompt_key
    group by responses.suite, responses.category, responses.config, responses.is_simulated
)

select
    categories.suite || '-' || categories.category as category_slug,
    categories.suite || '-' || categories.category || '-' || left(md5(asked.config), 8) as responses_slug,
    categories.suite,
    categories.category,
    categories.category_position,
    categories.title,
    categories.description,
    asked.config,
    asked.is_simulated,
    categories.measure,
    categories.outcome_set,
    categories.rule_kind,
    categories.variant,
    asked.n_prompts,
    asked.n_responses,
    asked.example_prompt
from categories
inner join asked
    on
        categories.suite = asked.suite
        and categories.category = asked.category
