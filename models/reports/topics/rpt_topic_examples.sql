-- Grain: one row per suite, topic_set, segment_value, topic_position, is_simulated, example_rank.
-- A cluster's nearest answers, cut to what a table can hold.
{%- set longest = 300 %}
with examples as (
    select * from {{ ref('fct_topic_examples') }}
),

responses as (
    select * from {{ ref('dim_responses') }}
)

select
    {{ page_slugs('responses') }},
    responses.suite,
    responses.category,
    responses.config,
    responses.is_simulated,
    examples.topic_set,
    examples.segment_value,
    examples.topic_position,
    examples.feature,
    examples.example_rank,
    left(responses.response, {{ longest }}) as response,
    length(responses.response) > {{ longest }} as is_cut,
    examples.n_answers,
    examples.distance_to_centroid
from examples
inner join responses using (response_key)
