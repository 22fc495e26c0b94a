"""What chance alone gives, by permutation, and what another draw of units would, by bootstrap.

Pure functions on arrays; nothing here opens a database. What is resampled are tables of sums
(`ingest.inference.sums`) or, in `resample_samples`, all values of groups. A value that cannot be computed is
NaN here; callers store NULL and the row's status.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ingest.inference.arrays import Array, first_rows
from ingest.inference.bounds import (
    Silent,
    blocks_by_group,
    largest_values,
    one_sided_bounds,
    other_units,
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
from ingest.inference.design import Design, canonical, resampling_unit
from ingest.inference.drawing import (
    Units,
    chance,
    draw,
    extremity,
    interval_status,
    intervals,
    n_valid,
    p_max,
)
from ingest.inference.families import tails
from ingest.inference.few_units import few_tables
from ingest.inference.group_statistics import STATISTICS
from ingest.inference.label_doubt import Doubt
from ingest.inference.means import mean_intervals
from ingest.inference.registry import (
    Statistic,
    check_sums,
    evaluate,
    kind_of,
    owners,
    units_rested_on,
)
from ingest.inference.relabelling import attainable, plan_for
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
    silent: Silent | None = None,
    n_outcomes: int = 0,
) -> list[Resampled]:
    """Permutation p-values, null quantiles and bootstrap intervals of `statistics`, one row a group or axis.

    `sums` (n, J) holds each response's row (see `ingest.inference.sums`); `statistics` are names of
    `STATISTICS`, all of the kind that J columns suit. Groups without responses get rows with status
    `empty_group` and are left out of everything else. `missing` counts the answers that each of the
    design's groups lacks. `strata` (n,) are codes of what else sets the answers apart: groups are then
    compared at equal weights of them, and shuffled within them. Sums that labels correct may be any numbers,
    and come with the `doubt` that the labels leave. `scale` are the ends between which a missing score lies;
    those of the scores that are there if unsaid. A missing outcome is one of `n_outcomes`, some of which
    nobody gave. `silent` are further groups that lack answers. The result depends on `seed`, not on the order
    of rows nor on `chunk_bytes`. Source: SPEC INF-1 to INF-3. Raises KeyError for an unknown statistic and
    ValueError for sums that do not fit.
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
    if doubt is None:
        size, n_strata = max(1, chunk_bytes // (3 * bytes_each)), n_sums // n_kind
        in_errors = gaps_in_errors(design, plan, kind, cell_sums, n_permutations, size, seed, n_strata)
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
    seen = (float(scores.min()), float(scores.max())) if kind == "score" else (0.0, 0.0)
    others = other_units(kind, table, units_by_group, seen) if doubt is None and not is_few else []
    weights = np.random.default_rng([seed, PSEUDO_UNIT_STREAM])

    moved_by_labels = doubt and doubt.drawn(kind, table, seed, BOOTSTRAP_STREAM)

    def redrawn(b: int) -> Array:
        drawn = compared(tables(b))
        apart = drawn + weights.exponential(size=(b, n_groups, 1)) * one_more
        ways = [drawn]
        ways += [drawn + weights.exponential(size=(b, n_groups, 1)) * other for other in others]
        if moved_by_labels is not None:
            moved, nearer = moved_by_labels(b)
            ways += [drawn + nearer, drawn + moved]
            apart = apart + moved
        own = [evaluate(chosen, way) for way in ways]
        return np.concatenate([*own, *([evaluate(judged_by, apart)] if judged_by else [])])

    bytes_each = 8 * (3 * units.n + 20 * n_groups * n_sums)
    n_columns = len(observed)
    n_own = n_columns * (1 + len(others) if doubt is None else 3)
    booted = draw(
        redrawn,
        n_bootstrap if units.is_enough or is_few else 0,
        max(1, chunk_bytes // bytes_each),
        (n_own + len(judged_by),),
    )
    redrawn_values, widened, apart = np.split(booted, [n_columns, n_own])
    booted = redrawn_values[:, :0] if is_few else redrawn_values
    wider = [widened[start : start + n_columns] for start in range(0, len(widened), n_columns)]
    # Units without a label do not tell how badly the labels read.
    telling = units_by_group if doubt is None else np.minimum(units_by_group, doubt.n_units)
    rested_on = units_rested_on(columns, telling)
    interval = intervals(booted, observed, rested_on, wider)
    largest = largest_values(chosen, kind, table, observed, is_corrected=doubt is not None)
    interval[:, 1] = np.minimum(interval[:, 1], largest)
    n_by_group = np.bincount(design.group, minlength=n_groups).astype(np.float64)
    rates = [index for index, (owner, _) in enumerate(columns) if owner.name == "selection_rate"]
    if rates and units.is_enough and n_bootstrap and doubt is None:
        interval[rates] = rate_intervals(observed[rates], booted[rates], n_by_group, units_by_group)
    means = [index for index, (owner, _) in enumerate(columns) if owner.name == "mean"]
    if means and units.is_enough and n_bootstrap and doubt is None and strata is None:
        limits = None if scale is None else np.array(scale, dtype=np.float64)[:, None]
        ends = mean_intervals(units, rows[:, :1], rows[:, 1:2], limits)[..., 0].T
        interval[means] = np.where(np.isfinite(ends + interval[means]), ends, interval[means])
    smallest = attainable(plan, n_by_group, n_permutations)
    n_permuted, n_booted = n_valid(permuted), n_valid(booted)
    place = {owner.name: index for index, (owner, group) in enumerate(columns) if group is None}
    own = [place[statistic.name] for statistic in judged_by]
    fewest = np.inf if is_few else float(telling.min())
    milder = [draws[own] for draws in (wider if doubt is None else wider[:1])]
    bounds = one_sided_bounds(judged_by, observed[own], redrawn_values[own], apart, fewest, milder)
    if is_few:
        bounds = without_mild_side(judged_by, bounds)
    bounds = np.minimum(bounds, largest[own][:, None])
    spread = seen if scale is None else (min(seen[0], scale[0]), max(seen[1], scale[1]))
    ends = worst_ends(judged_by, kind, table, lacking, spread, silent, n_outcomes)
    n_blocks = int(blocks_by_group(design.group, design.block, n_groups).min())
    beyond: dict[str, dict[str, Any]] = {}
    for index, statistic in enumerate(judged_by):
        at = place.get(statistic.tested_by, place[statistic.name])
        tail, null_tails = tails(permuted[[at]], observed[[at]], columns[at][0].extreme)
        if in_errors is not None:
            by_gap = chance(permuted[[at]], observed[[at]], columns[at][0].extreme)
            if in_errors.p_value(None) > by_gap.p_value[0]:
                tail, null_tails = tails(*in_errors.of_axis)
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
        p_values, highest = judged.p_value, p_max(most, observed[own], statistic.extreme, centre)
        if in_errors is not None:
            of = [columns[column][1] for column in own]
            p_values = np.maximum(p_values, [in_errors.p_value(group) for group in of])
            highest = np.maximum(highest, [in_errors.p_max(group) for group in of])
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
                ci_status=interval_status(has_value, has_interval, booted.shape[1]),
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
