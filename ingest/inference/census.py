"""How far answers lie from published shares, held against answers drawn from those shares.

The shares are given, not estimated. Answers about one name or text go together: the draws keep the units and
their sizes, and let the answers of a unit agree as often as those that were given do.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ingest.inference.arrays import Array
from ingest.inference.bounds import filled_up, one_sided_bounds
from ingest.inference.constants import (
    ALPHA,
    CENSUS_STREAM,
    CHUNK_BYTES,
    MIN_UNITS_PER_GROUP,
    PSEUDO_UNIT_STREAM,
)
from ingest.inference.drawing import chance, draw, p_values, unit_drawer
from ingest.inference.families import tails
from ingest.inference.few_units import alike_tables
from ingest.inference.group_statistics import jsd_nats_to
from ingest.inference.registry import Statistic

NAN = float("nan")
Divergence = Callable[[Array], Array]
DIVERGENCE = Statistic("jsd_census_nats", ("outcome",), "group", (), bounds=(0.0, float(np.log(2))))


class Distance(NamedTuple):
    """A divergence in nats with what answers drawn from the shares give: fields as in `Resampled`.

    `attainable` is the divergence of answers that are all the rarest outcome.
    """

    p_value: float
    null_median: float
    null_p05: float
    null_p95: float
    min_attainable_p: float
    bound_low: float
    bound_high: float
    value_low: float
    value_high: float
    attainable: float
    tail: float
    null_tails: tuple[float, ...]


def distance(
    counts: ArrayLike, shares: ArrayLike, n_draws: int, n_bootstrap: int, seed: int, missing: float = 0
) -> Distance:
    """Hold answers against published shares (J,), which add up to 1.

    `counts` (n, J) are the answers of n units by outcome; `missing` counts answers that could not be read.
    Bounds are those of the expected divergence, which few answers push up, so that they err to the safe side;
    NaN with fewer than 5 units. Raises ValueError without answers.
    """
    units, census = np.asarray(counts, dtype=np.float64), np.asarray(shares, dtype=np.float64)
    units = units[units.sum(1) > 0]
    if not len(units):
        raise ValueError("no answer to hold against the shares")
    table = units.sum(0)

    def divergence(tables: Array) -> Array:
        return jsd_nats_to(tables[:, None], census[None])[:, 0]

    observed = divergence(table[None])
    farthest = divergence(np.eye(len(census)))
    whole = np.zeros(len(units), dtype=np.int64)
    drawn = alike_tables(units, whole, census[None], np.random.default_rng([seed, CENSUS_STREAM]))
    chunk = max(1, CHUNK_BYTES // (8 * 3 * units.size))
    null = draw(lambda b: divergence(drawn(b)[:, 0])[None], n_draws, chunk, (1,))
    judged = chance(null, observed)
    tail, null_tails = tails(null, observed)
    low, high = _bounds(units, census, observed, n_bootstrap, seed, divergence)
    ends = _ends(table, census, missing)
    return Distance(
        p_value=float(judged.p_value[0]),
        null_median=float(judged.null_median[0]),
        null_p05=float(judged.null_p05[0]),
        null_p95=float(judged.null_p95[0]),
        min_attainable_p=float(p_values(null, farthest.max()[None])[0]),
        bound_low=low,
        bound_high=high,
        value_low=float(divergence(ends).min()),
        value_high=float(divergence(ends).max()),
        attainable=float(farthest.max()),
        tail=float(tail[0]),
        null_tails=tuple(null_tails[0].tolist()),
    )


def _bounds(
    units: Array, shares: Array, observed: Array, n_bootstrap: int, seed: int, divergence: Divergence
) -> tuple[float, float]:
    """One-sided 95 % bounds from redrawn units; of the upper one, with one more where it counts most."""
    if len(units) < MIN_UNITS_PER_GROUP or not n_bootstrap:
        return NAN, NAN
    table = units.sum(0)
    one_more = np.eye(len(shares)) * table.sum() / len(units)
    # Of a binomial with one outcome only the bound is that of -ln(0.05) units of the other ("rule of three").
    one_more = one_more[divergence(table - np.log(ALPHA) * one_more).argmax()]
    drawn = unit_drawer(len(units), seed)(n_bootstrap) @ units
    weights = np.random.default_rng([seed, PSEUDO_UNIT_STREAM]).exponential(size=(n_bootstrap, 1))
    plain, apart = divergence(drawn)[None], divergence(drawn + weights * one_more)[None]
    low, high = one_sided_bounds([DIVERGENCE], observed, plain, apart, float(len(units)))[0]
    return float(low), float(high)


def _ends(table: Array, shares: Array, missing: float) -> Array:
    """Tables (1 + 1 + J, J) with the missing answers filled in towards the shares, and to one outcome each.

    The divergence is convex in the answers, so one outcome for all of them is farthest.
    """
    towards = table + filled_up(table[None], np.array([float(missing)]), shares)[0]
    return np.vstack([table, towards, table + missing * np.eye(len(shares))])
