-- Grain: one row per suite, category, feature: what scores an answer, so that Local Law 144 has a scoring
-- rate. Which topic an answer has, and how far it lies from another text, is no score of it.
with of_vectors as (
    select
        suite,
        feature
    from {{ ref('stg_suite__distances') }}
    union distinct
    select
        suite,
        feature
    from {{ ref('int_topic_features_listed') }}
)

select
    features.suite,
    features.category,
    features.feature
from {{ ref('int_features_listed') }} as features
anti join of_vectors
    on
        features.suite = of_vectors.suite
        and features.feature = of_vectors.feature
