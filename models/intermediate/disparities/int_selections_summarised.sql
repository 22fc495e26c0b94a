-- Grain: one row per analysis_key, statistic, parameters: the selection rates of an axis.
{{ groups_summarised(ref('int_selections_listed')) }}
