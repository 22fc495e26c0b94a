"""Pairs whose groups are shown by people's names, or by other blocks of one group that lie in many roots.

Answers about one name resemble each other in every root. So roots are not independent, and exchanging the
groups root by root takes what the names do for what the groups do. Here whole names move: the bootstrap draws
names within their group, and chance gives each name to either group, with all its roots and repeats. What a
name of both groups has in one and in the other swaps places.
"""

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from ingest.inference.arrays import Array, Codes, Mask, divide, meets
from ingest.inference.constants import BOOTSTRAP_STREAM, MIN_UNITS_PER_GROUP, PERMUTATION_STREAM
from ingest.inference.pairs import split_draws


class Names:
    """The blocks of an axis's prompts: `group`, `block` and `root` (n,) are codes, a row each that occurs.

    Their draws are made where they are first asked for: mostly no pair of groups needs them.
    """

    def __init__(self, group: Codes, block: Codes, root: Codes, n_draws: int, seed: int) -> None:
        self.n, n_roots = int(block.max()) + 1, int(root.max()) + 1
        of_group, own = np.divmod(np.unique(group * self.n + block), self.n)
        self.members = {int(g): own[of_group == g] for g in np.unique(of_group)}
        self.is_in_several = np.bincount(np.unique(block * n_roots + root) // n_roots, minlength=self.n) > 1
        # Where a name lies in several groups, it is drawn among those of the first.
        self.of = np.zeros(self.n, dtype=np.int64)
        self.of[own[::-1]] = of_group[::-1]
        self.n_draws, self.seed = n_draws, seed

    def move(self, a: int, b: int) -> bool:
        """Whether whole names of two groups move, rather than roots.

        One name a group is its group: then roots move, and speak of these very names. So they do where all
        names lie in both groups.
        """
        if not self.is_in_several.any():
            return False
        own, other = self.members[a], self.members[b]
        apart = np.setxor1d(own, other, assume_unique=True)
        return bool(self.is_in_several[apart].any()) and max(len(own), len(other)) > 1

    @cached_property
    def weights(self) -> Array:
        """How often each name is drawn, (draws, names)."""
        generator = np.random.default_rng([self.seed, BOOTSTRAP_STREAM, 1])
        drawn: Array = np.zeros((self.n_draws, self.n))
        for group in np.unique(self.of):
            own = np.flatnonzero(self.of == group)
            drawn[:, own] = generator.multinomial(len(own), np.full(len(own), 1 / len(own)), self.n_draws)
        return drawn

    def weights_of(self, n_units: int) -> Array:
        """`weights`; none where a group has too few names."""
        return self.weights if n_units >= MIN_UNITS_PER_GROUP else np.zeros((0, self.n))

    def relabelled(self, a: int, b: int, n_draws: int) -> tuple[Array, Array]:
        """Which of two groups each name is given to, 1 or -1, and 0 for a name of neither.

        Both are (draws, names): of answers in group a, and in group b. A name of both swaps its places.
        """
        generator = np.random.default_rng([self.seed, PERMUTATION_STREAM, a, b])
        own, other = self.members[a], self.members[b]
        labels: Array = np.zeros((n_draws, self.n))
        labels[:, own], labels[:, other] = 1, -1
        apart = np.concatenate([np.setdiff1d(own, other, True), np.setdiff1d(other, own, True)])
        labels[:, apart] = generator.permuted(labels[:, apart], axis=1)
        shared = np.intersect1d(own, other, True)
        if not len(shared):
            return labels, labels
        labels[:, shared] = generator.integers(0, 2, size=(n_draws, len(shared))) * 2 - 1
        swapped = labels.copy()
        swapped[:, shared] *= -1
        return labels, swapped


def fewest_names(block_a: Codes, block_b: Codes) -> int:
    """How many names the side of pairs has that has fewer."""
    return min(len(np.unique(block_a)), len(np.unique(block_b)))


def pair_weights(weights: Array, block_a: Codes, block_b: Codes, columns: Sequence[Array]) -> list[Array]:
    """Sums of `columns` (n,) over pairs of names, as often as both are drawn, (draws,) each.

    A name that is paired with itself is drawn once.
    """
    n = weights.shape[1]
    cells, of_cell = np.unique(block_a * n + block_b, return_inverse=True)
    sums = np.stack([np.bincount(of_cell, column, len(cells)) for column in columns], axis=1)
    is_itself = cells // n == cells % n
    found = np.empty((len(weights), len(columns)))
    for part in split_draws(len(weights), len(cells)):
        other = np.where(is_itself, 1, weights[part][:, cells % n])
        found[part] = (weights[part][:, cells // n] * other) @ sums
    return list(found.T)


class NamedSamples:
    """Two samples, `a` and `b` (n,), whose values belong to names: their distances, as of `pairs.Samples`.

    Weights are (draws, names) for side a and the same for side b. What has a positive one is in the first
    sample, what has a negative one in the second.
    """

    def __init__(self, a: Array, b: Array, block_a: Codes, block_b: Codes, n_blocks: int) -> None:
        values = np.concatenate([a, b])
        owner = np.concatenate([block_a, block_b + n_blocks])
        order = np.argsort(values, kind="stable")
        self.values, self.owner = values[order], owner[order]
        self.gaps = np.diff(self.values)
        self.counts = np.bincount(owner, minlength=2 * n_blocks).astype(np.float64)

    def distances(self, side_a: Array, side_b: Array) -> Array:
        """Return the area between the cumulative distributions under each row of weights, (draws,)."""
        areas = np.empty(len(side_a))
        for part in split_draws(len(side_a), len(self.owner)):
            steps = self._shares(side_a[part], side_b[part])[:, self.owner]
            areas[part] = np.abs(np.cumsum(steps, axis=1)[:, :-1]) @ self.gaps
        return areas

    def differences(self, side_a: Array, side_b: Array, threshold: float) -> Array:
        """Return the difference of the samples' rates above the threshold."""
        is_above: Mask = meets(self.values, ">", threshold)
        above = np.bincount(self.owner, is_above.astype(np.float64), len(self.counts))
        found = np.empty(len(side_a))
        for part in split_draws(len(side_a), len(self.counts)):
            found[part] = self._shares(side_a[part], side_b[part]) @ above
        return found

    def relabelled(self, labels: tuple[Array, Array], threshold: float | None) -> Array:
        """Return the distance, or the difference, where each name is in the sample that its labels say."""
        if threshold is None:
            return self.distances(*labels)
        return self.differences(*labels, threshold)

    def _shares(self, side_a: Array, side_b: Array) -> Array:
        """What a value of each name adds to its sample's distribution; NaN where a sample has none."""
        weights = np.concatenate([side_a, side_b], axis=1)
        own, other = (np.maximum(sign * weights, 0) for sign in (1, -1))
        return divide(own, (own @ self.counts)[:, None]) - divide(other, (other @ self.counts)[:, None])


class NamedPairs(NamedSamples):
    """The same where a pair's values are of one comparison, such as which of two answers a judge prefers.

    Whoever is compared with a strong name loses. So a pair is drawn where both its names are, and no name can
    be given to the other group, whose own names it was never compared with.
    """

    def __init__(self, a: Array, b: Array, block_a: Codes, block_b: Codes, n_blocks: int) -> None:
        super().__init__(a, b, block_a, block_b, n_blocks)
        self.pairs = a, b, block_a, block_b

    def differences(self, side_a: Array, side_b: Array, threshold: float) -> Array:
        """Return the difference of the rates above the threshold, over pairs of drawn names."""
        a, b, block_a, block_b = self.pairs
        steps = meets(a, ">", threshold).astype(np.float64) - meets(b, ">", threshold)
        return divide(*pair_weights(np.abs(side_a), block_a, block_b, [steps, np.ones(len(a))]))

    def relabelled(self, labels: tuple[Array, Array], threshold: float | None) -> Array:
        """Nothing: see above."""
        return np.zeros(0)
