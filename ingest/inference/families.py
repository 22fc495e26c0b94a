"""What is judged together: step-down maxT p-values over the tables of a family.

A family holds the tables that a profile judges of a config. Relabellings of one table are shared by all of
its numbers; those of different tables are independent. Source: Westfall & Young (1993), Resampling-Based
Multiple Testing, 2.6 and 4.1.
"""

import numpy as np
import scipy  # its parts load when they are first used: some take longer than a small build
from numpy.typing import ArrayLike

from ingest.inference.arrays import Array, Codes, only_where
from ingest.inference.constants import ABSOLUTE_SLACK, MIN_VALID_RATE, RELATIVE_SLACK
from ingest.inference.drawing import Extreme, extremity, n_valid

DECIMALS = 15  # of a p-value: by its logarithm 25 of 500 is a little more than 0.05, which is a finding
LEAST_SKEW = 1e-3  # below it the third moment says nothing, and the tail is that of a normal


def tails(
    draws: Array, observed: Array, extreme: Extreme = "greater", centre: float = 0.0
) -> tuple[Array, Array]:
    """-ln of the null's tail beyond what was observed (columns,), and beyond each draw (columns, b).

    The tail is that of a Pearson type III distribution with the null's mean, variance and skewness, so that
    numbers of different scale, skewness and discreteness compare, and none is cut off at 1/(b + 1). It only
    orders: `step_down` compares it with the same of each relabelling. A draw without a value counts as the
    most extreme; NaN where fewer than 90 % of the draws have one, 0 where they do not vary. Source: Mielke
    & Berry (2007), Permutation Methods, 2.3.
    """
    null = extremity(draws, extreme, centre)
    own = extremity(observed, extreme, centre)
    # What was observed is one of the relabellings: only with it among them are all alike under no difference.
    null = np.concatenate([null, own[:, None]], axis=1)
    is_there = np.isfinite(null)
    n = np.maximum(is_there.sum(1), 1)
    mean = np.where(is_there, null, 0).sum(1) / n
    deviations = np.where(is_there, null - mean[:, None], 0)
    deviation = np.sqrt((deviations**2).sum(1) / n)
    varies = deviation > RELATIVE_SLACK * np.abs(mean) + ABSOLUTE_SLACK
    scale = np.where(varies, deviation, 1)
    skew = np.where(varies, (deviations**3).sum(1) / n / scale**3, 0)

    def tail(values: Array) -> Array:
        z = (values - mean[:, None]) / scale[:, None]
        with np.errstate(divide="ignore", over="ignore"):
            of_normal = -scipy.special.log_ndtr(-z)
            shape = 4 / np.maximum(skew, LEAST_SKEW)[:, None] ** 2
            at = np.maximum(shape + z * np.sqrt(shape), 0)
            of_gamma = -np.log(np.maximum(scipy.special.gammaincc(shape, at), np.finfo(float).tiny))
        found = np.where((skew > LEAST_SKEW)[:, None], of_gamma, of_normal)
        return np.where(varies[:, None], found, 0.0)

    is_tested = np.isfinite(own) & (n_valid(draws) >= max(1, MIN_VALID_RATE * draws.shape[1]))
    found = np.where(is_there, tail(null), np.inf)
    return only_where(is_tested, found[:, -1]), found[:, :-1]


def as_kept(observed: ArrayLike) -> Array:
    """Observed `tails` as those of their relabellings are kept: in single precision, one step lower.

    Rounded otherwise than its ties, an observed number would lie beyond them: with few distinct values it
    would be more extreme than nearly every relabelling.
    """
    rounded = np.asarray(observed, dtype=np.float32)
    return np.asarray(np.nextafter(rounded, np.float32(-np.inf)), dtype=np.float64)


def step_down(observed: ArrayLike, table: Codes, nulls: list[Array]) -> Array:
    """P-values (tests,) of numbers corrected over all tables of their family.

    `observed` (tests,) are `tails`, not NaN; `table` (tests,) is each number's table, an index into
    `nulls`, whose entries (b,) are the highest tail of any of the table's numbers under each relabelling.
    The chance that the highest tail of all tables reaches a number's is that of independent tables; tables
    whose highest number is further out are left out of it (step-down), and p-values never fall from one
    table to the next. At least 1/(b + 1), whatever the number of tables.
    """
    own = np.asarray(observed, dtype=np.float64)
    if not len(own):
        return own
    highest = np.full(len(nulls), -np.inf)
    np.maximum.at(highest, table, own)
    order = np.argsort(-highest, kind="stable")
    limits = own - (RELATIVE_SLACK * np.abs(own) + ABSOLUTE_SLACK)
    below = np.zeros(len(own))  # log of the chance that no table left reaches the number
    p_values = np.zeros(len(own))
    n_draws = min(len(null) for null in nulls)
    for place in order[::-1]:
        ordered = np.sort(nulls[place])
        share = np.searchsorted(ordered, limits) / len(ordered)
        with np.errstate(divide="ignore"):
            below += np.log(share)
        here = table == place
        p_values[here] = (1 + n_draws * -np.expm1(below[here])) / (1 + n_draws)
    least = 0.0
    for place in order:
        here = table == place
        if here.any():
            p_values[here] = np.maximum(p_values[here], least)
            least = float(p_values[here].min())
    return np.round(p_values, DECIMALS)


def exponential_null() -> Array:
    """Tails of a p-value that is uniform under no difference, as evenly spread draws (2000,)."""
    return np.asarray(-np.log((np.arange(2000) + 0.5) / 2000))
