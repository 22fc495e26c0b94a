"""Kendall's tau: what SQL would need all pairs of rows for."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

DENSE_UP_TO = 256  # rows: beyond, sorting beats comparing all pairs
CHUNK_VALUES = 200_000  # of samples compared at once, so that they stay in the cache


def kendall_tau_b(x: ArrayLike, y: ArrayLike, starts: ArrayLike) -> Array:
    """Return tau-b of each sample, (S,): rows starts[i] to starts[i + 1] of x and y (n,) are sample i.

    NaN with fewer than three rows, and where x or y does not vary. Values must be finite.
    Source: Kendall (1945), Biometrika 33(3); SPEC SUM-11.
    """
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    firsts = np.asarray(starts, dtype=np.int64)
    sizes = np.diff(np.append(firsts, len(x)))
    tau = np.full(len(firsts), np.nan)
    for size in np.unique(sizes[sizes >= 3]):
        samples = np.flatnonzero(sizes == size)
        if size > DENSE_UP_TO:
            for sample in samples:
                rows = slice(firsts[sample], firsts[sample] + size)
                tau[sample] = _by_sorting(x[rows], y[rows])
            continue
        chunk = max(1, CHUNK_VALUES // int(size))
        for start in range(0, len(samples), chunk):
            part = samples[start : start + chunk]
            rows = firsts[part][:, None] + np.arange(size)
            tau[part] = _over_pairs(x[rows], y[rows])
    return tau


def _over_pairs(x: Array, y: Array) -> Array:
    """Tau-b of each row of x and y, (S, n): all pairs, those of rows so many places apart at a time."""
    agreeing, untied_x, untied_y = (np.zeros(len(x), dtype=np.int64) for _ in range(3))
    for lag in range(1, x.shape[1]):
        up_x, down_x = x[:, lag:] > x[:, :-lag], x[:, lag:] < x[:, :-lag]
        up_y, down_y = y[:, lag:] > y[:, :-lag], y[:, lag:] < y[:, :-lag]
        agreeing += np.count_nonzero((up_x & up_y) | (down_x & down_y), axis=1)
        agreeing -= np.count_nonzero((up_x & down_y) | (down_x & up_y), axis=1)
        untied_x += np.count_nonzero(up_x | down_x, axis=1)
        untied_y += np.count_nonzero(up_y | down_y, axis=1)
    pairs = np.sqrt(untied_x.astype(np.float64) * untied_y)
    return np.divide(agreeing, pairs, out=np.full(len(x), np.nan), where=pairs > 0)


def _by_sorting(x: Array, y: Array) -> float:
    if x.min() == x.max() or y.min() == y.max():
        return float("nan")
    # SciPy takes longer to import than most commands to run.
    from scipy import stats

    return float(stats.kendalltau(x, y).statistic)
