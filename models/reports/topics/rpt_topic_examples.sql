-- Grain: one row per suite, topic_set, segment_value, topic_position, is_simulated, example_rank.
-- A cluster's nearest answers, cut to what a table can hold.
{%- set longest = 300 %}
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
from {{ ref('fct_topic_examples') }} as examples
inner join {{ ref('dim_responses') }} as responses using (response_key)
