-- Grain: one row per response_key_a, response_key_b, text_variant: which texts two answers are without their
-- groups' words. Judges read raw texts, whatever the overlap of words is taken of.
with pairs as (
    select distinct
        suite,
        category,
        pair_kind,
        response_key_a,
        response_key_b,
        prompt_key_a,
        prompt_key_b,
        text_key_a,
        text_key_b,
        is_usable
    from {{ ref('int_response_pairs_listed') }}
    -- Ready measurements come without texts.
    where not is_usable or (text_key_a is not null and text_key_b is not null)
),

variants as (
    select
        suite,
        text_variant
    from {{ ref('stg_suite__pairs') }}
    union
    select
        suite,
        text_variant
    from {{ ref('stg_suite__judges') }}
    where compares_pairs
),

words as (
    select * from {{ ref('stg_extract__prompt_words') }}
),

neutral as (
    select * from {{ ref('stg_extract__neutral_texts') }}
),

texts as (
    select * from {{ ref('stg_extract__texts') }}
)

select
    pairs.suite,
    pairs.category,
    pairs.pair_kind,
    pairs.response_key_a,
    pairs.response_key_b,
    pairs.is_usable,
    variants.text_variant,
    neutral_a.neutral_text_key as text_key_a,
    neutral_b.neutral_text_key as text_key_b,
    texts.text = '' as is_blank,
    greatest(texts.n_characters, texts_b.n_characters) as n_characters
from pairs
inner join variants using (suite)
left join words as words_a on pairs.prompt_key_a = words_a.prompt_key
left join words as words_b on pairs.prompt_key_b = words_b.prompt_key
left join neutral as neutral_a
    on
        pairs.text_key_a = neutral_a.text_key
        and words_a.words_key = neutral_a.words_key
        and variants.text_variant = neutral_a.text_variant
left join neutral as neutral_b
    on
        pairs.text_key_b = neutral_b.text_key
        and words_b.words_key = neutral_b.words_key
        and variants.text_variant = neutral_b.text_variant
left join texts on neutral_a.neutral_text_key = texts.text_key
left join texts as texts_b on neutral_b.neutral_text_key = texts_b.text_key
