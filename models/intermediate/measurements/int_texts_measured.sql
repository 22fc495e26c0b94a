-- Grain: one row per response_key, feature. Only usable responses are measured; the rest keep a status.
with responses as (
    select * from {{ ref('int_responses_joined') }}
    -- A usable response without a text came with its measurements.
    where text_key is not null or not is_usable
),

judge_features as (
    select distinct
        judge,
        feature
    from {{ ref('stg_suite__judges') }}
    where feature is not null
),

-- A suite has the numbers that it was measured with, whatever else is measured in the same place.
scorers as (
    select * from {{ ref('int_suite_scorers_selected') }}
),

-- By the key of a scorer's version; judges by name.
measurements as (
    select
        text_key,
        feature,
        value,
        measurement_status,
        scorer_key as measured_by
    from {{ ref('stg_extract__measurements') }}
    semi join scorers using (scorer_key)
    union all
    select
        judgements.text_key,
        judges.feature,
        judgements.value,
        judgements.judgement_status as measurement_status,
        judgements.scorer as measured_by
    from {{ ref('int_judgements_counted') }} as judgements
    inner join judge_features as judges on judgements.scorer = judges.judge
),

-- What a judge gives is of the text that it reads; see below.
scored as (
    select distinct
        measured_by,
        feature
    from measurements
    anti join judge_features as judges on measurements.measured_by = judges.judge
),

-- Every category is measured on the clean text, and on what its rules read the numbers of.
features as (
    select
        categories.suite,
        categories.category,
        categories.scored_as,
        scorers.scorer,
        scored.measured_by,
        scored.feature as scorer_feature,
        'clean' as text_variant,
        scored.feature
    from {{ ref('stg_suite__categories') }} as categories
    inner join scorers on categories.suite = scorers.suite
    inner join scored on scorers.scorer_key = scored.measured_by
    union
    select
        rules.suite,
        rules.category,
        categories.scored_as,
        rules.scorer,
        scorers.scorer_key as measured_by,
        rules.scorer_feature,
        rules.text_variant,
        rules.feature
    from {{ ref('stg_suite__outcome_rules') }} as rules
    inner join {{ ref('stg_suite__categories') }} as categories using (suite, category)
    left join scorers
        on
            rules.suite = scorers.suite
            and rules.scorer = scorers.scorer
    anti join {{ ref('stg_suite__judges') }} as judges
        on
            rules.suite = judges.suite
            and rules.scorer = judges.judge
    where rules.rule_kind in ('score', 'cutoff') and not rules.is_probability and rules.scorer <> 'given'
    union
    -- A judge reads the answer alone.
    select
        suite,
        category,
        'answer' as scored_as,
        judge as scorer,
        judge as measured_by,
        feature as scorer_feature,
        text_variant,
        feature
    from {{ ref('stg_suite__judges') }}
    where feature is not null
),

variants as (
    select * from {{ ref('stg_extract__text_variants') }}
),

fitted as (
    select * from {{ ref('int_texts_scored') }}
),

-- What is scored of an answer and of its prompt's baseline (SPEC CAL-5).
paired as (
    select
        responses.*,
        features.feature,
        features.scorer,
        features.measured_by,
        features.scorer_feature,
        features.text_variant,
        case
            when features.scored_as = 'answer' then responses.text_key
            else fitted_answers.scored_text_key
        end as answer_key,
        coalesce(
            fitted_baselines.scored_text_key,
            case when features.scored_as = 'answer' then prompts.baseline_text_key end
        ) as baseline_key
    from responses
    inner join features using (suite, category)
    left join {{ ref('stg_assemble__prompts') }} as prompts on responses.prompt_key = prompts.prompt_key
    left join fitted as fitted_answers
        on
            responses.prompt_key = fitted_answers.prompt_key
            and responses.text_key = fitted_answers.text_key
    left join fitted as fitted_baselines
        on
            prompts.prompt_key = fitted_baselines.prompt_key
            and prompts.baseline_text_key = fitted_baselines.text_key
)

select
    paired.response_key,
    paired.prompt_key,
    paired.config_key,
    paired.suite,
    paired.domain,
    paired.category,
    paired.config,
    paired.model,
    paired.role,
    paired.is_simulated,
    paired.feature,
    paired.scorer,
    paired.text_variant,
    case when paired.is_usable and unread.response_key is null then measurements.value end as value,
    case
        when not paired.is_usable then 'failed_response'
        when unread.response_key is not null and coalesce(measurements.measurement_status, '') <> 'empty'
            then 'unsupported_language'
        when measurements.value is null and measurements.measurement_status in ('ok', 'capped', 'truncated')
            then 'not_finite'
        else coalesce(measurements.measurement_status, 'not_measured')
    end as measurement_status,
    baselines.value as baseline_value
from paired
left join variants
    on
        paired.answer_key = variants.text_key
        and paired.text_variant = variants.text_variant
left join measurements
    on
        case when paired.text_variant = 'raw' then paired.answer_key else variants.variant_text_key end
        = measurements.text_key
        and paired.measured_by = measurements.measured_by
        and paired.scorer_feature = measurements.feature
left join {{ ref('int_unread_answers_listed') }} as unread
    on
        paired.response_key = unread.response_key
        and paired.scorer = unread.scorer
-- The prompt's baseline text is measured as the response is: same scorer, same variant (SPEC CAL-1).
left join variants as baseline_variants
    on
        paired.baseline_key = baseline_variants.text_key
        and paired.text_variant = baseline_variants.text_variant
left join measurements as baselines
    on
        case
            when paired.text_variant = 'raw' then paired.baseline_key
            else baseline_variants.variant_text_key
        end = baselines.text_key
        and paired.measured_by = baselines.measured_by
        and paired.scorer_feature = baselines.feature
