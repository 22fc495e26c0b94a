-- Grain: one row per profile, suite, category, config_key, measure, axis, metric, group_value: each number,
-- the limit that judges it, what is proven of it, and the verdict.
with limits as (
    select * from {{ ref('int_limits_applied') }}
),

suites as (
    select
        suite,
        minimum_coverage,
        gate_family
    from {{ ref('stg_suite__suites') }}
),

numbers as (
    select * from {{ ref('int_judged_numbers_collected') }}
),

-- Of a p-value the size of its association is what can be proven.
associations as (
    select
        suite,
        category,
        config_key,
        measure,
        axis,
        coalesce(adjusted_value, value) as v_value,
        null_median as v_null_median,
        bound_high as v_bound_high,
        bound_high
        + case when n_missing = 0 then 0 else value_high - coalesce(adjusted_value, value) end as v_at_most
    from numbers
    where metric = 'cramers_v_corrected'
),

families as (
    select * from {{ ref('int_gate_families_tested') }}
),

limited as (
    select
        numbers.* {{ without('n_tests') }},
        coalesce(numbers.adjusted_value, numbers.value) as judged_value,
        limits.profile,
        limits.is_gate_profile,
        limits.is_gated,
        limits.is_beside,
        limits.unit,
        limits.direction,
        limits.direction = 'higher_is_worse' as is_higher_worse,
        limits.green_limit,
        limits.red_limit,
        limits.source,
        suites.minimum_coverage,
        numbers.metric = 'chi_square_p' as is_p_value,
        associations.v_value,
        associations.v_null_median,
        associations.v_bound_high,
        associations.v_at_most,
        limits_of_v.green_limit as v_limit,
        -- Bounds are of what a design gives on average, and chance gives this much of it to groups that are
        -- alike: so much nearer to equality the truth may lie.
        case
            when numbers.p_value is null then 0
            when numbers.analysis_key is null and numbers.metric <> 'jsd_census_nats' then 0
            when limits.direction = 'higher_is_worse' then coalesce(numbers.null_median, 0)
            when
                {{ begins_with('numbers.metric', 'min_') }}
                and limits.unit = 'ratio'
                and numbers.null_median > 0
                then 1 - numbers.null_median
            else 0
        end as chance_part,
        case
            when limits.is_beside and numbers.metric = 'jsd_census_nats' then 'census' else suites.gate_family
        end as family,  -- noqa: RF04
        families.n_tests,
        families.p_family,
        coalesce(questions.unlike_questions > {{ most_unlike_questions() }}, false) as has_unlike_questions
    from numbers
    inner join limits using (suite, metric, axis_kind)
    inner join suites using (suite)
    left join associations using (suite, category, config_key, measure, axis)
    left join {{ ref('int_questions_compared') }} as questions using (suite, category, config_key, axis)
    left join limits as limits_of_v
        on
            limits.suite = limits_of_v.suite
            and limits.profile = limits_of_v.profile
            and limits.axis_kind = limits_of_v.axis_kind
            and limits_of_v.metric = 'cramers_v_corrected'
    left join families
        on
            limits.profile = families.profile
            and limits.suite = families.suite
            and numbers.category = families.category
            and numbers.config_key = families.config_key
            and numbers.measure = families.measure
            and numbers.axis = families.axis
            and numbers.metric = families.metric
            and numbers.group_value = families.group_value
    where limits.statistic in ('', numbers.statistic)
),

bounded as (
    select
        *,
        {{ ignores_blocks() }} or has_unlike_questions as has_invalid_p,
        case when n_missing = 0 then judged_value else value_low end as lowest_value,
        case when n_missing = 0 then judged_value else value_high end as highest_value,
        -- Without the part of chance, and whatever the missing answers are.
        case
            when bound_low is not null
                then greatest(
                    bound_low - case when is_higher_worse then chance_part else 0 end, least(0, bound_low)
                )
        end as true_low,
        case
            when bound_high is not null
                then least(
                    bound_high / case when is_higher_worse then 1 else 1 - chance_part end,
                    case when unit in ('ratio', 'share') then greatest(1, bound_high) end
                )
        end as true_high,
        greatest(
            bound_low
            - case when is_higher_worse then chance_part else 0 end
            - case when n_missing = 0 then 0 else judged_value - value_low end,
            least(0, bound_low)
        )
            as lowest_bound,
        case
            when bound_high is not null and (n_missing = 0 or value_high - judged_value is not null)
                then least(
                    bound_high / case when is_higher_worse then 1 else 1 - chance_part end
                    + case when n_missing = 0 then 0 else value_high - judged_value end,
                    case when unit in ('ratio', 'share') then greatest(1, bound_high) end
                )
        end as highest_bound
    from limited
),

coloured as (
    select
        *,
        {% for name, expression in {
            'colour': 'value',
            'judged_colour': 'judged_value',
            'colour_mildest': 'case when is_higher_worse then lowest_value else highest_value end',
            'colour_worst': 'case when is_higher_worse then highest_value else lowest_value end',
            'bound_mildest': 'case when is_higher_worse then lowest_bound else highest_bound end',
            'bound_worst': 'case when is_higher_worse then highest_bound else lowest_bound end'
        }.items() -%}
        {{ threshold_colour(expression, 'direction', 'green_limit', 'red_limit') }} as {{ name }},
        {% endfor -%}
        {{ threshold_colour('v_at_most', "'higher_is_worse'", 'v_limit', 'v_limit') }} as v_colour,
        coalesce({{ meets('p_family', '<=', significance_level()) }}, false)
        and not has_invalid_p as is_significant,
        coalesce(n_smallest_group >= minimum_group, false) as is_adequate_n,
        coalesce(
            case
                when is_higher_worse then attainable > coalesce(red_limit, green_limit)
                else attainable < coalesce(red_limit, green_limit)
            end,
            false
        ) as is_threshold_attainable,
        -- A number of another mart may have a bound and no test: it can pass, and never fails.
        p_value is not null or analysis_key is not null as is_tested,
        n_blocks >= 2 as has_several_blocks,
        coalesce({{ meets('coverage', '>=', 'minimum_coverage') }}, false) as is_covered,
        coalesce({{ meets('min_attainable_p', '<=', significance_level()) }}, p_family is not null)
        and not has_invalid_p as is_p_attainable
    from bounded
),

decided as (
    select
        * {{ without('colour_mildest, colour_worst, bound_worst') }},
        case when is_p_value then judged_colour else colour_mildest end as colour_mildest,
        case when is_p_value then judged_colour else colour_worst end as colour_worst,
        -- Whether more than chance is left with the missing answers at their mildest; of a p-value the
        -- chi-square says so. Where chance alone often gives a ratio of 0, none is rare.
        case
            when n_missing = 0 then true
            when is_p_value then coalesce(is_evident_at_worst, false)
            when is_higher_worse then coalesce(lowest_value > null_p95, true)
            else coalesce(highest_value < nullif(null_p05, 0), true)
        end as is_evident,
        case when is_p_value then v_colour else bound_worst end as bound_worst,
        has_several_blocks and is_covered and not has_invalid_p as is_sound
    from coloured
)

select
    *,
    case
        when is_control or n = 0 or n_groups < 1 then 'not_applicable'
        -- Nothing was read of the groups that this one would be held against.
        when judged_colour is null and n_groups = 1 and n_groups_asked > 1 and n_missing > 0
            then 'inconclusive'
        else {{ verdict(
            'judged_colour', 'colour_mildest', 'colour_worst', 'bound_mildest', 'bound_worst', 'is_significant', 'is_sound',
            '(is_adequate_n and (is_threshold_attainable or is_p_value))', 'is_evident'
        ) }}
    end as verdict
from decided
