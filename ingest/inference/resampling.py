"""What chance alone gives, by permutation, and what another draw of units would, by bootstrap.

Pure functions on arrays; nothing here opens a database. What is resampled are tables of sums
(`ingest.inference.sums`) or, in `resample_samples`, all values of groups. A value that cannot be computed is
NaN here; callers store NULL and the row's status.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy  # its parts load when they are first used: some take longer than a small build
from numpy.typing import ArrayLike

from ingest.inference.arrays import Array, Codes, divide, first_rows, only_where
from ingest.inference.bounds import (
    blocks_by_group,
    one_other_unit,
    one_sided_bounds,
    other_units_of_rates,
    pseudo_rows,
    rate_intervals,
    without_mild_side,
    worst_ends,
)
from ingest.inference.constants import (
    BOOTSTRAP_STREAM,
    CHUNK_BYTES,
    PERMUTATION_STREAM,
    PSEUDO_UNIT_STREAM,
)
from ingest.inference.design import Design, Unit, canonical, resampling_unit, unit_of_prompts
from ingest.inference.drawing import (
    Units,
    chance,
    draw,
    extremity,
    intervals,
    n_valid,
    p_max,
    rows_of,
)
from ingest.inference.families import tails
from ingest.inference.few_units import few_tables
from ingest.inference.group_statistics import DISPARITIES, MEAN, STATISTICS, impact_ratio
from ingest.inference.label_doubt import Doubt
from ingest.inference.registry import (
    Statistic,
    check_sums,
    evaluate,
    evaluate_values,
    fewest_units,
    kind_of,
    owners,
    units_rested_on,
)
from ingest.inference.relabelling import Plan, Scheme, attainable, plan_for
from ingest.inference.samples import Column, Samples
from ingest.inference.strata import spread_out, standardised, stratum_of
from ingest.inference.studentised import gaps_in_errors
from ingest.inference.sums import group_table, relabelled_tables

NAN = float("nan")


class Resampled(NamedTuple):
    """One statistic of one group, or of the axis (`group` None), with what chance alone gives.

    `p_value` is (1 + relabellings at least as extreme) / (1 + B), `p_max` the same against the most extreme
    group of the axis; both NaN where fewer than 90 % of the relabellings gave a value (one that gave none
    counts as extreme). `null_*` are quantiles of the relabelled values, `ci_*` the 95 % percentile interval.
    `n_permutations` and `n_bootstrap` count the resamples that gave a value. `n_units` counts units of level
    `unit` in the group, or in all; `permutation` says what was shuffled. `min_attainable_p` is the smallest p
    that the design allows.

    Of a number that limits judge there are one-sided 95 % bounds (`bound_*`), the values that missing
    answers could give (`value_*`), `n_blocks`, the fewest blocks of a group, and how far it lies beyond
    chance: `tail`, with that of every relabelling, `null_tails` (b,) (`ingest.inference.families.tails`).
    """

    statistic: str
    group: str | None
    value: float
    status: str
    p_value: float
    p_max: float
    null_median: float
    null_p05: float
    null_p95: float
    ci_low: float
    ci_high: float
    ci_status: str
    n: float
    n_units: int
    n_permutations: int
    n_bootstrap: int
    unit: str
    permutation: str
    min_attainable_p: float
    bound_low: float = NAN
    bound_high: float = NAN
    value_low: float = NAN
    value_high: float = NAN
    n_blocks: int = 0
    tail: float = NAN
    null_tails: tuple[float, ...] | None = None

    def row(self) -> dict[str, Any]:
        """The row of a table; the axis's `group_value` is ''."""
        named: dict[str, Any] = {"group_value": self.group or "", "resampling_unit": self.unit}
        if self.null_tails is not None:  # thousands of analyses keep theirs until all are written
            named |= {"null_tails": np.array(self.null_tails, np.float32)}
        return self._asdict() | named | {"permutation_scheme": self.permutation}


def _missing(statistic: Statistic, group: str | None, unit: str, scheme: str) -> Resampled:
    """The row of a group without responses, or of an axis without any."""
    return Resampled(
        statistic.name, group, NAN, "empty_group", NAN, NAN, NAN, NAN, NAN, NAN, NAN, "not_applicable",
        0.0, 0, 0, 0, unit, scheme, NAN,
    )  # fmt: skip


def resample(
    design: Design,
    sums: ArrayLike,
    statistics: Iterable[str],
    n_permutations: int = 2000,
    n_bootstrap: int = 1000,
    seed: int = 0,
    chunk_bytes: int = CHUNK_BYTES,
    missing: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    doubt: Doubt | None = None,
    scale: tuple[float, float] | None = None,
) -> list[Resampled]:
    """Permutation p-values, null quantiles and bootstrap intervals of `statistics`, one row a group or axis.

    `sums` (n, J) holds each response's row (see `ingest.inference.sums`); `statistics` are names of
    `STATISTICS`, all of the kind that J columns suit. Groups without responses get rows with status
    `empty_group` and are left out of everything else. `missing` counts the answers that each of the
    design's groups lacks. `strata` (n,) are codes of what else sets the answers apart: groups are then
    compared at equal weights of them, and shuffled within them. Sums that labels correct may be any numbers,
    and come with the `doubt` that the labels leave. `scale` are the ends between which a missing score lies;
    those of the scores that are there if unsaid. The result depends on `seed`, not on the order of rows
    nor on `chunk_bytes`. Source: SPEC INF-1 to INF-3. Raises KeyError for an unknown statistic and ValueError
    for sums that do not fit.
    """
    chosen = [STATISTICS[name] for name in statistics]
    judged_by = [statistic for statistic in chosen if statistic.tested_by]
    rows = np.asarray(sums, dtype=np.float64)
    check_sums(design, rows, chosen, min(n_permutations, n_bootstrap), doubt is not None)
    full_labels = design.labels
    if not len(rows):
        return [
            _missing(statistic, group, resampling_unit(design), "responses")
            for statistic in chosen
            for group in (full_labels if statistic.level == "group" else (None,))
        ]
    lacking = np.zeros(len(full_labels)) if missing is None else np.asarray(missing, dtype=np.float64)
    lacking = lacking[np.unique(design.group)]
    kind, n_kind = kind_of(chosen, rows.shape[1]), rows.shape[1]
    scores = rows[:, 1] if kind == "score" else np.zeros(1)
    if strata is not None:
        rows = spread_out(rows, np.asarray(strata, dtype=np.int64))
    design, rows = canonical(design, rows)
    n_groups, n_sums = len(design.labels), rows.shape[1]
    unit = resampling_unit(design)
    plan = plan_for(design, unit, None if strata is None else stratum_of(rows, n_kind))
    units = Units.of(design.group, design.units(unit))
    columns = owners(chosen, n_groups)

    def compared(tables: Array) -> Array:
        return tables if strata is None else standardised(tables, kind, n_kind)

    table = compared(group_table(design.group, rows, n_groups))
    observed = evaluate(chosen, table[None])[:, 0]

    cell_sums = group_table(plan.cell, rows, int(plan.cell.max()) + 1)
    relabel = plan.labeller([seed, PERMUTATION_STREAM])
    # Labels twice, index and weight of each non-zero sum, and some ten temporaries of a table's size.
    bytes_each = 8 * (4 * len(cell_sums) + 10 * n_groups * n_sums)
    open_to = doubt and doubt.either(kind, table, seed, PERMUTATION_STREAM)

    def relabelled(b: int) -> Array:
        tables = compared(relabelled_tables(relabel(b), cell_sums, n_groups))
        return evaluate(chosen, tables if open_to is None else tables + open_to(b))

    permuted = draw(
        relabelled,
        n_permutations,
        max(1, chunk_bytes // bytes_each),
        observed.shape,
    )

    in_errors = None
    if judged_by and doubt is None and strata is None:
        size = max(1, chunk_bytes // (3 * bytes_each))
        in_errors = gaps_in_errors(design, plan, kind, cell_sums, n_permutations, size, seed)
    units_by_group = units.by_group(np.ones((len(rows), 1)))[:, 0]
    # Too few to redraw: an interval would be too short, a bound comes of how alike their answers are.
    is_few = not units.is_enough and units.is_nested and units_by_group.min() >= 2
    is_few = is_few and strata is None and doubt is None
    tables = units.tables(rows, seed)
    if is_few:
        of_units = group_table(units.of_row, rows, units.n)
        of_unit = design.group[first_rows(units.of_row)]
        tables = few_tables(kind, of_units, of_unit, np.random.default_rng([seed, BOOTSTRAP_STREAM]))
    one_more = pseudo_rows(kind, table, units_by_group)
    one_other = one_other_unit(kind, table, units_by_group)
    is_widened = doubt is None and not is_few and bool(one_other.any())
    weights = np.random.default_rng([seed, PSEUDO_UNIT_STREAM])

    moved_by_labels = doubt and doubt.drawn(kind, table, seed, BOOTSTRAP_STREAM)

    def redrawn(b: int) -> Array:
        drawn = compared(tables(b))
        apart = drawn + weights.exponential(size=(b, n_groups, 1)) * one_more
        ways = [drawn]
        if is_widened:
            ways.append(drawn + weights.exponential(size=(b, n_groups, 1)) * one_other)
        if moved_by_labels is not None:
            moved, nearer = moved_by_labels(b)
            ways += [drawn + nearer, drawn + moved]
            apart = apart + moved
        own = [evaluate(chosen, way) for way in ways]
        return np.concatenate([*own, *([evaluate(judged_by, apart)] if judged_by else [])])

    bytes_each = 8 * (3 * units.n + 20 * n_groups * n_sums)
    n_columns = len(observed)
    n_own = n_columns * (2 if is_widened else 1 if doubt is None else 3)
    booted = draw(
        redrawn,
        n_bootstrap if units.is_enough or is_few else 0,
        max(1, chunk_bytes // bytes_each),
        (n_own + len(judged_by),),
    )
    redrawn_values, others, apart = np.split(booted, [n_columns, n_own])
    booted = redrawn_values[:, :0] if is_few else redrawn_values
    wider = [others[start : start + n_columns] for start in range(0, len(others), n_columns)]
    # Units without a label do not tell how badly the labels read.
    telling = units_by_group if doubt is None else np.minimum(units_by_group, doubt.n_units)
    rested_on = units_rested_on(columns, telling)
    interval = intervals(booted, observed, rested_on, wider)
    n_by_group = np.bincount(design.group, minlength=n_groups).astype(np.float64)
    rates = [index for index, (owner, _) in enumerate(columns) if owner.name == "selection_rate"]
    if rates and units.is_enough and n_bootstrap and doubt is None:
        interval[rates] = rate_intervals(observed[rates], booted[rates], n_by_group, units_by_group)
    smallest = attainable(plan, n_by_group, n_permutations)
    n_permuted, n_booted = n_valid(permuted), n_valid(booted)
    place = {owner.name: index for index, (owner, group) in enumerate(columns) if group is None}
    own = [place[statistic.name] for statistic in judged_by]
    fewest = np.inf if is_few else float(telling.min())
    milder = wider[0][own] if wider else None
    bounds = one_sided_bounds(judged_by, observed[own], redrawn_values[own], apart, fewest, milder)
    if is_few:
        bounds = without_mild_side(judged_by, bounds)
    spread = (float(scores.min()), float(scores.max())) if kind == "score" else (0.0, 0.0)
    if kind == "score" and scale is not None:
        spread = (min(spread[0], scale[0]), max(spread[1], scale[1]))
    ends = worst_ends(judged_by, kind, table, lacking, spread)
    n_blocks = int(blocks_by_group(design.group, design.block, n_groups).min())
    beyond: dict[str, dict[str, Any]] = {}
    for index, statistic in enumerate(judged_by):
        at = place.get(statistic.tested_by, place[statistic.name])
        tail, null_tails = tails(permuted[[at]], observed[[at]], columns[at][0].extreme)
        if in_errors is not None:
            by_gap = chance(permuted[[at]], observed[[at]], columns[at][0].extreme)
            if in_errors.p_value > by_gap.p_value[0]:
                tail, null_tails = tails(in_errors.null, in_errors.own)
        beyond[statistic.name] = {
            "bound_low": float(bounds[index, 0]),
            "bound_high": float(bounds[index, 1]),
            "value_low": float(ends[index, 0]),
            "value_high": float(ends[index, 1]),
            "n_blocks": n_blocks,
            "tail": float(tail[0]),
            "null_tails": tuple(null_tails[0].tolist()) if np.isfinite(tail[0]) else None,
        }

    found: dict[tuple[str, str | None], Resampled] = {}
    for statistic in chosen:
        own = [index for index, (owner, _) in enumerate(columns) if owner is statistic]
        centre = float(statistic.centre(table)) if statistic.centre is not None else 0.0
        judged = chance(permuted[own], observed[own], statistic.extreme, centre)
        most = extremity(permuted[own], statistic.extreme, centre).max(axis=0)
        p_values = judged.p_value
        if in_errors is not None and statistic.tested_by:
            p_values = np.maximum(p_values, in_errors.p_value)
        highest = p_max(most, observed[own], statistic.extreme, centre)
        for index, column in enumerate(own):
            group = columns[column][1]
            label = None if group is None else design.labels[group]
            has_value, has_interval = np.isfinite(observed[column]), np.isfinite(interval[column]).all()
            low, high = np.clip(interval[column], *statistic.bounds) if has_interval else (NAN, NAN)
            found[statistic.name, label] = Resampled(
                statistic=statistic.name,
                group=label,
                value=float(observed[column]),
                status=statistic.status(observed[column], table),
                p_value=float(p_values[index]),
                p_max=float(highest[index]) if judged.is_tested[index] else NAN,
                null_median=float(judged.null_median[index]),
                null_p05=float(judged.null_p05[index]),
                null_p95=float(judged.null_p95[index]),
                ci_low=float(low),
                ci_high=float(high),
                ci_status="not_applicable" if not has_value else "ok" if has_interval else "too_few",
                n=float(n_by_group.sum() if group is None else n_by_group[group]),
                n_units=int(units.n if group is None else units_by_group[group]),
                n_permutations=int(n_permuted[column]),
                n_bootstrap=int(n_booted[column]),
                unit=unit,
                permutation=plan.scheme,
                min_attainable_p=float(smallest[statistic.symmetry][group or 0]) if has_value else NAN,
                **beyond.get(statistic.name, {}),
            )
    return [
        found.get((statistic.name, label)) or _missing(statistic, label, unit, plan.scheme)
        for statistic in chosen
        for label in (full_labels if statistic.level == "group" else (None,))
    ]


# ------------------------------------------------------------------- many columns of one design at once


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


@dataclass(frozen=True)
class _Draws:
    """Group values as observed (C, K), of given relabellings (b, C, K), and of the next b resamples,
    (b, C, K) as drawn and, in the second of two `ways`, with units that widen what all say alike.

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
        labels = self.plan.labeller([seed, PERMUTATION_STREAM])

        def relabelled(b: int) -> Array:
            values = self.relabelled(labels(b))
            own = evaluate_values(DISPARITIES, values, MEAN)
            return own if references is None else np.concatenate([own, impact_ratio(values).T])

        def redrawn(b: int) -> Array:
            ways = [(evaluate_values(DISPARITIES, v, MEAN), v.T) for v in self.drawn(b)]
            return np.stack([np.concatenate(way) for way in ways])

        n_rows = n_disparities + (0 if references is None else n_groups)
        permuted = draw(relabelled, n_permutations, chunk, (n_rows, n_columns))
        n_booted = n_bootstrap if self.units.is_enough else 0
        booted = draw(redrawn, n_booted, chunk, (self.ways, n_disparities + n_groups, n_columns))

        observed = evaluate_values(DISPARITIES, self.observed[None], MEAN)[..., 0]
        fewest = fewest_units(self.units_by_group, self.observed)
        disparities = {}
        for index, (one, own) in enumerate(zip(DISPARITIES, observed, strict=True)):
            judged = chance(permuted[index], own, one.extreme)
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
            null = permuted[n_disparities:].reshape(n_groups * n_columns, -1)
            judged = chance(null, own_ratios.T.ravel(), "less")
            at = {one.name: index for index, one in enumerate(DISPARITIES)}
            lowest, spread = permuted[at["min_max_ratio"]], at["range"]
            p_lowest = np.stack([p_max(-m, own, "less") for m, own in zip(lowest, own_ratios, strict=True)])
            has_p = np.isfinite(own_ratios) & np.isfinite(disparities["min_max_ratio"].null_median)[:, None]
            low, high = np.clip(to_highest, 0, 1)
            chosen = by_group(to_chosen, divide(self.observed, divisor), compared)
            chosen_low, chosen_high = np.maximum(chosen, 0)
            median, p05 = (of.reshape(n_groups, n_columns) for of in (judged.null_median, judged.null_p05))
            ratios = Ratios(low, high, only_where(has_p, p_lowest).T, median, p05, chosen_low, chosen_high)
            beyond = tails(permuted[spread], observed[spread])
        smallest = float(attainable(self.plan, self.n_by_group, n_permutations)["axis"][0])
        shared = (self.unit, self.plan.scheme, self.units.n, smallest)
        return ColumnsResampled(disparities, value_low, value_high, ratios, *shared, beyond)


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
    bounds: tuple[float, float] | None = None,
    with_ratios: bool = True,
    references: Sequence[str | None] | None = None,
) -> ColumnsResampled:
    """Permutation and bootstrap of the disparities of C means (or rates) that one design measured.

    `counts` and `sums` (n, C) hold how many values a prompt has in each column and their sum; a group's value
    is the ratio of its sums, and all columns share their relabellings. The rows of `design` are prompts, each
    with all its repeats. Definitions, units and quantiles are those of `resample` (SPEC INF-1 to INF-3).
    `bounds` are those of a mean; `references` labels, by column, a group to which ratios are wanted too.
    Raises ValueError for arrays that do not fit, and where only single responses can vary.
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

    def relabelled(labels: Codes) -> Array:
        size = len(labels)
        target = (labels + (np.arange(size) * n_groups)[:, None]).ravel()
        held = (np.ones(len(target)), (target, np.tile(np.arange(len(cell_sums)), size)))
        members = scipy.sparse.csr_matrix(held, shape=(size * n_groups, len(cell_sums)))
        return values_of((members @ cell_sums).reshape(size, n_groups, 2 * n_columns))

    table, units_by_group = group_table(design.group, rows, n_groups), units.by_group(rows[:, :n_columns])
    one_other = other_units_of_rates(table, units_by_group) if with_ratios else np.zeros(0)
    ways = 2 if one_other.any() else 1
    weights = np.random.default_rng([seed, PSEUDO_UNIT_STREAM])

    def drawn(b: int) -> list[Array]:
        plain = tables(b)
        mixed = [plain + weights.exponential(size=(b, n_groups, 1)) * one_other for _ in range(1, ways)]
        return [values_of(own) for own in (plain, *mixed)]

    draws = _Draws(
        plan,
        unit,
        units,
        np.bincount(design.group, minlength=n_groups).astype(np.float64),
        units_by_group.T,
        values_of(table),
        relabelled,
        drawn,
        ways,
    )
    chunk = max(1, chunk_bytes // (8 * 10 * n_groups * n_columns))
    limits, chosen = None if bounds is None else np.tile(bounds, (n_columns, 1)), None
    if with_ratios:
        position = {label: index for index, label in enumerate(design.labels)}
        chosen = np.array([position.get(label or "", -1) for label in references or [None] * n_columns])
    return draws.infer(n_permutations, n_bootstrap, seed, chunk, limits, chosen)


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
