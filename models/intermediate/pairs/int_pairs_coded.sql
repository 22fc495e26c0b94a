-- Grain: one row per pair_kind, axis, response_key_a, response_key_b, measured_as, feature, as integers for
-- resampling, in an order that depends on the rows alone. Only pairs with a value.
with pairs as (
    select * from {{ ref('int_pairs_measured') }}
    where value is not null
),

members as (
    select
        suite,
        category,
        config_key,
        axis,
        group_a as group_value
    from pairs
    union
    select
        suite,
        category,
        config_key,
        axis,
        group_b as group_value
    from pairs
),

groups as (
    select
        *,
        row_number() over (partition by suite, category, config_key, axis order by group_value) - 1 as code
    from members
)

select
    pairs.pair_kind,
    pairs.suite,
    pairs.category,
    pairs.config_key,
    pairs.axis,
    pairs.response_key_a,
    pairs.response_key_b,
    pairs.measured_as,
    pairs.feature,
    pairs.group_a,
    pairs.group_b,
    pairs.pair_kind = 'branches' as is_branch,
    dense_rank() over (order by pairs.suite, pairs.category, pairs.config_key, pairs.axis) as group_set_key,
    dense_rank() over (order by pairs.measured_as, pairs.feature) as measure_id,
    groups_a.code as code_a,
    groups_b.code as code_b,
    dense_rank() over (
        partition by pairs.suite, pairs.category, pairs.config_key, pairs.axis
        order by pairs.root_key
    ) - 1 as root_code,
    pairs.repeat_a,
    pairs.repeat_b,
    pairs.value,
    pairs.value_a,
    pairs.value_b
from pairs
inner join groups as groups_a
    on
        pairs.suite = groups_a.suite
        and pairs.category = groups_a.category
        and pairs.config_key = groups_a.config_key
        and pairs.axis = groups_a.axis
        and pairs.group_a = groups_a.group_value
inner join groups as groups_b
    on
        pairs.suite = groups_b.suite
        and pairs.category = groups_b.category
        and pairs.config_key = groups_b.config_key
        and pairs.axis = groups_b.axis
        and pairs.group_b = groups_b.group_value
