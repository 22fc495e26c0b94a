"""Which items of lists go to one group more often than to another, and how far chance alone drives that."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ingest.inference.arrays import Array, Codes, divide, only_where
from ingest.inference.bounds import (
    blocks_by_group,
    one_sided_bounds,
    other_units_of_rates,
    pseudo_rows,
)
from ingest.inference.columns import resample_columns
from ingest.inference.constants import CHUNK_BYTES, PERMUTATION_STREAM, PSEUDO_UNIT_STREAM
from ingest.inference.design import Design, Unit, canonical, resampling_unit
from ingest.inference.drawing import Units, chance, draw, intervals, p_max
from ingest.inference.families import tails
from ingest.inference.group_statistics import STATISTICS
from ingest.inference.relabelling import Scheme, attainable, plan_for
from ingest.inference.studentised import GapsInErrors
from ingest.inference.sums import group_table, relabelled_tables

WIDEST = STATISTICS["max_share_gap"]  # of one item more than of others, as of outcomes


class WidestGap(NamedTuple):
    """The widest gap of any item, which limits judge: its terms are those of `ingest.inference.resampling`.

    It is held against the widest gap of any item under each relabelling, whatever item that is of.
    """

    gap: float
    p_value: float
    null_median: float
    null_p05: float
    null_p95: float
    ci_low: float
    ci_high: float
    bound_low: float
    bound_high: float
    n_blocks: int
    min_attainable_p: float
    tail: float
    null_tails: Array | None


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
    widest: WidestGap


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
        are_shares=True,
    )
    gaps = found.disparities["range"]
    relabelled, smallest = _relabelled_gaps(design, named, n_permutations, seed)
    in_errors = None if found.in_errors is None else _of_all(found.in_errors)
    return ItemsResampled(
        gaps.value,
        gaps.ci_low,
        gaps.ci_high,
        gaps.p_value,
        only_where(np.isfinite(gaps.p_value), _corrected(relabelled, gaps.value, in_errors)),
        gaps.null_median,
        gaps.null_p95,
        found.unit,
        found.n_units,
        found.permutation,
        _widest(design, named, relabelled, in_errors, smallest, n_bootstrap, seed),
    )


def _relabelled_gaps(design: Design, named: Array, n_draws: int, seed: int) -> tuple[Array, float]:
    """Gaps of each item under relabellings (J, n_draws), and the smallest p-value that these allow."""
    design, rows = canonical(design, np.hstack([np.ones((len(named), 1)), named]))
    n_groups = len(design.labels)
    plan = plan_for(design, resampling_unit(design))
    cell_sums = group_table(plan.cell, rows, int(plan.cell.max()) + 1)
    relabel = plan.labeller([seed, PERMUTATION_STREAM])

    def next_draws(b: int) -> Array:
        labels: Codes = relabel(b)
        return share_gaps(relabelled_tables(labels, cell_sums, n_groups)).T

    chunk = max(1, CHUNK_BYTES // (8 * (4 * len(cell_sums) + 4 * n_groups * rows.shape[1])))
    n_by_group = np.bincount(design.group, minlength=n_groups).astype(np.float64)
    smallest = float(attainable(plan, n_by_group, n_draws)["axis"][0])
    return draw(next_draws, n_draws, chunk, (named.shape[1],)), smallest


def _of_all(in_errors: list[GapsInErrors]) -> GapsInErrors:
    """Each item's widest gap of two groups in standard errors: items take the place of groups."""
    null, own = zip(*(item.of_axis for item in in_errors), strict=True)
    return GapsInErrors(np.concatenate(null), np.concatenate(own))


def _corrected(draws: Array, observed: Array, in_errors: GapsInErrors | None) -> Array:
    """p-values (J,) against the widest gap of any item, gaps in standard errors of what relabelling gives;
    where spreads matter, no smaller than those of gaps in their own."""
    if not draws.shape[1]:
        return np.ones_like(observed)
    # An item that all lists name, or that no relabelling moves, has no spread and stands apart from none.
    centre, spread = draws.mean(1), draws.std(1)
    widest = np.fmax.reduce(divide(draws - centre[:, None], spread[:, None]), axis=0)
    own = p_max(widest, np.nan_to_num(divide(observed - centre, spread)))
    if in_errors is not None:
        own = np.maximum(own, [in_errors.p_max(item) for item in range(len(own))])
    return np.where(spread > 0, own, 1.0)


def _widest(
    design: Design,
    named: Array,
    relabelled: Array,
    in_errors: GapsInErrors | None,
    smallest: float,
    n_bootstrap: int,
    seed: int,
) -> WidestGap:
    """Bounds have one more list of each unit, as those of shares have (`ingest.inference.bounds`)."""
    n_items = named.shape[1]
    design, rows = canonical(design, np.hstack([np.ones_like(named), named]))
    units = Units.of(design.group, design.units(resampling_unit(design)))
    n_groups = len(design.labels)
    table, units_by_group = group_table(design.group, rows, n_groups), units.by_group(rows[:, :n_items])
    pairs = [[item, n_items + item] for item in range(n_items)]
    one_more = np.zeros_like(table)
    for pair, by_group in zip(pairs, units_by_group.T, strict=True):
        one_more[:, pair] = pseudo_rows("selection", table[:, pair], by_group)
    nearer = other_units_of_rates(table, units_by_group)
    tables = units.tables(rows, seed)
    weights = np.random.default_rng([seed, PSEUDO_UNIT_STREAM])

    def widest(of: Array) -> Array:
        shares = divide(of[..., n_items:], of[..., :n_items])
        return np.asarray((shares.max(-2) - shares.min(-2)).max(-1))

    def redrawn(b: int) -> Array:
        drawn = tables(b)
        mixed = [drawn + weights.exponential(size=(b, n_groups, 1)) * one for one in (one_more, *nearer)]
        return np.stack([widest(of) for of in (drawn, *mixed)])

    chunk = max(1, CHUNK_BYTES // (8 * (3 * units.n + 10 * table.size)))
    booted = draw(redrawn, n_bootstrap if units.is_enough else 0, chunk, (2 + len(nearer),))
    plain, apart, *others = booted[:, None]
    observed, fewest = widest(table)[None], float(units_by_group.min())
    null = relabelled.max(axis=0, initial=0.0)[None]
    judged = chance(null, observed)
    by = null, observed
    if in_errors is not None and in_errors.p_value(None) > judged.p_value[0]:
        judged, by = judged._replace(p_value=np.array([in_errors.p_value(None)])), in_errors.of_axis
    tail, null_tails = tails(*by) if null.shape[1] else (np.array([np.nan]), null)
    interval = np.clip(intervals(plain, observed, fewest, others)[0], 0, 1)
    bounds = one_sided_bounds([WIDEST], observed, plain, apart, fewest, others)[0]
    return WidestGap(
        gap=float(observed[0]),
        p_value=float(judged.p_value[0]),
        null_median=float(judged.null_median[0]),
        null_p05=float(judged.null_p05[0]),
        null_p95=float(judged.null_p95[0]),
        ci_low=float(interval[0]),
        ci_high=float(interval[1]),
        bound_low=float(bounds[0]),
        bound_high=float(bounds[1]),
        n_blocks=int(blocks_by_group(design.group, design.block, n_groups).min()),
        min_attainable_p=smallest,
        tail=float(tail[0]),
        null_tails=null_tails[0].astype(np.float32) if np.isfinite(tail[0]) else None,
    )
