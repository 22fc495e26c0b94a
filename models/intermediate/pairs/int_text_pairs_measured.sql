-- Grain: one row per response_key_a, response_key_b, measured_as, feature: how alike two answers' texts are.
-- measured_as: `cosine` of the vectors of one encoder (feature), `rouge_l` and `bleu` of the neutral texts.
with pairs as (
    select distinct
        suite,
        response_key_a,
        response_key_b,
        text_key_a,
        text_key_b,
        is_usable
    from {{ ref('int_response_pairs_listed') }}
    -- Ready measurements come without texts.
    where not is_usable or (text_key_a is not null and text_key_b is not null)
),

settings as (
    select
        suite,
        min(text_variant) as text_variant
    from {{ ref('stg_suite__pairs') }}
    group by suite
),

scorers as (
    select * from {{ ref('int_scorers_selected') }}
),

texts as (
    select * from {{ ref('stg_extract__texts') }}
),

unread as (
    select * from {{ ref('int_unread_answers_listed') }}
),

measured as (
    select
        used.suite,
        text_pairs.text_key_a,
        text_pairs.text_key_b,
        text_pairs.feature,
        text_pairs.value,
        text_pairs.measurement_status
    from {{ ref('stg_extract__text_pairs') }} as text_pairs
    inner join {{ ref('int_suite_scorers_selected') }} as used on text_pairs.scorer_key = used.scorer_key
),

compared as (
    select
        neutralised.response_key_a,
        neutralised.response_key_b,
        overlap.measured_as,
        '' as feature,
        case
            when not neutralised.is_usable then null
            -- Equal texts are not measured: they have everything in common.
            when neutralised.text_key_a = neutralised.text_key_b and not neutralised.is_blank then 1.0
            else measured.value
        end as value,
        case
            when not neutralised.is_usable then 'failed_response'
            when neutralised.text_key_a is null or neutralised.text_key_b is null then 'not_measured'
            when neutralised.text_key_a = neutralised.text_key_b and neutralised.is_blank then 'empty'
            when neutralised.text_key_a = neutralised.text_key_b then 'ok'
            else coalesce(measured.measurement_status, 'not_measured')
        end as measurement_status
    from {{ ref('int_neutral_pairs_listed') }} as neutralised
    inner join settings using (suite, text_variant)
    cross join (values ('rouge_l'), ('bleu')) as overlap (measured_as)
    left join measured
        on
            least(neutralised.text_key_a, neutralised.text_key_b) = measured.text_key_a
            and greatest(neutralised.text_key_a, neutralised.text_key_b) = measured.text_key_b
            and overlap.measured_as = measured.feature
            and neutralised.suite = measured.suite
),

encoders as (
    select
        suites.suite,
        settings.text_variant,
        scorers.scorer_key,
        scorers.scorer
    from {{ ref('stg_suite__suites') }} as suites
    inner join settings using (suite)
    inner join scorers on scorers.is_encoder and array_contains(suites.scorers, scorers.scorer)
),

variants as (
    select
        text_key,
        text_variant,
        variant_text_key
    from {{ ref('stg_extract__text_variants') }}
    union all
    select
        text_key,
        'raw' as text_variant,
        text_key as variant_text_key
    from texts
),

vectors as (
    select
        encoders.suite,
        encoders.scorer,
        variants.text_key,
        embeddings.vector,
        embeddings.measurement_status
    from encoders
    inner join variants using (text_variant)
    inner join {{ ref('stg_extract__embeddings') }} as embeddings
        on
            variants.variant_text_key = embeddings.text_key
            and encoders.scorer_key = embeddings.scorer_key
),

cosines as (
    select
        pairs.response_key_a,
        pairs.response_key_b,
        'cosine' as measured_as,
        encoders.scorer as feature,
        case
            when pairs.is_usable and unread_a.response_key is null and unread_b.response_key is null
                then {{ cosine_similarity('vector_a.vector', 'vector_b.vector') }}
        end as value,
        case
            when not pairs.is_usable then 'failed_response'
            when unread_a.response_key is not null or unread_b.response_key is not null
                then 'unsupported_language'
            when vector_a.text_key is null or vector_b.text_key is null then 'not_measured'
            when vector_a.vector is null then vector_a.measurement_status
            when vector_b.vector is null then vector_b.measurement_status
            else 'ok'
        end as measurement_status
    from pairs
    inner join encoders using (suite)
    left join unread as unread_a
        on
            pairs.response_key_a = unread_a.response_key
            and encoders.scorer = unread_a.scorer
    left join unread as unread_b
        on
            pairs.response_key_b = unread_b.response_key
            and encoders.scorer = unread_b.scorer
    left join vectors as vector_a
        on
            pairs.suite = vector_a.suite
            and encoders.scorer = vector_a.scorer
            and pairs.text_key_a = vector_a.text_key
    left join vectors as vector_b
        on
            pairs.suite = vector_b.suite
            and encoders.scorer = vector_b.scorer
            and pairs.text_key_b = vector_b.text_key
)

select * from compared
union all
select * from cosines
