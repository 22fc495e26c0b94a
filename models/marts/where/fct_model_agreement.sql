-- Grain: one row per suite, category, axis, measure_kind, measure, outcome, group_value,
-- is_simulated: over configs.
with analyses as (
    select * from {{ ref('int_analyses_listed') }}
    where n_groups >= 2 and not is_control
),

answers as (
    select
        analysis_key,
        group_value,
        attribute_codes,
        value
    from {{ ref('int_responses_analysed') }}
    where not is_excluded and measure_kind <> 'outcome'
),

values_of_groups as (
    select
        analysis_key,
        outcome,
        group_value,
        share as value,
        pooled_share as value_of_all
    from {{ ref('int_outcomes_counted') }}
    union all
    select
        analysis_key,
        '' as outcome,
        group_value,
        avg(value) as value,
        {{ ratio(
            'sum(sum(value)) over (partition by analysis_key)',
            'sum(count(*)) over (partition by analysis_key)'
        ) }}
            as value_of_all
    from answers
    group by analysis_key, group_value
),

-- A difference that only rounding leaves is none.
ranged as (
    select
        *,
        case
            when abs(value - value_of_all) <= 1e-9 * greatest(1, abs(value_of_all)) then 0
            else value - value_of_all
        end as deviation,
        min(value) over same_table as lowest,
        max(value) over same_table - min(value) over same_table <= 1e-9 as all_alike
    from values_of_groups
    window same_table as (partition by analysis_key, outcome)
),

compared as (
    select
        analyses.suite,
        analyses.domain,
        analyses.category,
        analyses.axis,
        analyses.measure_kind,
        analyses.measure,
        analyses.is_simulated,
        analyses.n_groups,
        analyses.config,
        compared.outcome,
        compared.group_value,
        compared.deviation,
        {{ ratio(
            'sum(case when compared.deviation > 0 then 1 else 0 end) over same_table',
            'sum(case when compared.deviation <> 0 then 1 else 0 end) over same_table'
        ) }}
            as share_above,
        compared.value = compared.lowest and not all_alike as is_lowest,
        compared.value = max(compared.value) over same_table and not all_alike as is_highest,
        sum(case when compared.value = compared.lowest then 1 else 0 end) over same_table = 1
        and not all_alike as has_one_lowest
    from analyses
    inner join ranged as compared on analyses.analysis_key = compared.analysis_key
    window same_table as (partition by compared.analysis_key, compared.outcome)
),

counted as (
    select
        suite,
        domain,
        category,
        axis,
        measure_kind,
        measure,
        outcome,
        group_value,
        is_simulated,
        count(*) as n_configs,
        count(*) filter (where deviation > 0) as n_above,
        count(*) filter (where deviation < 0) as n_below,
        avg(share_above) filter (where deviation <> 0) as expected_above,
        count(*) filter (where is_lowest) as n_lowest,
        count(*) filter (where is_highest) as n_highest,
        count(*) filter (where has_one_lowest) as n_with_one_lowest,
        count(*) filter (where is_lowest and has_one_lowest) as n_lowest_alone,
        avg(deviation) as mean_deviation,
        min(deviation) as min_deviation,
        max(deviation) as max_deviation,
        min(n_groups) as n_groups
    from compared
    group by all
    having count(*) >= 2
),

signs as (
    select
        *,
        -- Of an answer that is rare most groups lie below all together. Where the chances of configs differ,
        -- the tails of their mean are the wider ones. Source: Hoeffding (1956), Ann. Math. Stat. 27(3).
        case
            when expected_above > 0 and expected_above < 1
                then least(
                    1,
                    2 * {{ binomial_upper_tail('n_above', '(n_above + n_below)', 'expected_above') }},
                    2 * {{ binomial_upper_tail('n_below', '(n_above + n_below)', '(1 - expected_above)') }}
                )
        end as p_value,
        -- Several that share the lowest place, as of an answer that is rare, would all be there too often.
        case
            when n_with_one_lowest > 0
                then {{ binomial_upper_tail('n_lowest_alone', 'n_with_one_lowest', '(1e0 / n_groups)') }}
        end as p_lowest
    from counted
),

corrected as (
    {{ with_adjusted_p(
        'signs', 'p_value', ['suite', 'category', 'measure_kind', 'measure', 'is_simulated']
    ) }}
)

select
    suite,
    domain,
    category,
    is_simulated,
    axis,
    measure_kind,
    measure,
    outcome,
    group_value,
    n_configs,
    n_above,
    n_below,
    n_lowest,
    n_highest,
    case
        when n_above = n_configs then 'all above'
        when n_below = n_configs then 'all below'
        when n_above + n_below = 0 then 'all alike'
        else 'divided'
    end as agreement,
    mean_deviation,
    min_deviation,
    max_deviation,
    p_value,
    p_holm,
    n_tests,
    p_lowest,
    n_groups,
    1 as metric_version
from corrected
