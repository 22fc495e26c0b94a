-- Grain: one row per suite, category, config_key, axis, group_value; group_set_key joins an axis's groups.
-- The declared values of an attribute are groups of its axis even where nobody answered about them (SPEC 19).
with answered as (
    select distinct
        prompt_key,
        suite,
        domain,
        category,
        config_key,
        config,
        model,
        role,
        is_simulated
    from {{ ref('int_responses_joined') }}
    union all
    select distinct
        prompt_key,
        suite,
        domain,
        category,
        'baseline' as config_key,
        'baseline' as config,
        'baseline' as model,
        '' as role,
        false as is_simulated
    from {{ ref('int_baselines_measured') }}
),

pooled as (
    select
        *,
        'none' as roll_up
    from answered
    union all
    select distinct
        answered.prompt_key,
        answered.suite,
        roll_ups.pooled_domain as domain,
        roll_ups.pooled_category as category,
        roll_ups.pooled_config_key as config_key,
        roll_ups.pooled_config as config,
        answered.model,
        roll_ups.pooled_role as role,
        answered.is_simulated,
        roll_ups.roll_up
    from answered
    inner join {{ ref('int_roll_ups_listed') }} as roll_ups using (suite, category, config_key)
),

occurring as (
    select distinct
        pooled.* {{ without('prompt_key') }},
        grouped.axis,
        -- Categories that are pooled may name their axes in another order.
        min(grouped.axis_position) over (
            partition by pooled.suite, pooled.category, pooled.config_key, grouped.axis
        ) as axis_position,
        grouped.n_attributes,
        grouped.group_value,
        grouped.attribute_codes
    from pooled
    inner join {{ ref('int_prompts_grouped') }} as grouped using (prompt_key)
),

listed as (
    select * from occurring
    union
    select
        occurring.* {{ without('group_value, attribute_codes') }},
        attribute_values.value as group_value,
        {{ list_of('attribute_values.value_position') }} as attribute_codes
    from occurring
    inner join {{ ref('stg_suite__attributes') }} as attribute_values
        on
            occurring.suite = attribute_values.suite
            and occurring.axis = attribute_values.attribute
    where occurring.n_attributes = 1
)

select
    *,
    row_number() over (
        order by suite, category, config_key, axis_position, axis, attribute_codes
    ) - 1 as group_id,
    dense_rank() over (order by suite, category, config_key, axis_position, axis) - 1 as group_set_key
from listed
