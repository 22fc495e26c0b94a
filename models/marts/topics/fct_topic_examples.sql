-- Grain: one row per suite, topic_set, segment_value, is_simulated, topic_position, is_answer_simulated,
-- example_rank.
-- The distinct answers that lie nearest to a cluster's mean, of those that belong to it.
with clustered as (
    select * from {{ ref('int_texts_clustered') }}
    where is_nearest
),

variants as (
    select * from {{ ref('stg_extract__text_variants') }}
    where text_variant = 'clean'
),

answers as (
    select
        prompts.suite,
        prompts.topic_set,
        prompts.segment_value,
        responses.is_simulated,
        prompts.pool,
        variants.variant_text_key,
        min(responses.response_key) as response_key,
        count(*) as n_answers
    from {{ ref('int_responses_joined') }} as responses
    inner join {{ ref('int_prompts_segmented') }} as prompts using (prompt_key)
    inner join variants using (text_key)
    where responses.is_usable
    group by all
),

ranked as (
    select
        topics.suite,
        topics.topic_set,
        topics.segment_value,
        topics.is_simulated,
        topics.topic_position,
        topics.feature,
        answers.response_key,
        answers.is_simulated as is_answer_simulated,
        answers.n_answers,
        clustered.distance_to_centroid,
        row_number() over (
            partition by
                topics.suite, topics.topic_set, topics.segment_value, topics.is_simulated,
                topics.topic_position, answers.is_simulated
            order by clustered.distance_to_centroid asc, answers.variant_text_key asc
        ) as example_rank
    from {{ ref('dim_topics') }} as topics
    inner join clustered using (clustering_key, topic_position)
    inner join answers
        on
            topics.suite = answers.suite
            and topics.topic_set = answers.topic_set
            and topics.segment_value = answers.segment_value
            and clustered.text_key = answers.variant_text_key
            and (topics.pool = 'baselines' or topics.is_simulated = answers.is_simulated)
)

select
    {{ contract_columns(without=['metric_version']) }},
    1 as metric_version
from ranked
where example_rank <= 3
