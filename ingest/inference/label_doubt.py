"""What labels leave open: a reading may be wrong more often than the few labels of it show.

Labels that all agree vary by nothing when they are redrawn, and yet of n labels without an error the rate of
errors may be as high as 1 - 0.05^(1/n) ("rule of three"). So each group has one label more, of the reading of
which one label stands for the most answers; its weight is drawn from the beta distribution that has this
bound. A reading without a label may mean anything. Source: Fay & Feuer (1997), Confidence intervals for
directly standardized rates, Statistics in Medicine 16(7), who bound a weighted sum of rates so.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ingest.inference.arrays import Array, Codes, Mask, divide
from ingest.inference.bounds import farthest_outcomes, outcome_counts, sums_of_counts
from ingest.inference.constants import LABEL_STREAM, VARIANCE_FLOOR
from ingest.inference.design import Design, resampling_unit
from ingest.inference.drawing import Units
from ingest.inference.sums import Kind, group_table


class Doubt(NamedTuple):
    """What labels leave open in cells, each a reading in a group.

    By cell (C,): `group`; `size`, answers; `unread`, those that nobody has read; `worth`, labels of equal
    weight that tell as much as its heaviest, 0 without a label; `said` (C, J), an answer's sums as corrected.
    `scale`: the sum of an answer that has an outcome. `n_units` (K,): units of a group that hold a label.
    `part`: what of the variance between units comes of labels, 0 to 1; the rest stays with all answers read.
    """

    group: Codes
    size: Array
    unread: Array
    worth: Array
    said: Array
    scale: float
    n_units: Array
    part: float = 0.0

    @classmethod
    def of(cls, design: Design, cell: Codes, stands_for: Array, sums: Array, scale: float = 1.0) -> "Doubt":
        """Doubt of rows in cells (n,) with sums (n, J): `stands_for` (n,) is for how many answers of its cell
        a label stands, 0 without a label."""
        found, place = np.unique(cell, return_inverse=True)
        size = np.bincount(place).astype(np.float64)
        is_there = stands_for > 0
        heaviest, group = np.zeros(len(found)), np.zeros(len(found), np.int64)
        np.maximum.at(heaviest, place, stands_for)
        group[place] = design.group
        doubt = cls(
            group=group,
            size=size,
            unread=size - np.bincount(place, weights=is_there),
            worth=np.nan_to_num(divide(size, heaviest)),
            said=group_table(place, sums, len(found)) / size[:, None],
            scale=scale,
            n_units=labelled_units(design, is_there),
        )
        return doubt._replace(part=doubt._part_of_labels(design, place, sums))

    def _part_of_labels(self, design: Design, place: Codes, sums: Array) -> float:
        """What units vary less by where each answer is what its reading means, and one label more."""
        n_groups = len(self.n_units)
        mean = group_table(design.group, sums, n_groups) / np.bincount(design.group)[:, None]
        unit = design.units(resampling_unit(design)) * n_groups + design.group
        n_cells = int(unit.max()) + 1

        def varies(rows: Array) -> float:
            return float((group_table(unit, rows - mean[design.group], n_cells) ** 2).sum())

        # From the mean answer to one that is as far from it as an outcome is, and as far beyond.
        steps = 2 * np.abs(self.said - mean[self.group]).max(axis=0)
        one_more = (np.square(self.unread / (self.worth + 1)).max() * np.square(steps)).sum()
        total, settled = varies(sums), varies(self.said[place])
        part = (total - settled + one_more) / max(total + one_more, VARIANCE_FLOOR)
        return float(np.clip(part, 0, 1))

    @property
    def unseen(self) -> Array:
        """Share of each group's answers that are read as no labelled one is, (K,)."""
        of_group = np.bincount(self.group, weights=self.size)
        return np.bincount(self.group, weights=np.where(self.worth > 0, 0, self.unread)) / of_group

    @property
    def labels_worth(self) -> Array:
        """How many equal labels of a whole group tell as much as the heaviest one there is, (K,)."""
        heaviest = np.zeros(len(self.n_units))
        np.maximum.at(heaviest, self.group, np.nan_to_num(divide(self.unread, self.worth)))
        worth = np.bincount(self.group, weights=self.size) / np.maximum(heaviest, 1e-12)
        return np.minimum(worth, np.bincount(self.group, weights=self.size - self.unread))

    def moves(self, kind: Kind, table: Array, is_apart: bool) -> tuple[Array, Array, Array]:
        """Sums (K, J) that one label more moves with all its weight, what it is `worth` (K,), and sums that
        readings without a label move.

        They set groups apart or bring them together: towards the outcome that a group has most, or least, in
        excess of the others; scores by a standard deviation.
        """
        if kind == "score":
            steps = _score_steps(table, is_apart)[self.group]
        else:
            counts = outcome_counts(kind, table)
            outcome = farthest_outcomes(counts, is_apart)[self.group]
            steps = self.scale * sums_of_counts(kind, np.eye(counts.shape[1])[outcome]) - self.said
        steps = steps * self.unread[:, None]
        gain, is_seen = np.abs(steps).sum(-1) / (self.worth + 1), self.worth > 0
        unseen = group_table(self.group, np.where(is_seen[:, None], 0, steps), len(table))
        one_more, worth = np.zeros_like(table), np.ones(len(table))
        for index in np.argsort(gain, kind="stable"):
            if is_seen[index]:
                one_more[self.group[index]], worth[self.group[index]] = steps[index], self.worth[index]
        return one_more, worth, unseen

    def drawn(
        self, kind: Kind, table: Array, seed: int, purpose: int
    ) -> Callable[[int], tuple[Array, Array]]:
        """Return a function that draws what labels leave open b times: sums (b, K, J) that set groups apart,
        and that bring them together."""
        both = [self.moves(kind, table, is_apart) for is_apart in (True, False)]
        rng = np.random.default_rng([seed, LABEL_STREAM, purpose])

        def next_moves(b: int) -> tuple[Array, Array]:
            chance = rng.random((b, len(table)))
            apart, together = (
                (1 - chance ** (1 / worth))[..., None] * one_more + unseen for one_more, worth, unseen in both
            )
            return apart, together

        return next_moves

    def either(self, kind: Kind, table: Array, seed: int, purpose: int) -> Callable[[int], Array]:
        """Return a function that draws them (b, K, J) each way as often as the other, group by group."""
        drawn = self.drawn(kind, table, seed, purpose)
        ways = np.random.default_rng([seed, LABEL_STREAM, purpose, 1])

        def next_moves(b: int) -> Array:
            apart, together = drawn(b)
            return np.where(ways.random((b, len(table), 1)) < 0.5, apart, together)

        return next_moves


def labelled_units(design: Design, is_there: Mask) -> Array:
    """Units of each group that hold a label, (K,)."""
    units = Units.of(design.group, design.units(resampling_unit(design)))
    return units.by_group(np.asarray(is_there)[:, None])[:, 0]


def _score_steps(table: Array, is_apart: bool) -> Array:
    """Sums of an answer (K, 3) whose score moves by one standard deviation of its group."""
    mean, square = (divide(table[:, column], table[:, 0]) for column in (1, 2))
    centre = table[:, 1].sum() / table[:, 0].sum()
    sign = np.where(mean == centre, np.arange(len(table)) % 2 * 2 - 1, np.sign(mean - centre))
    step = sign * np.sqrt(np.maximum(square - mean**2, 0)) * (1 if is_apart else -1)
    return np.column_stack([np.zeros_like(step), step, step**2 + 2 * mean * step])
