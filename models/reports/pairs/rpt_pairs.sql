-- Grain: one row per pairs_slug, pair_rank: the pairs of answers that are least alike, with their texts.
-- At most so many of a comparison, and two of a root, so that one odd root does not fill the page; the same
-- two answers once.
{%- set most_pairs = 20 %}
{%- set most_of_a_root = 2 %}
{%- set most_rows = 3000 %}
{%- set longest = 1000 %}
with pairs as (
    select * from {{ ref('fct_counterfactual_pairs') }}
    where pair_kind = 'branches'
),

shown as (
    select distinct
        pairs_slug,
        suite,
        category,
        config,
        axis,
        category_position
    from {{ ref('rpt_pair_metrics') }}
),

measured as (
    select
        shown.pairs_slug,
        shown.category_position,
        pairs.suite,
        pairs.category,
        pairs.config,
        pairs.axis,
        pairs.group_a,
        pairs.group_b,
        pairs.root_key,
        pairs.prompt_key_a,
        pairs.prompt_key_b,
        pairs.response_key_a,
        pairs.response_key_b,
        pairs.repeat_a,
        min(case when pairs.metric = 'counterfactual_cosine' then pairs.value end) as cosine,
        min(case when pairs.metric = 'counterfactual_rouge_l' then pairs.value end) as rouge_l,
        min(case when pairs.metric = 'counterfactual_bleu' then pairs.value end) as bleu,
        max_by(pairs.feature, (abs(pairs.value), pairs.feature))
        filter (where pairs.metric = 'score_difference' and pairs.value is not null)
            as score_feature,
        max_by(pairs.value_a, (abs(pairs.value), pairs.feature))
        filter (where pairs.metric = 'score_difference' and pairs.value is not null)
            as score_a,
        max_by(pairs.value_b, (abs(pairs.value), pairs.feature))
        filter (where pairs.metric = 'score_difference' and pairs.value is not null)
            as score_b
    from pairs
    inner join shown using (suite, category, config, axis)
    group by all
),

responses as (
    select * from {{ ref('dim_responses') }}
),

-- Least alike in meaning, or, without an encoder, in words; then further apart in the scores.
distinct_texts as (
    select
        measured.*,
        responses_a.response as response_a,
        responses_b.response as response_b
    from measured
    inner join responses as responses_a on measured.response_key_a = responses_a.response_key
    inner join responses as responses_b on measured.response_key_b = responses_b.response_key
    where coalesce(measured.cosine, measured.rouge_l) is not null
    qualify row_number() over (
        partition by
            measured.pairs_slug,
            least(responses_a.response, responses_b.response),
            greatest(responses_a.response, responses_b.response)
        order by measured.response_key_a, measured.response_key_b
    ) = 1
),

ordered as (
    select
        *,
        row_number() over (
            partition by pairs_slug, root_key
            order by
                coalesce(cosine, rouge_l) asc, abs(score_a - score_b) desc nulls last, response_key_a asc,
                response_key_b asc
        ) as root_rank
    from distinct_texts
    -- What is the same word for word is no example of a difference. This stands behind the window, because
    -- DuckDB would take it for a join, and begin with every answer beside every other.
    where response_a <> response_b
),

ranked as (
    select
        *,
        row_number() over (
            partition by pairs_slug
            order by
                coalesce(cosine, rouge_l) asc, abs(score_a - score_b) desc nulls last, response_key_a asc,
                response_key_b asc
        ) as pair_rank
    from ordered
    where root_rank <= {{ most_of_a_root }}
),

kept as (
    select
        *,
        row_number() over (
            order by suite asc, category_position asc, category asc, config asc, axis asc, pair_rank asc
        ) as position
    from ranked
    where pair_rank <= {{ most_pairs }}
),

prompts as (
    select * from {{ ref('dim_prompts') }}
)

select
    kept.pairs_slug,
    kept.pair_rank,
    kept.group_a,
    kept.group_b,
    left(prompts_a.prompt, {{ longest }}) as prompt_a,
    left(prompts_b.prompt, {{ longest }}) as prompt_b,
    left(prompts_a.baseline, {{ longest }}) as baseline_a,
    left(prompts_b.baseline, {{ longest }}) as baseline_b,
    left(kept.response_a, {{ longest }}) as response_a,
    left(kept.response_b, {{ longest }}) as response_b,
    kept.cosine,
    kept.rouge_l,
    kept.bleu,
    kept.score_feature,
    kept.score_a,
    kept.score_b,
    kept.repeat_a as repeat_index,
    kept.response_key_a,
    kept.response_key_b
from kept
inner join prompts as prompts_a on kept.prompt_key_a = prompts_a.prompt_key
inner join prompts as prompts_b on kept.prompt_key_b = prompts_b.prompt_key
where kept.position <= {{ most_rows }}
