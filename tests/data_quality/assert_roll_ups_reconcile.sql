-- A level holds the answers it pools, each once: its values and missing values are the sums of its parts',
-- which are what its categories measured, and in the same terms.
with samples as (
    select * from {{ ref('int_group_features_listed') }}
),

roll_ups as (
    select * from {{ ref('int_roll_ups_listed') }}
),

topics as (
    select
        features.suite,
        features.feature,
        topic_sets.segment
    from {{ ref('int_topic_features_listed') }} as features
    inner join {{ ref('stg_suite__topics') }} as topic_sets
        on
            features.suite = topic_sets.suite
            and features.topic_set = topic_sets.topic_set
),

counted as (
    select
        group_feature_key,
        count(value) as n,
        count(*) - count(value) as n_missing
    from {{ ref('int_feature_values_coded') }}
    group by group_feature_key
),

parts as (
    select
        roll_ups.suite,
        roll_ups.roll_up,
        roll_ups.pooled_category,
        roll_ups.pooled_config_key,
        samples.axis,
        samples.group_value,
        samples.feature,
        samples.calibration,
        cast(coalesce(sum(counted.n), 0) as bigint) as n,
        cast(coalesce(sum(counted.n_missing), 0) as bigint) as n_missing
    from roll_ups
    inner join samples
        on
            roll_ups.suite = samples.suite
            and roll_ups.category = samples.category
            and roll_ups.config_key = samples.config_key
            and samples.roll_up = 'none'
    left join topics
        on
            samples.suite = topics.suite
            and samples.feature = topics.feature
    left join counted on samples.group_feature_key = counted.group_feature_key
    where
        (topics.segment = 'category' and roll_ups.pooled_category <> roll_ups.category) is not true
        and (topics.segment = 'domain' and roll_ups.pooled_domain <> roll_ups.domain) is not true
    group by all
),

pooled as (
    select
        samples.*,
        coalesce(counted.n, 0) as n,
        coalesce(counted.n_missing, 0) as n_missing
    from samples
    left join counted on samples.group_feature_key = counted.group_feature_key
    where samples.roll_up <> 'none'
)

select
    parts.*,
    pooled.n as pooled_n,
    pooled.n_missing as pooled_n_missing
from parts
full join pooled
    on
        parts.suite = pooled.suite
        and parts.roll_up = pooled.roll_up
        and parts.pooled_category = pooled.category
        and parts.pooled_config_key = pooled.config_key
        and parts.axis = pooled.axis
        and parts.group_value = pooled.group_value
        and parts.feature = pooled.feature
        and parts.calibration = pooled.calibration
where parts.n is distinct from pooled.n or parts.n_missing is distinct from pooled.n_missing
