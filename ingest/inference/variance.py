"""Where answers vary: between roots, blocks (names, texts), prompts, and repeats of a prompt.

Components are estimated by Henderson's method 3: the sums of squares that each factor adds to those before it
are set equal to their expectations. Source: Searle, Casella & McCulloch (1992), Variance Components, 5.6;
several outcomes are pooled as in Landis & Koch (1977), Biometrics 33(4).
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import scipy  # its parts load when they are first used: some take longer than a small build
from numpy.typing import ArrayLike

from ingest.inference.arrays import Array, Codes, Mask, dense, divide, first_rows, is_constant
from ingest.inference.constants import ALPHA, CHUNK_BYTES, MIN_UNITS, VARIANCE_FLOOR

N_LEFT_OUT = 40  # parts of the jackknife: more units are left out several at once


class VarianceComponents(NamedTuple):
    """How the answers to one question vary inside groups. NaN where the design cannot tell.

    Shares are of the variance inside groups, truncated at 0; they add up to 1. `icc` is the correlation of
    two answers of one unit in one group, less what their root adds to all groups alike; it may be negative.
    `unit` is a block where blocks lie in groups, else a prompt. `design_effect` is the variance of a
    difference of two groups' means over that of as many independent answers.
    """

    root_share: float
    block_share: float
    prompt_share: float
    repeat_share: float
    icc: float
    icc_low: float
    icc_high: float
    status: str
    ci_status: str
    unit: str
    n_units: int
    mean_answers_per_unit: float
    design_effect: float


class _Layout(NamedTuple):
    """Prompts with their codes of group, root and block, and how many answers each has, (P,)."""

    group: Codes
    root: Codes
    block: Codes
    n: Array

    def keep(self, kept: Mask) -> "_Layout":
        group, root, block = (dense(code[kept]) for code in self[:3])
        return _Layout(group, root, block, self.n[kept])


class _Sums(NamedTuple):
    """Sums of each prompt's answers (P, J), and of their squares (P,)."""

    sums: Array
    squares: Array


def _sum_by(codes: Codes, values: Array) -> Array:
    """Sums (levels, …) of values (P, …), each added up in the order of rows."""
    if values.ndim == 1:
        return np.asarray(np.bincount(codes, values), dtype=np.float64)
    return np.stack([np.bincount(codes, column) for column in values.T], axis=1)


def _table(rows: Codes, columns: Codes, weights: Array, shape: tuple[int, int]) -> Array:
    """Sums of weights by two codes."""
    return np.asarray(np.bincount(rows * shape[1] + columns, weights, shape[0] * shape[1]).reshape(shape))


def _parts(codes: Codes, width: int) -> Iterator[tuple[Codes, Codes, slice]]:
    """Yield rows of some levels at a time, their codes among these, and which levels those are."""
    order = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes))
    step = max(1, CHUNK_BYTES // (8 * max(width, 1)))
    for first in range(0, len(ends), step):
        last = min(first + step, len(ends))
        rows = order[ends[first - 1] if first else 0 : ends[last - 1]]
        yield rows, codes[rows] - first, slice(first, last)


class _Model:
    """A factor that is eliminated, which takes its means off first, and none or more beside it.

    `prompt_trace` is how much of the prompts' variance the model's sum of squares holds. What is held grows
    with the square of the levels of the factors beside it, not with those that are eliminated.
    """

    def __init__(self, eliminated: Codes, factors: Sequence[Codes], n: Array) -> None:
        self.eliminated, self.factors, self.n = eliminated, factors, n
        self.n_levels = [int(one.max()) + 1 for one in factors]
        self.in_level: Array = _sum_by(eliminated, n)
        every = slice(None)
        self.mean = self._by_factor(eliminated, every, n, len(self.in_level)) / self.in_level[:, None]
        within, shared = self._moments()
        own, own_squares = (self._crossed(weights) for weights in (n, n**2))
        self.inverse, rank = _inverse(own - within, 1e-9 * n.sum())
        self.rank = len(self.in_level) + rank
        leverage = (n**2 / self.in_level[eliminated]).sum()
        self.prompt_trace = leverage + (self.inverse * (own_squares - shared)).sum()

    def _by_factor(self, codes: Codes, rows: Codes | slice, weights: Array, n_levels: int) -> Array:
        """Sums of weights by codes of rows and by all levels of the factors, (n_levels, W)."""
        tables = (
            _table(codes, one[rows], weights, (n_levels, size))
            for one, size in zip(self.factors, self.n_levels, strict=True)
        )
        return np.hstack([np.zeros((n_levels, 0)), *tables])

    def _crossed(self, weights: Array) -> Array:
        """Sums of weights (P,) by the factors on either side, (W, W)."""
        every = slice(None)
        tables = (
            self._by_factor(one, every, weights, size)
            for one, size in zip(self.factors, self.n_levels, strict=True)
        )
        return np.vstack([np.zeros((0, sum(self.n_levels))), *tables])

    def _moments(self) -> Array:
        """By the factors, x (W,) of each eliminated level: sums of xx' over its answers; and what its mean
        takes off the squares of each row's weight, (2, W, W).
        """
        width = sum(self.n_levels)
        found = np.zeros((2, width, width))
        for rows, own, levels in _parts(self.eliminated, width):
            n, mean, n_levels = self.n[rows], self.mean[levels], levels.stop - levels.start
            x, squares = (self._by_factor(own, rows, weights, n_levels) for weights in (n, n**2))
            # Each row is weighed twice, once for itself and once for its level's mean.
            once = mean.T @ squares
            found += mean.T @ x, once + once.T - (mean.T * np.bincount(own, n**2)) @ mean
        return found

    def trace_of(self, factor: Codes) -> float:
        """How much of the variance of a factor that is not in the model its sum of squares holds."""
        gram, alone = np.zeros_like(self.inverse), 0.0
        for rows, own, levels in _parts(factor, len(self.in_level)):
            n, n_levels = self.n[rows], levels.stop - levels.start
            cells = _table(own, self.eliminated[rows], n, (n_levels, len(self.in_level)))
            left = self._by_factor(own, rows, n, n_levels) - cells @ self.mean
            gram += left.T @ left
            alone += float((cells**2 / self.in_level).sum())
        return alone + float((self.inverse * gram).sum())

    def explained(self, sums: Array) -> float:
        """Sum of squares of sums (P, J) that the model explains."""
        by_level = _sum_by(self.eliminated, sums)
        mean = by_level / self.in_level[:, None]
        left = sums - self.n[:, None] * mean[self.eliminated]
        right = np.vstack([np.zeros((0, sums.shape[1])), *(_sum_by(one, left) for one in self.factors)])
        return float((right * (self.inverse @ right)).sum() + (by_level * mean).sum())


def _inverse(of: Array, atol: float) -> tuple[Array, int]:
    """Pseudo-inverse of a symmetric matrix, which may be empty, and its rank."""
    if not of.size:
        return of, 0
    inverse, rank = scipy.linalg.pinvh(of, atol=atol, rtol=0, return_rank=True)
    return inverse, int(rank)


class _Projections:
    """The nested models of a layout: groups; with roots; with blocks; with prompts.

    `left_to` (4, 4) says how much of each variance (roots, blocks, prompts, repeats) each sum of squares
    holds: what roots, blocks and prompts add, and the rest. `freedom` (4,) are degrees of freedom.
    """

    def __init__(self, layout: _Layout) -> None:
        self.layout, (group, root, block, n) = layout, layout
        total = n.sum()
        fewer, more = sorted((root, block), key=np.max)
        self.models = [_Model(group, [], n), _Model(root, [group], n), _Model(more, [group, fewer], n)]
        groups, roots, blocks = self.models
        traces = np.array(
            [
                [groups.trace_of(root), groups.trace_of(block), groups.prompt_trace],
                [total, roots.trace_of(block), roots.prompt_trace],
                [total, total, blocks.prompt_trace],
                [total, total, total],
            ]
        )
        self.freedom = np.diff([*(model.rank for model in self.models), len(n), total]).astype(np.float64)
        rest = np.append(np.diff(traces, axis=0), np.zeros((1, 3)), axis=0)
        self.left_to = np.hstack([rest, self.freedom[:, None]])  # each answer varies by itself

    def components(self, values: _Sums) -> Array:
        """Variances of roots, blocks, prompts and repeats, (4,); NaN of a factor that cannot be told apart.

        Such a factor's variance is in the next one's: without repeats a prompt's is in the repeats', and a
        block's, too, where each has one answer.
        """
        sums, n = values.sums, self.layout.n
        explained = [*(model.explained(sums) for model in self.models), (sums**2 / n[:, None]).sum()]
        total = values.squares.sum()
        gained, freedom, left_to = (
            np.append(np.diff(explained), total - explained[3]),
            self.freedom,
            self.left_to,
        )
        if not freedom[3]:
            # Where each block has one answer, nothing varies inside blocks either: theirs is in the rest too.
            last = 2 if freedom[2] else 1
            merged = np.eye(4)
            merged[last:3] = 0
            merged[3, last:] = 1
            gained, freedom = merged @ gained, merged @ freedom
            left_to = np.hstack([(merged @ left_to)[:, :3], freedom[:, None]])
        gained[np.abs(gained) < VARIANCE_FLOOR * total] = 0
        can = freedom > 0
        variance = np.full(4, np.nan)
        if can.any():
            variance[can] = np.linalg.solve(left_to[np.ix_(can, can)], gained[can])
        return variance


@lru_cache(maxsize=2)
def _projections(codes: bytes, n: bytes, part: bytes, n_parts: int) -> list[_Projections]:
    """Projections of a layout, then without each part: many configs answer the same prompts."""
    group, root, block = np.frombuffer(codes, dtype=np.int64).reshape(3, -1)
    layout, parts = _Layout(group, root, block, np.frombuffer(n)), np.frombuffer(part, dtype=np.int64)
    kept = [layout.keep(parts != one) for one in range(n_parts) if n_parts > 1]
    return [_Projections(one) for one in (layout, *kept)]


def _group_moments(level: Codes, group: Codes, weights: Array, n_groups: int) -> Array:
    """Sum over levels of xx', where x (G,) are sums of weights by group, (G, G)."""
    shape = (int(level.max()) + 1, n_groups)
    cells = scipy.sparse.csr_matrix((weights, (level, group)), shape=shape)
    return np.asarray((cells.T @ cells).toarray())


def _pairs_effect(layout: _Layout, variance: Array) -> float:
    """Variance of a difference of two groups' means over that of independent answers, mean over pairs."""
    known = np.nan_to_num(np.maximum(variance, 0))
    in_group = np.bincount(layout.group, weights=layout.n)
    if len(in_group) < 2 or known.sum() <= 0:
        return float("nan")
    weights = layout.n / in_group[layout.group]
    a, b = np.triu_indices(len(in_group), 1)
    independent = 1 / in_group[a] + 1 / in_group[b]
    spread = known[3] * independent
    for share, level in zip(known, (*layout[1:3], np.arange(len(layout.n))), strict=False):
        moments = _group_moments(level, layout.group, weights, len(in_group))
        spread = spread + share * (moments[a, a] + moments[b, b] - 2 * moments[a, b])
    return float((spread / (known.sum() * independent)).mean())


def _icc(variance: Array, unit: str) -> float:
    """Share that units have of what varies among them and inside them."""
    own, others = (1, (2, 3)) if unit == "block" else (2, (3,))
    parts = np.array([variance[own], *(np.nan_to_num(variance[other]) for other in others)])
    return float(divide(parts[0], parts.sum()))


def variance_components(
    group: ArrayLike, root: ArrayLike, block: ArrayLike, prompt: ArrayLike, sums: ArrayLike
) -> VarianceComponents:
    """Return the components of answers (n,) with codes of group, root, block and prompt.

    `sums` (n, J) are indicators of J outcomes, or one column of scores. A root that is its block counts as a
    block. The interval is the jackknife's over units on the scale of log F, with n - 1 degrees of freedom;
    source: Arvesen & Schmitz (1970), Biometrics 26(4). NaN with fewer than 10 units, and where the ICC is 1.
    """
    values = np.asarray(sums, dtype=np.float64)
    codes = [dense(np.asarray(one)) for one in (group, root, block, prompt)]
    first = first_rows(codes[3])
    of_prompt = [code[first] for code in codes[:3]]
    # The variance of scores far from 0 would be lost beside their mean.
    values = values - values.mean(0)
    # What a root adds shows only where roots and blocks cross.
    is_nested = is_constant(of_prompt[1], of_prompt[2]) or is_constant(of_prompt[2], of_prompt[1])
    own_root = np.zeros_like(of_prompt[0]) if is_nested else of_prompt[1]
    rows = _Layout(of_prompt[0], own_root, of_prompt[2], np.bincount(codes[3]).astype(np.float64))
    answers = _Sums(_sum_by(codes[3], values), _sum_by(codes[3], (values**2).sum(1)))
    n_blocks, n_groups = int(rows.block.max()) + 1, int(rows.group.max()) + 1
    unit = "block" if is_constant(rows.group, rows.block) and n_blocks > n_groups else "prompt"
    left_out = rows.block if unit == "block" or n_blocks >= MIN_UNITS else np.arange(len(rows.n))
    n_parts = min(int(left_out.max()) + 1, N_LEFT_OUT)
    part = left_out % n_parts
    whole, *without = _projections(np.stack(rows[:3]).tobytes(), rows.n.tobytes(), part.tobytes(), n_parts)
    variance = whole.components(answers)
    n_units = n_blocks if unit == "block" else len(rows.n)
    mean_answers = float(rows.n.sum() / n_units)
    total = np.nan_to_num(np.maximum(variance, 0)).sum()
    shares = np.maximum(variance, 0) / total if total > 0 else np.full(4, np.nan)
    icc = _icc(variance, unit) if total > 0 else float("nan")
    low = high = float("nan")
    ci_status = "not_applicable"
    if np.isfinite(icc):
        ci_status = "too_few" if n_parts < MIN_UNITS else "at_bound" if icc >= 1 - VARIANCE_FLOOR else "ok"
    if ci_status == "ok":
        kept = [_Sums(*(one[part != index] for one in answers)) for index in range(n_parts)]
        found = [_icc(space.components(own), unit) for space, own in zip(without, kept, strict=True)]
        low, high = _jackknifed(icc, np.array(found), mean_answers)
        ci_status = "ok" if np.isfinite(low) else "too_few"
    of_root, of_block, of_prompt_itself, of_repeat = shares.tolist()
    return VarianceComponents(
        root_share=of_root,
        block_share=of_block,
        prompt_share=of_prompt_itself,
        repeat_share=of_repeat,
        icc=icc,
        icc_low=low,
        icc_high=high,
        status="zero_variance" if total <= 0 else "ok" if np.isfinite(icc) else "no_repeats",
        ci_status=ci_status,
        unit=unit,
        n_units=n_units,
        mean_answers_per_unit=mean_answers,
        design_effect=_pairs_effect(rows, variance),
    )


def _jackknifed(icc: float, without: Array, size: float) -> tuple[float, float]:
    """Interval of an ICC from those without each part, on the scale of half the logarithm of F."""

    def stretched(values: Array) -> Array:
        at = np.clip(values, -1 / (size - 1) + 1e-6 if size > 1 else -1.0, 1 - 1e-6)
        return np.asarray(np.log((1 + (size - 1) * at) / (1 - at)) / 2)

    n = len(without)
    pseudo = n * stretched(np.array(icc)) - (n - 1) * stretched(without)
    half = scipy.special.stdtrit(n - 1, 1 - ALPHA / 2) * pseudo.std(ddof=1) / np.sqrt(n)
    ends = np.exp(2 * (pseudo.mean() + np.array([-half, half])))
    low, high = (ends - 1) / (ends + size - 1)
    return float(low), float(high)
