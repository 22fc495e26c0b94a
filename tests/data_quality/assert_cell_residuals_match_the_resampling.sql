-- SQL and the resampling kernel define the same residual: on the observed tables they agree, also on what
-- cannot be computed, and every cell was resampled. The farthest of a table has its smallest p_max.
with cells as (
    select
        analyses.analysis_key,
        residuals.group_value,
        residuals.residual,
        residuals.p_value,
        residuals.p_max,
        dense_rank() over (partition by analyses.analysis_key order by residuals.outcome) - 1 as outcome_code
    from {{ ref('fct_cell_residuals') }} as residuals
    inner join {{ ref('int_analyses_listed') }} as analyses
        on
            residuals.suite = analyses.suite
            and residuals.category = analyses.category
            and residuals.config = analyses.config
            and residuals.axis = analyses.axis
            and residuals.measure = analyses.measure
            and analyses.measure_kind = 'outcome'
)

select
    cells.*,
    resampled.residual as resampled
from cells
full join {{ ref('int_cell_residuals_resampled') }} as resampled
    on
        cells.analysis_key = resampled.analysis_key
        and cells.group_value = resampled.group_value
        and cells.outcome_code = resampled.outcome_code
where
    (
        (cells.residual is null and resampled.residual is null)
        or abs(cells.residual - resampled.residual) <= 1e-9
    ) is not true
    or (cells.p_max is null or cells.p_max >= cells.p_value) is not true
