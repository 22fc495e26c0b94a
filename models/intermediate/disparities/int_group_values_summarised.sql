-- Grain: one row per analysis_key, statistic, parameters. Two tables, for they are made at the same time.
select * from {{ ref('int_statistics_summarised') }}
union all
select * from {{ ref('int_selections_summarised') }}
