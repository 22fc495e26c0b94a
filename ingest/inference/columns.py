"""Permutation and bootstrap of many columns that one design measured: rates, means, and other statistics.

Definitions, units and quantiles are those of `ingest.inference.resampling`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy  # its parts load when they are first used: some take longer than a small build
from numpy.typing import ArrayLike

from ingest.inference.arrays import Array, Codes, divide, only_where
from ingest.inference.bounds import other_units_of_means, other_units_of_rates
from ingest.inference.constants import CHUNK_BYTES, PERMUTATION_STREAM, PSEUDO_UNIT_STREAM
from ingest.inference.design import Design, Unit, canonical, unit_of_prompts
from ingest.inference.drawing import Units, chance, draw, intervals, p_max, rows_of
from ingest.inference.families import tails
from ingest.inference.group_statistics import DISPARITIES, MEAN, impact_ratio
from ingest.inference.means import mean_intervals
from ingest.inference.registry import evaluate_values, fewest_units
from ingest.inference.relabelling import Plan, Scheme, attainable, plan_for
from ingest.inference.samples import Column, Samples
from ingest.inference.studentised import GapsInErrors, cell_rows, is_unlike, paired_gaps, widest_gaps
from ingest.inference.sums import group_table


class Columns(NamedTuple):
    """One disparity of C columns with what chance alone gives: all arrays (C,). NaN as in `Resampled`."""

    value: Array
    p_value: Array
    null_median: Array
    null_p05: Array
    null_p95: Array
    ci_low: Array
    ci_high: Array


class Ratios(NamedTuple):
    """Each group's ratio to the highest, and to the chosen group, of C columns: all arrays (K, C).

    `p_max` is the p-value against the lowest ratio of each relabelling, the quantiles are those of the
    group's own; `chosen_*` is the interval of the ratio to the group that was chosen, NaN where none was.
    """

    ci_low: Array
    ci_high: Array
    p_max: Array
    null_median: Array
    null_p05: Array
    chosen_low: Array
    chosen_high: Array


class ColumnsResampled(NamedTuple):
    """Disparities by name; 95 % intervals of each group's value (K, C); ratios where they were asked for."""

    disparities: dict[str, Columns]
    value_low: Array
    value_high: Array
    ratios: Ratios | None
    unit: Unit
    permutation: Scheme
    n_units: int
    min_attainable_p: float  # of a disparity, as in `Resampled`
    range_tails: tuple[Array, Array] | None  # (C,) and (C, b), with ratios (`families.tails`)
    in_errors: list[GapsInErrors] | None  # of each column, where spreads matter


@dataclass(frozen=True)
class _Draws:
    """Group values as observed (C, K), of given relabellings (b, C, K), and of the next b resamples,
    (b, C, K) as drawn and, in the others of several `ways`, with units that widen what all say alike.

    `in_errors`, where spreads matter: groups' widest gaps in standard errors under relabellings (b, C, K).
    `units_by_group` (C, K) counts the units that a group's value rests on; `n_by_group` (K,) rows.
    """

    plan: Plan
    unit: Unit
    units: Units
    n_by_group: Array
    units_by_group: Array
    observed: Array
    relabelled: Callable[[Codes], Array]
    drawn: Callable[[int], list[Array]]
    ways: int = 1
    in_errors: Callable[[Codes], Array] | None = None

    def infer(
        self,
        n_permutations: int,
        n_bootstrap: int,
        seed: int,
        chunk: int,
        bounds: Array | None,
        references: Codes | None = None,
    ) -> ColumnsResampled:
        """Draw, and compare with what was observed.

        `bounds` (C, 2) are those of a group's value. With `references` there are ratios too: to the highest
        group, and to the one that it names of each column (C,), -1 for none.
        """
        n_columns, n_groups = self.observed.shape
        n_disparities = len(DISPARITIES)
        relabel = self.plan.labeller([seed, PERMUTATION_STREAM])

        def relabelled(b: int) -> Array:
            labels = relabel(b)
            values = self.relabelled(labels)
            own = [evaluate_values(DISPARITIES, values, MEAN)]
            own += [] if references is None else [impact_ratio(values).T]
            own += [] if self.in_errors is None else [self.in_errors(labels).T]
            return np.concatenate(own)

        def redrawn(b: int) -> Array:
            ways = [(evaluate_values(DISPARITIES, v, MEAN), v.T) for v in self.drawn(b)]
            return np.stack([np.concatenate(way) for way in ways])

        n_kinds = (references is not None) + (self.in_errors is not None)
        permuted = draw(relabelled, n_permutations, chunk, (n_disparities + n_kinds * n_groups, n_columns))
        gaps = None if self.in_errors is None else self._gaps(permuted[-n_groups:], self.in_errors)
        n_booted = n_bootstrap if self.units.is_enough else 0
        booted = draw(redrawn, n_booted, chunk, (self.ways, n_disparities + n_groups, n_columns))

        observed = evaluate_values(DISPARITIES, self.observed[None], MEAN)[..., 0]
        fewest = fewest_units(self.units_by_group, self.observed)
        disparities = {}
        for index, (one, own) in enumerate(zip(DISPARITIES, observed, strict=True)):
            judged = chance(permuted[index], own, one.extreme)
            if gaps is not None:
                judged = judged._replace(
                    p_value=np.maximum(judged.p_value, [gap.p_value(None) for gap in gaps])
                )
            ends = np.clip(intervals(booted[0, index], own, fewest, list(booted[1:, index])), *one.bounds)
            disparities[one.name] = Columns(own, *judged[:4], *ends.T)

        def by_group(draws: Array, own: Array, n_units: Array) -> Array:
            """Ends of intervals (2, K, C) of draws (ways, K, C, b)."""
            plain, *others = draws.reshape(self.ways, n_groups * n_columns, -1)
            found = intervals(plain, own.T.ravel(), n_units.T.ravel(), others)
            return found.T.reshape(2, n_groups, n_columns)

        values = booted[:, n_disparities:]
        value_low, value_high = by_group(values, self.observed, self.units_by_group)
        if bounds is not None:
            value_low, value_high = (np.clip(end, *bounds.T) for end in (value_low, value_high))
        ratios, beyond = None, None
        if references is not None:
            compared = np.repeat(fewest[:, None], n_groups, axis=1)
            own_ratios, of_draws = impact_ratio(self.observed), np.swapaxes(values, 1, 3)  # groups last
            to_highest = by_group(np.swapaxes(impact_ratio(of_draws), 1, 3), own_ratios, compared)
            divisor = np.where(references[:, None] >= 0, _value_of(self.observed, references), np.nan)
            to_chosen = np.swapaxes(divide(of_draws, _value_of(of_draws, references)), 1, 3)
            null = permuted[n_disparities : n_disparities + n_groups].reshape(n_groups * n_columns, -1)
            judged = chance(null, own_ratios.T.ravel(), "less")
            at = {one.name: index for index, one in enumerate(DISPARITIES)}
            lowest, spread = permuted[at["min_max_ratio"]], at["range"]
            p_lowest = np.stack([p_max(-m, own, "less") for m, own in zip(lowest, own_ratios, strict=True)])
            if gaps is not None:
                p_lowest = np.maximum(p_lowest, [[gap.p_max(k) for k in range(n_groups)] for gap in gaps])
            has_p = np.isfinite(own_ratios) & np.isfinite(disparities["min_max_ratio"].null_median)[:, None]
            low, high = np.clip(to_highest, 0, 1)
            chosen = by_group(to_chosen, divide(self.observed, divisor), compared)
            chosen_low, chosen_high = np.maximum(chosen, 0)
            median, p05 = (of.reshape(n_groups, n_columns) for of in (judged.null_median, judged.null_p05))
            ratios = Ratios(low, high, only_where(has_p, p_lowest).T, median, p05, chosen_low, chosen_high)
            beyond = tails(permuted[spread], observed[spread])
            by_gap = chance(permuted[spread], observed[spread]).p_value
            for column, gap in enumerate(gaps or []):
                if gap.p_value(None) > by_gap[column]:
                    for of, own in zip(beyond, tails(*gap.of_axis), strict=True):
                        of[column] = own[0]
        smallest = float(attainable(self.plan, self.n_by_group, n_permutations)["axis"][0])
        shared = (self.unit, self.plan.scheme, self.units.n, smallest)
        return ColumnsResampled(disparities, value_low, value_high, ratios, *shared, beyond, gaps)

    def _gaps(self, null: Array, in_errors: Callable[[Codes], Array]) -> list[GapsInErrors]:
        """Gaps in standard errors of each column, from those of relabellings (K, C, b)."""
        own = in_errors(self.plan.layers[0].label[None])[0]
        return [GapsInErrors(null[:, column], one) for column, one in enumerate(own)]


def _value_of(values: Array, references: Codes) -> Array:
    """Values (..., C, K) of one group a column, (..., C, 1)."""
    index = np.broadcast_to(references[:, None], (*values.shape[:-1], 1))
    return np.take_along_axis(values, index, axis=-1)


def resample_columns(
    design: Design,
    counts: ArrayLike,
    sums: ArrayLike,
    n_permutations: int = 2000,
    n_bootstrap: int = 1000,
    seed: int = 0,
    chunk_bytes: int = 8 * CHUNK_BYTES,
    bounds: ArrayLike | None = None,
    with_ratios: bool = True,
    references: Sequence[str | None] | None = None,
    are_shares: bool = False,
) -> ColumnsResampled:
    """Permutation and bootstrap of the disparities of C means (or rates) that one design measured.

    `counts` and `sums` (n, C) hold how many values a prompt has in each column and their sum; a group's value
    is the ratio of its sums, and all columns share their relabellings. The rows of `design` are prompts, each
    with all its repeats. Definitions, units and quantiles are those of `resample` (SPEC INF-1 to INF-3).
    `bounds` are those of a mean, (2,) or by column (C, 2); `references` labels, by column, a group to which
    ratios are wanted too. Rates without ratios are said to be shares. Raises ValueError for arrays that do
    not fit, and where only single responses can vary.
    """
    n_of, sum_of = np.asarray(counts, dtype=np.float64), np.asarray(sums, dtype=np.float64)
    if n_of.ndim != 2 or n_of.shape != sum_of.shape or len(n_of) != len(design.group):
        raise ValueError("counts and sums must be (n, C), one row per prompt")
    unit = unit_of_prompts(design)
    n_columns = n_of.shape[1]
    design, rows = canonical(design, np.hstack([n_of, sum_of]))
    n_groups = len(design.labels)
    plan = plan_for(design, unit)
    units = Units.of(design.group, design.units(unit))
    cell_sums = group_table(plan.cell, rows, int(plan.cell.max()) + 1)
    tables = units.tables(rows, seed)

    def values_of(tables: Array) -> Array:
        """Tables (b, K, 2C) -> group values (b, C, K)."""
        return np.swapaxes(divide(tables[..., n_columns:], tables[..., :n_columns]), -1, -2)

    def summed(labels: Codes, of_cells: Array) -> Array:
        """Sums (b, K, J) of the cells' (cells, J) under labels (b, cells)."""
        size = len(labels)
        target = (labels + (np.arange(size) * n_groups)[:, None]).ravel()
        held = (np.ones(len(target)), (target, np.tile(np.arange(len(cell_sums)), size)))
        members = scipy.sparse.csr_matrix(held, shape=(size * n_groups, len(cell_sums)))
        return np.asarray(members @ of_cells).reshape(size, n_groups, -1)

    # Means have the standard errors of ratios of sums, whether of rates or of scores.
    squares = cell_rows("selection", np.stack(np.split(cell_sums, 2, axis=1), axis=-1))

    def in_errors(labels: Codes) -> Array:
        if plan.scheme == "within_blocks":
            of_columns = (paired_gaps(plan, one, labels, n_groups) for one in np.swapaxes(squares, 0, 1))
            return np.stack(list(of_columns), axis=1)
        tables = summed(labels, squares.reshape(len(squares), -1))
        by_column = np.swapaxes(tables.reshape(len(labels), n_groups, n_columns, -1), 1, 2)
        return widest_gaps(by_column, is_share=with_ratios or are_shares)

    table, units_by_group = group_table(design.group, rows, n_groups), units.by_group(rows[:, :n_columns])
    if with_ratios:
        others = other_units_of_rates(table, units_by_group)
    else:
        others = other_units_of_means(rows, design.group, table, units_by_group)
    weights = np.random.default_rng([seed, PSEUDO_UNIT_STREAM])

    def drawn(b: int) -> list[Array]:
        plain = tables(b)
        mixed = [plain + weights.exponential(size=(b, n_groups, 1)) * other for other in others]
        return [values_of(own) for own in (plain, *mixed)]

    draws = _Draws(
        plan,
        unit,
        units,
        np.bincount(design.group, minlength=n_groups).astype(np.float64),
        units_by_group.T,
        values_of(table),
        lambda labels: values_of(summed(labels, cell_sums)),
        drawn,
        1 + len(others),
        in_errors if is_unlike(plan, design.group, cell_sums[:, :n_columns].sum(1)) else None,
    )
    # Of each draw there are labels of all cells, their places in sums, and how often each unit is drawn.
    chunk = max(1, chunk_bytes // (8 * (10 * n_groups * n_columns + 8 * len(rows))))
    limits = None if bounds is None else np.broadcast_to(bounds, (n_columns, 2))
    chosen = None
    if with_ratios:
        position = {label: index for index, label in enumerate(design.labels)}
        chosen = np.array([position.get(label or "", -1) for label in references or [None] * n_columns])
    found = draws.infer(n_permutations, n_bootstrap, seed, chunk, limits, chosen)
    if with_ratios or are_shares or not (units.is_enough and n_bootstrap):
        return found
    counts, sums = np.split(rows, 2, axis=1)
    ends = mean_intervals(units, counts, sums, None if limits is None else limits.T)
    drawn_ends = [found.value_low, found.value_high]
    low, high = np.where(np.isfinite(ends + drawn_ends), ends, drawn_ends)
    return found._replace(value_low=low, value_high=high)


def resample_samples(
    design: Design,
    values: ArrayLike,
    columns: Sequence[Column],
    baselines: ArrayLike | None = None,
    edges: Sequence[tuple[float, float]] | None = None,
    n_permutations: int = 2000,
    n_bootstrap: int = 1000,
    seed: int = 0,
    chunk_bytes: int = CHUNK_BYTES,
) -> ColumnsResampled:
    """As `resample_columns`, of statistics that are no ratio of sums, with the same relabellings.

    `values` and `baselines` (n, F) hold F features, one row per response, NaN where there is none; `columns`
    are S statistics with their parameters. Results have F * S columns, a feature's statistics side by side.
    `edges` are, by feature, the ends of bins that groups share; they, like standards, are those of the
    observed data and not drawn again. Raises ValueError as `resample_columns` does.
    """
    x = np.asarray(values, dtype=np.float64)
    y = None if baselines is None else np.asarray(baselines, dtype=np.float64)
    if x.ndim != 2 or len(x) != len(design.group) or (y is not None and y.shape != x.shape):
        raise ValueError("values and baselines must be (n, F), one row per response")
    unit = unit_of_prompts(design)
    n_features = x.shape[1]
    design, rows = canonical(design, x if y is None else np.hstack([x, y]))
    n_groups = len(design.labels)
    plan = plan_for(design, unit)
    units = Units.of(design.group, design.units(unit))
    ends = edges if edges is not None else [(0.0, 1.0)] * n_features
    # The row after the last one has no value.
    padded = np.vstack([rows, np.full((1, rows.shape[1]), np.nan)])
    features = [np.ascontiguousarray(padded[:, index]) for index in range(padded.shape[1])]

    def values_of(indices: Codes) -> Array:
        """Rows of groups (b, K, M) -> group values (b, F * S, K)."""
        found = []
        for feature in range(n_features):
            others = None if y is None else features[n_features + feature][indices]
            samples = Samples(features[feature][indices], others, ends[feature])
            found += [column.of(samples) for column in columns]
        return np.stack(found, axis=1)

    drawn = units.rows(seed)
    observed = rows_of(design.group[None], n_groups)
    is_there = np.isfinite(rows[:, :n_features])
    if y is not None:
        is_there &= np.isfinite(rows[:, n_features:])
    draws = _Draws(
        plan,
        unit,
        units,
        np.bincount(design.group, minlength=n_groups).astype(np.float64),
        np.repeat(units.by_group(is_there), len(columns), axis=1).T,
        values_of(observed)[0],
        lambda labels: values_of(rows_of(labels[:, plan.cell], n_groups)),
        lambda b: [values_of(drawn(b))],
    )
    chunk = max(1, chunk_bytes // (8 * 6 * observed.size))
    bounds = np.tile([column.bounds for column in columns], (n_features, 1))
    return draws.infer(n_permutations, n_bootstrap, seed, chunk, bounds)
