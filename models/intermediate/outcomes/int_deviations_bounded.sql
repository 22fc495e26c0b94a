-- Grain: one row per analysis_key, group_value (metric fdi, reference pooled): how far the deviation could
-- lie if every answer that is missing from the group had been one and the same outcome (SPEC INF-11).
with cells as (
    select * from {{ ref('int_outcomes_counted') }}
),

analyses as (
    select * from {{ ref('int_analyses_listed') }}
),

missing as (
    select * from {{ ref('int_missing_answers_counted') }}
),

with_missing as (
    select
        cells.*,
        missing.n_missing
    from cells
    inner join analyses on cells.analysis_key = analyses.analysis_key
    inner join missing
        on
            analyses.suite = missing.suite
            and analyses.category = missing.category
            and analyses.config_key = missing.config_key
            and analyses.measure = missing.measure
            and analyses.axis = missing.axis
            and cells.group_value = missing.group_value
    where missing.n_missing > 0
),

filled as (
    select
        cells.analysis_key,
        cells.group_value,
        filling.outcome as filled_outcome,
        {{ total_variation(
            ratio('cells.n_cell + case when cells.outcome = filling.outcome then cells.n_missing else 0 end',
                  'cells.n_group + cells.n_missing'),
            ratio('cells.n_outcome + case when cells.outcome = filling.outcome then cells.n_missing else 0 end',
                  'cells.n + cells.n_missing')
        ) }} as fdi
    from with_missing as cells
    inner join with_missing as filling
        on
            cells.analysis_key = filling.analysis_key
            and cells.group_value = filling.group_value
    group by cells.analysis_key, cells.group_value, filling.outcome
)

select
    analysis_key,
    group_value,
    'fdi' as metric,
    'pooled' as reference,
    min(fdi) as bound_low,
    max(fdi) as bound_high
from filled
group by analysis_key, group_value
