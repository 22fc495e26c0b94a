-- Grain: one row per response_key, feature: the cluster an answer is nearest to, its distance from each.
-- depends_on: {{ ref('distances') }}
with features as (
    select * from {{ ref('int_topic_features_listed') }}
),

prompts as (
    select * from {{ ref('int_prompts_segmented') }}
),

clusterings as (
    select * from {{ ref('stg_suite__clusterings') }}
),

topics as (
    select * from {{ ref('stg_extract__topics') }}
),

variants as (
    select * from {{ ref('stg_extract__text_variants') }}
    where text_variant = 'clean'
),

vectors as (
    select
        embeddings.text_key,
        embeddings.measurement_status,
        scorers.scorer
    from {{ ref('stg_extract__embeddings') }} as embeddings
    inner join {{ ref('int_scorers_selected') }} as scorers on embeddings.scorer_key = scorers.scorer_key
),

clustered as (
    select
        clustering_key,
        text_key,
        topic_position,
        'membership' as measure,
        cast(is_nearest as double) as value
    from {{ ref('int_texts_clustered') }}
    {%- for row in declared_rows('distances', 'distance_id') %}
    union all
    select
        clustering_key,
        text_key,
        topic_position,
        '{{ row['distance'] }}' as measure,
        {{ row['distance'] }}_distance as value
    from {{ ref('int_texts_clustered') }}
    where {{ row['distance'] }}_distance is not null
    {%- endfor %}
),

placed as (
    select
        responses.*,
        prompts.topic_set,
        prompts.segment_value,
        clusterings.clustering_key,
        answer_variants.variant_text_key as answer_text_key,
        case when prompts.pool = 'baselines' then baseline_variants.variant_text_key end as baseline_text_key
    from {{ ref('int_responses_joined') }} as responses
    inner join prompts on responses.prompt_key = prompts.prompt_key
    left join clusterings
        on
            prompts.suite = clusterings.suite
            and prompts.topic_set = clusterings.topic_set
            and prompts.segment_value = clusterings.segment_value
            and (prompts.pool = 'baselines' or responses.is_simulated = clusterings.is_simulated)
    left join variants as answer_variants on responses.text_key = answer_variants.text_key
    left join variants as baseline_variants on prompts.baseline_text_key = baseline_variants.text_key
    -- A usable response without a text came with its measurements.
    where responses.text_key is not null or not responses.is_usable
)

select
    placed.response_key,
    placed.prompt_key,
    placed.config_key,
    placed.suite,
    placed.domain,
    placed.category,
    placed.config,
    placed.model,
    placed.role,
    placed.is_simulated,
    features.feature,
    features.scorer,
    'clean' as text_variant,
    case when placed.is_usable and unread.response_key is null then answers.value end as value,
    case
        when not placed.is_usable then 'failed_response'
        when placed.segment_value is null then 'no_segment'
        when unread.response_key is not null then 'unsupported_language'
        when coalesce(vectors.measurement_status, 'not_measured') not in ('ok', 'capped')
            then coalesce(vectors.measurement_status, 'not_measured')
        when topics.topic_position is null then 'no_cluster'
        when answers.value is null then 'zero_vector'
        else vectors.measurement_status
    end as measurement_status,
    -- Which cluster a baseline is nearest to is no number to take off (SPEC CAL-1).
    case when features.measure <> 'membership' then baselines.value end as baseline_value,
    features.topic_set,
    features.measure as topic_measure,
    baselines.value as baseline_topic_value
from placed
inner join features
    on
        placed.suite = features.suite
        and placed.topic_set = features.topic_set
left join {{ ref('int_unread_answers_listed') }} as unread
    on
        placed.response_key = unread.response_key
        and features.scorer = unread.scorer
left join topics
    on
        placed.clustering_key = topics.clustering_key
        and features.topic_position = topics.topic_position
left join vectors
    on
        placed.answer_text_key = vectors.text_key
        and features.scorer = vectors.scorer
left join clustered as answers
    on
        placed.clustering_key = answers.clustering_key
        and placed.answer_text_key = answers.text_key
        and features.topic_position = answers.topic_position
        and features.measure = answers.measure
left join clustered as baselines
    on
        placed.clustering_key = baselines.clustering_key
        and placed.baseline_text_key = baselines.text_key
        and features.topic_position = baselines.topic_position
        and features.measure = baselines.measure
