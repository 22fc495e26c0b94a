"""One-sided bounds of groups' rates, of their differences and of their ratios, over units.

A rate is a share of some of a group's answers: of all, or of those that are positive. The units are its
blocks: a name or a text, with all answers that belong to it.
"""

from typing import NamedTuple

import numpy as np
import scipy  # its parts load when they are first used: some take longer than a small build

from ingest.inference.arrays import Array, Codes, Mask, divide, only_where
from ingest.inference.constants import ALPHA, MIN_UNITS_PER_GROUP
from ingest.inference.sums import group_table


class Rates(NamedTuple):
    """Rates of groups (K,), their one-sided 95 % bounds, their units, and how they correlate, (K, K)."""

    value: Array
    low: Array
    high: Array
    n_units: Array
    correlation: Array


def rates_over_units(selected: Array, counted: Array, alpha: float = ALPHA) -> Rates:
    """Rates of groups (K, m) that have `counted` answers of each unit, `selected` of them.

    `alpha` is the chance that a rate lies beyond its bound, at each side.

    The bounds are those of the exact binomial over the answers that these are worth: n units that all say the
    same have the bound 1 - 0.05^(1/n). NaN where a group has fewer than 5 units. Source: Korn & Graubard
    (1998), Survey Methodology 24(2).
    """
    n, is_there = counted.sum(1), counted > 0
    n_units = is_there.sum(1).astype(np.float64)
    value = np.nan_to_num(divide(selected.sum(1), n))
    residuals = np.where(is_there, selected - value[:, None] * counted, 0)
    effective = answers_worth(selected, counted, alpha)
    low = _beta(value * effective, effective - value * effective + 1, alpha, at_end=0.0)
    high = _beta(value * effective + 1, effective - value * effective, 1 - alpha, at_end=1.0)
    is_enough = n_units >= MIN_UNITS_PER_GROUP
    bounds = only_where(is_enough, low), only_where(is_enough, high)
    correlation = _least_correlation(residuals, _rarer(selected, counted) > 0)
    return Rates(only_where(n > 0, value), *bounds, n_units, correlation)


def answers_worth(selected: Array, counted: Array, alpha: float, variance: Array | None = None) -> Array:
    """Independent answers (K,) that tell as much of rates as those `counted` of units (K, m) do.

    The answers by their design effect; never fewer than units that each say one thing, nor more than the
    answers. So few units that give the rarer answer tell no correlation, and count as one thing each.
    With `variance` (K,), that of one answer, `selected` are sums of numbers, and few units tell, too.
    """
    n, is_there = counted.sum(1), counted > 0
    n_units = is_there.sum(1).astype(np.float64)
    freedom = np.maximum(n_units - 1, 0)
    value = np.nan_to_num(divide(selected.sum(1), n))
    as_units = divide(n**2, (counted**2).sum(1))
    residuals = np.where(is_there, selected - value[:, None] * counted, 0)
    found = divide((residuals**2).sum(1) * divide(n_units, np.maximum(freedom, 1)), n**2)
    alone = value * (1 - value) if variance is None else variance
    effect = design_effects(found, alone, n, divide(n, as_units), freedom)
    is_telling = (_rarer(selected, counted) > 0).any(axis=0)
    is_told = variance is not None or is_telling.sum() >= MIN_UNITS_PER_GROUP
    if not is_told or np.isnan(effect).all():
        return as_units
    told = np.square(_t(n - 1, alpha) / _t(freedom.sum(), alpha))
    # Units may differ less than their answers would by chance, and not at all.
    worth: Array = np.clip(n / np.maximum(effect, 1e-9) * told, as_units, n)
    return worth


def labels_worth(group: Codes, unit: Codes, weight: Array, x: Array, is_share: bool) -> Array:
    """What part (K,) of a group's labels (n,) tell as much of the mean of x, where those of a unit are alike.

    As answers do; weighted labels count as those of equal weight that tell as much. NaN where a group has
    none. Source: Kish (1965), Survey Sampling.
    """
    n_groups, n_units = group.max() + 1, unit.max() + 1
    sums = group_table(group, np.column_stack([weight, weight**2, weight * x, weight * x**2]), n_groups)
    mean, square = divide(sums[:, 2:].T, sums[:, 0])
    counted = weight * divide(sums[:, 0], sums[:, 1])[group]
    cells = group_table(group * n_units + unit, np.column_stack([counted * x, counted]), n_groups * n_units)
    of_x, of_labels = cells.reshape(n_groups, n_units, 2).transpose(2, 0, 1)
    variance = None if is_share else np.nan_to_num(square - mean**2)
    worth = divide(answers_worth(of_x, of_labels, ALPHA / 2, variance), of_labels.sum(1))
    return np.minimum(worth, 1)


def design_effects(found: Array, alone: Array, n: Array, each: Array, freedom: Array) -> Array:
    """Design effects (K,) of means of n answers, `each` a unit, whose variance over units is `found`.

    Of one answer it is `alone`. 1 + (each - 1) times the correlation of a unit's answers. That is one for all
    groups together, as none may have units enough to tell it: groups count by their degrees of freedom, and
    the less the nearer `each` is to 1. NaN where no group tells it.
    """
    more = each - 1
    weight = np.nan_to_num(divide(freedom * more, each**2))
    excess = np.nan_to_num(found * n) - alone
    together = divide((weight * excess).sum(), (weight * np.nan_to_num(more) * alone).sum())
    effects: Array = 1 + more * together
    return effects


def _rarer(selected: Array, counted: Array) -> Array:
    """Of each unit, the answers that say what fewer answers of all groups say."""
    return selected if 2 * selected.sum() <= counted.sum() else counted - selected


def _least_correlation(residuals: Array, is_telling: Mask) -> Array:
    """Correlations (K, K) of groups' rates over the units that they share: lower bounds of positive ones.

    Source: Fisher (1921), Metron 1.
    """
    spread = np.sqrt((residuals**2).sum(1))
    found = np.clip(np.nan_to_num(divide(residuals @ residuals.T, np.outer(spread, spread))), -0.999, 0.999)
    n = (is_telling[:, None] | is_telling[None]).sum(-1)
    z = scipy.special.ndtri(1 - ALPHA)
    least = np.tanh(np.arctanh(np.abs(found)) - divide(z, np.sqrt(np.maximum(n - 3, 1e-9))))
    return np.where(found > 0, np.maximum(least, 0), found)


def _t(freedom: Array | float, alpha: float) -> Array:
    return np.asarray(scipy.special.stdtrit(np.maximum(freedom, 1), 1 - alpha))


def _beta(a: Array, b: Array, level: float, at_end: float) -> Array:
    """Quantiles of beta distributions; `at_end` where one of their parameters is 0."""
    is_inside = (a > 0) & (b > 0)
    found = scipy.special.betaincinv(np.where(is_inside, a, 1), np.where(is_inside, b, 1), level)
    return np.where(is_inside, found, at_end)


def differences(rates: Rates, reference: int) -> tuple[Array, Array]:
    """Bounds (K,) of the groups' rates minus that of the reference.

    Each end is as far from the difference as the two rates' ends are from the rates, added up as standard
    errors are; rates of the same blocks correlate. Source: Zou & Donner (2008), Statistics in Medicine
    27(10).
    """
    value, low, high, _, correlation = rates
    together = correlation[:, reference]
    difference = value - value[reference]

    def margin(own: Array, other: Array) -> Array:
        return np.sqrt(np.maximum(own**2 + other**2 - 2 * together * own * other, 0))

    return (
        difference - margin(value - low, high[reference] - value[reference]),
        difference + margin(high - value, value[reference] - low[reference]),
    )


def parts(rates: Rates, sizes: Array) -> tuple[Array, Array]:
    """Bounds (K,) of what part of all selected each group is, where groups have these sizes (K,).

    A part is 1 / (1 + the others' number by the group's own); the bounds are that ratio's. Groups count as
    independent. NaN where a group has no bounds.
    """
    number, low, high = (sizes * ends for ends in rates[:3])
    found = []
    for own, is_own in enumerate(np.eye(len(sizes), dtype=bool)):
        others = number[~is_own].sum()
        below, above = (np.hypot.reduce((number - ends)[~is_own]) for ends in (low, high))
        both = np.array([[others, number[own]], [others - below, low[own]], [others + above, high[own]]])
        smallest, largest = ratios(Rates(both[0], both[1], both[2], rates.n_units, np.eye(2)), 1)
        found.append((1 / (1 + largest[0]), 1 / (1 + smallest[0])))
    first, last = np.array(found).T
    return first, last


def ratios(rates: Rates, reference: int) -> tuple[Array, Array]:
    """Bounds (K,) of the groups' rates by that of the reference; infinite where that could be 0.

    NaN where either rate has none. They are where the difference to a multiple of the reference has a bound
    of 0. Source: Newcombe (2016), Statistical Methods in Medical Research 25(5).
    """
    value, low, high, _, correlation = rates
    own, other = value, value[reference]

    def end(of_own: Array, of_other: float, sign: int) -> Array:
        shared = correlation[:, reference] * (of_own - own) * (of_other - other)
        middle = own * other + shared
        first, last = of_own * (2 * own - of_own), of_other * (2 * other - of_other)
        root = np.sqrt(np.maximum(middle**2 - first * last, 0))
        return divide(first, middle + root) if sign < 0 else divide(middle + root, np.full_like(own, last))

    is_known = np.isfinite(low + high + low[reference] + high[reference])
    first = np.where(low == 0, 0, end(low, float(high[reference]), -1))
    last = end(high, float(low[reference]), 1) if low[reference] > 0 else np.full_like(high, np.inf)
    return only_where(is_known, first), only_where(is_known, last)
