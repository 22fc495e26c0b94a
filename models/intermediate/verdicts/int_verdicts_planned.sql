-- Grain: one row per profile, suite, category, config_key, measure, axis, metric, group_value: what an
-- inconclusive verdict lacks, in numbers.
with decided as (
    select * from {{ ref('int_verdicts_decided') }}
    where verdict = 'inconclusive'
),

-- Of a p-value its association is planned for.
sized as (
    select
        *,
        case when is_p_value then v_value else judged_value end as planned_value,
        case when is_p_value then v_null_median else null_median end as planned_chance,
        case when is_p_value then v_limit else green_limit end as planned_green,
        case when is_p_value then null else red_limit end as planned_red,
        case when is_p_value then v_bound_high else bound_high end as planned_high,
        case when is_p_value then null else bound_low end as planned_low,
        is_p_value or is_higher_worse as is_gap,
        case
            when starts_with(metric, 'min_') and unit = 'ratio' then 1.0
            when is_p_value or is_higher_worse then 0.0
        end as equal_value
    from decided
),

-- What chance adds to a gap adds up as variances do.
expected as (
    select
        *,
        sqrt(greatest(
            power(planned_value - equal_value, 2)
            - power(coalesce(planned_chance, equal_value) - equal_value, 2),
            0
        )) as expected_gap,
        abs(planned_green - equal_value) as green_gap,
        abs(planned_red - equal_value) as red_gap,
        case when is_gap then planned_high - planned_value else planned_value - planned_low end
            as half_width_up,
        case when is_gap then planned_value - planned_low else planned_high - planned_value end
            as half_width_down
    from sized
),

needed as (
    select
        *,
        case
            when expected_gap < green_gap
                then {{ units_to_decide('n_blocks', 'half_width_up', '(green_gap - expected_gap)') }}
            when expected_gap > red_gap
                then
                    greatest(
                        {{ units_to_decide('n_blocks', 'half_width_down', '(expected_gap - red_gap)') }},
                        -- Against chance, corrected: exp(-z² / 2) exceeds the normal tail beyond z.
                        {{ units_to_decide(
                            'n_blocks', 'half_width_down', 'expected_gap',
                            'sqrt(2 * ln(coalesce(n_tests, 1) / 0.05))'
                        ) }}
                    )
            when red_gap is not null
                then
                    greatest(
                        {{ units_to_decide('n_blocks', 'half_width_down', '(expected_gap - green_gap)') }},
                        {{ units_to_decide('n_blocks', 'half_width_up', '(red_gap - expected_gap)') }}
                    )
            else {{ units_to_decide('n_blocks', 'half_width_down', '(expected_gap - green_gap)') }}
        end as n_units_needed,
        -- By how much missing answers move the number, and by how much they may.
        case
            when is_significant and judged_colour = 'red' then abs(judged_value - red_limit)
            when is_significant then abs(red_limit - judged_value)
            when is_higher_worse then green_limit - bound_high
            else bound_low - green_limit
        end as allowed,
        case
            when is_significant and judged_colour = 'red'
                then abs(judged_value - case when is_higher_worse then lowest_value else highest_value end)
            else abs(judged_value - case when is_higher_worse then highest_value else lowest_value end)
        end as at_stake
    from expected
)

select
    profile,
    suite,
    category,
    config_key,
    measure,
    axis,
    metric,
    group_value,
    case
        when n_units_needed > n_blocks and n_units_needed < 1e6
            then cast(ceil(n_units_needed - n_blocks) as bigint)
    end as n_more_units,
    case
        when n_missing > 0 and allowed >= 0 and at_stake > allowed
            then cast(ceil(n_missing * (1 - allowed / at_stake)) as bigint)
    end as n_to_read,
    case
        when not is_covered
            then cast(ceil(minimum_coverage * n_responses - 1e-9) as bigint) - (n_responses - n_missing)
    end as n_to_cover
from needed
