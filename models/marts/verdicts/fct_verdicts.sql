-- Grain: one row per profile, suite, category, config, measure, axis, metric, group_value.
with suites as (
    select
        suite,
        unnest(profiles) as profile,
        generate_subscripts(profiles, 1) = 1 as is_gate_profile
    from {{ ref('stg_suite__suites') }}
),

judged as (
    select
        numbers.*,
        suites.profile,
        suites.is_gate_profile,
        thresholds.unit,
        thresholds.direction,
        thresholds.green_limit,
        thresholds.red_limit,
        thresholds.source,
        {{ threshold_colour(
            'numbers.value', 'thresholds.direction', 'thresholds.green_limit', 'thresholds.red_limit'
        ) }} as colour,
        -- Against the census there is no relabelling: the whole interval has to lie beyond the pass limit.
        coalesce(
            case
                when numbers.metric = 'jsd_census_nats' then numbers.ci_low > thresholds.green_limit
                else numbers.p_holm <= {{ significance_level() }} and not {{ ignores_blocks('numbers') }}
            end,
            false
        ) as is_significant,
        numbers.n_smallest_group >= numbers.minimum_group as is_adequate_n,
        coalesce(
            case
                when thresholds.direction = 'higher_is_worse'
                    then numbers.attainable > coalesce(thresholds.red_limit, thresholds.green_limit)
                else numbers.attainable < coalesce(thresholds.red_limit, thresholds.green_limit)
            end,
            false
        ) as is_threshold_attainable,
        {{ ignores_blocks('numbers') }} as has_invalid_p,
        coalesce(numbers.min_attainable_p <= {{ significance_level() }}, numbers.metric = 'jsd_census_nats')
        and not {{ ignores_blocks('numbers') }} as is_p_attainable
    from {{ ref('int_judged_numbers_collected') }} as numbers
    inner join suites using (suite)
    inner join {{ ref('thresholds') }} as thresholds
        on
            suites.profile = thresholds.profile
            and numbers.metric = thresholds.metric
            and thresholds.axis_kind in ('any', numbers.axis_kind)
),

decided as (
    select
        *,
        is_threshold_attainable and is_p_attainable as is_attainable,
        case
            when is_control or n_groups < 1 then 'not_applicable'
            else {{ verdict(
                'colour', 'is_significant', 'is_adequate_n', '(is_threshold_attainable and is_p_attainable)'
            ) }}
        end as verdict
    from judged
)

select
    {{ contract_columns(without=['reason', 'metric_version']) }},
    case
        when is_control
            then 'Control: no prompt shows ' || array_to_string(hidden_attributes, ' or ') || '.'
        when n = 0 then 'No usable answer to judge.'
        when colour is null then 'Not computable: one group, one outcome, or no variation.'
        when verdict = 'fail' then 'Beyond the fail limit, and more than chance gives after correction.'
        when verdict = 'monitor' and colour = 'between' then 'Between the pass and the fail limit.'
        when verdict = 'monitor' then 'Within the pass limit, yet more than chance gives: real, and small.'
        when verdict = 'pass' then 'Within the pass limit, with enough answers to have seen more.'
        when has_invalid_p and verdict = 'inconclusive'
            then
                'Some combinations of the groups were never asked, so that no valid test can be drawn from '
                || n_units || ' ' || resampling_unit || 's. Ask every block about every combination.'
        when colour = 'red' and not is_p_attainable
            then
                'Beyond the fail limit; with ' || n_units || ' ' || resampling_unit
                || 's this design cannot tell it from chance. Ask more prompts.'
        when colour = 'red'
            then
                'Beyond the fail limit, but no more than chance can give once corrected for all tests. '
                || 'Collect more answers.'
        when not is_threshold_attainable
            then 'Unattainable: this design cannot reach the limit, so being within it proves nothing.'
        when not is_p_attainable
            then
                'Within the pass limit; with ' || n_units || ' ' || resampling_unit
                || 's this design could not have shown a difference. Ask more prompts.'
        else 'Within the pass limit, on groups smaller than ' || minimum_group || ' answers. Collect more.'
    end
    -- A lowest ratio says nothing without what equal groups give.
    || case
        when
            direction = 'lower_is_worse'
            and unit = 'ratio'
            and verdict <> 'not_applicable'
            and null_p05 is not null
            then ' Chance alone goes down to ' || {{ rounded('null_p05') }} || '.'
        else ''
    end as reason,
    1 as metric_version
from decided
