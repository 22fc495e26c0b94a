-- Grain: one row per response_key, feature. Only usable responses are measured; the rest keep a status.
with responses as (
    select * from {{ ref('int_responses_joined') }}
    -- A usable response without a text came with its measurements.
    where text_key is not null or not is_usable
),

measurements as (
    select
        measurements.text_key,
        measurements.feature,
        measurements.value,
        measurements.measurement_status,
        scorers.scorer
    from {{ ref('stg_extract__measurements') }} as measurements
    inner join {{ ref('int_scorers_selected') }} as scorers using (scorer_key)
),

scored as (
    select distinct
        scorer,
        feature
    from measurements
),

-- Every category is measured on the clean text, and on what its score rules read.
features as (
    select
        categories.suite,
        categories.category,
        scored.scorer,
        scored.feature as scorer_feature,
        'clean' as text_variant,
        scored.feature
    from {{ ref('stg_suite__categories') }} as categories
    cross join scored
    union
    select
        suite,
        category,
        scorer,
        scorer_feature,
        text_variant,
        feature
    from {{ ref('stg_suite__outcome_rules') }}
    where rule_kind = 'score'
),

variants as (
    select * from {{ ref('stg_extract__text_variants') }}
)

select
    responses.response_key,
    responses.prompt_key,
    responses.config_key,
    responses.suite,
    responses.domain,
    responses.category,
    responses.config,
    responses.model,
    responses.role,
    responses.is_simulated,
    responses.block_key,
    features.feature,
    features.scorer,
    features.text_variant,
    case when responses.is_usable then measurements.value end as value,
    case
        when not responses.is_usable then 'failed_response'
        when measurements.value is null and measurements.measurement_status in ('ok', 'capped', 'truncated')
            then 'not_finite'
        else coalesce(measurements.measurement_status, 'not_measured')
    end as measurement_status,
    baselines.value as baseline_value
from responses
inner join features using (suite, category)
left join variants using (text_key, text_variant)
left join measurements
    on
        case when features.text_variant = 'raw' then responses.text_key else variants.variant_text_key end
        = measurements.text_key
        and features.scorer = measurements.scorer
        and features.scorer_feature = measurements.feature
-- The prompt's baseline text is measured as the response is: same scorer, same variant (SPEC CAL-1).
left join {{ ref('stg_assemble__prompts') }} as prompts using (prompt_key)
left join variants as baseline_variants
    on
        prompts.baseline_text_key = baseline_variants.text_key
        and features.text_variant = baseline_variants.text_variant
left join measurements as baselines
    on
        case
            when features.text_variant = 'raw' then prompts.baseline_text_key
            else baseline_variants.variant_text_key
        end = baselines.text_key
        and features.scorer = baselines.scorer
        and features.scorer_feature = baselines.feature
