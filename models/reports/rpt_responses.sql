-- Grain: one row per response_key, outcome_set: the answers behind the numbers.
with outcomes as (
    select * from {{ ref('fct_outcomes') }}
),

responses as (
    select * from {{ ref('dim_responses') }}
),

prompts as (
    select * from {{ ref('dim_prompts') }}
)

select
    {{ page_slugs('outcomes') }},
    outcomes.response_key,
    left(outcomes.response_key, 10) as response_id,
    outcomes.suite,
    outcomes.category,
    outcomes.config,
    outcomes.is_simulated,
    array_to_string(map_values(prompts.attributes), ' & ') as group_value,
    outcomes.outcome_set,
    outcomes.outcome,
    outcomes.outcome_status,
    outcomes.similarity,
    outcomes.margin,
    outcomes.score,
    outcomes.response_status,
    left(prompts.prompt, 1000) as prompt,
    left(responses.response, 1000) as response,
    array_to_string(map_values(prompts.shown_by), '; ') as shown_by,
    responses.repeat_index,
    responses.source_file,
    responses.source_row,
    responses.source_id
from outcomes
inner join responses on outcomes.response_key = responses.response_key
inner join prompts on outcomes.prompt_key = prompts.prompt_key
