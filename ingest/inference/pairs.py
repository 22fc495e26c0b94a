"""What chance and another draw of roots do to counterfactual pairs: intervals and permutations.

Roots are the units: the bootstrap draws whole roots, and labels are exchanged inside each root, for all its
pairs and repeats at once. Two branches stay as alike as they are when they swap places, so a swap cannot test
their similarity: its null relabels all groups of the root, and asks whether two groups are less alike than
two picked at random. Distances of samples do change when branches swap.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from ingest.inference.arrays import Array, Codes, divide, meets, only_where
from ingest.inference.bounds import one_sided_level
from ingest.inference.constants import CHUNK_BYTES, MIN_UNITS, NULL_LEVELS
from ingest.inference.drawing import Chance, Extreme, draw, draws_at_once, p_values, quantiles
from ingest.inference.families import tails


def draw_roots(n_roots: int, n_draws: int, generator: np.random.Generator) -> Codes:
    """Return how often each root is drawn, (draws, roots); empty where there are too few roots.

    A byte each: 255 times is what no root of so many is ever drawn.
    """
    if n_roots < MIN_UNITS or not n_draws:
        return np.zeros((0, n_roots), np.uint8)
    shares = np.full(n_roots, 1 / n_roots)
    return _in_bytes(n_roots, n_draws, np.uint8, lambda b: generator.multinomial(n_roots, shares, size=b))


def _in_bytes(n_roots: int, n_draws: int, kind: type, next_draws: Callable[[int], Codes]) -> Codes:
    """Whole numbers (draws, roots) of a byte, from a function that draws the next b of them, (b, roots)."""
    drawn: Codes = np.empty((n_draws, n_roots), kind)
    for part in split_draws(n_draws, n_roots):
        drawn[part] = next_draws(part.stop - part.start)
    return drawn


def split_draws(n_draws: int, n_columns: int) -> Iterator[slice]:
    """So many draws at once as stay in the cache as floats, n_columns each."""
    rows = max(1, CHUNK_BYTES // (8 * max(n_columns, 1)))
    return (slice(start, min(start + rows, n_draws)) for start in range(0, n_draws, rows))


def weighted_sums(weights: Array | Codes, values: Array | Codes) -> Array:
    """Return sums of values (roots, columns) or (roots,) under each row of weights (draws, roots)."""
    sums = np.empty((len(weights), *values.shape[1:]))
    for part in split_draws(*weights.shape):
        sums[part] = weights[part].astype(np.float64) @ values
    return sums


def weighted_means(weights: Array | Codes, sums: Array, counts: Array) -> Array:
    """Return means of columns over drawn roots, (draws, columns), from sums and counts (roots, columns)."""
    return divide(weighted_sums(weights, sums), weighted_sums(weights, counts))


def spreads(values: Array) -> Array:
    """Range and standard deviation (divisor n) over the rows of values (pairs, draws), (2, draws)."""
    return np.stack([values.max(0) - values.min(0), values.std(0)])


def highest_spreads(draws: Array, observed: Array, n_roots: int, generator: np.random.Generator) -> Array:
    """Upper one-sided 95 % bounds (2,) of the range and the standard deviation of pairs' similarities.

    `draws` (pairs, draws) are those of drawn roots, `observed` (pairs,). They have one more root, of a weight
    that gives n equal roots the bound 1 - 0.05^(1/n), on which the most alike pair is alike and the least
    alike is not. They are shifted as `ingest.inference.drawing.intervals` shifts: the target is what such
    roots give on average, which is more than the truth, as chance sets pairs apart; so a lower bound would
    say too much. NaN where nothing was drawn, and of one pair.
    """
    if len(observed) < 2 or not draws.shape[1] or not np.isfinite(observed).all():
        return np.full(2, np.nan)
    apart = observed.copy()
    apart[np.argsort(observed, kind="stable")[[0, -1]]] = 0, 1
    weight = generator.beta(1, n_roots, size=draws.shape[1])
    own, centre = spreads(observed[:, None])[:, 0], quantiles(spreads(draws), [0.5])[:, 0]
    level = 1 - float(one_sided_level(n_roots))
    high = quantiles(spreads(draws * (1 - weight) + apart[:, None] * weight), [level])[:, 0]
    return np.clip(high + own - centre, 0, [1.0, 0.5])


class SpreadsByChance(NamedTuple):
    """What relabelling gives of the range and the standard deviation of pairs' similarities: (2,) each.

    `tail` and `null_tails` (b,) are of the range alone (`ingest.inference.families.tails`), None without one.
    """

    judged: Chance
    tail: float
    null_tails: Array | None


def spreads_by_chance(draws: Array, observed: Array) -> SpreadsByChance:
    """Hold the spreads of pairs of groups (pairs,) against those of relabelled ones (pairs, draws).

    NaN where nothing was relabelled, and of one pair.
    """
    if len(observed) < 2 or not draws.shape[1] or not np.isfinite(observed).all():
        return SpreadsByChance(chance(np.zeros((2, 0)), np.full(2, np.nan), "greater"), np.nan, None)
    null, own = spreads(draws), spreads(observed[:, None])[:, 0]
    tail, null_tails = tails(null[:1], own[:1])
    return SpreadsByChance(
        chance(null, own, "greater"), float(tail[0]), null_tails[0] if np.isfinite(tail[0]) else None
    )


class Samples:
    """Two samples of equal size, `a` and `b` (n,), whose values belong to roots (n,): their distances.

    The distance (Wasserstein-1) is the area between the two cumulative distributions, which is the mean of
    abs(sorted a - sorted b); the difference is of the rates above a threshold.
    """

    def __init__(self, a: Array, b: Array, roots: Codes, n_roots: int) -> None:
        values = np.concatenate([a, b])
        order = np.argsort(values, kind="stable")
        self.gaps = np.diff(values[order])
        self.sign = np.repeat([1.0, -1.0], len(a))[order]
        self.owner = np.concatenate([roots, roots])[order]
        self.counts = np.bincount(roots, minlength=n_roots).astype(np.float64)
        self.a, self.b, self.roots, self.n_roots = a, b, roots, n_roots

    def distances(self, weights: Array | Codes) -> Array:
        """Return the distance under each row of `weights` (draws, roots), (draws,).

        Weights of 1 and -1 are branches as they are and swapped; counts are drawn roots.
        """
        areas = np.empty(len(weights))
        for part in split_draws(len(weights), len(self.sign)):
            steps = weights[part][:, self.owner] * self.sign
            areas[part] = np.abs(np.cumsum(steps, axis=1)[:, :-1]) @ self.gaps
        return divide(areas, weighted_sums(np.abs(weights), self.counts))

    def differences(self, weights: Array | Codes, threshold: float) -> Array:
        """Return the difference of the rates above the threshold, weights as in `distances`."""
        steps = meets(self.a, ">", threshold).astype(np.float64) - meets(self.b, ">", threshold)
        sums = np.bincount(self.roots, weights=steps, minlength=self.n_roots)
        return divide(weighted_sums(weights, sums), weighted_sums(np.abs(weights), self.counts))


def swaps(n_roots: int, n_draws: int, generator: np.random.Generator) -> Codes:
    """Return for each root whether its branches swap places, -1, or not, 1: (draws, roots)."""
    return _in_bytes(n_roots, n_draws, np.int8, lambda b: generator.integers(0, 2, size=(b, n_roots)) * 2 - 1)


def relabelled_similarities(
    sums: Array, counts: Array, pairs: Codes, n_draws: int, generator: np.random.Generator
) -> Array:
    """Return the mean similarity of each pair of groups when groups are relabelled inside each root.

    `sums` and `counts` are symmetric, (measures, roots, groups, groups); `pairs` (pairs, 2) are group codes.
    The result is (measures, pairs, draws).
    """
    n_measures, n_roots, n_groups, _ = sums.shape
    flat_sums, flat_counts = (part.reshape(n_measures, n_roots, -1) for part in (sums, counts))
    rows = np.arange(n_roots)[None, :, None]

    def next_draws(b: int) -> Array:
        labels = np.argsort(generator.random((b, n_roots, n_groups)), axis=2)
        place = labels[:, :, pairs[:, 0]] * n_groups + labels[:, :, pairs[:, 1]]
        measures = zip(flat_sums, flat_counts, strict=True)
        return np.stack([divide(s[rows, place].sum(1), c[rows, place].sum(1)).T for s, c in measures])

    chunk = draws_at_once(n_roots * (2 * n_groups + 4 * len(pairs)))
    return draw(next_draws, n_draws, chunk, (n_measures, len(pairs)))


def chance(draws: Array, observed: Array, extreme: Extreme) -> Chance:
    """Judge values (columns,) against relabelled ones (columns, draws); one without a value is extreme."""
    has_value = np.isfinite(observed)
    if not draws.shape[1]:
        missing = np.full(len(observed), np.nan)
        return Chance(missing, missing, missing, missing, np.zeros_like(has_value))
    p_value = only_where(has_value, p_values(draws, observed, extreme))
    median, p05, p95 = np.nanquantile(draws, NULL_LEVELS, axis=1)
    return Chance(p_value, median, p05, p95, has_value)
