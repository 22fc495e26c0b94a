"""Pairs whose groups are shown by people's names, or by other blocks that lie in one group and in many roots.

Answers about one name resemble each other in every root. So roots are not independent, and exchanging the
groups root by root takes what the names do for what the groups do. Here whole names move: the bootstrap draws
names within their group, and chance gives each name to either group, with all its roots and repeats.
"""

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from ingest.inference.arrays import Array, Codes, Mask, divide, meets
from ingest.inference.constants import BOOTSTRAP_STREAM, MIN_UNITS_PER_GROUP, PERMUTATION_STREAM
from ingest.inference.pairs import split_draws, weighted_sums


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

    def units(self, a: int, b: int) -> int:
        """How many names the smaller of two groups has where whole names move; 0 where roots do.

        One name a group is its group: then roots move, and speak of these very names.
        """
        if not self.is_in_several.any():
            return 0
        own, other = self.members[a], self.members[b]
        is_apart = not len(np.intersect1d(own, other, assume_unique=True))
        is_crossed = self.is_in_several[own].any() or self.is_in_several[other].any()
        return min(len(own), len(other)) if is_apart and is_crossed and max(len(own), len(other)) > 1 else 0

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

    def relabelled(self, a: int, b: int, n_draws: int) -> Array:
        """Which of two groups each name is given to, 1 or -1, (draws, names); 0 for a name of neither."""
        generator = np.random.default_rng([self.seed, PERMUTATION_STREAM, a, b])
        labels: Array = np.zeros((n_draws, self.n))
        labels[:, self.members[a]], labels[:, self.members[b]] = 1, -1
        both = np.concatenate([self.members[a], self.members[b]])
        labels[:, both] = generator.permuted(labels[:, both], axis=1)
        return labels


def pair_weights(weights: Array, block_a: Codes, block_b: Codes, columns: Sequence[Array]) -> list[Array]:
    """Sums of `columns` (n,) over pairs of names, as often as both are drawn, (draws,) each."""
    n = weights.shape[1]
    cells, of_cell = np.unique(block_a * n + block_b, return_inverse=True)
    sums = np.stack([np.bincount(of_cell, column, len(cells)) for column in columns], axis=1)
    found = np.empty((len(weights), len(columns)))
    for part in split_draws(len(weights), len(cells)):
        found[part] = (weights[part][:, cells // n] * weights[part][:, cells % n]) @ sums
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
        shares = self._shares(side_a, side_b)
        areas = np.empty(len(shares))
        for part in split_draws(len(shares), len(self.owner)):
            steps = shares[part][:, self.owner]
            areas[part] = np.abs(np.cumsum(steps, axis=1)[:, :-1]) @ self.gaps
        return areas

    def differences(self, side_a: Array, side_b: Array, threshold: float) -> Array:
        """Return the difference of the samples' rates above the threshold."""
        is_above: Mask = meets(self.values, ">", threshold)
        above = np.bincount(self.owner, is_above.astype(np.float64), len(self.counts))
        return weighted_sums(self._shares(side_a, side_b), above)

    def relabelled(self, labels: Array, threshold: float | None) -> Array:
        """Return the distance, or the difference, where each name is in the sample that its label says."""
        if threshold is None:
            return self.distances(labels, labels)
        return self.differences(labels, labels, threshold)

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

    def relabelled(self, labels: Array, threshold: float | None) -> Array:
        """Nothing: see above."""
        return np.zeros(0)
