-- Grain: one row per profile, suite, category, config_key, measure, axis, metric, group_value: numbers whose
-- p-values a family corrects together. `table_key` is what shares its relabellings.
{%- set family = "case suites.gate_family "
    ~ "when 'config' then numbers.config_key when 'question' then numbers.config_key || ' ' || numbers.category "
    ~ "else cast(numbers.is_simulated as string) end" %}
select
    limits.profile,
    {{ analysis_columns('numbers') }},
    numbers.config_key,
    numbers.measure,
    numbers.axis,
    numbers.metric,
    numbers.group_value,
    -- What stands beside the gate takes nothing from it, and the census nothing from what else does.
    concat_ws(
        ' ', numbers.suite,
        case
            when not limits.is_beside then 'gate'
            when numbers.metric = 'jsd_census_nats' then 'census'
            else 'beside'
        end,
        {{ family }}
    ) as family_key,
    {{ hash_of(['numbers.category', 'numbers.config_key', 'numbers.measure', 'numbers.axis']) }} as table_key,
    coalesce(numbers.p_adjusted, numbers.p_value) as p_value,
    case
        when corrected.analysis_key is not null then corrected.tail
        else coalesce(resampled.tail, measured.tail, numbers.tail)
    end as tail,
    case
        when corrected.analysis_key is not null then corrected.null_tails
        else coalesce(resampled.null_tails, measured.null_tails, numbers.null_tails)
    end as null_tails
from {{ ref('int_judged_numbers_collected') }} as numbers
inner join {{ ref('stg_suite__suites') }} as suites on numbers.suite = suites.suite
inner join {{ ref('int_judgements_requested') }} as limits
    on
        numbers.suite = limits.suite
        and numbers.metric = limits.metric
        and numbers.axis_kind = limits.axis_kind
        and limits.statistic in ('', numbers.statistic)
left join {{ ref('int_analyses_resampled') }} as resampled
    on
        numbers.analysis_key = resampled.analysis_key
        and numbers.statistic = resampled.statistic
        and resampled.group_value = ''
left join {{ ref('int_analyses_corrected') }} as corrected
    on
        numbers.analysis_key = corrected.analysis_key
        and numbers.statistic = corrected.statistic
        and corrected.group_value = ''
left join {{ ref('int_feature_analyses_resampled') }} as measured
    on
        numbers.analysis_key = measured.analysis_key
        and numbers.statistic = measured.statistic
        and numbers.parameters = measured.parameters
        and measured.disparity = 'min_max_ratio'
        and measured.group_value = ''
where
    not numbers.is_control
    and numbers.p_value is not null
