"""Intervals of whatever is a function of groups' sums, by drawing whole units with replacement."""

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ingest.inference.arrays import Array
from ingest.inference.bounds import one_other_unit
from ingest.inference.constants import PSEUDO_UNIT_STREAM
from ingest.inference.design import Design, canonical, resampling_unit
from ingest.inference.drawing import Units, intervals
from ingest.inference.sums import Kind, group_table


class Interval(NamedTuple):
    """95 % bootstrap interval of each group's value: `low`, `high` (K,), NaN where `status` is `too_few`."""

    low: Array
    high: Array
    status: str
    unit: str
    n_units: int


def bootstrap_interval(
    design: Design,
    sums: ArrayLike,
    function: Callable[[Array], Array],
    n_bootstrap: int,
    seed: int,
    depends_on: Literal["own", "others"] = "own",
    lowest: float = 0.0,
    kind: Kind = "score",
) -> Interval:
    """Interval of a function of tables (b, K, J) to (b, K), drawing whole units.

    `depends_on`: whether a group's value rests on its own units, or on those of others too. `lowest`: the
    smallest value that there can be. `kind` of the sums: a group whose answers are all one outcome has one
    unit more that says otherwise, or its interval would have no width.
    """
    design, rows = canonical(design, np.asarray(sums, dtype=np.float64))
    unit = resampling_unit(design)
    units = Units.of(design.group, design.units(unit))
    if not units.is_enough:
        missing = np.full(len(design.labels), np.nan)
        return Interval(missing, missing, "too_few", unit, units.n)
    table = group_table(design.group, rows, len(design.labels))
    by_group = units.by_group(np.ones((len(rows), 1)))[:, 0]
    drawn = units.tables(rows, seed)(n_bootstrap)
    one_other, others = one_other_unit(kind, table, by_group), []
    if one_other.any():
        weights = np.random.default_rng([seed, PSEUDO_UNIT_STREAM]).exponential(size=(*drawn.shape[:2], 1))
        others = [function(drawn + weights * one_other).T]
    n_units = by_group if depends_on == "own" else by_group.min()
    interval = intervals(function(drawn).T, function(table[None])[0], n_units, others)
    return Interval(np.maximum(interval[:, 0], lowest), interval[:, 1], "ok", unit, units.n)
