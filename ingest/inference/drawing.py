"""One engine for all that is resampled: draw, chunk by chunk, into a matrix (columns, draws), then judge it.

What is drawn are whole units with replacement (`Units`, `unit_drawer`) or relabellings
(`ingest.inference.relabelling`). Of a matrix there are `intervals` or what `chance` alone gives.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import scipy  # its parts load when they are first used: some take longer than a small build
from numpy.typing import ArrayLike

from ingest.inference.arrays import Array, Codes, Mask, dense, first_rows, is_constant, only_where
from ingest.inference.constants import (
    ABSOLUTE_SLACK,
    ALPHA,
    BOOTSTRAP_STREAM,
    CHUNK_BYTES,
    CHUNK_DRAWS,
    MIN_UNITS,
    MIN_UNITS_PER_GROUP,
    MIN_VALID_RATE,
    NULL_LEVELS,
    RELATIVE_SLACK,
)
from ingest.inference.sums import group_table

Extreme = Literal["greater", "less", "two_sided"]


def draw(next_draws: Callable[[int], Array], n: int, chunk: int, shape: tuple[int, ...]) -> Array:
    """Matrix (*shape, n) of n draws, from a function that computes the next b of them, (*shape, b).

    At most `chunk` are computed at once, so that they stay in the cache.
    """
    out = np.empty((*shape, n))
    for start in range(0, n, chunk):
        stop = min(start + chunk, n)
        out[..., start:stop] = next_draws(stop - start)
    return out


def draws_at_once(n_numbers: int, chunk_bytes: int = CHUNK_BYTES) -> int:
    """How many draws to compute at once, where each holds so many numbers meanwhile."""
    return max(1, min(CHUNK_DRAWS, chunk_bytes // (8 * max(n_numbers, 1))))


# ------------------------------------------------------------------------------------- drawn units


def _times_drawn(places: Codes) -> Array:
    """How often each of `size` places is among places (b, size), (b, size)."""
    b, size = places.shape
    counts = np.bincount((places + np.arange(b)[:, None] * size).ravel(), minlength=b * size)
    return counts.reshape(b, size).astype(np.float64)


def unit_drawer(n_units: int, seed: int) -> Callable[[int], Array]:
    """Return a function that draws the next b bootstraps, how often each unit is in it (b, n_units)."""
    rng = np.random.default_rng([seed, BOOTSTRAP_STREAM])
    return lambda b: _times_drawn(rng.integers(0, n_units, size=(b, n_units)))


@dataclass(frozen=True)
class Units:
    """Whole units, drawn with replacement: within their group where none holds two, else over all.

    `group` and `of_row` (n,) are each row's group and unit; `parts` lists the units that are drawn among
    themselves, one part a group or one for all; `n` counts them.
    """

    group: Codes
    of_row: Codes
    parts: tuple[Codes, ...]
    is_nested: bool
    n: int

    @classmethod
    def of(cls, group: Codes, unit: Codes) -> "Units":
        """Units of rows, from the codes of their groups (0 to K - 1, all present) and units, (n,)."""
        of_row = dense(unit)
        n = int(of_row.max()) + 1
        is_nested = is_constant(group, of_row)
        parts: tuple[Codes, ...] = (np.arange(n),)
        if is_nested:
            group_of_unit = group[first_rows(of_row)]
            parts = tuple(np.flatnonzero(group_of_unit == g) for g in range(int(group.max()) + 1))
        return cls(group, of_row, parts, is_nested, n)

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return int(self.group.max()) + 1

    @property
    def is_enough(self) -> bool:
        """Whether there are 10 units, and 5 in each group that is drawn from."""
        fewest = min(len(part) for part in self.parts)
        return self.n >= MIN_UNITS and (not self.is_nested or fewest >= MIN_UNITS_PER_GROUP)

    @property
    def cells(self) -> tuple[Codes, Codes]:
        """What each row adds to, a unit in a group (n,), and the group of each such cell."""
        of_row = dense(self.of_row * self.n_groups + self.group)
        return of_row, self.group[first_rows(of_row)]

    def by_group(self, is_there: ArrayLike) -> Array:
        """Units of each group that have something in each column of `is_there` (n, C), (K, C).

        A value of one group rests on these; what compares groups on no more than the fewest of them.
        """
        of_row, group = self.cells
        has = (np.asarray(is_there) != 0).astype(np.float64)
        held = group_table(of_row, has, len(group)) > 0
        return group_table(group, held.astype(np.float64), self.n_groups)

    def places(self, seed: int) -> Callable[[int], list[Codes]]:
        """Return a function that draws the next b times: places (b, size) in each part."""
        streams = [np.random.default_rng([seed, BOOTSTRAP_STREAM, index]) for index in range(len(self.parts))]
        return lambda b: [
            rng.integers(0, len(part), size=(b, len(part)))
            for part, rng in zip(self.parts, streams, strict=True)
        ]

    def tables(self, sums: Array, seed: int) -> Callable[[int], Array]:
        """Return a function that draws the next b tables (b, K, J) of rows (n, J) summed by group."""
        n_groups, n_sums = self.n_groups, sums.shape[1]
        if self.is_nested:
            unit_sums = group_table(self.of_row, sums, self.n)
            parts = [unit_sums[rows] for rows in self.parts]
        else:
            cells = group_table(self.of_row * n_groups + self.group, sums, self.n * n_groups)
            parts = [cells.reshape(self.n, n_groups * n_sums)]
        places = self.places(seed)

        def next_tables(b: int) -> Array:
            drawn = [_times_drawn(own) @ part for part, own in zip(parts, places(b), strict=True)]
            return np.stack(drawn, axis=1).reshape(b, n_groups, n_sums)

        return next_tables

    def rows(self, seed: int) -> Callable[[int], Codes]:
        """Return a function that draws the next b resamples: rows of each group (b, K, M) as in `rows_of`."""
        n, n_groups = len(self.group), self.n_groups
        cell = self.of_row * n_groups + self.group
        rows_of_cell = rows_of(dense(cell)[None], len(np.unique(cell)))[0]
        held = np.full((self.n * n_groups, rows_of_cell.shape[1]), n)
        held[np.unique(cell)] = rows_of_cell
        held = held.reshape(self.n, n_groups, -1)
        places = self.places(seed)

        def next_rows(b: int) -> Codes:
            if not self.is_nested:
                return np.moveaxis(held[places(b)[0]], 1, 2).reshape(b, n_groups, -1)
            found = [
                held[part[drawn], index].reshape(b, -1)
                for index, (part, drawn) in enumerate(zip(self.parts, places(b), strict=True))
            ]
            rows = np.full((b, n_groups, max(part.shape[1] for part in found)), n)
            for index, part in enumerate(found):
                rows[:, index, : part.shape[1]] = part
            return rows

        return next_rows


def rows_of(labels: Codes, n_groups: int) -> Codes:
    """Rows of each group under labels (b, n), (b, K, M), M the size of the largest; n where there is none."""
    b, n = labels.shape
    order = np.argsort(labels.astype(np.int16), axis=1, kind="stable")
    sizes = np.bincount((labels + np.arange(b)[:, None] * n_groups).ravel(), minlength=b * n_groups)
    sizes = sizes.reshape(b, n_groups)
    largest = int(sizes.max())
    if (sizes == largest).all():
        return order.reshape(b, n_groups, largest)
    starts = np.cumsum(sizes, axis=1) - sizes
    ordered = np.take_along_axis(labels, order, axis=1)
    place = np.arange(n) - np.take_along_axis(starts, ordered, axis=1)
    rows = np.full((b, n_groups, largest), n)
    rows[np.arange(b)[:, None], ordered, place] = order
    return rows


# ---------------------------------------------------------------------------------- judged matrices


def n_valid(draws: Array) -> Codes:
    """Number of draws (columns, b) that gave a value, (columns,)."""
    found: Codes = np.isfinite(draws).sum(1)
    return found


def quantiles(draws: Array, levels: ArrayLike) -> Array:
    """Quantiles (columns, levels) of the finite values of each row of draws, linearly interpolated.

    `levels` are the same for all rows (levels,), or each row's own (columns, levels). NaN where fewer than
    90 % are finite.
    """
    n, levels = n_valid(draws), np.asarray(levels, dtype=np.float64)
    if not draws.shape[1]:
        return np.full((len(draws), levels.shape[-1]), np.nan)
    ordered = np.sort(draws, axis=1)  # NaN last
    position = np.maximum(n - 1, 0)[:, None] * levels
    below = np.floor(position).astype(np.int64)
    above = np.minimum(below + 1, np.maximum(n - 1, 0)[:, None])
    low, high = (np.take_along_axis(ordered, index, axis=1) for index in (below, above))
    is_enough = (n >= MIN_VALID_RATE * draws.shape[1])[:, None]
    return only_where(is_enough, low + (high - low) * (position - below))


def intervals(draws: Array, observed: Array, n_units: ArrayLike, others: Sequence[Array] = ()) -> Array:
    """95 % expanded percentile intervals (columns, 2) from draws (columns, b), shifted so that their median
    is the estimate (columns,), and as wide as those of `others`, draws of the same columns.

    `n_units` counts the units that a column rests on, of each column or of all. Redrawing n of them varies by
    (n - 1)/n of what it should, and the normal quantile ignores that the variance is estimated: the level is
    that of sqrt(n/(n - 1)) t(0.975, n - 1). Source: Hesterberg (2015), The American Statistician 69(4), 5.2.
    Divergences are biased upward in small samples, and twice so in a resample of one: an unshifted interval
    can exclude its own estimate. The target is what the same design would give on average. NaN where there
    are no draws, or where fewer than 90 % of them have a value.
    """
    n = np.maximum(np.broadcast_to(n_units, observed.shape), 2).astype(np.float64)
    tail = scipy.special.ndtr(-np.sqrt(n / (n - 1)) * scipy.special.stdtrit(n - 1, 1 - ALPHA / 2))
    levels = np.stack([tail, np.full_like(tail, 0.5), 1 - tail], axis=1)
    found = np.stack([quantiles(own, levels) for own in (draws, *others)])
    ends = np.stack([found[..., 0].min(axis=0), found[..., 2].max(axis=0)], axis=1)
    return np.asarray(ends + (observed - found[0, :, 1])[:, None])


def interval_status(has_value: bool, has_interval: bool, n_draws: int) -> str:
    """Why a value has, or has not, an interval: of too few units nothing is drawn."""
    if not has_value:
        return "not_applicable"
    return "ok" if has_interval else "too_few_draws" if n_draws else "too_few"


def extremity(values: Array, extreme: Extreme, centre: float = 0.0) -> Array:
    """How much values count against equality: for "two_sided" by their distance from `centre`."""
    if extreme == "two_sided":
        return np.abs(values - centre)
    return -values if extreme == "less" else values


def _limit(observed: Array, extreme: Extreme, centre: float) -> Array:
    scale = np.maximum(np.abs(observed), abs(centre))
    return extremity(observed, extreme, centre) - (RELATIVE_SLACK * scale + ABSOLUTE_SLACK)


def p_values(draws: Array, observed: Array, extreme: Extreme = "greater", centre: float = 0.0) -> Array:
    """(1 + draws at least as extreme) / (1 + b) of each column of draws (columns, b), (columns,).

    A draw without a value counts as extreme.
    """
    limit = _limit(observed, extreme, centre)
    n_extreme: Codes = (~(extremity(draws, extreme, centre) < limit[:, None])).sum(1)
    return np.asarray((1 + n_extreme) / (1 + draws.shape[1]))


def p_max(most: Array, observed: Array, extreme: Extreme = "greater", centre: float = 0.0) -> Array:
    """Single-step max-T p-values of columns (columns,): `most` (b,) is each draw's highest `extremity`."""
    ordered = np.sort(most)  # NaN last: counted as extreme
    n_less = np.searchsorted(ordered, _limit(observed, extreme, centre))
    return (1 + len(most) - n_less) / (1 + len(most))


class Chance(NamedTuple):
    """What relabelling gives: a p-value and quantiles of each column, (columns,)."""

    p_value: Array
    null_median: Array
    null_p05: Array
    null_p95: Array
    is_tested: Mask


def chance(draws: Array, observed: Array, extreme: Extreme = "greater", centre: float = 0.0) -> Chance:
    """Judge what was observed (columns,) against relabellings (columns, b).

    Quantiles are NaN where fewer than 90 % of the relabellings have a value, `p_value` also where there is
    none observed.
    """
    is_tested = np.isfinite(observed) & (n_valid(draws) >= max(1, MIN_VALID_RATE * draws.shape[1]))
    p_value = only_where(is_tested, p_values(draws, observed, extreme, centre))
    median, p05, p95 = quantiles(draws, NULL_LEVELS).T
    return Chance(p_value, median, p05, p95, is_tested)
