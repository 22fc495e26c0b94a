"""Scores of published benchmarks: their intervals over units, and what a model without a preference gets.

A unit adds to a score's two parts x, y, n: answers that count for it, against it, and all. In a part of right
answers chance guesses among the options. In a part of answers that lean to a stereotype it exchanges, unit by
unit, what is for it and against it; in a difference the two parts change places.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ingest.inference.arrays import Array, divide
from ingest.inference.bounds import no_narrower
from ingest.inference.constants import (
    BOOTSTRAP_STREAM,
    CHUNK_DRAWS,
    EXCHANGE_STREAM,
    MIN_UNITS,
)
from ingest.inference.drawing import chance, draw, intervals, quantiles
from ingest.inference.pairs import draw_roots, swaps, weighted_sums

X_1, Y_1, N_1, X_2, N_2, MEAN_1, UNITS_1, MEAN_2, UNITS_2 = range(9)


class Score(NamedTuple):
    """A score, its 95 % interval over units, and what chance gives: NaN where too little was drawn."""

    value: float
    ci_low: float
    ci_high: float
    p_value: float
    null_median: float
    null_p05: float
    null_p95: float


def score(formula: str, sums: Array) -> Array:
    """Return scores (b,) of sums over units (b, 9), in the order of X_1 to UNITS_2.

    As the macro `benchmark_score`, which says where each formula is from. Raises KeyError for another.
    """
    s = sums.T
    share_1, share_2 = divide(s[X_1], s[N_1]), divide(s[X_2], s[N_2])
    lean = 2 * divide(s[X_1], s[X_1] + s[Y_1]) - 1
    mean_1, mean_2 = divide(s[MEAN_1], s[UNITS_1]), divide(s[MEAN_2], s[UNITS_2])
    return {
        "share": share_1,
        "lean": lean,
        "scaled_lean": (1 - share_2) * lean,
        "difference": share_1 - share_2,
        "mean_share": mean_1,
        "idealised": 2 * mean_2 * np.minimum(mean_1, 1 - mean_1),
    }[formula]


def resampled_score(
    formula: str,
    kinds: tuple[str, str],
    n_options: int,
    units: Array,
    n_permutations: int,
    n_bootstrap: int,
    seed: int,
) -> Score:
    """Return a score of units (m, 6) with x, y, n of part 1 and of part 2, whose kinds are correct or biased.

    The interval redraws units. It is never narrower than what m units that are all alike leave open: another
    unit could say the opposite with probability 1 - 0.025^(1/m). There is none of fewer than ten. The p-value
    is two-sided, about what chance gives in the middle. Where that is known it is not the median of draws,
    which an odd number of units puts above it or below it. A unit whose answers choose neither side says
    nothing of a lean.
    """
    says = units[:, 0] + units[:, 1] if formula == "lean" else units[:, 2] + units[:, 5]
    held = units[says > 0]
    if not len(held):
        return Score(*[np.nan] * 7)
    observed = score(formula, _columns(held).sum(0)[None])
    null = draw(_chance(formula, kinds, n_options, held, seed), n_permutations, CHUNK_DRAWS, (1,))
    middle = _middle(formula, kinds, n_options, held)
    if middle is None:
        middle = float(quantiles(null, [0.5])[0, 0]) if null.shape[1] else np.nan
    found = chance(null, observed, "two_sided", middle)
    low, high = _interval(formula, observed, held, n_bootstrap, seed)
    ends = (found.p_value, found.null_median, found.null_p05, found.null_p95)
    p_value, median, p05, p95 = (float(column[0]) for column in ends)
    return Score(float(observed[0]), low, high, p_value, median, p05, p95)


def _interval(formula: str, observed: Array, held: Array, n_bootstrap: int, seed: int) -> tuple[float, float]:
    n = len(held)
    weights = draw_roots(n, n_bootstrap, np.random.default_rng([seed, BOOTSTRAP_STREAM]))
    if n < MIN_UNITS or not len(weights) or not np.isfinite(observed[0]):
        return np.nan, np.nan
    least = -1.0 if formula in ("lean", "scaled_lean", "difference") else 0.0
    redrawn, found = weighted_sums(weights, _columns(held)), observed
    draws = score(formula, redrawn)[None]
    if formula == "idealised":
        # The lower of two scores: where they are alike, draws of it lie below it, and its own interval misses
        # it on one side. Each of the two has an interval; the lower one lies between their lower ends.
        draws, found = _sides(redrawn), _sides(_columns(held).sum(0)[None])[:, 0]
    ends = intervals(draws, found, n).min(axis=0, keepdims=True)
    low, high = no_narrower(ends, observed, n, least, 1.0)[0]
    return float(low), float(high)


def _sides(sums: Array) -> Array:
    """Return the two scores of sums (b, 9) of which the idealised one is the lower: (2, b)."""
    s = sums.T
    mean_1, mean_2 = divide(s[MEAN_1], s[UNITS_1]), divide(s[MEAN_2], s[UNITS_2])
    return np.stack([2 * mean_2 * mean_1, 2 * mean_2 * (1 - mean_1)])


def _columns(units: Array) -> Array:
    """Return what each unit (m, 6) adds to the sums, (m, 9)."""
    x_1, y_1, n_1, x_2, _, n_2 = units.T
    columns = [x_1, y_1, n_1, x_2, n_2]
    for x, n in ((x_1, n_1), (x_2, n_2)):
        columns += [np.nan_to_num(divide(x, n)), (n > 0).astype(np.float64)]
    return np.stack(columns, axis=1)


def _exchanged(formula: str, kinds: tuple[str, str], units: Array) -> Array:
    """Return the units (m, 6) as they are where what is for a stereotype and against it change places."""
    if formula == "difference":
        return units[:, [3, 4, 5, 0, 1, 2]]
    order = [*((1, 0, 2) if kinds[0] == "biased" else (0, 1, 2))]
    order += [4, 3, 5] if kinds[1] == "biased" else [3, 4, 5]
    return units[:, order]


def _middle(formula: str, kinds: tuple[str, str], n_options: int, units: Array) -> float | None:
    """Return the score about which what chance gives is spread, None where only draws say it."""
    if formula in ("lean", "scaled_lean", "difference"):
        return 0.0
    if formula == "idealised":
        return None
    if kinds[0] == "correct":
        return 1 / n_options
    both = _columns(units) + _columns(_exchanged(formula, kinds, units))
    return float(score(formula, both.sum(0)[None] / 2)[0])


def _chance(
    formula: str, kinds: tuple[str, str], n_options: int, units: Array, seed: int
) -> Callable[[int], Array]:
    """Return a function that gives the scores (1, b) of the next b models without a preference."""
    generator = np.random.default_rng([seed, EXCHANGE_STREAM])
    own, other = _columns(units), _columns(_exchanged(formula, kinds, units))
    # Who is right about what nobody can know abstains: that is held, as is the size of a difference's parts.
    guessed = [
        (x, mean, units[:, start + 2])
        for start, kind, x, mean in ((0, kinds[0], X_1, MEAN_1), (3, kinds[1], X_2, MEAN_2))
        if kind == "correct" and formula in ("share", "mean_share", "idealised")
    ]

    def next_scores(b: int) -> Array:
        sums = ((own + other).sum(0) + swaps(len(units), b, generator) @ (own - other)) / 2
        for x, mean, n in guessed:
            right = generator.binomial(n.astype(np.int64), 1 / n_options, size=(b, len(n)))
            sums[:, x], sums[:, mean] = right.sum(1), np.nan_to_num(divide(right, n)).sum(1)
        return score(formula, sums)[None]

    return next_scores
