-- Grain: one row per response_key, outcome_set. Failed responses keep a row without an outcome.
{%- set comparison = "'^([<>]=?) ?(-?[0-9.]+)$'" %}
with rules as (
    select distinct
        suite,
        category,
        outcome_set,
        variant,
        rule_kind,
        unmatched_label,
        languages,
        feature,
        scorer
    from {{ ref('stg_suite__outcome_rules') }}
),

-- Texts that the encoder of an anchor rule does not read, or failed on.
without_vector as (
    select
        embeddings.text_key,
        max(embeddings.measurement_status) as status
    from {{ ref('stg_extract__embeddings') }} as embeddings
    inner join {{ ref('int_scorers_selected') }} using (scorer_key)
    where embeddings.measurement_status in ('unsupported_language', 'failed')
    group by embeddings.text_key
),

unread_answers as (
    select * from {{ ref('int_unread_answers_listed') }}
),

-- The same, of answers of a few words that their prompt's language decides.
unread_by_encoder as (
    select distinct unread_answers.response_key
    from unread_answers
    inner join {{ ref('int_scorers_selected') }} as encoders using (scorer)
    where encoders.is_encoder
),

rule_labels as (
    select distinct
        suite,
        category,
        outcome_set,
        label
    from {{ ref('stg_suite__outcome_rules') }}
    where rule_kind = 'given'
),

-- What came with the data. It may be no label of the rule.
given_labels as (
    select
        given.outcome_set,
        given.response_key,
        rule_labels.label
    from {{ ref('stg_labels__labels') }} as given
    left join rule_labels using (suite, category, outcome_set, label)
    where given.source = 'data'
),

numbers_read as (
    select feature from rules
    where scorer = 'given'
),

-- What score rules and cut-offs read: of a text, of the tokens that came with it, or what came itself.
measured as (
    select
        response_key,
        feature,
        value,
        measurement_status
    from {{ ref('int_texts_measured') }}
    union all
    select
        response_key,
        feature,
        value,
        measurement_status
    from {{ ref('int_probabilities_measured') }}
    union all
    select
        ready.response_key,
        ready.feature,
        ready.value,
        ready.measurement_status
    from {{ ref('stg_load__ready_measurements') }} as ready
    semi join numbers_read on ready.feature = numbers_read.feature
),

cutoffs as (
    select
        suite,
        category,
        outcome_set,
        feature,
        label,
        label_position,
        {{ matched_part('phrase', comparison, 1) }} as compared_by,
        cast({{ matched_part('phrase', comparison, 2) }} as double) as cutoff
    from {{ ref('stg_suite__outcome_rules') }}
    where rule_kind = 'cutoff'
),

-- The first label whose comparison holds.
cut_labels as (
    select
        responses.response_key,
        cutoffs.outcome_set,
        min_by(cutoffs.label, cutoffs.label_position) as label
    from {{ ref('int_responses_joined') }} as responses
    inner join cutoffs using (suite, category)
    inner join measured
        on
            responses.response_key = measured.response_key
            and cutoffs.feature = measured.feature
    where
        case cutoffs.compared_by
            {%- for operator in ['<', '<=', '>', '>='] %}
            when '{{ operator }}' then {{ meets('measured.value', operator, 'cutoffs.cutoff') }}
            {%- endfor %}
        end
    group by responses.response_key, cutoffs.outcome_set
),

read_answers as (
    select
        responses.*,
        rules.outcome_set,
        rules.variant,
        rules.rule_kind,
        rules.unmatched_label,
        rules.feature,
        case rules.rule_kind
            when 'given' then given_labels.label
            when 'cutoff' then cut_labels.label
            when 'judged' then case when unread_by_judge.response_key is null then judgements.label end
            when 'anchor'
                then
                    case
                        when anchors.is_clear and unread_by_encoder.response_key is null then anchors.label
                    end
            else phrases.label
        end as label,
        phrases.n_matches,
        -- Only an answer that was read can be told to hold no label: what nobody measured, or what is in a
        -- language that the rule does not read, is not an `other`.
        case rules.rule_kind
            when 'given' then given_labels.response_key is not null
            when 'cutoff' then measured.value is not null
            when 'judged' then judgements.label is not null and unread_by_judge.response_key is null
            when 'anchor'
                then
                    texts.variant_text_key is not null
                    and anchors.label is not null
                    and unread_by_encoder.response_key is null
            else texts.variant_text_key is not null and elsewhere.response_key is null
        end as is_read,
        case rules.rule_kind
            when 'anchor'
                then
                    coalesce(without_vector.status, '') = 'unsupported_language'
                    or unread_by_encoder.response_key is not null
            when 'score' then coalesce(measured.measurement_status, '') = 'unsupported_language'
            when 'cutoff' then coalesce(measured.measurement_status, '') = 'unsupported_language'
            when 'given' then false
            when 'judged'
                then
                    coalesce(judgements.judgement_status, '') = 'unsupported_language'
                    or unread_by_judge.response_key is not null
            else elsewhere.response_key is not null
        end as is_in_another_language,
        coalesce(texts.is_blank, false) and rules.rule_kind in ('anchor', 'score', 'cutoff', 'judged')
            as is_blank,
        case when rules.rule_kind = 'judged' then judgements.judgement_status end as judgement_status,
        anchors.similarity,
        anchors.margin,
        case when responses.is_usable and rules.rule_kind = 'score' then measured.value end as score,
        case rules.rule_kind
            when 'anchor' then case when anchors.label is null then without_vector.status end
            else measured.measurement_status
        end as measurement_status
    from {{ ref('int_responses_joined') }} as responses
    inner join rules using (suite, category)
    left join {{ ref('int_rule_texts_listed') }} as texts
        on
            responses.suite = texts.suite
            and responses.category = texts.category
            and rules.outcome_set = texts.outcome_set
            and case when responses.is_usable then responses.text_key end = texts.text_key
    left join {{ ref('int_phrases_matched') }} as phrases
        on
            texts.suite = phrases.suite
            and texts.category = phrases.category
            and texts.outcome_set = phrases.outcome_set
            and texts.variant_text_key = phrases.variant_text_key
    left join {{ ref('int_anchors_matched') }} as anchors
        on
            texts.suite = anchors.suite
            and texts.category = anchors.category
            and texts.outcome_set = anchors.outcome_set
            and texts.variant_text_key = anchors.variant_text_key
    left join measured using (response_key, feature)
    left join cut_labels
        on
            rules.outcome_set = cut_labels.outcome_set
            and responses.response_key = cut_labels.response_key
    left join {{ ref('int_judgements_counted') }} as judgements
        on
            rules.scorer = judgements.scorer
            and texts.variant_text_key = judgements.text_key
    left join without_vector on texts.variant_text_key = without_vector.text_key
    left join given_labels
        on
            rules.outcome_set = given_labels.outcome_set
            and responses.response_key = given_labels.response_key
    left join unread_answers as elsewhere
        on
            responses.response_key = elsewhere.response_key
            and rules.languages = elsewhere.languages
            and elsewhere.scorer = ''
    left join unread_by_encoder on responses.response_key = unread_by_encoder.response_key
    left join unread_answers as unread_by_judge
        on
            responses.response_key = unread_by_judge.response_key
            and rules.scorer = unread_by_judge.scorer
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
        when measurement_status in ('no_probabilities', 'low_mass', 'no_vote', 'failed')
            then measurement_status
        when is_blank then 'empty_text'
        when is_in_another_language then 'unsupported_language'
        when rule_kind = 'given' and not is_read then 'not_labelled'
        when judgement_status in ('no_vote', 'tied') then judgement_status
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
