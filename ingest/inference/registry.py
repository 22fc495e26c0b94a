"""What a row of the registry of statistics says, and how many rows are computed at once.

The rows stand beside their functions, in `ingest.inference.group_statistics`.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ingest.inference.arrays import Array
from ingest.inference.design import Design
from ingest.inference.drawing import Extreme
from ingest.inference.sums import Kind

Step = Callable[[Any], Any]


def no_variance(table: Array) -> str:
    """The status of most statistics that cannot be computed."""
    return "zero_variance"


@dataclass(frozen=True)
class Statistic:
    """One row of the registry.

    `steps`, one after the other, map tables (..., K, J) to (..., K), or to (...,) at the axis's level; what
    several rows begin with is computed once. `extreme`: which values count against equality; for "two_sided"
    the distance from `centre`. `depends_on`: "own" where no relabelling of other groups changes a group's
    value, else "others". `reason` names the status of a NaN, from the (K, J) table. An interval's ends stay
    within `bounds`. `tested_by`: the statistic of the axis whose relabellings say whether the number is more
    than chance, "" where no limit judges it.
    """

    name: str
    kinds: tuple[Kind, ...]
    level: Literal["group", "axis"]
    steps: tuple[Step, ...]
    extreme: Extreme = "greater"
    centre: Callable[[Array], Array] | None = None
    depends_on: Literal["own", "others"] = "others"
    reason: Callable[[Array], str] = no_variance
    bounds: tuple[float, float] = (-np.inf, np.inf)
    tested_by: str = ""

    @property
    def symmetry(self) -> str:
        """Which entry of the attainable p-values applies."""
        if self.level == "axis":
            return "axis"
        return f"{self.depends_on}_directed" if self.extreme == "less" else self.depends_on

    def of(self, tables: Array) -> Array:
        """The statistic of tables (..., K, J), (..., K) or (...,)."""
        (value,) = _values([self], tables)
        return value

    def status(self, value: float, table: Array) -> str:
        """Status of a value of a table (K, J) whose groups all have responses."""
        if np.isfinite(value):
            return "ok"
        return "single_group" if len(table) < 2 else self.reason(table)


def _values(statistics: Sequence[Statistic], start: Array, taken: tuple[Step, ...] = ()) -> Iterator[Array]:
    """Yield each statistic of what the steps `taken` have given."""
    # With resamples side by side in memory a sum over groups is a few long additions, not many short ones.
    n = start.ndim - 1
    adjacent = np.ascontiguousarray(start.transpose(*range(1, n + 1), 0)).transpose(n, *range(n))
    computed: dict[tuple[Step, ...], Any] = {taken: adjacent}

    for statistic in statistics:
        for n_steps in range(len(taken) + 1, len(statistic.steps) + 1):
            steps = statistic.steps[:n_steps]
            if steps not in computed:
                computed[steps] = steps[-1](computed[steps[:-1]])
        yield computed[statistic.steps]


def evaluate(statistics: Sequence[Statistic], tables: Array) -> Array:
    """All columns of all statistics, (columns, b): K for one of a group's, 1 for one of the axis."""
    values = zip(statistics, _values(statistics, tables), strict=True)
    return np.concatenate([v.T if s.level == "group" else v[None] for s, v in values])


def evaluate_values(statistics: Sequence[Statistic], values: Array, taken: tuple[Step, ...]) -> Array:
    """Statistics of the axis of group values (b, C, K) that the steps `taken` have given: (S, C, b)."""
    return np.stack([value.T for value in _values(statistics, values, taken)])


def owners(statistics: Sequence[Statistic], n_groups: int) -> list[tuple[Statistic, int | None]]:
    """The statistic of each column of `evaluate`, and its group, None for the axis."""
    return [
        (statistic, group)
        for statistic in statistics
        for group in (range(n_groups) if statistic.level == "group" else (None,))
    ]


def units_rested_on(columns: Sequence[tuple[Statistic, int | None]], by_group: Array) -> Array:
    """Units that each column rests on: its group's, or the fewest of a group, from those by group (K,)."""
    is_own = [statistic.level == "group" and statistic.depends_on == "own" for statistic, _ in columns]
    own = [by_group.min() if group is None else by_group[group] for _, group in columns]
    return np.where(is_own, own, by_group.min())


def fewest_units(units_by_group: Array, values: Array) -> Array:
    """Units of the group with the fewest of those that have a value, both (C, K): (C,), 0 for none."""
    fewest = np.where(np.isfinite(values), units_by_group, np.inf).min(axis=-1)
    return np.where(np.isfinite(fewest), fewest, 0)


def check_sums(
    design: Design, sums: Array, of: Sequence[Statistic], fewest_draws: int, is_corrected: bool = False
) -> None:
    """Raise ValueError for sums that do not fit, and for a negative number of resamples."""
    if sums.ndim != 2 or len(sums) != len(design.group):
        raise ValueError("sums must be (n, J), one row per response")
    if not np.isfinite(sums).all():
        raise ValueError("sums must be finite: leave out responses without a value, and count them")
    width = {"score": 3, "selection": 2, "outcome": sums.shape[1]}
    for statistic in of:
        if sums.shape[1] not in {width[kind] for kind in statistic.kinds}:
            raise ValueError(f"{statistic.name} does not go with {sums.shape[1]} sums")
        if "outcome" not in statistic.kinds and not (is_corrected or (sums[:, 0] == 1).all()):
            raise ValueError(f"{statistic.name} needs sums whose first column is 1")
    if fewest_draws < 0:
        raise ValueError("the number of resamples cannot be negative")


def kind_of(statistics: Sequence[Statistic], n_sums: int) -> Kind:
    """What the sums are: those of scores are three, of selections two, of outcomes as many as there are."""
    kinds = set.intersection(*(set(statistic.kinds) for statistic in statistics))
    if kinds == {"score", "selection"}:
        return "score" if n_sums == 3 else "selection"
    (kind,) = kinds
    return kind
