-- A pass shows a finite value within the green limit, enough answers, a design that could have failed and no
-- control; a fail shows a significant value beyond the red limit. Written without the macros that decide
-- (SPEC THR-2, THR-3).
select
    profile,
    suite,
    category,
    config,
    measure,
    axis,
    metric,
    group_value,
    value,
    verdict
from {{ ref('fct_verdicts') }}
where
    case
        when verdict = 'pass'
            then
                isfinite(value)
                and (
                    (direction = 'higher_is_worse' and value < green_limit)
                    or (direction = 'lower_is_worse' and value >= green_limit - 1e-9)
                )
                and is_adequate_n
                and is_attainable
                and not is_significant
                and not is_control
        when verdict = 'fail'
            then
                isfinite(value)
                and (
                    (direction = 'higher_is_worse' and value > red_limit)
                    or (direction = 'lower_is_worse' and value < red_limit)
                )
                and is_significant
                and not is_control
        when verdict = 'not_applicable' then is_control or value is null
        else isfinite(value) and not is_control
    end is not true
