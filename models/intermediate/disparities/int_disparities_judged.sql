-- Grain: one row per family_id, statistic_key, disparity_id: each disparity beside what it is read against.
with computed as (
    select * from {{ ref('int_disparities_computed') }}
),

compared as (
    select * from {{ ref('int_group_values_summarised') }}
),

disparities as (
    select * from {{ ref('disparities') }}
),

critical_values as (
    select * from {{ ref('dixon_critical_values') }}
    where alpha = 0.05
)

select
    computed.family_id,
    computed.statistic_key,
    computed.disparity_id,
    disparities.disparity,
    disparities.unit,
    computed.value,
    computed.status,
    computed.attainable_max,
    critical_values.critical_value,
    computed.value - critical_values.critical_value as critical_margin,
    compared.group_low,
    compared.group_high,
    compared.n_groups,
    compared.n_groups_excluded,
    compared.n
from computed
inner join compared
    on
        computed.family_id = compared.family_id
        and computed.statistic_key = compared.statistic_key
inner join disparities on computed.disparity_id = disparities.disparity_id
left join critical_values
    on
        compared.n_groups = critical_values.n_groups
        and critical_values.sides
        = case disparities.disparity
            when 'dixon_q' then 'two_sided'
            when 'dixon_q_low' then 'one_sided'
            when 'dixon_q_high' then 'one_sided'
        end
