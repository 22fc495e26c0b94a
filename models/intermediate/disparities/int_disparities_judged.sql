-- Grain: one row per analysis_key, statistic, parameters, disparity: each disparity beside what it is read
-- against.
with critical_values as (
    select * from {{ ref('dixon_critical_values') }}
    where alpha = {{ significance_level() }}
)

select
    computed.analysis_key,
    computed.statistic,
    computed.parameters,
    disparities.disparity,
    case when disparities.unit = 'as the statistic' then compared.unit else disparities.unit end as unit,
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
from {{ ref('int_disparities_computed') }} as computed
inner join {{ ref('int_group_values_summarised') }} as compared using (analysis_key, statistic, parameters)
inner join {{ ref('disparities') }} as disparities using (disparity_id)
left join critical_values
    on
        compared.n_groups = critical_values.n_groups
        and critical_values.sides
        = case disparities.disparity
            when 'dixon_q' then 'two_sided'
            when 'dixon_q_low' then 'one_sided'
            when 'dixon_q_high' then 'one_sided'
        end
