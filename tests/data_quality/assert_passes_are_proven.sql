-- A pass shows a finite value within the green limit, enough answers, a design that could have failed and no control;
-- a fail shows a significant value beyond the red limit. Written without the macros that decide (SPEC THR-2, THR-3).
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
    case verdict
        when 'pass' then
            isfinite(value)
            and case direction
                when 'higher_is_worse' then value < green_limit
                when 'lower_is_worse' then value >= green_limit
            end
            and is_adequate_n
            and is_attainable
            and not is_significant
            and not is_control
        when 'fail' then
            isfinite(value)
            and case direction
                when 'higher_is_worse' then value > red_limit
                when 'lower_is_worse' then value < red_limit
            end
            and is_significant
            and not is_control
        when 'not_applicable' then is_control or value is null
        else isfinite(value) and not is_control
    end is not true
