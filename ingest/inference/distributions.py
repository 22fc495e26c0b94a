"""Upper tails of distributions, and exact tests of tables of counts."""

from collections.abc import Callable

import numpy as np
import scipy  # its parts load when they are first used: some take longer than a small build
from numpy.typing import ArrayLike

from ingest.inference.arrays import Array, only_where
from ingest.inference.constants import CHUNK_BYTES, MONTE_CARLO_STREAM
from ingest.inference.drawing import draw, p_values
from ingest.inference.group_statistics import chi_square


def monte_carlo_chi_square(table: ArrayLike, n: int, seed: int) -> float:
    """p-value of chi-square by `n` random tables with the margins of `table` (K, J) of counts.

    Rows must be independent responses. NaN with fewer than two groups or outcomes. Source: SPEC INF-4.
    """
    counts = np.asarray(table)
    counts = counts[counts.any(1)][:, counts.any(0)].astype(np.int64)
    if min(counts.shape) < 2:
        return float("nan")
    observed = chi_square(counts[None].astype(np.float64))
    from scipy import stats as distributions  # here, as it takes 1.5 s that every command would pay for

    margins = distributions.random_table(counts.sum(1), counts.sum(0))
    rng = np.random.default_rng([seed, MONTE_CARLO_STREAM])

    def next_draws(b: int) -> Array:
        tables = margins.rvs(size=b, random_state=rng)
        return chi_square(tables.reshape(-1, *counts.shape))

    draws = draw(next_draws, n, max(1, CHUNK_BYTES // (8 * 4 * counts.size)), ())
    return float(p_values(draws[None], observed)[0])


def fisher_exact_p(table: ArrayLike) -> float:
    """Two-sided p-value of Fisher's exact test of a 2x2 table; NaN where a margin is 0."""
    counts = np.asarray(table, dtype=np.int64)
    if counts.shape != (2, 2):
        raise ValueError("Fisher's exact test is for 2x2 tables")
    if not (counts.any(0).all() and counts.any(1).all()):
        return float("nan")
    from scipy import stats as distributions

    return float(distributions.fisher_exact(counts).pvalue)


def _tail(survival: Callable[..., Array], x: ArrayLike, *dof: ArrayLike) -> Array:
    """Survival function, NaN where x or a number of degrees of freedom is missing or not positive."""
    arrays = np.broadcast_arrays(*(np.asarray(a, dtype=np.float64) for a in (x, *dof)))
    is_usable = np.logical_and.reduce([np.isfinite(arrays[0]), *(a > 0 for a in arrays[1:])])
    return only_where(is_usable, survival(*(np.where(is_usable, a, 1.0) for a in arrays)))


def chi_square_p(x: ArrayLike, dof: ArrayLike) -> Array:
    """Upper tail of the chi-square distribution, shape as broadcast."""
    return _tail(lambda x, dof: scipy.special.chdtrc(dof, x), x, dof)


def t_p(t: ArrayLike, dof: ArrayLike) -> Array:
    """Both tails of Student's t distribution, shape as broadcast."""
    return 2 * _tail(lambda t, dof: scipy.special.stdtr(dof, -t), np.abs(t), dof)


def f_p(f: ArrayLike, dof_between: ArrayLike, dof_within: ArrayLike) -> Array:
    """Upper tail of the F distribution, shape as broadcast."""
    return _tail(lambda f, *dof: scipy.special.fdtrc(*dof, f), np.maximum(f, 0.0), dof_between, dof_within)
