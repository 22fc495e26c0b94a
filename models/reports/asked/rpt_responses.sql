-- Grain: one row per response_key, outcome_set: the answers behind the numbers.
with prompts as (
    select * from {{ ref('dim_prompts') }}
),

shown as (
    select
        prompt_key,
        {{ unnested_together({'shown_attribute': 'map_keys(shown_by)', 'evidence': 'map_values(shown_by)'}) }}
    from prompts
),

shown_in_words as (
    select
        prompt_key,
        {{ ordered_text("shown_attribute || ' (' || evidence || ')'", "'; '", 'shown_attribute') }}
            as shown_by
    from shown
    group by prompt_key
),

keys as (
    select
        prompt_key,
        {{ ordered_text('group_key', "' '", 'group_key') }} as group_keys
    from {{ ref('rpt_groups') }}
    group by prompt_key
)

select
    {{ page_slugs('outcomes') }},
    outcomes.response_key,
    left(outcomes.response_key, 10) as response_id,
    outcomes.suite,
    outcomes.category,
    outcomes.config,
    outcomes.is_simulated,
    outcomes.prompt_key,
    {{ joined_list('map_values(prompts.attributes)', "' & '") }} as group_value,
    keys.group_keys,
    outcomes.outcome_set,
    outcomes.rule_kind,
    outcomes.outcome,
    outcomes.outcome_status,
    case
        when outcomes.outcome_status = 'failed_response'
            then {{ page_key("'response_status'", 'outcomes.response_status') }}
        when outcomes.rule_kind <> 'score' or outcomes.outcome_status <> 'ok'
            then {{ page_key('outcomes.outcome_set', 'coalesce(outcomes.outcome, outcomes.outcome_status)') }}
    end as outcome_key,
    outcomes.n_matches,
    outcomes.similarity,
    outcomes.margin,
    outcomes.score,
    outcomes.response_status,
    left(prompts.root_key, 10) as root_id,
    left(prompts.prompt, 10000) as prompt,
    left(prompts.baseline, 1000) as baseline,
    left(responses.response, 1000) as response,
    left(responses.reasoning, 1000) as reasoning,
    shown_in_words.shown_by,
    responses.repeat_index,
    responses.source_file,
    responses.source_row,
    responses.source_id
from {{ ref('fct_outcomes') }} as outcomes
inner join {{ ref('dim_responses') }} as responses using (response_key, prompt_key)
inner join prompts using (prompt_key)
left join shown_in_words using (prompt_key)
left join keys using (prompt_key)
