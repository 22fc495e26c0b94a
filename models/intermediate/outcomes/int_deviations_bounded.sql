-- Grain: one row per analysis_key, group_value (metric fdi, reference pooled): how far the deviation could
-- lie if every answer that is missing from the group had been one and the same outcome (SPEC INF-11).
with with_missing as (
    select
        cells.*,
        missing.n_missing
    from {{ ref('int_outcomes_counted') }} as cells
    inner join {{ ref('int_analyses_listed') }} using (analysis_key)
    inner join {{ ref('int_missing_answers_counted') }} as missing
        using (suite, category, config_key, measure, axis, group_value)
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
    inner join with_missing as filling using (analysis_key, group_value)
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
