"""Which cells of a table differ: adjusted residuals, and how far chance alone drives them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ingest.inference.arrays import Array, divide, only_where, sqrt
from ingest.inference.constants import CHUNK_BYTES, PERMUTATION_STREAM
from ingest.inference.design import Design, Unit, canonical, resampling_unit
from ingest.inference.drawing import Units, chance, draw, p_max
from ingest.inference.relabelling import Scheme, attainable, plan_for
from ingest.inference.sums import group_table, outcome_sums, relabelled_tables


def adjusted_residuals(tables: Array) -> Array:
    """Observed less expected, in standard errors, of each cell of tables (..., K, J) of counts.

    NaN where a group or an outcome is empty, or is all there is. Source: Haberman (1973), Biometrics 29(1).
    """
    rows, columns = tables.sum(-1, keepdims=True), tables.sum(-2, keepdims=True)
    n = tables.sum((-1, -2), keepdims=True)
    expected = divide(rows * columns, n)
    variance = expected * (1 - divide(rows, n)) * (1 - divide(columns, n))
    return divide(tables - expected, sqrt(variance))


class CellsResampled(NamedTuple):
    """Residuals of a table with what relabelling its units gives; all arrays (K, J), NaN as in `Resampled`.

    `p_value` counts relabellings whose residual in this cell is at least as far from 0, `p_max` those whose
    farthest residual in any cell is (Westfall & Young, 1993). `null_p95` is the 95 % quantile of the cell's
    distance from 0. `labels` (K,) are the groups that have responses.
    """

    labels: tuple[str, ...]
    residual: Array
    p_value: Array
    p_max: Array
    null_p95: Array
    unit: Unit
    n_units: int
    permutation: Scheme
    min_attainable_p: Array  # (K,)


def resample_cells(
    design: Design, outcome: ArrayLike, n_outcomes: int, n_permutations: int = 2000, seed: int = 0
) -> CellsResampled:
    """Permutation p-values of the adjusted residual of each group and outcome, codes (n,).

    The relabellings are those of `resample` with the same design and seed.
    """
    design, rows = canonical(design, outcome_sums(outcome, n_outcomes))
    n_groups = len(design.labels)
    unit = resampling_unit(design)
    plan = plan_for(design, unit)
    observed = np.abs(residual := adjusted_residuals(group_table(design.group, rows, n_groups))).ravel()
    cell_sums = group_table(plan.cell, rows, int(plan.cell.max()) + 1)
    relabel = plan.labeller([seed, PERMUTATION_STREAM])

    def next_draws(b: int) -> Array:
        tables = relabelled_tables(relabel(b), cell_sums, n_groups)
        return np.asarray(np.abs(adjusted_residuals(tables)).reshape(b, -1).T)

    size = n_groups * n_outcomes
    bytes_each = 8 * (2 * int(np.count_nonzero(cell_sums)) + 10 * size)
    chunk = max(1, CHUNK_BYTES // bytes_each)
    draws = draw(next_draws, n_permutations, chunk, (size,))
    judged = chance(draws, observed)
    most = np.fmax.reduce(draws, axis=0) if size else np.zeros(0)
    corrected = only_where(judged.is_tested, p_max(most, observed))
    n_by_group = np.bincount(design.group, minlength=n_groups).astype(np.float64)
    shape = (n_groups, n_outcomes)
    return CellsResampled(
        design.labels,
        residual,
        judged.p_value.reshape(shape),
        corrected.reshape(shape),
        judged.null_p95.reshape(shape),
        unit,
        Units.of(design.group, design.units(unit)).n,
        plan.scheme,
        attainable(plan, n_by_group, n_permutations)["own"],
    )
