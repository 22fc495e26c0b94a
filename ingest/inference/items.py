"""Which items of lists go to one group more often than to another, and how far chance alone drives that."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ingest.inference.arrays import Array, Codes, divide, only_where
from ingest.inference.columns import resample_columns
from ingest.inference.constants import CHUNK_BYTES, PERMUTATION_STREAM
from ingest.inference.design import Design, Unit, canonical, resampling_unit
from ingest.inference.drawing import draw, p_max
from ingest.inference.relabelling import Scheme, plan_for
from ingest.inference.sums import group_table, relabelled_tables


class ItemsResampled(NamedTuple):
    """The widest gap between two groups in the share of lists that name an item; all arrays (J,).

    `p_value` counts relabellings whose gap in this item is at least as wide, `p_max` those whose widest
    gap in any item is, each over its own spread under relabelling (Westfall & Young, 1993).
    """

    gap: Array
    ci_low: Array
    ci_high: Array
    p_value: Array
    p_max: Array
    null_median: Array
    null_p95: Array
    unit: Unit
    n_units: int
    permutation: Scheme


def share_gaps(tables: Array) -> Array:
    """Largest less smallest share by group of tables (..., K, 1 + J): lists, then those with each item."""
    shares = divide(tables[..., 1:], tables[..., :1])
    return np.asarray(shares.max(-2) - shares.min(-2))


def resample_items(
    design: Design, has_item: ArrayLike, n_permutations: int = 2000, n_bootstrap: int = 1000, seed: int = 0
) -> ItemsResampled:
    """Permutation and bootstrap of `share_gaps` of lists whose rows (n, J) say which items they name.

    The relabellings and draws are those of `resample_columns`. Raises ValueError where only single responses
    can vary.
    """
    named = np.asarray(has_item, dtype=np.float64)
    found = resample_columns(
        design,
        np.ones_like(named),
        named,
        n_permutations,
        n_bootstrap,
        seed,
        bounds=(0, 1),
        with_ratios=False,
    )
    gaps = found.disparities["range"]
    return ItemsResampled(
        gaps.value,
        gaps.ci_low,
        gaps.ci_high,
        gaps.p_value,
        only_where(np.isfinite(gaps.p_value), _corrected(design, named, gaps.value, n_permutations, seed)),
        gaps.null_median,
        gaps.null_p95,
        found.unit,
        found.n_units,
        found.permutation,
    )


def _corrected(design: Design, named: Array, observed: Array, n_permutations: int, seed: int) -> Array:
    """p-values (J,) against the widest gap of any item, gaps in standard errors of what relabelling gives."""
    design, rows = canonical(design, np.hstack([np.ones((len(named), 1)), named]))
    n_groups = len(design.labels)
    plan = plan_for(design, resampling_unit(design))
    cell_sums = group_table(plan.cell, rows, int(plan.cell.max()) + 1)
    relabel = plan.labeller([seed, PERMUTATION_STREAM])

    def next_draws(b: int) -> Array:
        labels: Codes = relabel(b)
        return share_gaps(relabelled_tables(labels, cell_sums, n_groups)).T

    chunk = max(1, CHUNK_BYTES // (8 * (4 * len(cell_sums) + 4 * n_groups * rows.shape[1])))
    draws = draw(next_draws, n_permutations, chunk, observed.shape)
    # An item that all lists name, or that no relabelling moves, has no spread and stands apart from none.
    centre, spread = draws.mean(1), draws.std(1)
    widest = np.fmax.reduce(divide(draws - centre[:, None], spread[:, None]), axis=0)
    own = p_max(widest, np.nan_to_num(divide(observed - centre, spread)))
    return np.where(spread > 0, own, 1.0)
