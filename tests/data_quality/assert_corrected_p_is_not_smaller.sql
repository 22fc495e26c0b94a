-- Holm's p is at least Benjamini-Hochberg's q, q at least p, none above 1; a p without a family is an error,
-- and so is a control in one (SPEC INF-7, INF-9).
select
    tests.analysis_key,
    tests.statistic,
    tests.p_value,
    tests.q_value,
    tests.p_holm,
    tests.n_tests
from {{ ref('int_analysis_tests_adjusted') }} as tests
where
    case
        when tests.is_control or tests.p_value is null then tests.p_holm is null and tests.q_value is null
        else
            tests.p_value > 0
            and tests.q_value >= tests.p_value * (1 - 1e-12)
            and tests.p_holm >= tests.q_value * (1 - 1e-12)
            and tests.p_holm <= 1
            and tests.p_holm <= tests.p_value * tests.n_tests * (1 + 1e-12)
    end is not true
