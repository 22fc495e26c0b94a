-- A pass has a bound that excludes the limit with the missing answers at their worst, several names or texts
-- a group, enough answers read and no p-value as its proof; a fail is beyond the limit at both ends of
-- what is missing, and more than chance gives in its family. Written without the macros that decide.
with verdicts as (
    select
        verdicts.*,
        suites.minimum_coverage,
        coalesce(verdicts.adjusted_value, verdicts.value) as judged,
        case when n_missing > 0 then value_low else judged end as lowest,
        case when n_missing > 0 then value_high else judged end as highest,
        verdicts.direction = 'higher_is_worse' as is_higher_worse,
        verdicts.resampling_unit = 'block' and verdicts.permutation_scheme = 'prompts' as ignores_blocks
    from {{ ref('fct_verdicts') }} as verdicts
    inner join {{ ref('dim_suites') }} as suites using (suite)
),

-- The association that a p-value is about.
associations as (
    select
        profile,
        suite,
        category,
        config,
        measure,
        axis,
        bound_high + highest - judged < green_limit + 1e-9 as is_excluded
    from verdicts
    where metric = 'cramers_v_corrected'
)

select
    verdicts.profile,
    verdicts.suite,
    verdicts.category,
    verdicts.config,
    verdicts.measure,
    verdicts.axis,
    verdicts.metric,
    verdicts.group_value,
    verdicts.value,
    verdicts.verdict
from verdicts
left join associations using (profile, suite, category, config, measure, axis)
where
    case
        when verdict in ('pass', 'fail', 'monitor')
            then
                n_blocks >= 2
                and coverage >= minimum_coverage - 1e-9
                and ignores_blocks is not true
                and {{ is_finite('judged') }}
                and not is_control
        when verdict = 'not_applicable' then is_control or value is null or n = 0
        else ({{ is_finite('value') }} or n_missing > 0) and not is_control
    end is not true
    or (
        verdict = 'pass'
        and (
            is_adequate_n
            and not is_significant
            and case
                when metric = 'chi_square_p' then is_excluded
                when is_higher_worse
                    then bound_high + highest - judged < green_limit + 1e-9
                else bound_low - judged + lowest >= green_limit - 1e-9
            end
        ) is not true
    )
    or (
        verdict = 'fail'
        and (
            p_family <= 0.05 + 1e-9
            and case
                when metric = 'chi_square_p' then judged < red_limit
                when is_higher_worse
                    then least(judged, lowest) > red_limit - 1e-9
                else greatest(judged, highest) < red_limit + 1e-9
            end
        ) is not true
    )
