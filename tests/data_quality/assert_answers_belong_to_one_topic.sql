-- Where an answer belongs to a cluster at all, it belongs to one of its segment's.
with memberships as (
    select
        measurements.response_key,
        features.topic_set,
        sum(measurements.value) as n_topics,
        count(measurements.value) as n_values
    from {{ ref('fct_measurements') }} as measurements
    inner join {{ ref('int_topic_features_listed') }} as features
        on
            measurements.suite = features.suite
            and measurements.feature = features.feature
    where features.measure = 'membership'
    group by measurements.response_key, features.topic_set
)

select * from memberships
where n_values > 0 and n_topics is distinct from 1
