-- Grain: one row per suite, category, config, measure: what a category page is about.
-- A score has one rule and no label.
with labels as (
    select
        suite,
        category,
        outcome_set,
        {{ ordered_text('label', "' · '", 'label_position', "label <> ''") }} as outcomes,
        max(unmatched_label) as unmatched_label
    from {{ ref('dim_outcome_rules') }}
    group by suite, category, outcome_set
),

asked as (
    select
        responses.suite,
        responses.category,
        responses.config,
        responses.is_simulated,
        count(*) as n_responses,
        count(*) filter (where responses.response_status = 'ok') as n_usable,
        count(distinct responses.prompt_key) as n_prompts,
        min_by(prompts.prompt, prompts.prompt_key) as example_prompt
    from {{ ref('dim_responses') }} as responses
    inner join {{ ref('dim_prompts') }} as prompts using (prompt_key)
    group by responses.suite, responses.category, responses.config, responses.is_simulated
),

translations as (
    select distinct
        suite,
        category,
        language || ', by ' || translated_by || ', '
        || coalesce('reviewed by ' || reviewed_by, 'not reviewed by a person') as translation
    from {{ ref('dim_prompts') }}
    where translated_by is not null
),

translated as (
    select
        suite,
        category,
        {{ ordered_text('translation', "'; '", 'translation') }} as translations
    from translations
    group by suite, category
),

left_out as (
    select
        suite,
        category,
        count(*) filter (where is_left_out) as n_left_out,
        count(*) filter (where flags is not null and not is_left_out) as n_flagged_asked
    from {{ ref('dim_prompts') }}
    group by suite, category
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
    labels.outcomes,
    labels.unmatched_label,
    asked.n_prompts,
    asked.n_responses,
    asked.n_usable,
    asked.example_prompt,
    translated.translations,
    left_out.n_left_out,
    left_out.n_flagged_asked,
    categories.scored_as,
    categories.is_baseline_cut,
    categories.n_candidates
from {{ ref('dim_categories') }} as categories
inner join asked using (suite, category)
left join labels using (suite, category, outcome_set)
left join translated using (suite, category)
left join left_out using (suite, category)
