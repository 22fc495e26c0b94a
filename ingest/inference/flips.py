"""What chance and other units do to a mean of differences between two versions of each text."""

from typing import NamedTuple

import numpy as np

from ingest.inference.arrays import Array, divide
from ingest.inference.constants import BOOTSTRAP_STREAM, CHUNK_DRAWS, EXCHANGE_STREAM
from ingest.inference.drawing import chance, draw, intervals
from ingest.inference.pairs import draw_roots, swaps, weighted_means


class Shift(NamedTuple):
    """A mean of differences, its 95 % interval over units, and what exchanging the versions gives."""

    value: float
    ci_low: float
    ci_high: float
    p_value: float
    null_p05: float
    null_p95: float
    n_units: int
    min_attainable_p: float


def mean_shift(sums: Array, counts: Array, n_permutations: int, n_bootstrap: int, seed: int) -> Shift:
    """Return the mean of differences of which each unit has `counts` that add up to `sums`, (units,).

    The interval redraws whole units; there is none of too few. Where a version makes no difference, either
    could stand in either's place: the p-value is how often exchanging them at random, unit by unit, gives a
    mean at least as far from 0 (Fisher's sign-flip test).
    """
    n_units = len(sums)
    value = float(divide(sums.sum(), counts.sum()))
    observed = np.array([value])
    generator = np.random.default_rng([seed, BOOTSTRAP_STREAM])
    weights = draw_roots(n_units, n_bootstrap, generator)
    drawn = weighted_means(weights, sums[:, None], counts[:, None]).T
    low, high = intervals(drawn, observed, n_units)[0] if drawn.shape[1] else (np.nan, np.nan)
    flipping = np.random.default_rng([seed, EXCHANGE_STREAM])
    total = counts.sum()
    null = draw(
        lambda b: divide(swaps(n_units, b, flipping) @ sums, np.full(b, total))[None],
        n_permutations,
        CHUNK_DRAWS,
        (1,),
    )
    found = chance(null, observed, "two_sided")
    least = max(1 / (1 + n_permutations), min(1.0, 2.0 ** (1 - n_units)))
    ends = (found.p_value, found.null_p05, found.null_p95)
    p_value, p05, p95 = (float(column[0]) for column in ends)
    return Shift(value, float(low), float(high), p_value, p05, p95, n_units, least)
