-- Grain: one row per analysis_key of outcomes (SPEC FS-1, FS-2).
with sums as (
    select
        analysis_key,
        max(n) as n,
        count(distinct group_value) as n_groups,
        count(distinct outcome) as n_outcomes,
        sum({{ ratio('power(n_cell - n_expected, 2)', 'n_expected') }}) as chi_square,
        sum({{ ratio(
            'power(abs(n_cell - n_expected) - least(0.5, abs(n_cell - n_expected)), 2)', 'n_expected'
        ) }}) as chi_square_yates,
        avg(case when {{ meets('n_expected', '>=', 5) }} then 1e0 else 0e0 end) as expected_ge_5_rate,
        min(n_expected) as min_expected
    from {{ ref('int_outcomes_counted') }}
    group by analysis_key
),

sized as (
    select
        *,
        (n_groups - 1) * (n_outcomes - 1) as dof,
        least(n_groups, n_outcomes) as n_shorter_side
    from sums
)

select
    analysis_key,
    n,
    n_groups,
    n_outcomes,
    expected_ge_5_rate,
    min_expected,
    case
        when n_groups < 2 then 'single_group'
        when n_outcomes < 2 then 'not_applicable'
        else 'ok'
    end as status,
    case when dof > 0 then dof end as dof,
    case when dof > 0 then chi_square end as chi_square,
    case when dof = 1 then chi_square_yates end as chi_square_yates,
    case
        when dof = 0 then null
        when {{ meets('expected_ge_5_rate', '>=', 0.8) }} and min_expected >= 1 then 'chi_square'
        when dof = 1 then 'fisher'
        else 'monte_carlo'
    end as test,
    case when dof > 0 then {{ cramers_v('chi_square', 'n', 'n_shorter_side') }} end as cramers_v,
    case when dof > 0 then {{ cramers_v_corrected('chi_square', 'n', 'n_groups', 'n_outcomes') }} end
        as cramers_v_corrected
from sized
