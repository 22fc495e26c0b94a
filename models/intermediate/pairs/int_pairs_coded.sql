-- Grain: one row per pair_kind, axis, response_key_a, response_key_b, measured_as, feature, as integers for
-- resampling, in an order that depends on the rows alone. Only pairs with a value. The pairs are read where
-- they are: a CTE that is read twice is held in memory, and there are millions.
with members as (
    select
        suite,
        category,
        config_key,
        axis,
        group_a as group_value
    from {{ ref('int_pairs_measured') }}
    where value is not null
    union
    select
        suite,
        category,
        config_key,
        axis,
        group_b as group_value
    from {{ ref('int_pairs_measured') }}
    where value is not null
),

groups as (
    select
        *,
        row_number() over (partition by suite, category, config_key, axis order by group_value) - 1 as code
    from members
),

-- Ranked among what is distinct: a window over all pairs would sort millions of them.
group_sets as (
    select
        suite,
        category,
        config_key,
        axis,
        row_number() over (order by suite, category, config_key, axis) as group_set_key
    from members
    group by suite, category, config_key, axis
),

measures as (
    select
        measured_as,
        feature,
        row_number() over (order by measured_as, feature) as measure_id
    from {{ ref('int_pairs_measured') }}
    where value is not null
    group by measured_as, feature
),

roots as (
    select
        suite,
        category,
        config_key,
        axis,
        root_key,
        row_number() over (partition by suite, category, config_key, axis order by root_key) - 1 as code
    from {{ ref('int_pairs_measured') }}
    where value is not null
    group by suite, category, config_key, axis, root_key
),

blocks as (
    select
        prompt_key,
        dense_rank() over (order by block_key) - 1 as code
    from {{ ref('stg_assemble__prompts') }}
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
    group_sets.group_set_key,
    measures.measure_id,
    groups_a.code as code_a,
    groups_b.code as code_b,
    roots.code as root_code,
    blocks_a.code as block_a,
    blocks_b.code as block_b,
    pairs.repeat_a,
    pairs.repeat_b,
    pairs.value,
    pairs.value_a,
    pairs.value_b
from {{ ref('int_pairs_measured') }} as pairs
inner join group_sets using (suite, category, config_key, axis)
inner join measures using (measured_as, feature)
inner join roots using (suite, category, config_key, axis, root_key)
inner join blocks as blocks_a on pairs.prompt_key_a = blocks_a.prompt_key
inner join blocks as blocks_b on pairs.prompt_key_b = blocks_b.prompt_key
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
where pairs.value is not null
