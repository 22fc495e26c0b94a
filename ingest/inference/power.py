"""What a plan can find: the smallest difference of rates that a number of answers detects."""

from collections.abc import Callable
from functools import cache

import numpy as np
import scipy  # its parts load when they are first used: some take longer than a small build
from numpy.typing import ArrayLike

from ingest.inference.arrays import Array, divide, only_where
from ingest.inference.constants import ALPHA, MIN_LABELS, POWER


def _needed_n(rate: Array, ratio: Array, power: float, is_corrected: bool) -> Array:
    other = rate * ratio
    mean = (rate + other) / 2
    z_alpha, z_power = scipy.special.ndtri([1 - ALPHA / 2, power])
    spread = z_alpha * np.sqrt(2 * mean * (1 - mean))
    spread = spread + z_power * np.sqrt(rate * (1 - rate) + other * (1 - other))
    n = divide(spread**2, (rate - other) ** 2)
    if not is_corrected:
        return n
    corrected: Array = n / 4 * (1 + np.sqrt(1 + divide(4, n * rate * (1 - ratio)))) ** 2
    return corrected


def _range_within(width: float, means: Array, deviations: Array) -> float:
    """Probability that independent normals (K,) lie within `width` of each other.

    The sum, over which of them is the lowest, of the chance that the others lie no more than `width` above.
    """
    z = np.linspace(-8, 8, 801)[:, None]
    density = np.exp(-(z[:, 0] ** 2) / 2) / np.sqrt(2 * np.pi) * (z[1] - z[0])
    kinds, counts = np.unique(np.column_stack([means, deviations]), axis=0, return_counts=True)
    within = 0.0
    for index, (mean, deviation) in enumerate(kinds):
        x = mean + deviation * z
        ends = ((x + above - kinds[:, 0]) / kinds[:, 1] for above in (width, 0))
        chance = np.subtract(*(scipy.special.ndtr(end) for end in ends))
        others = counts - (np.arange(len(kinds)) == index)
        within += counts[index] * float((density * (chance**others).prod(axis=1)).sum())
    return within


def bisect(is_low: Callable[[float], bool], low: float, high: float) -> float:
    """The highest number from `low` to `high` that is still low."""
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if is_low(middle) else (low, middle)
    return low


@cache
def _range_quantile(n_groups: int, level: float) -> float:
    """Quantile of the range of independent standard normals."""
    means, deviations = np.zeros(n_groups), np.ones(n_groups)
    return bisect(lambda width: _range_within(width, means, deviations) < level, 0, 16)


def power_among_groups(
    rate: float, ratio: float, n: float, n_groups: int, is_corrected: bool = False
) -> float:
    """Power to tell `n_groups` groups from equal where one has `ratio` times the `rate` of all others.

    The test is that of the difference of highest and lowest rate, with `n` independent responses per group,
    in the normal approximation: for two groups that of two proportions. `is_corrected`: for a test that
    counts ties; given how many responses are favourable, two rates differ in steps of 2/n, the ends of more
    groups in steps of 1/n, and half a step is lost.
    """
    rates = np.full(n_groups, float(rate))
    rates[-1] *= ratio
    deviations = np.sqrt(np.maximum(rates * (1 - rates), 1e-9) / n)
    limit = _range_quantile(n_groups, 1 - ALPHA) * np.sqrt(rates.mean() * (1 - rates.mean()) / n)
    if is_corrected:
        limit += (1 if n_groups == 2 else 0.5) / n
    return 1 - _range_within(limit, rates, deviations)


def minimum_detectable_ratio(
    rate: ArrayLike,
    n: ArrayLike,
    power: float = POWER,
    is_corrected: bool = False,
    n_groups: int = 2,
) -> Array:
    """The impact ratio nearest to 1 that `n` responses per group detect, shape as broadcast.

    Two-sided test of two proportions with the pooled variance under equality, or for more groups that of
    `power_among_groups`; NaN for a rate outside (0, 1] and where even a ratio of 0 would go undetected.
    `is_corrected`: for a test that counts ties, as permutation and Fisher's do. Source: Fleiss, Levin & Paik
    (2003), Statistical Methods for Rates and Proportions, 4.2, without and with continuity correction; SPEC
    INF-8.
    """
    rates, sizes = np.broadcast_arrays(np.asarray(rate, np.float64), np.asarray(n, np.float64))
    is_usable = (rates > 0) & (rates <= 1) & (sizes > 0)
    if n_groups > 2:
        ratios = np.full(rates.shape, np.nan)
        for at in zip(*np.nonzero(np.atleast_1d(is_usable)), strict=True):
            own_rate, own_n = float(np.atleast_1d(rates)[at]), float(np.atleast_1d(sizes)[at])

            def is_found(ratio: float, rate: float = own_rate, n: float = own_n) -> bool:
                return power_among_groups(rate, ratio, n, n_groups, is_corrected) >= power

            if is_found(0):
                np.atleast_1d(ratios)[at] = bisect(is_found, 0, 1)
        return ratios
    safe = np.where(is_usable, rates, 0.5)
    is_usable &= _needed_n(safe, np.zeros_like(safe), power, is_corrected) <= sizes
    low, high = np.zeros_like(safe), np.ones_like(safe)
    for _ in range(60):
        middle = (low + high) / 2
        is_detected = _needed_n(safe, middle, power, is_corrected) <= sizes
        low, high = np.where(is_detected, middle, low), np.where(is_detected, high, middle)
    return only_where(is_usable, low)


def labels_needed(error_rate: float, half_width: float) -> int:
    """Labels of a group with which errors of reading add at most `half_width` to a share's 95 % interval.

    What a reading leaves open varies by at most e (1 - e) where it is wrong in a share e of the answers,
    however the errors lie; half an error more is counted, as in `ingest.inference.corrected.share_intervals`.
    Never fewer than a correction needs. Source: Angelopoulos, Duchi & Zrnic (2023), arXiv:2311.01453, for
    answers that are many.

    >>> labels_needed(0.1, 0.05)
    144
    """

    def varies(n: int) -> float:
        more = 0.5 / (n + 1)
        return (error_rate * (1 - error_rate) + more * (1 - more)) / n

    z = scipy.special.ndtri(1 - ALPHA / 2)
    n = max(int(np.ceil((z / half_width) ** 2 * error_rate * (1 - error_rate))), MIN_LABELS)
    while z**2 * varies(n) > half_width**2:
        n += 1
    return n
