"""Rank correlations of many samples at once: what SQL would need sorting, or all pairs of rows, for."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ingest.inference.arrays import Array, divide

Counts = NDArray[np.int64]

CHUNK_VALUES = 200_000  # of samples handled at once, so that they stay in the cache
DENSE_UP_TO = 256  # places whose pairs are all compared; longer runs are merged from such


class _Ranked(NamedTuple):
    """Samples of one size n: dense ranks from 0, a row a place and a column a sample (n, S)."""

    samples: Counts
    x: Counts
    y: Counts


def kendall_tau_b(x: ArrayLike, y: ArrayLike, starts: ArrayLike) -> Array:
    """Return tau-b of each sample, (S,): rows starts[i] to starts[i + 1] of x and y (n,) are sample i.

    NaN with fewer than three rows, and where x or y does not vary. Values must be finite.
    Source: Kendall (1945), Biometrika 33(3); pairs counted as in Knight (1966), JASA 61(314); SPEC SUM-11.
    """
    tau = np.full(len(np.asarray(starts)), np.nan)
    for part in _blocks(x, y, starts):
        n = len(part.x)
        both = np.sort(part.x * n + part.y, axis=0)
        tied_x, tied_y, tied_both = map(_tied_pairs, (np.sort(part.x, 0), np.sort(part.y, 0), both))
        pairs = n * (n - 1) // 2
        # In the order of x, and of y where x is tied, the pairs that disagree are those where y falls.
        agreeing = pairs - tied_x - tied_y + tied_both - 2 * _inversions(both % n)
        untied = np.sqrt((pairs - tied_x).astype(np.float64) * (pairs - tied_y))
        tau[part.samples] = divide(agreeing, untied)
    return tau


def spearman_rho(x: ArrayLike, y: ArrayLike, starts: ArrayLike) -> Array:
    """Return the Pearson correlation of each sample's average ranks, (S,); arguments and NaN as of tau.

    Source: SPEC SUM-11.
    """
    rho = np.full(len(np.asarray(starts)), np.nan)
    for part in _blocks(x, y, starts):
        a, b = _centred_ranks(part.x), _centred_ranks(part.y)
        spread = np.sqrt((a * a).sum(0).astype(np.float64) * (b * b).sum(0))
        rho[part.samples] = divide((a * b).sum(0), spread)
    return rho


def _blocks(x: ArrayLike, y: ArrayLike, starts: ArrayLike) -> Iterator[_Ranked]:
    """Samples of at least three rows, those of one size together, as many as stay in the cache."""
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    firsts = np.asarray(starts, dtype=np.int64)
    sizes = np.diff(np.append(firsts, len(x)))
    for size in np.unique(sizes[sizes >= 3]):
        samples = np.flatnonzero(sizes == size)
        chunk = max(1, CHUNK_VALUES // int(size))
        for start in range(0, len(samples), chunk):
            part = samples[start : start + chunk]
            rows = firsts[part] + np.arange(size)[:, None]
            yield _Ranked(part, _dense_ranks(x[rows]), _dense_ranks(y[rows]))


def _dense_ranks(values: Array) -> Counts:
    """Number of smaller values in the same column, each counted once, (n, S)."""
    order = values.argsort(axis=0)
    ordered = np.take_along_axis(values, order, axis=0)
    ranks = np.zeros(values.shape, dtype=np.int64)
    np.cumsum(ordered[1:] > ordered[:-1], axis=0, out=ranks[1:])
    out = np.empty_like(ranks)
    np.put_along_axis(out, order, ranks, axis=0)
    return out


def _places_in_run(ordered: Counts) -> Counts:
    """Of each of a column's ascending values, how many equal ones precede it, (n, S)."""
    places = np.arange(len(ordered))[:, None]
    is_first = np.ones(ordered.shape, dtype=bool)
    is_first[1:] = ordered[1:] != ordered[:-1]
    return places - np.maximum.accumulate(np.where(is_first, places, 0), axis=0)


def _tied_pairs(ordered: Counts) -> Counts:
    """Pairs of equal values in each column of ascending ones, (S,)."""
    found: Counts = _places_in_run(ordered).sum(0)
    return found


def _centred_ranks(ranks: Counts) -> Counts:
    """Twice each value's average rank, less twice their mean: whole numbers that sum to 0, (n, S)."""
    n, n_samples = ranks.shape
    columns = np.arange(n_samples)
    counts = np.zeros((n, n_samples), dtype=np.int64)
    np.add.at(counts, (ranks, columns), 1)
    smaller = np.cumsum(counts, axis=0) - counts
    found: Counts = (2 * smaller + counts - n)[ranks, columns]
    return found


def _inversions(ranks: Counts) -> Counts:
    """Pairs of places of each column, (n, S), of which the earlier holds the larger rank, (S,)."""
    n, n_samples = ranks.shape
    width = min(n, DENSE_UP_TO)
    n_runs = 1
    while n_runs * width < n:
        n_runs *= 2
    # What is added at the end is larger than all there is, and so in no such pair.
    padded = np.full((n_runs * width, n_samples), n, dtype=np.min_scalar_type(n))
    padded[:n] = ranks
    runs = np.ascontiguousarray(padded.reshape(n_runs, width, n_samples).swapaxes(0, 1))
    larger_before = np.zeros(runs.shape, dtype=np.min_scalar_type(width))
    for lag in range(1, width):
        larger_before[lag:] += runs[:-lag] > runs[lag:]
    found: Counts = larger_before.sum((0, 1), dtype=np.int64)
    while n_runs > 1:
        runs.sort(axis=0)
        n_runs //= 2
        merged = np.concatenate([runs[:, ::2], runs[:, 1::2]])
        order = merged.argsort(axis=0, kind="stable")
        # Of the later run's j-th value at place p, p - j of the earlier run's are not larger.
        is_later = order >= width
        passed = np.cumsum(~is_later, axis=0)
        found += np.where(is_later, width - passed, 0).sum((0, 1))
        runs, width = np.take_along_axis(merged, order, axis=0), 2 * width
    return found
