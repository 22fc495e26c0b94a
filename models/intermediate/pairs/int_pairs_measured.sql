-- Grain: one row per pair_kind, axis, response_key_a, response_key_b, measured_as, feature.
-- measured_as: what int_text_pairs_measured and int_recommendations_paired measure, and `difference` of a
-- measured feature, a minus b.
with pairs as (
    select * from {{ ref('int_response_pairs_listed') }}
),

declared as (
    select * from {{ ref('stg_suite__pair_features') }}
),

scored as (
    select distinct
        suite,
        feature
    from {{ ref('stg_suite__outcome_rules') }}
    where rule_kind = 'score'
),

measurements as (
    select * from {{ ref('int_responses_measured') }}
),

-- What the suite names; else what its score rules read; else all that was measured.
features as (
    select
        suite,
        feature
    from declared
    union all
    select
        scored.suite,
        scored.feature
    from scored
    anti join declared using (suite)
    union all
    select distinct
        measurements.suite,
        measurements.feature
    from measurements
    anti join declared using (suite)
    anti join scored using (suite)
),

differences as (
    select
        pairs.pair_kind,
        pairs.axis,
        pairs.response_key_a,
        pairs.response_key_b,
        a.feature,
        a.value as value_a,
        b.value as value_b,
        case
            when a.value is null then a.measurement_status
            when b.value is null then b.measurement_status
            else 'ok'
        end as measurement_status
    from pairs
    inner join features using (suite)
    inner join measurements as a
        on
            pairs.response_key_a = a.response_key
            and features.feature = a.feature
    inner join measurements as b
        on
            pairs.response_key_b = b.response_key
            and features.feature = b.feature
)

select
    pairs.*,
    texts.measured_as,
    texts.feature,
    cast(null as double) as value_a,
    cast(null as double) as value_b,
    texts.value,
    texts.measurement_status
from pairs
inner join {{ ref('int_text_pairs_measured') }} as texts
    on
        pairs.response_key_a = texts.response_key_a
        and pairs.response_key_b = texts.response_key_b
union all
select
    pairs.*,
    lists.measured_as,
    '' as feature,
    cast(null as double) as value_a,
    cast(null as double) as value_b,
    lists.value,
    lists.measurement_status
from pairs
inner join {{ ref('int_recommendations_paired') }} as lists
    on
        pairs.pair_kind = lists.pair_kind
        and pairs.axis = lists.axis
        and pairs.response_key_a = lists.response_key_a
        and pairs.response_key_b = lists.response_key_b
union all
select
    pairs.*,
    preferences.measured_as,
    preferences.feature,
    preferences.value_a,
    preferences.value_b,
    preferences.value,
    preferences.measurement_status
from pairs
inner join {{ ref('int_preferences_measured') }} as preferences
    on
        pairs.pair_kind = 'branches'
        and pairs.response_key_a = preferences.response_key_a
        and pairs.response_key_b = preferences.response_key_b
union all
select
    pairs.*,
    'difference' as measured_as,
    differences.feature,
    differences.value_a,
    differences.value_b,
    differences.value_a - differences.value_b as value,
    differences.measurement_status
from pairs
inner join differences
    on
        pairs.pair_kind = differences.pair_kind
        and pairs.axis = differences.axis
        and pairs.response_key_a = differences.response_key_a
        and pairs.response_key_b = differences.response_key_b
