"""Words beside words, thousands of samples at once: what resampling computes again and again (SPEC 12).

The marts' numbers come from SQL (int_stereotype_words_computed, int_stereotypes_computed); a test compares
the two. Whatever is resampled is a table of sums: the answers to a prompt add to each group its words, all
that stands beside them, and each target word beside them. What cannot be computed is NaN.
"""

from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ingest.inference.arrays import Array, Codes, Mask, divide, only_where
from ingest.inference.bounds import no_narrower
from ingest.inference.constants import (
    ABSOLUTE_SLACK,
    CHUNK_BYTES,
    EXCHANGE_STREAM,
    MIN_UNITS,
    PSEUDO_UNIT_STREAM,
)
from ingest.inference.design import Design
from ingest.inference.drawing import Chance, chance, draw, draws_at_once, intervals, unit_drawer
from ingest.inference.relabelling import relabelling
from ingest.inference.sums import group_table

OF_CHANCE = ("p_value", "null_median", "null_p95")


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
        """Return which number each column of `of` holds."""
        found = [Column("representation", "", "", "", *self.pair)]
        for name, words in self.words.items():
            for a, b in combinations(self.groups, 2):
                found += [Column("cooccurrence_bias", name, "", word, a, b) for word in (*words, "")]
            for counting in self.countings:
                metric = "stereotypical_associations"
                found += [Column(metric, name, counting, word, *self.pair) for word in (*words, "")]
        return found

    def of(self, tables: Array) -> Array:
        """Values and signed values (2, columns, b) of tables (b, K, width).

        Source: SPEC ST-2 to ST-8, ST-12.
        """
        tables = tables.reshape(len(tables), len(self.groups), self.width)
        n, beside = tables[..., 0], tables[..., 1]
        shares = self._shares(n[..., None])
        values, signed = [self._distance(shares)], [self._direction(shares)]
        for name in self.words:
            # P(w|A), but for the number of all words, which no ratio depends on.
            near = tables[..., self.places(name, "cooccurrence")]
            # A word that stands beside neither group of a pair is no word of the pair, smoothed or not.
            likely = divide(near + self.smoothing, beside[..., None])
            likely = divide(likely, np.where(n > 0, n, np.nan)[..., None])
            for a, b in combinations(range(len(self.groups)), 2):
                is_seen = (near[:, a] > 0) | (near[:, b] > 0)
                found = np.where(is_seen, _log_ratio(likely[:, a], likely[:, b]), np.nan)
                values.append(_with_mean(np.abs(found)))
                signed.append(_with_mean(found))
            for counting in self.countings:
                shares = self._shares(tables[..., self.places(name, counting)])
                values.append(_with_mean(self._distance(shares)))
                signed.append(_with_mean(self._direction(shares)))
        return np.stack([np.concatenate(values, axis=1).T, np.concatenate(signed, axis=1).T])

    def per_mention(self, tables: Array) -> Array:
        """Return what `of` gives if each group were mentioned as often as the others: (2, columns, b)."""
        tables = tables.reshape(len(tables), len(self.groups), self.width)
        n = tables[..., :1]
        return self.of(tables * n.mean(1, keepdims=True) / np.where(n > 0, n, 1))

    def _shares(self, counts: Array) -> Array:
        """Shares of the groups (b, K, W), by default as if their lists were of one length."""
        weights = counts / self.sizes[:, None] if self.is_size_normalised else counts
        return divide(weights, weights.sum(-2, keepdims=True))

    def _distance(self, shares: Array) -> Array:
        return np.asarray(0.5 * np.abs(shares - self.reference[:, None]).sum(-2))

    def _direction(self, shares: Array) -> Array:
        found: Array = shares[..., 0, :] - self.reference[0]
        return found if len(self.groups) == 2 else np.full_like(found, np.nan)


def _log_ratio(a: Array, b: Array) -> Array:
    ratio = divide(a, b)
    return np.log10(ratio, out=np.full(ratio.shape, np.nan), where=ratio > 0)


def _with_mean(values: Array) -> Array:
    """Values (b, W) with the mean of those that are there as a last column."""
    is_there = np.isfinite(values)
    total = np.where(is_there, values, 0).sum(-1, keepdims=True)
    return np.concatenate([values, divide(total, is_there.sum(-1, keepdims=True))], axis=1)


class Cells(NamedTuple):
    """The answers to each prompt: sums (P, K, width), code of the block (P,), and whom the prompt is about.

    `answers` (P,) counts them. `group` (P,) indexes the lexicon's groups where the suite's design says it,
    else is None.
    """

    sums: Array
    block: Codes
    group: Codes | None
    answers: Array


class Result(NamedTuple):
    """Values of a lexicon's columns, ends of intervals and what relabelling gives: (columns,) by name."""

    numbers: dict[str, Array]
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
    chance = np.random.default_rng([seed, EXCHANGE_STREAM]).random(by_block.shape)
    is_most = by_block == by_block.max(1, keepdims=True)
    most = np.where(is_most, chance, -1).argmax(1)
    kept = np.flatnonzero(by_block[cells.block].sum(1) > 0)
    return kept, most[cells.block[kept]]


def resample(lexicon: Lexicon, cells: Cells, n_permutations: int, n_bootstrap: int, seed: int) -> Result:
    """Intervals by drawing whole blocks, p-values by exchanging groups' words between prompts.

    Relabelling a prompt about group g as one about h exchanges what its answers hold of the two: under no
    difference, an answer about h is one about g with the words of the two exchanged. Sums grow with answers:
    where what is relabelled has unlike numbers of them, a number is more than chance only if it is so with
    equal weights, too, and the larger p-value counts. Source: decision 0008.
    """
    columns = lexicon.columns()
    shape = (2, len(columns))
    observed = lexicon.of(cells.sums.sum(0)[None])[..., 0]
    units = _Units.of(cells.block)
    sums = units.sums(cells.sums.reshape(len(cells.sums), -1))
    drawn = unit_drawer(units.n, seed)
    chunk = draws_at_once(4 * len(cells.sums), 8 * CHUNK_BYTES)
    booted = draw(lambda b: lexicon.of(drawn(b) @ sums), units.n_drawn(n_bootstrap), chunk, shape)
    ends = np.stack([intervals(draws, own, units.n) for draws, own in zip(booted, observed, strict=True)])
    if (is_flat := _is_flat(booted)).any():
        widened = _with_another_unit(lexicon, sums, is_flat, booted.shape[2], seed)
        ends[is_flat] = intervals(booted[is_flat], observed[is_flat], units.n, widened)
    drawn_names = ("value", "signed_value", "ci_low", "ci_high", "signed_ci_low", "signed_ci_high")
    numbers = dict(zip(drawn_names, np.concatenate([observed, *ends.swapaxes(1, 2)]), strict=True))
    numbers |= dict.fromkeys(OF_CHANCE, np.full(len(columns), np.nan))
    kept, label = labels_of(cells, seed)
    present, group = np.unique(label, return_inverse=True)
    if len(present) < 2 or not n_permutations:
        return Result(numbers, np.nan, None, units.name, units.n)
    labels = tuple(lexicon.groups[g] for g in present)
    design = Design(group[:, None], group, np.arange(len(kept)), cells.block[kept], labels)
    shuffled = relabelling(design, n_permutations, seed)

    def judged_of(sums: Array) -> Chance:
        labels = relabelling(design, n_permutations, seed).draw
        total, of_kept = sums.sum(0), sums if len(kept) == len(sums) else sums[kept]

        def both(tables: Array) -> Array:
            return np.concatenate([lexicon.of(tables)[0], lexicon.per_mention(tables)[0]])

        def relabelled(b: int) -> Array:
            return both(_exchanged(total, of_kept, label, present[labels(b)]))

        own = both(total[None])[:, 0]
        return chance(draw(relabelled, n_permutations, chunk, (len(own),)), own)

    judged = judged_of(cells.sums)
    p_value, answers = judged.p_value, cells.answers
    if shuffled.scheme == "whole_blocks":
        answers = group_table(cells.block, answers[:, None], int(cells.block.max()) + 1)[cells.block, 0]
    if np.ptp(answers[kept]):
        # Of the size that they were: smoothing adds as much as before.
        weights = answers[kept].mean() / answers
        p_value = np.fmax(p_value, judged_of(cells.sums * weights[:, None, None]).p_value)
    n = len(columns)
    of_chance = zip(OF_CHANCE, (p_value[n:], judged.null_median[:n], judged.null_p95[:n]), strict=True)
    # How many prompts are about a group is held fixed: what that says of its mentions is no chance.
    is_tested = judged.is_tested[:n] & np.array([column.metric != "representation" for column in columns])
    numbers |= {name: only_where(is_tested, values) for name, values in of_chance}
    return Result(numbers, shuffled.min_attainable_p, shuffled.scheme, units.name, units.n)


class _Units(NamedTuple):
    """What is drawn with replacement: blocks, or prompts where there is one block only."""

    name: str
    code: Codes
    n: int

    @classmethod
    def of(cls, block: Codes) -> "_Units":
        is_blocked = int(block.max()) > 0
        code = block if is_blocked else np.arange(len(block))
        return cls("block" if is_blocked else "prompt", code, int(code.max()) + 1)

    def sums(self, rows: Array) -> Array:
        """Rows (P, J) summed by unit, (units, J)."""
        return group_table(self.code, rows, self.n)

    def n_drawn(self, n_bootstrap: int) -> int:
        """Number of draws: none of too few units."""
        return n_bootstrap if self.n >= MIN_UNITS else 0


def _is_flat(booted: Array) -> Mask:
    """Which columns of draws (2, columns, b) are one value wherever they have one, (2, columns)."""
    if not booted.size:
        return np.zeros(booted.shape[:2], dtype=bool)
    spread = np.fmax.reduce(booted, axis=2) - np.fmin.reduce(booted, axis=2)
    return np.asarray(spread <= ABSOLUTE_SLACK)


def _with_another_unit(lexicon: Lexicon, sums: Array, is_flat: Mask, n_draws: int, seed: int) -> list[Array]:
    """Draws (flat columns, b) of units' `sums` for each group, with one more unit, whose target words stand
    beside that group alone. It has each as often as a unit that has it: on those alone a word rests.

    Units that all say the same leave others possible ("rule of three"), and redrawn alone have no width.
    """
    n_units, n_groups = len(sums), len(lexicon.groups)
    unit = sums.sum(0).reshape(n_groups, -1) / n_units
    held = sums.reshape(n_units, n_groups, -1)[..., 2:].sum(1)
    words = held.sum(0) / np.maximum((held > 0).sum(0), 1)

    def beside(group: int) -> Array:
        more = np.column_stack([unit[:, :2], np.zeros((n_groups, len(words)))])
        more[group, 2:] = words
        drawn, weights = unit_drawer(n_units, seed), np.random.default_rng([seed, PSEUDO_UNIT_STREAM])

        def redrawn(b: int) -> Array:
            tables = drawn(b) @ sums + weights.exponential(size=(b, 1)) * more.ravel()
            return np.asarray(lexicon.of(tables)[is_flat])

        return draw(redrawn, n_draws, draws_at_once(4 * sums.size), (int(is_flat.sum()),))

    return [beside(group) for group in range(n_groups)]


def _exchanged(total: Array, own: Array, label: Codes, drawn: Codes) -> Array:
    """Totals (b, K, width), of `total` (K, width), where each cell of `own` (cells, K, width) exchanges the
    groups that it is and that it is drawn as."""
    tables = np.repeat(total[None], len(drawn), axis=0)
    for g, h in combinations(range(len(total)), 2):
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


def resample_means(values: Array, block: Codes, n_bootstrap: int, seed: int, is_share: ArrayLike) -> Means:
    """Means of columns (P, columns) over prompts, with intervals by drawing whole blocks.

    Those of shares (columns,) are no narrower than what blocks that are all alike leave open.
    """
    units = _Units.of(block)
    sums = units.sums(np.column_stack([values, np.ones(len(values))]))
    drawn = unit_drawer(units.n, seed)

    def redrawn(b: int) -> Array:
        found = drawn(b) @ sums
        return (found[:, :-1] / found[:, -1:]).T

    observed = values.mean(0)
    draws = draw(redrawn, units.n_drawn(n_bootstrap), draws_at_once(3 * units.n), observed.shape)
    interval, shares = intervals(draws, observed, units.n), np.asarray(is_share, dtype=bool)
    interval[shares] = no_narrower(interval[shares], observed[shares], units.n, 0.0, 1.0)
    return Means(observed, interval, units.name, units.n)
