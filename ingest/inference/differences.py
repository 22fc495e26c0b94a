"""How far the numbers of two sides that answered the same prompts lie apart, and what chance alone gives."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ingest.inference.arrays import Array, Mask
from ingest.inference.bounds import is_flat, pseudo_rows
from ingest.inference.constants import (
    CHUNK_BYTES,
    EXCHANGE_STREAM,
    NULL_LEVELS,
    PERMUTATION_STREAM,
    PSEUDO_UNIT_STREAM,
)
from ingest.inference.design import Design, canonical, resampling_unit
from ingest.inference.drawing import Units, chance, draw, interval_status, intervals, quantiles
from ingest.inference.group_statistics import STATISTICS
from ingest.inference.registry import check_sums, evaluate, kind_of, owners, units_rested_on
from ingest.inference.relabelling import attainable, plan_for
from ingest.inference.sums import group_table, relabelled_tables

NAN = float("nan")


class Difference(NamedTuple):
    """One statistic of side b less side a, of one group or of the axis (`group` None).

    `value_a` and `value_b` are of the answers that both gave; `ci_*` is the 95 % interval of the difference
    over draws of units that are the same for both sides. `p_exchanged` is (1 + exchanges of the sides with at
    least this absolute difference) / (1 + B); `p_relabelled`, of an axis, (1 + relabellings of the groups
    whose difference is at least as far from their median, `null_median`) / (1 + B); `p_value` is the larger
    one, NaN where either is. `null_*` are quantiles of the relabellings, of one group of the exchanges.
    `min_attainable_p` is the smallest that the units which differ at all allow.
    """

    statistic: str
    group: str | None
    value_a: float
    value_b: float
    difference: float
    status: str
    p_value: float
    p_exchanged: float
    p_relabelled: float
    null_median: float
    null_p05: float
    null_p95: float
    ci_low: float
    ci_high: float
    ci_status: str
    n: float
    n_units: int
    n_units_differing: int
    unit: str
    min_attainable_p: float

    def row(self) -> dict[str, Any]:
        """The row of a table; the axis's `group_value` is ''."""
        return self._asdict() | {"group_value": self.group or "", "resampling_unit": self.unit}


def resample_differences(
    design: Design,
    sides: ArrayLike,
    statistics: Iterable[str],
    pairs: Sequence[tuple[int, int]],
    n_permutations: int = 2000,
    n_bootstrap: int = 1000,
    seed: int = 0,
    chunk_bytes: int = CHUNK_BYTES,
) -> list[list[Difference]]:
    """Differences b - a of `statistics` for each pair (a, b) of sides, one list a pair.

    `sides` (S, n, J) hold the rows (see `ingest.inference.sums`) of S sides that answered the same n times:
    row i of each side is the same repeat of the same prompt. The bootstrap draws the same units for all
    sides, so what they share drops out of the difference.

    A difference of two disparities can come of nothing in two ways, and has to be more than either gives: the
    sides answer alike, then it does not matter which of them answered a whole unit (exchange); or neither
    treats the groups differently, and what chance puts into a disparity is not the same for both, as where
    one says yes more often (relabelling of the groups, the same for both sides).

    Definitions, units and quantiles are those of `resample`. The result depends on `seed`, not on the order
    of prompts nor, but for rounding, on the other pairs; swapping a and b changes the sign of a difference
    and nothing else. Raises KeyError and ValueError as `resample` does.
    """
    chosen = [STATISTICS[name] for name in statistics]
    rows = np.asarray(sides, dtype=np.float64)
    if rows.ndim != 3:
        raise ValueError("sides must be (S, n, J): one table of rows a side")
    for side in rows:
        check_sums(design, side, chosen, min(n_permutations, n_bootstrap))
    n_sides, n, n_sums = rows.shape
    if not n:
        return [[] for _ in pairs]
    # The order must not depend on who the sides are: of equal rows the first stays first.
    design, place = canonical(design, np.arange(n, dtype=np.float64)[:, None])
    stacked = np.moveaxis(rows, 0, 1).reshape(n, n_sides * n_sums)[place[:, 0].astype(np.int64)]
    labels, group = design.labels, design.group
    n_groups = len(labels)
    unit = resampling_unit(design)
    units = Units.of(group, design.units(unit))
    columns = owners(chosen, n_groups)
    of_axis = [statistic for statistic in chosen if statistic.level == "axis"]
    is_axis = np.array([index is None for _, index in columns])

    def of_side(tables: Array, side: int) -> Array:
        return tables[..., side * n_sums : (side + 1) * n_sums]

    table = group_table(group, stacked, n_groups)
    observed = [evaluate(chosen, of_side(table, side)[None])[:, 0] for side in range(n_sides)]
    next_tables = units.tables(stacked, seed)

    def redrawn(b: int) -> Array:
        tables = next_tables(b)
        return np.stack([evaluate(chosen, of_side(tables, side)) for side in range(n_sides)])

    booted = draw(
        redrawn,
        n_bootstrap if units.is_enough else 0,
        max(1, chunk_bytes // (8 * (3 * units.n + 10 * n_groups * n_sums * n_sides))),
        (n_sides, len(columns)),
    )

    plan = plan_for(design, unit)
    cell_sums = group_table(plan.cell, stacked, int(plan.cell.max()) + 1)
    relabel = plan.labeller([seed, PERMUTATION_STREAM])
    n_each = 4 * len(cell_sums) + (n_sides + 10) * n_groups * n_sums

    def relabelled(b: int) -> Array:
        tables = relabelled_tables(relabel(b), cell_sums, n_groups)
        return np.stack([evaluate(of_axis, of_side(tables, side)) for side in range(n_sides)])

    n_relabelled = n_permutations if of_axis else 0
    permuted = draw(relabelled, n_relabelled, max(1, chunk_bytes // (8 * n_each)), (n_sides, len(of_axis)))

    cells = group_table(units.of_row * n_groups + group, stacked, units.n * n_groups)
    cells = cells.reshape(units.n, n_groups, n_sides * n_sums)
    chunk = max(1, chunk_bytes // (8 * (units.n + 20 * n_groups * n_sums)))
    exchanges = _exchanges(units.n, n_permutations, chunk, seed)

    units_by_group = units.by_group(np.ones((n, 1)))[:, 0]
    n_rested_on = units_rested_on(columns, units_by_group)
    n_by_group = np.bincount(group, minlength=n_groups).astype(np.float64)
    smallest_of_axis = attainable(plan, n_by_group, n_permutations)["axis"][0]

    def exchanged(a: int, b: int, shift: Array) -> Array:
        """Differences (columns, B) after units have swapped their sides."""
        chunks = iter(exchanges)

        def next_draws(size: int) -> Array:
            is_exchanged = np.unpackbits(next(chunks), axis=1, count=units.n)
            moved = (is_exchanged.astype(np.float64) @ shift).reshape(size, n_groups, n_sums)
            swapped_a = evaluate(chosen, of_side(table, a) + moved)
            return evaluate(chosen, of_side(table, b) - moved) - swapped_a

        return draw(next_draws, n_permutations, chunk, (len(columns),))

    kind = kind_of(chosen, n_sums)

    def widened(a: int, b: int, is_still: list[Mask]) -> list[Array]:
        """Draws of differences, each (columns, B), where groups that are `is_still` in a side, of a and of b,
        have one more unit there.

        One side says in it what brings groups nearer, the other what sets them apart. Redrawn alone, units
        in which the sides never differ, or which all say the same, would have an interval of width 0.
        """
        if kind == "score" or not np.any(is_still):
            return []
        more = [
            [
                pseudo_rows(kind, of_side(table, side), units_by_group, apart) * still[:, None]
                for side, still in zip((a, b), is_still, strict=True)
            ]
            for apart in (False, True)
        ]
        weights = np.random.default_rng([seed, PSEUDO_UNIT_STREAM])
        next_both = units.tables(np.hstack([of_side(stacked, side) for side in (a, b)]), seed)

        def next_draws(size: int) -> Array:
            tables, weight = next_both(size), weights.exponential(size=(size, n_groups, 1))

            def of(side: int, apart: int) -> Array:
                return evaluate(chosen, of_side(tables, side) + weight * more[apart][side])

            return np.stack([of(1, 1) - of(0, 0), of(1, 0) - of(0, 1)])

        return list(draw(next_draws, booted.shape[-1], chunk, (2, len(columns))))

    def compare(a: int, b: int) -> list[Difference]:
        own = observed[b] - observed[a]
        shifts = of_side(cells, b) - of_side(cells, a)
        is_alike = ~shifts.any(axis=(0, 2))
        is_still = [is_alike | is_flat(kind, of_side(table, side)) for side in (a, b)]
        shift = shifts.reshape(units.n, -1)
        n_differing = int(shift.any(axis=1).sum())
        swapped = exchanged(a, b, shift)
        p_exchanged = chance(np.abs(swapped), np.abs(own)).p_value
        p_relabelled, null = np.full(len(own), np.nan), quantiles(swapped, NULL_LEVELS)
        draws = permuted[b] - permuted[a]
        null[is_axis] = quantiles(draws, NULL_LEVELS)
        centre = null[is_axis, 0]
        apart = np.abs(draws - centre[:, None]), np.abs(own[is_axis] - centre)
        p_relabelled[is_axis] = chance(*apart).p_value
        p_value = np.where(is_axis, np.maximum(p_exchanged, p_relabelled), p_exchanged)  # NaN where either is
        drawn = _without_rounding(booted[a], booted[b])
        interval = intervals(drawn, own, n_rested_on, widened(a, b, is_still))
        # An exchange and its complement give the same absolute difference.
        smallest = max(1 / (n_permutations + 1), 0.5 ** max(n_differing - 1, 0))
        found = []
        for column, (statistic, index) in enumerate(columns):
            has_value = bool(np.isfinite(own[column]))
            width = statistic.bounds[1] - statistic.bounds[0]
            ends = np.clip(interval[column], -width, width)
            has_interval = has_value and bool(np.isfinite(ends).all())
            statuses = [statistic.status(observed[s][column], of_side(table, s)) for s in (a, b)]
            attained = max(smallest, smallest_of_axis if index is None else 0)
            found.append(
                Difference(
                    statistic=statistic.name,
                    group=None if index is None else labels[index],
                    value_a=float(observed[a][column]),
                    value_b=float(observed[b][column]),
                    difference=float(own[column]),
                    status=next((status for status in statuses if status != "ok"), "ok"),
                    p_value=float(p_value[column]),
                    p_exchanged=float(p_exchanged[column]),
                    p_relabelled=float(p_relabelled[column]),
                    null_median=float(null[column, 0]),
                    null_p05=float(null[column, 1]),
                    null_p95=float(null[column, 2]),
                    ci_low=float(ends[0]) if has_interval else NAN,
                    ci_high=float(ends[1]) if has_interval else NAN,
                    ci_status=interval_status(has_value, has_interval, booted.shape[-1]),
                    n=float(n if index is None else n_by_group[index]),
                    n_units=int(units.n if index is None else units_by_group[index]),
                    n_units_differing=n_differing,
                    unit=unit,
                    min_attainable_p=float(attained) if has_value else NAN,
                )
            )
        return found

    return [compare(a, b) for a, b in pairs]


def _exchanges(n_units: int, n_draws: int, chunk: int, seed: int) -> list[NDArray[np.uint8]]:
    """Draw which units exchange their sides, for all pairs: chunks (draws, units / 8), a bit a unit."""
    rng = np.random.default_rng([seed, EXCHANGE_STREAM])
    sizes = [min(chunk, n_draws - start) for start in range(0, n_draws, chunk)]
    return [np.packbits(rng.integers(0, 2, (size, n_units)).astype(bool), axis=1) for size in sizes]


def _without_rounding(one: Array, other: Array) -> Array:
    """Return other - one, and 0 where they differ by rounding alone.

    A product of matrices may round equal columns differently, as the processor has it.
    """
    alike = np.isclose(one, other, rtol=1e-12, atol=1e-15)
    return np.where(alike, 0.0, other - one)
