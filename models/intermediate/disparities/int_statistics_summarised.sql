-- Grain: one row per analysis_key, statistic, parameters: the groups of an axis in one statistic.
{{ groups_summarised(ref('int_statistics_listed')) }}
