"""Words beside words, thousands of samples at once: what resampling computes again and again (SPEC 12).

The marts' numbers come from SQL (int_stereotype_words_computed, int_stereotypes_computed); a test compares
the two. Whatever is resampled is a table of sums: the answers to a prompt add to each group its words, all
that stands beside them, and each target word beside them. What cannot be computed is NaN.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ingest.inference.resampling import (
    Chance,
    Design,
    chance_of_more,
    relabelling,
    shifted_intervals,
    unit_drawer,
)

Array = NDArray[np.float64]
Codes = NDArray[np.int64]

CHUNK = 100  # resamples that are evaluated together


class Column(NamedTuple):
    """Which number a column holds; `word` is '' for a mean over words or for a number of no word."""

    metric: str
    target_list: str
    counting: str
    word: str
    group_a: str
    group_b: str


@dataclass(frozen=True)
class Lexicon:
    """What is counted: groups (K) with the size of their lists and their fair shares, words by list."""

    groups: tuple[str, ...]
    sizes: Array
    reference: Array
    words: dict[str, tuple[str, ...]]
    countings: tuple[str, ...]
    smoothing: float
    is_size_normalised: bool

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of the sums of a word, in order."""
        return ("cooccurrence", *self.countings)

    @property
    def width(self) -> int:
        """Sums of a group: its words, all beside them, and `parts` of each word."""
        return 2 + len(self.parts) * sum(len(words) for words in self.words.values())

    def places(self, target_list: str, part: str) -> slice:
        """Return where the sums of a list's words stand."""
        start = 2
        for name, words in self.words.items():
            for other in self.parts:
                if (name, other) == (target_list, part):
                    return slice(start, start + len(words))
                start += len(words)
        raise KeyError((target_list, part))

    @property
    def pair(self) -> tuple[str, str]:
        """The two groups, or nothing where there are more."""
        return (self.groups[0], self.groups[1]) if len(self.groups) == 2 else ("", "")

    def columns(self) -> list[Column]:
        """Return which number each column of `evaluate` holds."""
        found = [Column("representation", "", "", "", *self.pair)]
        for name, words in self.words.items():
            for a, b in combinations(self.groups, 2):
                found += [Column("cooccurrence_bias", name, "", word, a, b) for word in (*words, "")]
            for counting in self.countings:
                metric = "stereotypical_associations"
                found += [Column(metric, name, counting, word, *self.pair) for word in (*words, "")]
        return found

    def evaluate(self, tables: Array) -> tuple[Array, Array]:
        """Values and signed values (b, columns) of tables (b, K, width). Source: SPEC ST-2 to ST-8, ST-12."""
        n, beside = tables[..., 0], tables[..., 1]
        values, signed = [], []

        def add(value: Array, direction: Array) -> None:
            values.append(value)
            signed.append(direction)

        shares = self._shares(n[..., None])
        add(self._distance(shares), self._direction(shares))
        for name in self.words:
            # P(w|A), but for the number of all words, which no ratio depends on.
            near = tables[..., self.places(name, "cooccurrence")]
            # A word that stands beside neither group of a pair is no word of the pair, smoothed or not.
            likely = _divide(
                _divide(near + self.smoothing, beside[..., None]), np.where(n > 0, n, np.nan)[..., None]
            )
            for a, b in combinations(range(len(self.groups)), 2):
                is_seen = (near[:, a] > 0) | (near[:, b] > 0)
                found = np.where(is_seen, _log_ratio(likely[:, a], likely[:, b]), np.nan)
                add(_with_mean(np.abs(found)), _with_mean(found))
            for counting in self.countings:
                shares = self._shares(tables[..., self.places(name, counting)])
                add(_with_mean(self._distance(shares)), _with_mean(self._direction(shares)))
        return np.concatenate(values, axis=1), np.concatenate(signed, axis=1)

    def _shares(self, counts: Array) -> Array:
        """Shares of the groups (b, K, W), by default as if their lists were of one length."""
        weights = counts / self.sizes[:, None] if self.is_size_normalised else counts
        return _divide(weights, weights.sum(-2, keepdims=True))

    def _distance(self, shares: Array) -> Array:
        return 0.5 * np.abs(shares - self.reference[:, None]).sum(-2)

    def _direction(self, shares: Array) -> Array:
        found = shares[..., 0, :] - self.reference[0]
        return found if len(self.groups) == 2 else np.full_like(found, np.nan)


def _divide(a: Array, b: Array) -> Array:
    numerator, denominator = np.broadcast_arrays(a, b)
    out = np.full(numerator.shape, np.nan)
    return np.divide(numerator, denominator, out=out, where=denominator > 0)


def _log_ratio(a: Array, b: Array) -> Array:
    ratio = _divide(a, b)
    return np.log10(ratio, out=np.full(ratio.shape, np.nan), where=ratio > 0)


def _with_mean(values: Array) -> Array:
    """Values (b, W) with the mean of those that are there as a last column."""
    is_there = np.isfinite(values)
    total = np.where(is_there, values, 0).sum(-1, keepdims=True)
    return np.concatenate([values, _divide(total, is_there.sum(-1, keepdims=True))], axis=1)


class Cells(NamedTuple):
    """The answers to each prompt: sums (P, K, width), code of the block (P,), and whom the prompt is about.

    `group` (P,) indexes the lexicon's groups where the suite's design says it, else is None.
    """

    sums: Array
    block: Codes
    group: Codes | None


class Result(NamedTuple):
    """Every column of a lexicon: values, intervals, and what relabelling gives, (columns,) each."""

    value: Array
    signed_value: Array
    interval: Array
    signed_interval: Array
    p_value: Array
    null_median: Array
    null_p95: Array
    min_attainable_p: float
    scheme: str | None
    unit: str
    n_units: int


def labels_of(cells: Cells, seed: int) -> tuple[Codes, Codes]:
    """Return which cells can be relabelled, and the group that each is about (decision 0008).

    Cells without a group's word cannot. Where the design does not say whom a prompt is about, a whole block
    is about the group whose words it holds most of; between equals the seed decides.
    """
    n = cells.sums[..., 0]
    if cells.group is not None:
        kept = np.flatnonzero((n.sum(1) > 0) & (cells.group >= 0))
        return kept, cells.group[kept]
    by_block = np.zeros((int(cells.block.max()) + 1, n.shape[1]))
    np.add.at(by_block, cells.block, n)
    chance = np.random.default_rng([seed, 3]).random(by_block.shape)
    is_most = by_block == by_block.max(1, keepdims=True)
    most = np.where(is_most, chance, -1).argmax(1)
    kept = np.flatnonzero(by_block[cells.block].sum(1) > 0)
    return kept, most[cells.block[kept]]


def resample(lexicon: Lexicon, cells: Cells, n_permutations: int, n_bootstrap: int, seed: int) -> Result:
    """Intervals by drawing whole blocks, p-values by exchanging groups' words between prompts.

    Relabelling a prompt about group g as one about h exchanges what its answers hold of the two: under no
    difference, an answer about h is one about g with the words of the two exchanged. Source: decision 0008.
    """
    columns = len(lexicon.columns())
    value, signed = (found[0] for found in lexicon.evaluate(cells.sums.sum(0)[None]))
    interval, signed_interval = np.full((2, columns, 2), np.nan)
    n_blocks = int(cells.block.max()) + 1
    unit, code = ("block", cells.block) if n_blocks > 1 else ("prompt", np.arange(len(cells.block)))
    n_units = int(code.max()) + 1
    draw = unit_drawer(n_units, seed)
    if draw is not None and n_bootstrap:
        by_unit = np.zeros((n_units, *cells.sums.shape[1:]))
        np.add.at(by_unit, code, cells.sums)
        flat = by_unit.reshape(n_units, -1)
        draws = _evaluated(lexicon, (draw(b) @ flat for b in _chunks(n_bootstrap)))
        interval = shifted_intervals(draws[0], value, n_units)
        signed_interval = shifted_intervals(draws[1], signed, n_units)
    nothing = np.full(columns, np.nan)
    result = Result(
        value, signed, interval, signed_interval, nothing, nothing, nothing, np.nan, None, unit, n_units
    )
    kept, label = labels_of(cells, seed)
    present, group = np.unique(label, return_inverse=True)
    if len(present) < 2 or not n_permutations:
        return result
    design = Design(
        attributes=group[:, None],
        group=group,
        prompt=np.arange(len(kept)),
        block=cells.block[kept],
        labels=tuple(lexicon.groups[g] for g in present),
    )
    shuffled = relabelling(design, n_permutations, seed)
    tables = (_exchanged(cells.sums, kept, label, present[shuffled.draw(b)]) for b in _chunks(n_permutations))
    chance = chance_of_more(_evaluated(lexicon, tables)[0], value)
    # How many prompts are about a group is held fixed: what that says of its mentions is no chance.
    is_tested = np.array([column.metric != "representation" for column in lexicon.columns()])
    chance = Chance(*(np.where(is_tested, numbers, np.nan) for numbers in chance))
    return result._replace(
        p_value=chance.p_value,
        null_median=chance.median,
        null_p95=chance.p95,
        min_attainable_p=shuffled.min_attainable_p,
        scheme=shuffled.scheme,
    )


def _chunks(n: int) -> Iterator[int]:
    for start in range(0, n, CHUNK):
        yield min(CHUNK, n - start)


def _evaluated(lexicon: Lexicon, tables: Iterator[Array]) -> tuple[Array, Array]:
    """Values and signed values (columns, b) of chunks of tables."""
    found = [lexicon.evaluate(t.reshape(len(t), len(lexicon.groups), lexicon.width)) for t in tables]
    return np.concatenate([f[0] for f in found]).T, np.concatenate([f[1] for f in found]).T


def _exchanged(sums: Array, kept: Codes, label: Codes, drawn: Codes) -> Array:
    """Totals (b, K, width) where each kept cell exchanges the groups that it is and that it is drawn as."""
    tables = np.repeat(sums.sum(0)[None], len(drawn), axis=0)
    own = sums[kept]
    for g, h in combinations(range(sums.shape[1]), 2):
        is_exchanged = ((label == g) & (drawn == h)) | ((label == h) & (drawn == g))
        moved = is_exchanged.astype(np.float64) @ (own[:, h] - own[:, g])
        tables[:, g] += moved
        tables[:, h] -= moved
    return tables


class Means(NamedTuple):
    """Means over prompts with their intervals: `value` (columns,), `interval` (columns, 2)."""

    value: Array
    interval: Array
    unit: str
    n_units: int


def resample_means(values: Array, block: Codes, n_bootstrap: int, seed: int) -> Means:
    """Means of columns (P, columns) over prompts, with intervals by drawing whole blocks."""
    n_blocks = int(block.max()) + 1
    unit, code = ("block", block) if n_blocks > 1 else ("prompt", np.arange(len(block)))
    n_units = int(code.max()) + 1
    sums = np.zeros((n_units, values.shape[1] + 1))
    np.add.at(sums, code, np.column_stack([values, np.ones(len(values))]))
    observed = values.mean(0)
    draw = unit_drawer(n_units, seed)
    if draw is None or not n_bootstrap:
        return Means(observed, np.full((values.shape[1], 2), np.nan), unit, n_units)
    drawn = draw(n_bootstrap) @ sums
    interval = shifted_intervals((drawn[:, :-1] / drawn[:, -1:]).T, observed, n_units)
    return Means(observed, interval, unit, n_units)
