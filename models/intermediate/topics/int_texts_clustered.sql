-- Grain: one row per clustering_key, text_key, topic_position: how far a text lies from each cluster.
-- SPEC MEA-3.
-- A zero vector is in no cluster.
-- depends_on: {{ ref('distances') }}
{%- set distances = declared_rows('distances', 'distance_id') %}
with asked as (
    select
        asked.*,
        scorers.scorer_key
    from {{ ref('stg_suite__topics') }} as asked
    inner join {{ ref('int_scorers_selected') }} as scorers using (scorer)
),

prompts as (
    select * from {{ ref('int_prompts_segmented') }}
),

clusterings as (
    select * from {{ ref('stg_suite__clusterings') }}
),

variants as (
    select * from {{ ref('stg_extract__text_variants') }}
    where text_variant = 'clean'
),

needed as (
    select
        clusterings.clustering_key,
        prompts.suite,
        prompts.topic_set,
        responses.text_key
    from {{ ref('int_responses_joined') }} as responses
    inner join prompts using (prompt_key)
    inner join clusterings
        on
            prompts.suite = clusterings.suite
            and prompts.topic_set = clusterings.topic_set
            and prompts.segment_value = clusterings.segment_value
            and (prompts.pool = 'baselines' or responses.is_simulated = clusterings.is_simulated)
    where responses.is_usable
    union
    select
        clusterings.clustering_key,
        prompts.suite,
        prompts.topic_set,
        prompts.baseline_text_key as text_key
    from prompts
    inner join clusterings using (suite, topic_set, segment_value)
    where prompts.pool = 'baselines'
),

-- One clustering can serve two entries of a suite's topics, each with its own distances.
wanted as (
    select
        needed.clustering_key,
        asked.scorer_key,
        variants.variant_text_key as text_key,
        array_distinct(flatten(array_agg(asked.distances))) as distances
    from needed
    inner join asked using (suite, topic_set)
    inner join variants using (text_key)
    group by needed.clustering_key, asked.scorer_key, variants.variant_text_key
),

placed as (
    select
        wanted.clustering_key,
        wanted.text_key,
        topics.topic_position,
        wanted.distances,
        topics.centre,
        {{ list_of_doubles('embeddings.vector') }} as components,
        topics.centroid
    from wanted
    inner join {{ ref('stg_extract__embeddings') }} as embeddings using (text_key, scorer_key)
    inner join {{ ref('stg_extract__topics') }} as topics using (clustering_key)
    where {{ inner_product('embeddings.vector', 'embeddings.vector') }} > 0
),

measured as (
    select
        clustering_key,
        text_key,
        topic_position,
        {%- for row in distances %}
        case
            when array_contains(distances, '{{ row['distance'] }}')
                then {{ declared_expression(row, 'components', 'centre') }}
        end as {{ row['distance'] }}_distance,
        {%- endfor %}
        {{ straight_distance('components', 'centroid') }} as distance_to_centroid
    from placed
)

select
    *,
    -- Level with two: the larger cluster.
    row_number() over (
        partition by clustering_key, text_key
        order by distance_to_centroid asc, topic_position asc
    ) = 1 as is_nearest
from measured
