-- Grain: one row per suite, category, config, attribute, value, answer: what was planted, what came back.
-- Simulated answers only. The expected share of an answer is its softmax over weights and planted log-odds.
with configs as (
    select
        config_key,
        config,
        coalesce(try_cast({{ json_text('options', 'planted') }} as boolean), true) as is_planted,
        coalesce(try_cast({{ json_text('options', 'planted_scale') }} as double), 1) as planted_scale
    from {{ ref('int_configs_labelled') }}
    where is_simulated
),

asked as (
    select distinct
        responses.suite,
        responses.category,
        responses.config_key,
        responses.prompt_key
    from {{ ref('int_responses_joined') }} as responses
    where responses.is_simulated
),

prompts as (
    select
        prompt_key,
        attributes
    from {{ ref('stg_assemble__prompts') }}
),

planted as (
    select * from {{ ref('stg_suite__planted') }}
),

weighed as (
    select
        asked.suite,
        asked.category,
        asked.config_key,
        asked.prompt_key,
        answers.answer,
        any_value(prompts.attributes) as attributes,
        any_value(configs.config) as config,
        any_value(answers.weight) * exp(coalesce(sum(
            case when configs.is_planted then planted.log_odds * configs.planted_scale end
        ), 0)) as answer_weight
    from asked
    inner join prompts using (prompt_key)
    inner join configs using (config_key)
    inner join {{ ref('stg_suite__answers') }} as answers using (suite, category)
    left join planted
        on
            asked.suite = planted.suite
            and asked.category = planted.category
            and answers.answer = planted.answer
            and {{ map_value('prompts.attributes', 'planted.attribute') }} = planted.value
    group by all
),

expected as (
    select
        *,
        {{ ratio('answer_weight', 'sum(answer_weight) over (partition by config_key, prompt_key)') }}
            as expected_probability
    from weighed
),

by_group as (
    select
        expected.suite,
        expected.category,
        expected.config_key,
        expected.config,
        attributes.attribute,
        attributes.value,
        expected.answer,
        avg(expected.expected_probability) as expected_share
    from expected
    inner join {{ ref('stg_suite__attributes') }} as attributes
        on
            expected.suite = attributes.suite
            and {{ map_value('expected.attributes', 'attributes.attribute') }} = attributes.value
    group by all
),

recovered as (
    select * from {{ ref('fct_outcome_shares') }}
    where is_simulated and outcome_set <> 'response_status'
)

select
    by_group.suite,
    by_group.category,
    by_group.config,
    by_group.attribute,
    by_group.value,
    by_group.answer,
    recovered.outcome_set,
    case when configs.is_planted then planted.log_odds * configs.planted_scale end as planted_log_odds,
    planted.log_odds is not null and configs.is_planted as is_planted,
    by_group.expected_share,
    recovered.share as recovered_share,
    recovered.share_low as recovered_low,
    recovered.share_high as recovered_high,
    recovered.n_group as n,
    by_group.expected_share between recovered.share_low and recovered.share_high as is_within_interval
from by_group
inner join configs using (config_key)
left join planted using (suite, category, attribute, value, answer)
inner join recovered
    on
        by_group.suite = recovered.suite
        and by_group.category = recovered.category
        and by_group.config = recovered.config
        and by_group.attribute = recovered.axis
        and by_group.value = recovered.group_value
        and by_group.answer = recovered.outcome
