"""Draws of the answers of few units: too few to redraw, enough to say how alike the answers of a unit are.

A unit's answers are the more alike the larger its ICC, which is one for all groups, and which few units tell
badly: each draw has an ICC of its own, from the fiducial distribution. Source: Searle, Casella & McCulloch
(1992), Variance Components, 3.5.
"""

from collections.abc import Callable

import numpy as np

from ingest.inference.arrays import Array, Codes, divide
from ingest.inference.sums import Kind, group_table

Draws = Callable[[int], Array]


def few_tables(kind: Kind, units: Array, group: Codes, rng: np.random.Generator) -> Draws:
    """Return a function that draws the next b tables (b, K, J) of units' sums (n, J), each of one group."""
    table = group_table(group, units, int(group.max()) + 1)
    if kind == "score":
        return _scores(units, group, table, rng)
    if kind == "outcome":
        return alike_tables(units, group, divide(table, table.sum(1, keepdims=True)), rng)
    both = np.stack([units[:, 0] - units[:, 1], units[:, 1]], axis=1)
    rates = divide(table[:, 1], table[:, 0])
    drawn = alike_tables(both, group, np.stack([1 - rates, rates], axis=1), rng)

    def next_tables(b: int) -> Array:
        counts = drawn(b)
        return np.stack([counts.sum(-1), counts[..., 1]], axis=-1)

    return next_tables


def alike_tables(units: Array, group: Codes, shares: Array, rng: np.random.Generator) -> Draws:
    """Return a function that draws the next b tables (b, K, J) of answers with the shares (K, J) of groups.

    `units` (n, J) are counts, of which the sizes and the ICC are kept. With the root of the ICC as its
    chance, an answer is the one that its unit has drawn, else one of its own. Source: Morel & Nagaraj (1993),
    Biometrika 80(2).
    """
    ratio, size = _likeness(units, group)
    sizes = units.sum(1).astype(np.int64)
    n_groups, outcomes = len(shares), np.eye(shares.shape[1])
    members = [np.flatnonzero(group == one) for one in range(n_groups)]
    freedom = max(len(units) - n_groups, 1)

    def next_tables(b: int) -> Array:
        icc = np.ones(b)
        if np.isfinite(ratio):
            drawn = ratio * freedom / rng.chisquare(freedom, size=b)
            icc = np.clip(divide(drawn - 1, np.maximum(drawn + size - 1, 1e-12)), 0, 1)
        together = rng.binomial(sizes, np.sqrt(icc)[:, None], size=(b, len(sizes)))
        tables = []
        for own, share in zip(members, shares, strict=True):
            whole = together[:, own]
            said = outcomes[rng.choice(len(share), p=share, size=whole.shape)]
            apart = rng.multinomial(sizes[own].sum() - whole.sum(1), share)
            tables.append(np.einsum("bn,bnj->bj", whole.astype(np.float64), said) + apart)
        return np.stack(tables, axis=1)

    return next_tables


def _likeness(units: Array, group: Codes) -> tuple[float, float]:
    """F of the variance between units of a group over that inside units, and the units' mean size.

    Indicators of outcomes are pooled. F is infinite where units never differ inside. Source: Landis & Koch
    (1977), Biometrics 33(4).
    """
    sizes, n_groups = units.sum(1), int(group.max()) + 1
    total, freedom = sizes.sum(), max(len(units) - n_groups, 1)
    table, squares = (group_table(group, one, n_groups) for one in (units, sizes[:, None] ** 2))
    in_group = table.sum(1)
    of_units = (units**2 / sizes[:, None]).sum()
    between = of_units - divide((table**2).sum(1), in_group).sum()
    size = float((total - divide(squares[:, 0], in_group).sum()) / freedom)
    if total <= len(units) or total <= of_units:
        return float("inf"), size
    return float((between / freedom) / ((total - of_units) / (total - len(units)))), size


def _scores(units: Array, group: Codes, table: Array, rng: np.random.Generator) -> Draws:
    """Groups' means vary as units' means do, by one variance for all groups, drawn as that of a t test."""
    means = divide(units[:, 1], units[:, 0])
    by_group = divide(table[:, 1], table[:, 0])
    freedom = max(len(units) - len(table), 1)
    squares = (units[:, 0] * (means - by_group[group]) ** 2).sum()
    n, total, of_squares = table.T

    def next_tables(b: int) -> Array:
        scale = np.sqrt(squares / rng.chisquare(freedom, size=b))[:, None] / np.sqrt(n)
        shift = scale * rng.standard_normal((b, len(n)))
        moved = [
            np.broadcast_to(n, shift.shape),
            total + n * shift,
            of_squares + shift * (2 * total + n * shift),
        ]
        return np.stack(moved, axis=-1)

    return next_tables
