-- Grain: one row per suite, category, outcome_set, variant_text_key of anchor rules (SPEC MEA-5).
with candidates as (
    select distinct
        suite,
        category,
        outcome_set,
        variant_text_key
    from {{ ref('int_rule_texts_listed') }}
    where variant_text_key is not null
),

rules as (
    select *
    from {{ ref('stg_suite__outcome_rules') }}
    where rule_kind = 'anchor'
),

encoders as (
    select * from {{ ref('int_scorers_selected') }}
    where is_encoder
),

vectors as (
    select
        embeddings.text_key,
        embeddings.scorer_key,
        embeddings.vector
    from {{ ref('stg_extract__embeddings') }} as embeddings
    inner join encoders using (scorer_key)
    where embeddings.vector is not null
),

label_similarities as (
    select
        candidates.suite,
        candidates.category,
        candidates.outcome_set,
        candidates.variant_text_key,
        rules.label,
        rules.min_similarity,
        rules.min_margin,
        max({{ cosine_similarity('answers.vector', 'anchors.vector') }}) as similarity
    from candidates
    inner join rules using (suite, category, outcome_set)
    inner join vectors as answers on candidates.variant_text_key = answers.text_key
    inner join vectors as anchors
        on
            rules.phrase_text_key = anchors.text_key
            and answers.scorer_key = anchors.scorer_key
    group by all
),

ranked as (
    select
        *,
        row_number() over labels as label_rank,
        similarity - lead(similarity) over labels as margin
    from label_similarities
    window labels as (
        partition by suite, category, outcome_set, variant_text_key
        order by similarity desc, label asc
    )
)

select
    suite,
    category,
    outcome_set,
    variant_text_key,
    label,
    similarity,
    margin,
    similarity >= min_similarity and margin >= min_margin as is_clear
from ranked
where label_rank = 1
