-- Grain: one row per response_key, feature: how far an answer's vector lies from its baseline's.
-- SPEC MEA-2.
-- depends_on: {{ ref('distances') }}
with asked as (
    select
        distances.suite,
        distances.distance,
        distances.feature,
        distances.scorer,
        scorers.scorer_key
    from {{ ref('stg_suite__distances') }} as distances
    left join {{ ref('int_scorers_selected') }} as scorers using (scorer)
),

prompts as (
    select * from {{ ref('stg_assemble__prompts') }}
),

compared as (
    select distinct
        prompts.suite,
        prompts.category,
        categories.scored_as
    from prompts
    inner join {{ ref('stg_suite__categories') }} as categories using (suite, category)
    where prompts.baseline_text_key is not null
),

fitted as (
    select * from {{ ref('int_texts_scored') }}
),

variants as (
    select * from {{ ref('stg_extract__text_variants') }}
    where text_variant = 'clean'
),

paired as (
    select
        responses.*,
        prompts.baseline_text_key is not null as has_baseline,
        variants.variant_text_key as answer_text_key,
        baseline_variants.variant_text_key as baseline_text_key
    from {{ ref('int_responses_joined') }} as responses
    inner join compared using (suite, category)
    inner join prompts using (prompt_key)
    -- What is scored of an answer and of its prompt's baseline (SPEC CAL-5).
    left join fitted as fitted_answers
        on
            responses.prompt_key = fitted_answers.prompt_key
            and responses.text_key = fitted_answers.text_key
    left join fitted as fitted_baselines
        on
            prompts.prompt_key = fitted_baselines.prompt_key
            and prompts.baseline_text_key = fitted_baselines.text_key
    left join variants
        on
            case
                when compared.scored_as = 'answer' then responses.text_key
                else fitted_answers.scored_text_key
            end = variants.text_key
    left join variants as baseline_variants
        on
            coalesce(
                fitted_baselines.scored_text_key,
                case when compared.scored_as = 'answer' then prompts.baseline_text_key end
            ) = baseline_variants.text_key
    -- A usable response without a text came with its measurements.
    where responses.text_key is not null or not responses.is_usable
),

-- Many responses say the same to the same baseline.
pairs as (
    select distinct
        asked.suite,
        asked.distance,
        asked.scorer_key,
        paired.answer_text_key,
        paired.baseline_text_key
    from paired
    inner join asked using (suite)
    where paired.is_usable
),

vectors as (
    select
        text_key,
        scorer_key,
        measurement_status,
        {{ list_of_doubles('vector') }} as components
    from {{ ref('stg_extract__embeddings') }}
),

measured as (
    select
        pairs.suite,
        pairs.distance,
        pairs.answer_text_key,
        pairs.baseline_text_key,
        coalesce(answers.measurement_status, 'not_measured') as answer_status,
        baselines.components is not null as has_baseline_vector,
        case pairs.distance
            {%- for row in declared_rows('distances', 'distance_id') %}
            when '{{ row['distance'] }}'
                then {{ declared_expression(row, 'answers.components', 'baselines.components') }}
            {%- endfor %}
        end as value
    from pairs
    left join vectors as answers
        on
            pairs.answer_text_key = answers.text_key
            and pairs.scorer_key = answers.scorer_key
    left join vectors as baselines
        on
            pairs.baseline_text_key = baselines.text_key
            and pairs.scorer_key = baselines.scorer_key
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
    asked.feature,
    asked.scorer,
    'clean' as text_variant,
    case when unread.response_key is null then measured.value end as value,
    case
        when not paired.is_usable then 'failed_response'
        when not paired.has_baseline then 'no_baseline'
        when unread.response_key is not null then 'unsupported_language'
        when coalesce(measured.answer_status, 'not_measured') not in ('ok', 'capped')
            then coalesce(measured.answer_status, 'not_measured')
        when not measured.has_baseline_vector then 'baseline_not_measured'
        when measured.value is null then 'zero_vector'
        else measured.answer_status
    end as measurement_status
from paired
inner join asked using (suite)
left join {{ ref('int_unread_answers_listed') }} as unread
    on
        paired.response_key = unread.response_key
        and asked.scorer = unread.scorer
left join measured
    on
        case when paired.is_usable then asked.suite end = measured.suite
        and asked.distance = measured.distance
        and paired.answer_text_key is not distinct from measured.answer_text_key
        and paired.baseline_text_key is not distinct from measured.baseline_text_key
