-- Grain: one row per suite, category, config, axis, measure, group_value, outcome: the cells of each table.
with analyses as (
    select * from {{ ref('int_analyses_listed') }}
),

counted as (
    select
        *,
        dense_rank() over (partition by analysis_key order by outcome) - 1 as outcome_code
    from {{ ref('int_outcomes_counted') }}
),

resampled as (
    select * from {{ ref('int_cell_residuals_resampled') }}
),

cells as (
    select
        analyses.*,
        counted.group_value,
        counted.outcome,
        counted.n_cell,
        counted.n_expected,
        counted.n_group,
        counted.n_outcome,
        counted.share,
        counted.pooled_share,
        {{ adjusted_residual('counted.n_cell', 'counted.n_group', 'counted.n_outcome', 'counted.n') }}
            as residual,
        resampled.residual_within,
        resampled.p_value,
        resampled.p_max,
        resampled.null_p95,
        resampled.resampling_unit,
        resampled.n_units,
        resampled.permutation_scheme,
        resampled.min_attainable_p,
        -- A test that ignores what a block's prompts share finds too much (docs/guide/verdicts.md).
        case
            when
                not analyses.is_control
                and resampled.p_max is not null
                and not (resampled.permutation_scheme = 'prompts' and resampled.resampling_unit = 'block')
                then analyses.analysis_key
        end as tested_key
    from analyses
    inner join counted on analyses.analysis_key = counted.analysis_key
    left join resampled
        on
            counted.analysis_key = resampled.analysis_key
            and counted.group_value = resampled.group_value
            and counted.outcome_code = resampled.outcome_code
),

-- A cell that differs is one of all cells of all tables of its family: Holm over tables would let more
-- through.
families as (
    select
        suite,
        category,
        measure,
        is_simulated,
        count(distinct tested_key) as n_tests
    from cells
    group by suite, category, measure, is_simulated
),

corrected as (
    select
        cells.*,
        families.n_tests
    from cells
    inner join families
        on
            cells.suite = families.suite
            and cells.category = families.category
            and cells.measure = families.measure
            and cells.is_simulated = families.is_simulated
)

select
    {{ analysis_columns('corrected') }},
    corrected.axis,
    corrected.measure,
    corrected.group_value,
    corrected.outcome,
    corrected.n_cell,
    corrected.n_expected,
    corrected.share,
    corrected.pooled_share,
    corrected.residual,
    corrected.residual_within,
    case
        when corrected.residual is not null then 'ok'
        when corrected.n_groups < 2 then 'single_group'
        else 'not_applicable'
    end as status,
    corrected.p_value,
    corrected.p_max,
    case when corrected.tested_key is not null then least(1, corrected.n_tests * corrected.p_max) end
        as p_family,
    corrected.n_tests,
    corrected.null_p95,
    corrected.n_group,
    corrected.n_outcome,
    corrected.n,
    corrected.n_groups,
    corrected.resampling_unit,
    corrected.n_units,
    corrected.permutation_scheme,
    corrected.min_attainable_p,
    corrected.exposure,
    corrected.is_control,
    1 as metric_version
from corrected
