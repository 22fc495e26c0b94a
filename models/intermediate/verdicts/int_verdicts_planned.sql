-- Grain: one row per profile, suite, category, config_key, measure, axis, metric, group_value: what an
-- inconclusive verdict lacks, in numbers.
{%- set corrected = 'sqrt(2 * ln(coalesce(n_tests, 1) / ' ~ significance_level() ~ '))' %}
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
            when {{ begins_with('metric', 'min_') }} and unit = 'ratio' then 1.0
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
        abs(coalesce(planned_chance, equal_value) - equal_value) as chance_gap,
        abs(planned_green - equal_value) as green_gap,
        abs(planned_red - equal_value) as red_gap,
        case when is_gap then planned_high - planned_value else planned_value - planned_low end
            as half_width_up,
        case when is_gap then planned_value - planned_low else planned_high - planned_value end
            as half_width_down,
        -- How far missing answers could take the number to the worse end: more names bring more of them.
        case
            when is_p_value or n_missing = 0 then 0
            when is_higher_worse then highest_value - judged_value
            else judged_value - lowest_value
        end as stake
    from sized
),

-- Some of the distance to the pass limit is left to missing answers, which have to be read until they fit.
roomy as (
    select
        *,
        greatest(half_width_up, half_width_down) as half_width,
        green_gap - least(stake, 0.15 * (green_gap - expected_gap)) as limit_as_found,
        green_gap - least(stake, 0.15 * green_gap) as limit_if_equal
    from expected
),

routed as (
    select
        *,
        case
            when expected_gap < green_gap
                then
                    {{ units_to_pass(
                        'n_blocks', 'half_width_up', 'chance_gap', 'expected_gap', 'limit_as_found'
                    ) }}
        end as n_to_pass,
        -- To be more than chance gives, corrected. What chance alone may give has to pass if it was chance.
        -- With enough that both are sure one of the two comes, whatever is true.
        case
            when is_tested
                then
                    least(
                        greatest(
                            {{ units_to_decide('n_blocks', 'half_width', 'expected_gap', corrected) }},
                            case
                                when coalesce(p_value, 1) > {{ significance_level() }}
                                    then
                                        {{ units_to_pass(
                                            'n_blocks', 'half_width_up', 'chance_gap', '0', 'limit_if_equal'
                                        ) }}
                            end
                        ),
                        {{ units_to_decide(
                            'n_blocks', 'half_width', 'limit_if_equal', '(' ~ corrected ~ ' + 0.803)'
                        ) }}
                    )
        end as n_to_tell,
        -- To lie between the limits.
        case
            when expected_gap > green_gap and coalesce(expected_gap < red_gap, true)
                then
                    greatest(
                        {{ units_to_decide('n_blocks', 'half_width_down', '(expected_gap - green_gap)') }},
                        {{ units_to_decide('n_blocks', 'half_width_up', '(red_gap - expected_gap)') }}
                    )
        end as n_to_lie_between
    from roomy
),

needed as (
    select
        *,
        least(n_to_pass, n_to_tell, n_to_lie_between) as n_units_needed,
        -- Of the variance, what comes of labels shrinks with more of them; the rest with more units alone.
        {{ ratio('n_blocks', 'least(n_to_pass, n_to_tell, n_to_lie_between)') }} - (1 - label_part)
            as left_to_labels,
        1 - 0.15 * {{ ratio(
            'green_gap - case when n_to_pass <= coalesce(n_to_tell, n_to_pass) then expected_gap else 0 end',
            'stake'
        ) }} as part_to_read,
        -- With fewer no bound is drawn: a nested unit belongs to one group, a shared one to all.
        greatest(
            {{ fewest_units_bounded('group') }} - n_blocks,
            ceil(({{ fewest_units_bounded('axis') }} - n_units) * n_blocks / n_units)
        ) as n_short_of_bound,
        -- By how much missing answers move the number, and by how much they may.
        case
            when is_significant and not is_evident
                then least(
                    abs(judged_value - case when is_higher_worse then null_p95 else null_p05 end),
                    case when judged_colour = 'red' then abs(judged_value - red_limit) end
                )
            when is_significant then abs(judged_value - red_limit)
            when is_higher_worse then green_limit - bound_high
            else bound_low - green_limit
        end as allowed,
        case
            when is_significant and (judged_colour = 'red' or not is_evident)
                then abs(judged_value - case when is_higher_worse then lowest_value else highest_value end)
            else abs(judged_value - case when is_higher_worse then highest_value else lowest_value end)
        end as at_stake
    from routed
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
        when planned_high is null and planned_low is null
            then if(n_short_of_bound > 0, cast(n_short_of_bound as bigint), null)
        when n_units_needed <= {{ most_units_named() }}
            then cast(ceil(greatest(n_units_needed - n_blocks, 1)) as bigint)
    end as n_more_units,
    case
        when left_to_labels > 0 and n_labels * {{ ratio('label_part', 'left_to_labels') }} <= n
            then
                cast(
                    ceil(greatest(n_labels * ({{ ratio('label_part', 'left_to_labels') }} - 1), 1)) as bigint
                )
    end as n_more_labels,
    -- Where missing answers move nothing, the stake is what rounding left, on either side of 0.
    case when part_to_read > 0 and part_to_read <= 1 then part_to_read end as part_to_read,
    case
        when n_missing > 0 and allowed >= 0 and at_stake > allowed
            then cast(ceil(n_missing * (1 - 0.85 * allowed / at_stake)) as bigint)
    end as n_to_read,
    case
        when not is_covered
            then cast(ceil(minimum_coverage * n_responses - 1e-9) as bigint) - (n_responses - n_unread)
    end as n_to_cover
from needed
