"""Which cells of a table differ: adjusted residuals, and how far chance alone drives them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ingest.inference.arrays import Array, Codes, divide, only_where, sqrt
from ingest.inference.constants import CHUNK_BYTES, PERMUTATION_STREAM
from ingest.inference.design import Design, Unit, canonical, resampling_unit
from ingest.inference.drawing import Units, chance, draw, p_max
from ingest.inference.relabelling import Scheme, attainable, plan_for
from ingest.inference.strata import spread_out, stratum_of
from ingest.inference.studentised import gaps_in_errors
from ingest.inference.sums import group_table, outcome_sums, relabelled_tables


def adjusted_residuals(tables: Array) -> Array:
    """Observed less expected, in standard errors, of each cell of tables (..., K, J) of counts.

    NaN where a group or an outcome is empty, or is all there is. Source: Haberman (1973), Biometrics 29(1).
    """
    return residuals_within(tables, tables.shape[-1])


def residuals_within(tables: Array, n_outcomes: int) -> Array:
    """As `adjusted_residuals`, of tables (..., K, strata * J): sums over strata, (..., K, J).

    One stratum gives `adjusted_residuals`. Source: Mantel & Haenszel (1959), J. Natl. Cancer Inst. 22(4).
    """
    by_stratum = np.moveaxis(tables.reshape(*tables.shape[:-1], -1, n_outcomes), -2, 0)
    rows, columns = by_stratum.sum(-1, keepdims=True), by_stratum.sum(-2, keepdims=True)
    n = by_stratum.sum((-1, -2), keepdims=True)
    expected = np.nan_to_num(divide(rows * columns, n))
    variance = expected * np.nan_to_num((1 - divide(rows, n)) * (1 - divide(columns, n)))
    return divide((by_stratum - expected).sum(0), sqrt(variance.sum(0)))


class CellsResampled(NamedTuple):
    """Residuals of a table with what relabelling its units gives; all arrays (K, J), NaN as in `Resampled`.

    `residual_within` is that within strata, which is then what is tested; NaN where there are none.

    `p_value` counts relabellings whose residual in this cell is at least as far from 0, `p_max` those whose
    farthest residual in any cell is (Westfall & Young, 1993). Where groups differ in their units or answers,
    a cell's gap to all other groups in standard errors has to be as far, too. `null_p95` is the 95 % quantile
    of the cell's distance from 0. `labels` (K,) are the groups that have responses.
    """

    labels: tuple[str, ...]
    residual: Array
    residual_within: Array
    p_value: Array
    p_max: Array
    null_p95: Array
    unit: Unit
    n_units: int
    permutation: Scheme
    min_attainable_p: Array  # (K,)


def resample_cells(
    design: Design,
    outcome: ArrayLike,
    n_outcomes: int,
    n_permutations: int = 2000,
    seed: int = 0,
    strata: Codes | None = None,
) -> CellsResampled:
    """Permutation p-values of the adjusted residual of each group and outcome, codes (n,).

    The relabellings are those of `resample` with the same design, seed and `strata` (n,).
    """
    indicators = outcome_sums(outcome, n_outcomes)
    design, rows = canonical(design, indicators if strata is None else spread_out(indicators, strata))
    n_groups = len(design.labels)
    unit = resampling_unit(design)
    plan = plan_for(design, unit, None if strata is None else stratum_of(rows, n_outcomes))
    table = group_table(design.group, rows, n_groups)
    within = residuals_within(table, n_outcomes)
    observed = np.abs(within).ravel()
    cell_sums = group_table(plan.cell, rows, int(plan.cell.max()) + 1)
    relabel = plan.labeller([seed, PERMUTATION_STREAM])

    def next_draws(b: int) -> Array:
        tables = relabelled_tables(relabel(b), cell_sums, n_groups)
        return np.asarray(np.abs(residuals_within(tables, n_outcomes)).reshape(b, -1).T)

    size, n_strata = n_groups * n_outcomes, rows.shape[1] // n_outcomes
    bytes_each = 8 * (4 * len(cell_sums) + 10 * size * n_strata)
    chunk = max(1, CHUNK_BYTES // bytes_each)
    draws = draw(next_draws, n_permutations, chunk, (size,))
    judged = chance(draws, observed)
    most = np.fmax.reduce(draws, axis=0) if size else np.zeros(0)
    corrected, p_value = p_max(most, observed), judged.p_value
    in_errors = gaps_in_errors(
        design, plan, "outcome", cell_sums, n_permutations, max(1, chunk // 3), seed, n_strata, to_rest=True
    )
    if in_errors is not None:
        p_value = np.maximum(p_value, chance(in_errors.null, in_errors.own).p_value)
        corrected = np.maximum(corrected, p_max(in_errors.null.max(axis=0), in_errors.own))
    n_by_group = np.bincount(design.group, minlength=n_groups).astype(np.float64)
    shape = (n_groups, n_outcomes)
    return CellsResampled(
        design.labels,
        adjusted_residuals(table.reshape(n_groups, -1, n_outcomes).sum(1)),
        within if strata is not None else np.full_like(within, np.nan),
        p_value.reshape(shape),
        only_where(judged.is_tested, corrected).reshape(shape),
        judged.null_p95.reshape(shape),
        unit,
        Units.of(design.group, design.units(unit)).n,
        plan.scheme,
        attainable(plan, n_by_group, n_permutations)["own"],
    )
