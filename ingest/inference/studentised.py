"""Gaps of groups in their own standard errors, where groups differ in their units or answers.

Relabelled units have the spread of all groups together. Where a group of few units varies more than others,
as where its units have fewer answers, a gap by itself passes for more than chance too often; in standard
errors it does not. Of as many units in each group both are right. Sources: Janssen (1997), Statistics &
Probability Letters 36; Chung & Romano (2013), Annals of Statistics 41(2).
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ingest.inference.arrays import Array, Codes, first_rows
from ingest.inference.constants import PERMUTATION_STREAM, UNLIKE
from ingest.inference.design import Design
from ingest.inference.drawing import chance, draw, p_max
from ingest.inference.relabelling import Plan
from ingest.inference.sums import Kind, relabelled_tables


class GapsInErrors(NamedTuple):
    """Each group's widest gap to another, in standard errors: of relabellings (K, b), and its own (K,).

    Of gaps to all others there is a row for each group and column.
    """

    null: Array
    own: Array

    @property
    def of_axis(self) -> tuple[Array, Array]:
        """The widest gap of any two groups: of relabellings (1, b), and their own (1,)."""
        return self.null.max(axis=0)[None], self.own.max()[None]

    def p_value(self, group: int | None) -> float:
        """Of the axis's widest gap (None), or of a group's, against the same of each relabelling."""
        null, own = self.of_axis if group is None else (self.null[[group]], self.own[[group]])
        return float(chance(null, own).p_value[0])

    def p_max(self, group: int | None) -> float:
        """Against the widest gap of any two groups of each relabelling."""
        null, own = self.of_axis
        return float(p_max(null[0], own if group is None else self.own[[group]])[0])


def is_unlike(plan: Plan, group: Codes, answers: Array) -> bool:
    """Whether spreads matter: groups differ in the number of what one shuffle moves, or in their answers.

    `group` (n,) is that of rows, `answers` (cells,) counts those of what relabelling moves as a whole.
    """
    of_cell = group[first_rows(plan.cell)]
    n_units, n_answers = np.bincount(of_cell), np.bincount(of_cell, weights=answers)
    differs = n_units.max() > UNLIKE * n_units.min() or n_answers.max() > UNLIKE * n_answers.min()
    return bool(len(plan.layers) == 1 and len(n_units) > 1 and differs)


def gaps_in_errors(
    design: Design,
    plan: Plan,
    kind: Kind,
    cell_sums: Array,
    n_draws: int,
    chunk: int,
    seed: int,
    n_strata: int,
    to_rest: bool = False,
) -> GapsInErrors | None:
    """Relabel as the plan does, `chunk` times at once; None where spreads do not matter.

    `cell_sums` (cells, strata * J) are those of what relabelling moves as a whole. `to_rest` gives the gaps
    of each group and column to all other groups, (K * J, b) and (K * J,), in place of each group's widest.
    """
    by_stratum = cell_sums.reshape(len(cell_sums), n_strata, -1)
    rows = cell_rows(kind, by_stratum)
    n_groups = len(design.labels)
    is_paired = plan.scheme == "within_blocks"
    if not is_unlike(plan, design.group, rows[..., 1].sum(-1)) or (is_paired and n_strata > 1):
        return None
    squares = rows.reshape(len(rows), -1)
    relabel = plan.labeller([seed, PERMUTATION_STREAM])

    def gaps(labels: Codes) -> Array:
        if is_paired:
            found = (paired_rest_gaps if to_rest else paired_gaps)(plan, squares, labels, n_groups)
        else:
            tables = relabelled_tables(labels, squares, n_groups)
            found = (rest_gaps if to_rest else widest_gaps)(tables, n_strata, kind != "score")
        return found.reshape(len(labels), -1)

    own = gaps(design.group[first_rows(plan.cell)][None])[0]
    null = draw(lambda b: gaps(relabel(b)).T, n_draws, chunk, own.shape)
    return GapsInErrors(null, own)


def cell_rows(kind: Kind, cells: Array) -> Array:
    """What the standard errors are made of, (..., 3 + 3J): of each cell with answers 1, n, n², and of each
    column s, ns, s²."""
    n = cells.sum(-1, keepdims=True) if kind == "outcome" else cells[..., :1]
    sums = cells if kind == "outcome" else cells[..., 1:2]
    return np.concatenate([n > 0, n, n**2, sums, n * sums, sums**2], axis=-1)


def widest_gaps(tables: Array, n_strata: int = 1, is_share: bool = False) -> Array:
    """Each group's largest gap to another in ratios of sums, in standard errors: (..., K).

    `tables` (..., K, strata * (3 + 3J)) are `cell_rows` by group. Groups of one cell a stratum have no
    standard error, and are in no gap.
    """
    mean, variance = _ratios(tables, n_strata, is_share)
    gap = np.abs(mean[..., :, None, :] - mean[..., None, :, :])
    found = _in_errors(gap, variance[..., :, None, :] + variance[..., None, :, :])
    return np.asarray(found.max(axis=(-1, -2)))


def rest_gaps(tables: Array, n_strata: int = 1, is_share: bool = False) -> Array:
    """As `widest_gaps`, each group's gap to all others together, in each column: (..., K, J)."""
    rest = tables.sum(-2, keepdims=True) - tables
    mean, variance = _ratios(np.concatenate([tables, rest], axis=-2), n_strata, is_share)
    own, others = (slice(None, tables.shape[-2]), slice(tables.shape[-2], None))
    gap = np.abs(mean[..., own, :] - mean[..., others, :])
    return _in_errors(gap, variance[..., own, :] + variance[..., others, :])


def _ratios(tables: Array, n_strata: int, is_share: bool) -> tuple[Array, Array]:
    """Ratios of sums and their variances, (..., K, J) each, averaged over strata in which all have answers.

    A share varies no less than that of all groups does where answers are independent: few answers that are
    all alike would have no error at all.
    """
    by_stratum = tables.reshape(*tables.shape[:-1], n_strata, -1)
    n_columns = (by_stratum.shape[-1] - 3) // 3
    cells, n, squares = (by_stratum[..., index : index + 1] for index in range(3))
    sums, crossed, own = np.split(by_stratum[..., 3:], [n_columns, 2 * n_columns], axis=-1)
    is_compared = (n > 0).all(axis=-3, keepdims=True) | (n_strata == 1)
    count = is_compared.sum(-2)

    def added(values: Array) -> Array:
        return np.asarray(np.where(is_compared, values, 0).sum(-2))

    with np.errstate(all="ignore"):
        ratio = sums / n
        left = np.maximum(own - 2 * ratio * crossed + ratio**2 * squares, 0)
        mean, n_cells = added(ratio) / count, added(cells)
        variance = np.maximum(added(left / n**2) / count**2 * n_cells / (n_cells - count), 1e-12)
        if is_share:
            pooled = np.nansum(sums, axis=-3, keepdims=True) / np.nansum(n, axis=-3, keepdims=True)
            variance = np.maximum(variance, added(pooled * (1 - pooled) / n) / count**2)
    return mean, variance


def _in_errors(gap: Array, variance: Array) -> Array:
    """Gaps over the roots of their variances, 0 where there is neither."""
    with np.errstate(all="ignore"):
        found = gap / np.sqrt(np.maximum(variance, 1e-12))
    return np.where((gap > 1e-12) & np.isfinite(found), found, 0)


def paired_gaps(plan: Plan, rows: Array, labels: Codes, n_groups: int) -> Array:
    """`widest_gaps` (b, K) of groups that share their blocks, under labels (b, cells), of `cell_rows`.

    What a block does to both groups drops out of the gap, and out of its error.
    """
    n, columns = _by_block(plan, rows, labels, n_groups)
    n_blocks, widest = n.shape[1], np.zeros((len(labels), n_groups))
    for sums in columns:
        ratio, left = _left(sums, n)
        with np.errstate(all="ignore"):
            shared = np.swapaxes(left, 1, 2) @ left
            own = np.einsum("bkk->bk", shared)
            variance = (own[:, :, None] + own[:, None] - 2 * shared) * n_blocks / (n_blocks - 1)
            gap = np.abs(np.swapaxes(ratio, 1, 2) - ratio)
        widest = np.maximum(widest, _in_errors(gap, variance).max(-1))
    return widest


def paired_rest_gaps(plan: Plan, rows: Array, labels: Codes, n_groups: int) -> Array:
    """`rest_gaps` (b, K, J) of groups that share their blocks, as in `paired_gaps`."""
    n, columns = _by_block(plan, rows, labels, n_groups)
    rest, n_blocks, found = n.sum(2, keepdims=True) - n, n.shape[1], []
    for sums in columns:
        (ratio, left), (others, left_of_others) = (
            _left(sums, n),
            _left(sums.sum(2, keepdims=True) - sums, rest),
        )
        with np.errstate(all="ignore"):
            variance = ((left - left_of_others) ** 2).sum(1) * n_blocks / (n_blocks - 1)
            found.append(_in_errors(np.abs(ratio - others)[:, 0], variance))
    return np.stack(found, axis=-1)


def _by_block(plan: Plan, rows: Array, labels: Codes, n_groups: int) -> tuple[Array, Iterator[Array]]:
    """Answers by block and group under labels, (b, blocks, K), and the sums of each column likewise."""
    n_columns = (rows.shape[1] - 3) // 3
    n_blocks = int(plan.layers[0].stratum.max()) + 1
    shape = (len(labels), n_blocks, n_groups)
    place = np.arange(len(labels))[:, None] * n_blocks + plan.layers[0].stratum
    place = (place * n_groups + labels).ravel()

    def summed(column: int) -> Array:
        weights = np.tile(rows[:, column], len(labels))
        return np.asarray(np.bincount(place, weights, np.prod(shape)), dtype=np.float64).reshape(shape)

    return summed(1), (summed(column) for column in range(3, 3 + n_columns))


def _left(sums: Array, n: Array) -> tuple[Array, Array]:
    """Ratios of groups (b, 1, K), and what each block adds to their error, (b, blocks, K)."""
    of_group = n.sum(1, keepdims=True)
    with np.errstate(all="ignore"):
        ratio = sums.sum(1, keepdims=True) / of_group
        return ratio, (sums - ratio * n) / of_group
