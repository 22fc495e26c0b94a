-- Grain: one row per suite, category, config_key, measure, axis, metric, group_value: what thresholds judge.
select * from {{ ref('int_analysis_numbers_judged') }}
union all by name
select * from {{ ref('int_measured_rates_judged') }}
union all by name
select * from {{ ref('int_census_distances_judged') }}
union all by name
select * from {{ ref('int_unanswered_analyses_listed') }}
