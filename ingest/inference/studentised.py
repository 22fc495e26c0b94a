"""The widest gap of two groups in its own standard errors, where groups differ in their number of units.

Relabelled units have the spread of all groups together. Where a group of few units varies more than others,
as where its units have fewer answers, a gap by itself passes for more than chance too often; in standard
errors it does not. Of as many units in each group both are right. Sources: Janssen (1997), Statistics &
Probability Letters 36; Chung & Romano (2013), Annals of Statistics 41(2).
"""

from typing import NamedTuple

import numpy as np

from ingest.inference.arrays import Array, first_rows
from ingest.inference.constants import PERMUTATION_STREAM, UNLIKE
from ingest.inference.design import Design
from ingest.inference.drawing import chance, draw
from ingest.inference.relabelling import Plan
from ingest.inference.sums import Kind, group_table, relabelled_tables


class GapsInErrors(NamedTuple):
    """The widest gap of relabelled groups (1, b), of the groups themselves (1,), and its p-value."""

    null: Array
    own: Array
    p_value: float


def gaps_in_errors(
    design: Design, plan: Plan, kind: Kind, cell_sums: Array, n_permutations: int, chunk: int, seed: int
) -> GapsInErrors | None:
    """Relabel as the plan does, `chunk` times at once; None where spreads do not matter or units are paired.

    `cell_sums` are those of what relabelling moves as a whole.
    """
    group = design.group[first_rows(plan.cell)]
    n_groups = len(design.labels)
    n_units = np.bincount(group, minlength=n_groups)
    is_free = len(plan.layers) == 1 and plan.scheme != "within_blocks"
    if not is_free or n_groups < 2 or n_units.max() <= UNLIKE * n_units.min():
        return None
    squares = cell_rows(kind, cell_sums)
    relabel = plan.labeller([seed, PERMUTATION_STREAM])

    def relabelled(b: int) -> Array:
        return widest_gap(relabelled_tables(relabel(b), squares, n_groups))[None]

    null = draw(relabelled, n_permutations, chunk, (1,))
    own = widest_gap(group_table(group, squares, n_groups)[None])
    return GapsInErrors(null, own, float(chance(null, own).p_value[0]))


def cell_rows(kind: Kind, cells: Array) -> Array:
    """What the standard errors are made of, (cells, 3 + 3J): 1, n, n², and of each column s, ns, s²."""
    n = cells.sum(1, keepdims=True) if kind == "outcome" else cells[:, :1]
    sums = cells if kind == "outcome" else cells[:, 1:2]
    return np.hstack([np.ones_like(n), n, n**2, sums, n * sums, sums**2])


def widest_gap(tables: Array) -> Array:
    """Largest gap of two groups' ratios of sums in standard errors, of `cell_rows` by group: (b,).

    Groups of one cell have no standard error, and are in no gap.
    """
    n_columns = (tables.shape[-1] - 3) // 3
    cells, n, squares = (tables[..., index : index + 1] for index in range(3))
    sums, crossed, own = np.split(tables[..., 3:], [n_columns, 2 * n_columns], axis=-1)
    with np.errstate(all="ignore"):
        ratio = sums / n
        left = np.maximum(own - 2 * ratio * crossed + ratio**2 * squares, 0)
        variance = np.maximum(left * cells / (cells - 1) / n**2, 1e-12)
        gap = np.abs(ratio[..., :, None, :] - ratio[..., None, :, :])
        found = gap / np.sqrt(variance[..., :, None, :] + variance[..., None, :, :])
    found = np.where((gap > 1e-12) & np.isfinite(found), found, 0)
    return np.asarray(found.max(axis=(-1, -2, -3)))
