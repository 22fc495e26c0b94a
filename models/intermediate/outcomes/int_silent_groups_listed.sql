-- Grain: one row per analysis_key, group_value: groups that no table holds, as too few of their answers were
-- read. With what is missing they would be compared.
select
    analyses.analysis_key,
    missing.group_value,
    missing.n_missing
from {{ ref('int_analyses_listed') }} as analyses
inner join {{ ref('stg_suite__suites') }} as suites using (suite)
inner join {{ ref('int_missing_answers_counted') }} as missing
    using (suite, category, config_key, measure, axis)
where
    missing.group_value <> ''
    and missing.n_responses >= suites.minimum_cell
    and missing.n_responses - missing.n_missing < suites.minimum_cell
