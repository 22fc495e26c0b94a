-- Grain: one row per response_key, outcome_set. Failed responses keep a row without an outcome.
with responses as (
    select * from {{ ref('int_responses_joined') }}
),

rules as (
    select distinct
        suite,
        category,
        outcome_set,
        variant,
        rule_kind,
        unmatched_label,
        feature
    from {{ ref('stg_suite__outcome_rules') }}
),

texts as (
    select * from {{ ref('int_rule_texts_listed') }}
),

matched as (
    select * from {{ ref('int_phrases_matched') }}
),

compared as (
    select * from {{ ref('int_anchors_matched') }}
),

measured as (
    select * from {{ ref('int_texts_measured') }}
),

read_answers as (
    select
        responses.*,
        rules.outcome_set,
        rules.variant,
        rules.rule_kind,
        rules.unmatched_label,
        rules.feature,
        coalesce(matched.label, case when compared.is_clear then compared.label end) as label,
        matched.n_matches,
        -- Only an answer that was read can be told to hold no label: what nobody measured is not an `other`.
        texts.variant_text_key is not null and (rules.rule_kind <> 'anchor' or compared.label is not null)
            as is_read,
        coalesce(texts.is_blank, false) and rules.rule_kind in ('anchor', 'score') as is_blank,
        compared.similarity,
        compared.margin,
        measured.value as score
    from responses
    inner join rules
        on
            responses.suite = rules.suite
            and responses.category = rules.category
    left join texts
        on
            responses.suite = texts.suite
            and responses.category = texts.category
            and rules.outcome_set = texts.outcome_set
            and responses.text_key = texts.text_key
            and responses.is_usable
    left join matched
        on
            texts.suite = matched.suite
            and texts.category = matched.category
            and texts.outcome_set = matched.outcome_set
            and texts.variant_text_key = matched.variant_text_key
    left join compared
        on
            texts.suite = compared.suite
            and texts.category = compared.category
            and texts.outcome_set = compared.outcome_set
            and texts.variant_text_key = compared.variant_text_key
    left join measured
        on
            responses.response_key = measured.response_key
            and rules.feature = measured.feature
)

select
    response_key,
    prompt_key,
    config_key,
    suite,
    domain,
    category,
    config,
    model,
    role,
    is_simulated,
    block_key,
    response_status,
    outcome_set,
    variant,
    rule_kind,
    feature,
    case
        when not is_usable or rule_kind = 'score' then null
        when label is not null then label
        when not is_read then null
        when unmatched_label is not null then unmatched_label
        when rule_kind = 'anchor' then 'unclear'
        else 'unmatched'
    end as outcome,
    case
        when not is_usable then 'failed_response'
        when label is not null or score is not null then 'ok'
        when is_blank then 'empty_text'
        when rule_kind = 'score' or not is_read then 'not_measured'
        when rule_kind = 'anchor' then 'unclear'
        else 'unmatched'
    end as outcome_status,
    is_usable and label is not null as is_matched,
    -- An answer that no phrase reads stays out of the tables unless the rule gives it a label of its own.
    is_usable and rule_kind <> 'score' and (label is not null or (is_read and unmatched_label is not null))
        as is_counted,
    n_matches,
    similarity,
    margin,
    score
from read_answers
