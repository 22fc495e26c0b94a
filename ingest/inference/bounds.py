"""How far a judged number could lie from the truth: one-sided bounds over units, and missing answers.

A table of groups by sums (`ingest.inference.sums`) is one draw, or one way to fill in what is missing.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy  # its parts load when they are first used: some take longer than a small build
from numpy.typing import ArrayLike

from ingest.inference.arrays import Array, Codes, Mask, divide, only_where
from ingest.inference.constants import ALPHA, CHUNK_BYTES
from ingest.inference.drawing import quantiles
from ingest.inference.rates import design_effects
from ingest.inference.registry import Statistic, evaluate
from ingest.inference.sums import Kind, group_table, sums_of


class Silent(NamedTuple):
    """Groups that would be compared with the answers that are missing, and are not without.

    The sums of the few answers that were read (S, J), and how many each group lacks (S,).
    """

    sums: Array
    missing: Array

    @classmethod
    def of(cls, kind: Kind, counted: Sequence[tuple[Any, ...]]) -> "Silent | None":
        """From rows of group, code of an outcome, value, how often it was read, and what the group lacks."""
        if not counted:
            return None
        groups, codes, values, n_read, missing = zip(*counted, strict=True)
        sums = sums_of(kind, [code or 0 for code in codes], [value or 0 for value in values])
        _, first, group = np.unique(groups, return_index=True, return_inverse=True)
        read = group_table(group, sums * np.array(n_read)[:, None], len(first))
        return cls(read, np.array(missing, dtype=np.float64)[first])

    def beside(self, table: Array, lacking: Array) -> tuple[Array, Array]:
        """A table (K, J) and what its groups lack (K,), with these groups behind; outcomes may be more."""
        width = max(table.shape[1], self.sums.shape[1])
        tables = [np.pad(one, ((0, 0), (0, width - one.shape[1]))) for one in (table, self.sums)]
        return np.concatenate(tables), np.concatenate([lacking, self.missing])


def pseudo_rows(kind: Kind, table: Array, units_by_group: ArrayLike, is_apart: bool = True) -> Array:
    """One more unit of each group, on the outcome that sets it further apart, (K, J); 0 for scores.

    Its sums are those of the group's mean unit. It goes to the outcome that the group has most in excess of
    the others, or without any excess to one outcome and the next by turns. With a weight drawn from an
    exponential distribution, a group of n units that all say the same has the bound 1 - 0.05^(1/n) of the
    exact binomial ("rule of three"), where redrawing the units alone gives a width of 0. Where not
    `is_apart` it goes to the outcome that brings the group nearer.
    """
    if kind == "score":
        return np.zeros_like(table)
    counts = outcome_counts(kind, table)
    chosen = farthest_outcomes(counts, is_apart)
    sizes = divide(counts.sum(1), np.asarray(units_by_group, dtype=np.float64))
    return sums_of_counts(kind, sizes[:, None] * np.eye(counts.shape[1])[chosen])


def farthest_outcomes(counts: Array, is_apart: bool = True) -> Codes:
    """The outcome of each group that sets it further apart from the others (K,), of counts (K, J): that of
    which it has most in excess; or the one that brings it nearer."""
    shares = divide(counts, counts.sum(1, keepdims=True))
    excess = shares - divide(counts.sum(0), counts.sum())
    turn = np.arange(len(counts)) + (0 if is_apart else 1)
    by_turns = np.argsort(counts.sum(0), kind="stable")[turn % 2]
    is_flat = np.abs(excess).max(axis=1) <= 1e-12
    chosen: Codes = np.where(is_flat, by_turns, (excess if is_apart else -excess).argmax(axis=1))
    return chosen


def is_flat(kind: Kind, table: Array) -> Mask:
    """Whether all answers of a group are one outcome, (K,); never of scores, nor of an empty group."""
    if kind == "score":
        return np.zeros(len(table), dtype=bool)
    counts = outcome_counts(kind, table)
    n = counts.sum(1)
    return np.asarray((n > 0) & (counts.max(1) >= n * (1 - 1e-12)))


def one_other_unit(kind: Kind, table: Array, units_by_group: ArrayLike) -> Array:
    """One more unit, (K, J), of each group whose answers are all one outcome: one that differs; else 0.

    Redrawn alone, units that all say the same would have intervals and milder bounds of width 0.
    """
    nearer, apart = (pseudo_rows(kind, table, units_by_group, is_apart) for is_apart in (False, True))
    is_same = np.any(outcome_counts(kind, nearer) * outcome_counts(kind, table), axis=1, keepdims=True)
    other: Array = np.where(is_same, apart, nearer) * is_flat(kind, table)[:, None]
    return other


def other_units(
    kind: Kind, table: Array, units_by_group: ArrayLike, spread: tuple[float, float]
) -> list[Array]:
    """Ways (K, J) to add one more unit to groups that say the same throughout, none where there are no such.

    Of outcomes `one_other_unit` is the only way; of scores, which `spread` so far, a unit at either end.
    """
    if kind != "score":
        other = one_other_unit(kind, table, units_by_group)
        return [other] if other.any() else []
    n, total, squares = table.T
    is_alike = (n > 0) & (n * squares - total**2 <= 1e-12 * n * squares)
    if not is_alike.any() or spread[0] == spread[1]:
        return []
    sizes = divide(n, np.asarray(units_by_group, dtype=np.float64)) * is_alike
    return [sizes[:, None] * [1.0, end, end**2] for end in spread]


def other_units_of_means(rows: Array, group: Codes, table: Array, units_by_group: Array) -> list[Array]:
    """`other_units` of C means at once: rows (n, 2C) and table (K, 2C) of counts, then sums; units (K, C)."""
    n_columns = units_by_group.shape[1]
    means = divide(rows[:, n_columns:], rows[:, :n_columns])
    low, high = np.fmin.reduce(means), np.fmax.reduce(means)
    own = [means[group == index] for index in range(len(table))]
    spreads = np.stack([np.fmax.reduce(one) - np.fmin.reduce(one) for one in own])
    is_alike = spreads <= 1e-12 * np.maximum(np.abs(low), np.abs(high))
    if not (is_alike & (high > low)).any():
        return []
    sizes = np.where(is_alike, divide(table[:, :n_columns], units_by_group), 0)
    return [np.nan_to_num(np.hstack([sizes, sizes * end])) for end in (low, high)]


def other_units_of_rates(table: Array, units_by_group: Array) -> list[Array]:
    """`other_units` of C rates at once: table (K, 2C) of counts, then sums; units (K, C)."""
    n_columns = units_by_group.shape[1]
    found = np.zeros_like(table)
    for column in range(n_columns):
        pair = [column, n_columns + column]
        found[:, pair] = one_other_unit("selection", table[:, pair], units_by_group[:, column])
    return [found] if found.any() else []


def outcome_counts(kind: Kind, table: Array) -> Array:
    """Counts of outcomes (..., K, J); of selections: not selected, selected."""
    if kind == "outcome":
        return table
    return np.stack([table[..., 0] - table[..., 1], table[..., 1]], axis=-1)


def sums_of_counts(kind: Kind, counts: Array) -> Array:
    """Sums of a kind, from counts of outcomes (..., K, J)."""
    if kind == "outcome":
        return counts
    return np.stack([counts.sum(-1), counts[..., 1]], axis=-1)


def one_sided_level(n_units: ArrayLike) -> Array:
    """Level of the quantile that bounds a number of n units with 95 %, expanded as intervals are.

    Draws that know how badly n units tell their variance are those of endless units.
    Source: Hesterberg (2015), The American Statistician 69(4), 5.2.
    """
    n = np.clip(np.asarray(n_units, dtype=np.float64), 2, 1e9)
    return np.asarray(scipy.special.ndtr(-np.sqrt(n / (n - 1)) * scipy.special.stdtrit(n - 1, 1 - ALPHA)))


def one_sided_bounds(
    statistics: Sequence[Statistic],
    observed: Array,
    plain: Array,
    apart: Array,
    n_units: ArrayLike,
    together: Sequence[Array] = (),
) -> Array:
    """Lower and upper 95 % bounds (columns, 2) of judged numbers, from draws (columns, b) of their units.

    `apart` are the draws with one more unit a group that sets groups apart (`pseudo_rows`); the bound on
    the unfavourable side is theirs, the other is that of `plain`. Draws that bring groups `together` widen
    both: of groups that are nearly alike they exchange which is ahead. All are shifted as
    `ingest.inference.drawing.intervals` shifts: the target is what the same design gives on average, which
    for numbers that chance pushes away from equality lies on the unfavourable side of the truth. A number
    without a value, for want of a second outcome, counts as equality.
    """
    level = np.broadcast_to(one_sided_level(n_units), observed.shape)
    is_less = np.array([statistic.extreme == "less" for statistic in statistics])
    levels = np.stack([level, np.full_like(level, 0.5), 1 - level], axis=1)
    equal = of_equals(statistics)
    own = np.where(np.isfinite(observed), observed, equal)
    found = quantiles(plain, levels)
    low, centre, high = np.where(np.isfinite(found), found, equal[:, None]).T
    far_low, _, far_high = quantiles(apart, levels).T
    for nearer in together:
        near = quantiles(nearer, levels)
        near_low, _, near_high = np.where(np.isfinite(near), near, equal[:, None]).T
        low, high = np.minimum(low, near_low), np.maximum(high, near_high)
        far_low, far_high = np.minimum(far_low, low), np.maximum(far_high, high)
    ends = np.stack([np.where(is_less, far_low, low), np.where(is_less, high, far_high)], axis=1)
    ends = only_where(np.isfinite(ends).all(axis=1)[:, None], ends + (own - centre)[:, None])
    limits = np.array([statistic.bounds for statistic in statistics]).reshape(-1, 2)
    clipped: Array = np.clip(ends, limits[:, :1], limits[:, 1:])
    return clipped


def of_equals(statistics: Sequence[Statistic]) -> Array:
    """What numbers are of groups that are as equal as can be, (S,)."""
    return np.array([1.0 if statistic.extreme == "less" else 0.0 for statistic in statistics])


def largest_values(
    statistics: Sequence[Statistic], kind: Kind, table: Array, observed: Array, *, is_corrected: bool
) -> Array:
    """What the numbers of outcomes (columns,) can be at most: groups of these sizes with an outcome each.

    One more unit makes its group larger, and numbers that weigh groups by their size can then be larger.
    Infinite for scores and selections, and where labels correct the groups' sizes, which are then estimates.
    """
    if kind != "outcome" or is_corrected:
        return np.full(len(observed), np.inf)
    apart = evaluate(statistics, np.diag(table.sum(1))[None])[:, 0]
    largest: Array = np.where(np.isfinite(apart), np.fmax(apart, observed), np.inf)
    return largest


def without_mild_side(statistics: Sequence[Statistic], bounds: Array) -> Array:
    """Bounds (columns, 2) whose end nearer to equality is equality itself.

    Of very few units a number is too far from what it is on average for that end to hold.
    """
    is_less = np.array([statistic.extreme == "less" for statistic in statistics], dtype=bool)
    ends: Array = bounds.copy()
    ends[is_less, 1] = 1
    ends[~is_less, 0] = 0
    return only_where(np.isfinite(bounds), ends)


def no_narrower(interval: Array, values: Array, n_units: float, least: float, most: float) -> Array:
    """Intervals (columns, 2), no narrower than what units that are all alike leave open.

    One unit more could lie at either end of what there can be with probability 1 - 0.025^(1/n).
    """
    still_open = 1 - (ALPHA / 2) ** (1 / n_units)
    low = np.minimum(interval[:, 0], values - still_open * (values - least))
    high = np.maximum(interval[:, 1], values + still_open * (most - values))
    ends: Array = np.clip(np.stack([low, high], axis=1), least, most)
    return ends


def rate_intervals(rates: Array, draws: Array, n_answers: Array, n_units: Array) -> Array:
    """95 % intervals (K, 2) of groups' rates, from how much drawn units vary, (K, b): never of width 0.

    Wilson's interval over the answers divided by their design effect: at least 1, at most the answers of a
    unit, as where all groups say the same. NaN without draws. Source: Korn & Graubard (1998), Survey
    Methodology 24(2).
    """
    if not draws.shape[1]:
        return np.full((len(rates), 2), np.nan)
    freedom = np.maximum(n_units - 1, 0)
    found = draws.var(axis=1) * divide(n_units, np.maximum(freedom, 1))
    each = n_answers / n_units
    effect = design_effects(found, rates * (1 - rates), n_answers, each, freedom)
    n = n_answers / np.clip(np.where(np.isfinite(effect), effect, each), 1, each)
    return wilson(rates, n).T


def wilson(rates: Array, n: Array) -> Array:
    """Wilson's 95 % intervals (2, ...) of rates of n independent answers."""
    z = scipy.special.ndtri(1 - ALPHA / 2)
    centre = (rates + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * np.sqrt(rates * (1 - rates) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    ends: Array = np.clip(np.stack([centre - half, centre + half]), 0, 1)
    return ends


def worst_ends(
    statistics: Sequence[Statistic],
    kind: Kind,
    table: Array,
    missing: ArrayLike,
    spread: tuple[float, float],
    silent: Silent | None = None,
    n_outcomes: int = 0,
) -> Array:
    """Smallest and largest value (S, 2) that missing answers could give statistics of the axis.

    `missing` (K,) counts the answers that a group lacks; of scores they lie within `spread`, and of outcomes
    they may be one of `n_outcomes`, of which some are in no answer. `silent` groups are compared once theirs
    are filled in. A group's missing answers are one outcome and all others' another, in every way; that is
    exact for a group's total variation, which is convex in both. Towards equality they fill up what a group
    has least of, held against all answers, against each group, and against what all groups can reach: of two
    outcomes that is exact. As in bounds, groups without a value for want of a second outcome are equal; NaN
    where there is one group.
    """
    lacking = np.asarray(missing, dtype=np.float64)
    if not statistics:
        return np.zeros((0, 2))
    observed = evaluate(statistics, table[None])
    if len(table) > 1:
        observed = np.where(np.isfinite(observed), observed, of_equals(statistics)[:, None])
    if silent is not None:
        table, lacking = silent.beside(table, lacking)
    if not lacking.any():
        return np.repeat(observed, 2, axis=1)
    if kind == "outcome":
        table = with_unseen(table, n_outcomes)
    if kind == "score":
        ends = np.array([[1.0, end, end**2] for end in spread])
    else:
        counts = outcome_counts(kind, table)
        ends = sums_of_counts(kind, np.eye(counts.shape[1])[:, None])[:, 0]
    # Of groups with the same sums that lack as many answers, one stands for all.
    _, first = np.unique(np.column_stack([table, lacking]), axis=0, return_index=True)
    alone = first[lacking[first] > 0]
    ways = np.stack([part.ravel() for part in np.indices((len(alone), len(ends), len(ends)))], axis=1)
    at_once = max(1, CHUNK_BYTES // (80 * table.size))

    def filled(part: Codes) -> Array:
        group, own, others = part.T[..., None]
        of = np.where(np.arange(len(table)) == alone[group], own, others)
        return evaluate(statistics, table + lacking[:, None] * ends[of])

    values = [observed, *(filled(ways[at : at + at_once]) for at in range(0, len(ways), at_once))]
    if kind == "score":
        n, total, _ = table.T
        low, high = (divide(total + lacking * end, n + lacking) for end in spread)
        targets = [total.sum() / n.sum(), (low.max() + high.min()) / 2]
        wanted = [np.clip(divide((n + lacking) * one - total, lacking), *spread) for one in targets]
        wanted = [np.where(lacking > 0, one, 0) for one in wanted]
        towards = [table + lacking[:, None] * np.stack([v**0, v, v**2], axis=1) for v in wanted]
    else:
        # Of two outcomes, the middle of what all groups can reach, else of the gap that stays between them.
        n = (counts.sum(1) + lacking)[:, None]
        middle = (divide(counts, n).max(0) + divide(counts + lacking[:, None], n).min(0)) / 2
        shares = [counts.sum(0) / counts.sum(), middle / middle.sum()]
        shares += [own / own.sum() for own in counts if own.sum()]
        towards = [sums_of_counts(kind, counts + filled_up(counts, lacking, one)) for one in shares]
    found = np.concatenate([*values, evaluate(statistics, np.stack(towards))], axis=1)
    is_there = np.isfinite(found)
    low = np.where(is_there, found, np.inf).min(axis=1)
    high = np.where(is_there, found, -np.inf).max(axis=1)
    return np.where(np.isfinite(low)[:, None], np.stack([low, high], axis=1), np.nan)


def with_unseen(table: Array, n_outcomes: int) -> Array:
    """A table (K, J) with columns for outcomes that nobody gave, of `n_outcomes` that there can be.

    Two are enough: the missing answers of a group may be one, and those of all others another.
    """
    n_seen = int(table.any(axis=0).sum())
    width = max(table.shape[1], min(n_outcomes, n_seen + 2))
    return np.pad(table, ((0, 0), (0, width - table.shape[1])))


def filled_up(counts: Array, missing: Array, shares: Array) -> Array:
    """Missing answers (K,) as outcomes (K, J) that bring each group closest to shares (J,)."""
    wanted = np.maximum((counts.sum(1) + missing)[:, None] * shares - counts, 0)
    scale = divide(missing, wanted.sum(1))[:, None]
    filled: Array = np.where(np.isfinite(scale), wanted * scale, missing[:, None] * shares)
    return filled


def blocks_by_group(group: ArrayLike, block: ArrayLike, n_groups: int) -> Array:
    """Distinct blocks of each group, (K,)."""
    pairs = np.unique(np.column_stack([np.asarray(group), np.asarray(block)]), axis=0)
    return group_table(pairs[:, 0], np.ones((len(pairs), 1)), n_groups)[:, 0]
