"""Statistics that SQL has no function for: resampling, distribution functions, power.

Pure functions on arrays; nothing here opens a database. Whatever is resampled is a table of sums:
a response adds one row of J numbers to its group, so every statistic is a function of a (K groups,
J sums) table, and of a stack (..., K, J) of such tables, one a resample.

==========  ==============================  ==============================
kind        a response's row                built by
==========  ==============================  ==============================
outcomes    one-hot over J outcomes         `outcome_sums`
score       1, x, x squared                 `score_sums`
selection   1, is selected                  `selection_sums`
==========  ==============================  ==============================

A value that cannot be computed is NaN here; callers store NULL and the row's status. A new statistic is one
function and one row of `STATISTICS`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Literal, NamedTuple

import numpy as np
import scipy  # its parts load when they are first used: some take longer than a small build
from numpy.typing import ArrayLike, NDArray

from ingest.inference.samples import Column, Samples

Array = NDArray[np.float64]
Codes = NDArray[np.int64]
Unit = Literal["block", "prompt", "response"]
Scheme = Literal["whole_blocks", "within_blocks", "blocks_and_within", "prompts", "responses"]
Kind = Literal["outcomes", "score", "selection"]

CHUNK_BYTES = 4 * 2**20  # working set of one chunk of resamples; larger ones leave the cache and are slower
MIN_VALID_RATE = 0.9  # of the resamples, below which neither interval nor p-value is given
MIN_UNITS = 10  # INF-2
MIN_UNITS_PER_GROUP = 5
_RELATIVE_SLACK, _ABSOLUTE_SLACK = 1e-9, 1e-12  # a tie is a tie whatever the order of summation
_VARIANCE_FLOOR = 1e-12  # of the sum of squares: what cancellation leaves of a variance of zero
_PERMUTATION_STREAM, _BOOTSTRAP_STREAM, _MONTE_CARLO_STREAM, _EXCHANGE_STREAM = range(4)


# ------------------------------------------------------------------------------------------ design


@dataclass(frozen=True)
class Design:
    """Who answered what: one entry per response, all arrays of integer codes from 0.

    `attributes` (n, A): the axis's attributes; `group` (n,): which combination of them, an index into
    `labels` (K; a group without responses is allowed); `prompt` (n,); `block` (n,): what responses share (a
    person's name, a root, an identical text). Raises ValueError where a prompt lies in two blocks or two
    groups, or where groups and combinations of attributes are not the same thing.
    """

    attributes: Codes
    group: Codes
    prompt: Codes
    block: Codes
    labels: tuple[str, ...]

    def __post_init__(self) -> None:
        n = len(self.group)
        if self.attributes.ndim != 2 or {len(self.attributes), len(self.prompt), len(self.block)} != {n}:
            raise ValueError("attributes (n, A), group, prompt and block must have one entry per response")
        if n and not 0 <= self.group.min() <= self.group.max() < len(self.labels):
            raise ValueError("a group code has no label")
        combination = _row_codes(self.attributes)
        if not (_is_constant(combination, self.group) and _is_constant(self.group, combination)):
            raise ValueError("a group must be one combination of attributes, and the other way round")
        for name, codes in (("block", self.block), ("group", self.group)):
            if not _is_constant(codes, self.prompt):
                raise ValueError(f"a prompt lies in more than one {name}")

    @classmethod
    def from_values(
        cls,
        attributes: Sequence[ArrayLike],
        prompt: ArrayLike,
        block: ArrayLike,
        groups: Sequence[tuple[str, ...]] | None = None,
    ) -> "Design":
        """Build a design from columns of keys: A attribute columns, prompts and blocks, each of length n.

        Codes follow the sorted keys, so results do not depend on the order of rows. `groups` gives the order
        of groups (and names those without responses); by default the sorted combinations that occur. Raises
        ValueError where a key is missing, or a combination that occurs is not among `groups`.
        """
        columns = [_keys(column) for column in attributes]
        codes = np.column_stack([np.unique(column, return_inverse=True)[1] for column in columns])
        combinations = np.column_stack(columns)
        _, first, group = np.unique(codes, axis=0, return_index=True, return_inverse=True)
        found = [tuple(str(value) for value in combinations[row]) for row in first]
        if groups is None:
            groups = found
        elif not set(found) <= set(groups):
            raise ValueError(f"not among the groups: {sorted(set(found) - set(groups))}")
        position = {combination: index for index, combination in enumerate(groups)}
        order = np.array([position[combination] for combination in found], dtype=np.int64)
        return cls(
            attributes=codes.astype(np.int64),
            group=order[group.ravel()] if len(found) else np.zeros(0, dtype=np.int64),
            prompt=np.unique(_keys(prompt), return_inverse=True)[1].astype(np.int64),
            block=np.unique(_keys(block), return_inverse=True)[1].astype(np.int64),
            labels=tuple(" & ".join(combination) for combination in groups),
        )

    def units(self, unit: Unit) -> Codes:
        """Code of each response's unit at level `unit`, (n,)."""
        if unit == "response":
            return np.arange(len(self.group))
        return self.block if unit == "block" else self.prompt


def _keys(values: ArrayLike) -> NDArray[np.str_]:
    """Keys as text. Raises ValueError for a missing one, which would become a group called None."""
    keys = np.ma.asarray(values, dtype=object)
    if np.ma.getmaskarray(keys).any() or any(key is None or key != key for key in keys.data.tolist()):
        raise ValueError("a key is missing: leave out such responses, and count them")
    return keys.data.astype(str)


def _row_codes(rows: NDArray[np.generic]) -> Codes:
    """Code of each distinct row, (n,), in sorted order."""
    if not len(rows) or not rows.shape[1]:
        return np.zeros(len(rows), dtype=np.int64)
    return np.unique(rows, axis=0, return_inverse=True)[1].ravel().astype(np.int64)


def _is_constant(codes: Codes, within: Codes) -> bool:
    """Whether `codes` never varies among the rows that share a value of `within`."""
    if not len(codes):
        return True
    order = np.lexsort((codes, within))
    same = within[order][1:] == within[order][:-1]
    return bool(np.all(codes[order][1:][same] == codes[order][:-1][same]))


def resampling_unit(design: Design) -> Unit:
    """Return the coarsest level of which some group holds at least two: block, prompt, else response.

    Source: SPEC INF-1. One group with a single block does not send the others to a finer level, where the
    repeats of a block would count as so many blocks. Where every group holds one, group and block are the
    same thing, and only finer units vary.
    """
    levels: tuple[Unit, ...] = ("block", "prompt")
    for unit in levels:
        pairs = np.unique(np.column_stack([design.group, design.units(unit)]), axis=0)
        if len(pairs) and np.bincount(pairs[:, 0]).max() >= 2:
            return unit
    return "response"


# ------------------------------------------------------------------------------------- permutation


@dataclass(frozen=True)
class _Layer:
    """Items whose labels are shuffled within strata, all as codes from 0: `label`, `stratum` (items,)."""

    label: Codes
    stratum: Codes

    def counts(self) -> Codes:
        """Items by stratum and label, (strata, labels)."""
        n_labels = int(self.label.max()) + 1
        cells = self.stratum * n_labels + self.label
        return np.bincount(cells, minlength=(int(self.stratum.max()) + 1) * n_labels).reshape(-1, n_labels)

    def shuffler(self, seed: Sequence[int]) -> Callable[[int], Codes]:
        """Return a function that draws the next b shuffles, (b, items), from one stream a stratum size."""
        order = np.argsort(self.stratum, kind="stable")
        members = np.split(order, np.flatnonzero(np.diff(self.stratum[order])) + 1)
        mixed = [items for items in members if len(np.unique(self.label[items])) > 1]
        classes = []
        for size in sorted({len(items) for items in mixed}):
            items = np.stack([items for items in mixed if len(items) == size])
            classes.append((items, np.random.default_rng([*seed, size])))

        def draw(b: int) -> Codes:
            labels = np.repeat(self.label[None], b, axis=0)
            for items, rng in classes:
                repeated = np.broadcast_to(self.label[items], (b, *items.shape))
                labels[:, items] = rng.permuted(repeated, axis=-1)
            return labels

        return draw


@dataclass(frozen=True)
class _Plan:
    """How a design's groups are relabelled: `cell` (n,) is what moves as one, in `layers`."""

    scheme: Scheme
    cell: Codes
    layers: tuple[_Layer, ...]
    block_of_cell: Codes  # only where blocks and cells both move
    combine: Codes  # (labels of layer 0, labels of layer 1) -> group

    def labeller(self, seed: Sequence[int]) -> Callable[[int], Codes]:
        """Return a function that draws the next b relabellings, group codes (b, cells)."""
        shuffles = [layer.shuffler([*seed, index]) for index, layer in enumerate(self.layers)]
        if len(shuffles) == 1:
            return shuffles[0]
        blocks, within = shuffles
        return lambda b: self.combine[blocks(b)[:, self.block_of_cell], within(b)]


def _first_rows(codes: Codes) -> Codes:
    return np.unique(codes, return_index=True)[1]


def _dense(codes: Codes) -> Codes:
    return np.unique(codes, return_inverse=True)[1].ravel().astype(np.int64)


def _plan(design: Design, unit: Unit) -> _Plan:
    """Decide what moves where (DESIGN "Inference"); rows in canonical order, groups 0..K-1 all present.

    unit block
        An attribute that varies inside no block moves with whole blocks; one that varies inside some block
        is shuffled inside each block, among its prompts with all their repeats. An axis with both kinds does
        both and recombines. Where that could make a combination that is no group of the design (Male & Malay
        was never asked), prompts swap labels freely instead, and the scheme says so: that test ignores what
        a block's prompts share.
    unit prompt, response
        They swap labels freely.
    """
    none = np.zeros((0, 0), dtype=np.int64)

    def free(scheme: Scheme, cell: Codes) -> _Plan:
        label = design.group[_first_rows(cell)]
        return _Plan(scheme, cell, (_Layer(label, np.zeros_like(label)),), none, none)

    prompt, block = _dense(design.prompt), _dense(design.block)
    if unit == "response":
        return free("responses", np.arange(len(design.group)))
    if unit == "prompt":
        return free("prompts", prompt)
    is_fixed = np.array([_is_constant(column, block) for column in design.attributes.T], dtype=bool)
    if is_fixed.all():
        return free("whole_blocks", block)
    first = _first_rows(prompt)
    block_of_prompt = block[first]
    fixed = _row_codes(design.attributes[:, is_fixed])
    if not fixed.any():
        return _Plan("within_blocks", prompt, (_Layer(design.group[first], block_of_prompt),), none, none)
    varying = _row_codes(design.attributes[:, ~is_fixed])
    combine = np.full((fixed.max() + 1, varying.max() + 1), -1, dtype=np.int64)
    combine[fixed, varying] = design.group
    if (combine < 0).any():
        return free("prompts", prompt)
    fixed_of_block = fixed[_first_rows(block)]
    layers = (
        _Layer(fixed_of_block, np.zeros_like(fixed_of_block)),
        _Layer(varying[first], block_of_prompt),
    )
    return _Plan("blocks_and_within", prompt, layers, block_of_prompt, combine)


def _log_factorial(n: NDArray[np.generic]) -> Array:
    return scipy.special.gammaln(np.asarray(n, dtype=np.float64) + 1)


def _log_renamings(counts: Codes) -> float:
    """Log of the number of ways to swap names among labels that are spread over the strata alike."""
    _, alike = np.unique(counts.T, axis=0, return_counts=True)
    return float(_log_factorial(alike).sum())


def _attainable(plan: _Plan, n_by_group: Array, n_permutations: int) -> dict[str, Array]:
    """Smallest p-values that relabelling can give, (K,) by what a statistic depends on.

    The share of the distinct relabellings that are equivalent to the observed one by symmetry: for "axis"
    those that only swap names of groups; for "own" those that leave a group's members where they are; for
    "others" those that moreover only swap names of other groups. Two groups of one size and composition
    mirror each other unless the statistic is "directed". Never less than 1/(B + 1).
    """
    n_groups = len(n_by_group)
    layers = [layer.counts() for layer in plan.layers]
    log_total = sum(
        float((_log_factorial(counts.sum(1)) - _log_factorial(counts).sum(1)).sum()) for counts in layers
    )
    # Counts whose columns may swap names, and the group of each column: the blocks of each value of what is
    # fixed swap the names of what varies on their own.
    swaps = [(layers[0], np.arange(n_groups))]
    if len(layers) == 2:
        own_blocks = [layers[1][plan.layers[0].label == value] for value in range(len(plan.combine))]
        swaps = list(zip(own_blocks, plan.combine, strict=True))
    log_values = _log_renamings(layers[0]) if len(layers) == 2 else 0.0
    log_axis = log_values + sum(_log_renamings(counts) for counts, _ in swaps)
    log_own, log_others = np.zeros(n_groups), np.zeros(n_groups)
    for group in range(n_groups):
        own = []
        for value, (counts, names) in enumerate(swaps):
            is_own = names == group
            log_others[group] += _log_renamings(counts[:, ~is_own])
            if is_own.any():
                own.append((counts, counts[:, is_own][:, 0]))
                if len(layers) == 2:
                    own.append((layers[0], layers[0][:, value]))
                    log_others[group] += _log_renamings(np.delete(layers[0], value, axis=1))
        for counts, taken in own:
            size = counts.sum(1)
            choices = _log_factorial(size) - _log_factorial(taken) - _log_factorial(size - taken)
            log_own[group] -= choices.sum()
    log_others -= log_total
    is_mirrored = n_groups == 2 and log_axis > 0 and n_by_group[0] == n_by_group[1]
    mirror = np.log(2.0) if is_mirrored else 0.0
    shares = {
        "axis": np.full(n_groups, log_axis - log_total),
        "own": log_own + mirror,
        "others": log_others + mirror,
        "own_directed": log_own,
        "others_directed": log_others,
    }
    floor = 1 / (n_permutations + 1)
    return {name: np.clip(np.exp(share), floor, 1.0) for name, share in shares.items()}


# --------------------------------------------------------------------------------- tables of sums


def outcome_sums(outcome: ArrayLike, n_outcomes: int) -> Array:
    """One-hot rows (n, J) of outcome codes 0..J-1. Raises IndexError for any other code."""
    return np.eye(n_outcomes)[np.asarray(outcome, dtype=np.int64)]


def score_sums(score: ArrayLike) -> Array:
    """Rows (1, x, x squared), (n, 3). Missing scores must have been left out."""
    x = np.asarray(score, dtype=np.float64)
    return np.column_stack([np.ones_like(x), x, x**2])


def selection_sums(is_selected: ArrayLike) -> Array:
    """Rows (1, is selected), (n, 2)."""
    x = np.asarray(is_selected, dtype=np.float64)
    return np.column_stack([np.ones_like(x), x])


def group_table(group: Codes, sums: Array, n_groups: int) -> Array:
    """Sum the rows (n, J) of each group: (K, J)."""
    table = np.zeros((n_groups, sums.shape[1]))
    np.add.at(table, group, sums)
    return table


def _permuted_tables(labels: Codes, cell_sums: Array, n_groups: int) -> Array:
    """Tables (b, K, J) of the cells' sums (cells, J) under labels (b, cells)."""
    n_sums = cell_sums.shape[1]
    cells, columns = np.nonzero(cell_sums)
    values = cell_sums[cells, columns]
    index = labels[:, cells] * n_sums
    index += columns + (np.arange(len(labels)) * n_groups * n_sums)[:, None]
    size = len(labels) * n_groups * n_sums
    if len(values) and (values == values[0]).all():
        table = np.bincount(index.ravel(), minlength=size) * values[0]
    else:
        weights = np.broadcast_to(values, index.shape).ravel()
        table = np.bincount(index.ravel(), weights=weights, minlength=size)
    return table.reshape(len(labels), n_groups, n_sums).astype(np.float64, copy=False)


def _divide(a: ArrayLike, b: ArrayLike) -> Array:
    """a / b, NaN where b is 0."""
    numerator, denominator = np.broadcast_arrays(np.asarray(a, np.float64), np.asarray(b, np.float64))
    out = np.full(numerator.shape, np.nan)
    return np.divide(numerator, denominator, out=out, where=denominator != 0)


def _where(condition: NDArray[np.bool_], values: Array) -> Array:
    return np.where(condition, values, np.nan)


def _sqrt(values: Array) -> Array:
    return np.sqrt(values, out=np.full_like(values, np.nan), where=values >= 0)


# ------------------------------------------------------------------- statistics: (..., K, J) outcomes


def _sizes(tables: Array) -> tuple[Array, Array, Array]:
    """Rows with responses, outcomes that occur, and n, each (...,)."""
    columns = tables.sum(-2)
    return (tables.any(-1)).sum(-1), (columns != 0).sum(-1), columns.sum(-1)


def chi_square(tables: Array) -> Array:
    """Pearson's chi-square without continuity correction, (...,); groups and outcomes that are empty dropped.

    NaN with fewer than two groups or outcomes. Source: SPEC FS-1.
    """
    r, c, n = _sizes(tables)
    per_row = np.nan_to_num(_divide(1, tables.sum(-1)))
    per_column = np.nan_to_num(_divide(1, tables.sum(-2)))
    # Equals the sum of (O-E)^2/E over what is not empty, without building E.
    explained = (((tables**2) @ per_column[..., None])[..., 0] * per_row).sum(-1)
    return _where((r >= 2) & (c >= 2), np.maximum(n * (explained - 1), 0))


def chi_square_dof(tables: Array) -> Array:
    """Degrees of freedom of `chi_square`, (...,); NaN where that is NaN."""
    r, c, _ = _sizes(tables)
    return _where((r >= 2) & (c >= 2), (r - 1.0) * (c - 1.0))


def cramers_v(tables: Array) -> Array:
    """Cramér's V, (...,), 0-1. Source: SPEC FS-2."""
    r, c, n = _sizes(tables)
    return _sqrt(_divide(chi_square(tables), n * (np.minimum(r, c) - 1)))


def cramers_v_corrected(tables: Array) -> Array:
    """Bias-corrected Cramér's V, (...,). Source: Bergsma (2013), J. Korean Statistical Society 42(3)."""
    r, c, n = _sizes(tables)
    phi = np.maximum(_divide(chi_square(tables), n) - _divide((r - 1.0) * (c - 1.0), n - 1), 0)
    rows, columns = (k - _divide((k - 1.0) ** 2, n - 1) for k in (r, c))
    smaller = np.minimum(rows, columns) - 1
    return _sqrt(_where(smaller > 0, _divide(phi, smaller)))


def _shares(tables: Array, reference: str) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Rows as shares (..., K, J), their reference (..., 1, J), and which rows can be compared (..., K)."""
    n = tables.sum(-1)
    has_rows = n != 0
    shares = tables / np.where(has_rows, n, 1)[..., None]
    if reference == "pooled":
        pooled = _divide(tables.sum(-2), n.sum(-1)[..., None])
    elif reference == "macro":
        pooled = _divide(shares.sum(-2), has_rows.sum(-1)[..., None])
    else:
        raise ValueError(f"no such reference: {reference!r}")
    return shares, pooled[..., None, :], has_rows & (has_rows.sum(-1) >= 2)[..., None]


def fdi(tables: Array, reference: str = "pooled") -> Array:
    """Half the absolute differences between a group's shares and the reference's, (..., K), 0-1.

    `reference`: "pooled" (all responses) or "macro" (unweighted mean of the groups that have any). NaN for an
    empty group, and where there is no other. Source: SPEC FS-3.
    """
    shares, pooled, is_compared = _shares(tables, reference)
    return _where(is_compared, np.abs(shares - pooled).sum(-1) / 2)


def _neg_entropy(shares: Array) -> Array:
    return (shares * np.log(np.where(shares > 0, shares, 1))).sum(-1)


def jsd_nats(tables: Array, reference: str = "pooled") -> Array:
    """Jensen-Shannon divergence of each group from the reference in nats, (..., K), 0 to ln 2.

    NaN as for `fdi`. Source: SPEC FS-5.
    """
    shares, pooled, is_compared = _shares(tables, reference)
    divergence = (_neg_entropy(shares) + _neg_entropy(pooled)) / 2 - _neg_entropy((shares + pooled) / 2)
    return _where(is_compared, np.clip(divergence, 0, np.log(2)))


# ----------------------------------------------------- statistics: (..., K, 2 or 3) scores, selections


def group_mean(tables: Array) -> Array:
    """Mean score or selection rate of each group, (..., K); NaN for an empty group."""
    return _divide(tables[..., 1], tables[..., 0])


def _pooled_mean(tables: Array) -> Array:
    return _divide(tables[..., 1].sum(-1), tables[..., 0].sum(-1))


def _squares(n: Array, total: Array, squares: Array) -> Array:
    """Sum of squared deviations, exactly 0 where only rounding is left of it."""
    deviations = squares - np.nan_to_num(_divide(total**2, n))
    return np.where(deviations <= _VARIANCE_FLOOR * squares, 0, deviations)


def _columns(tables: Array) -> tuple[Array, Array, Array]:
    return tables[..., 0], tables[..., 1], tables[..., 2]


def dbi(tables: Array) -> Array:
    """Each group's mean minus the overall mean in overall standard deviations (divisor n-1), (..., K).

    NaN for an empty group, for a group alone, and where the scores do not vary. Source: SPEC FS-6.
    """
    n, total, squares = (column.sum(-1) for column in _columns(tables))
    deviation = _sqrt(_divide(_squares(n, total, squares), n - 1))
    shift = group_mean(tables) - _pooled_mean(tables)[..., None]
    is_compared = ((tables[..., 0] != 0).sum(-1) >= 2)[..., None]
    return _where(is_compared, _divide(shift, deviation[..., None]))


def _two_samples(tables: Array) -> tuple[Array, Array, Array]:
    """n, difference (first minus second group) and squares (..., 2); NaN unless two groups of two or more."""
    n, total, squares = _columns(tables)
    if n.shape[-1] != 2:
        nothing = np.full(n.shape[:-1], np.nan)
        return np.full((*nothing.shape, 2), np.nan), nothing, np.full((*nothing.shape, 2), np.nan)
    means = group_mean(tables)
    difference = _where((n >= 2).all(-1), means[..., 0] - means[..., 1])
    return n, difference, _squares(n, total, squares)


def welch_t(tables: Array) -> Array:
    """Welch's t of two groups, (...,), first minus second; NaN with n < 2 or no variance.

    Source: SPEC FS-7.
    """
    n, difference, squares = _two_samples(tables)
    return _divide(difference, np.sqrt(_divide(squares, n * (n - 1)).sum(-1)))


def welch_dof(tables: Array) -> Array:
    """Welch-Satterthwaite degrees of freedom, (...,); NaN where `welch_t` is NaN."""
    n, difference, squares = _two_samples(tables)
    parts = _divide(squares, n * (n - 1))
    dof = _divide(parts.sum(-1) ** 2, _divide(parts**2, n - 1).sum(-1))
    return _where(np.isfinite(difference), dof)


def _pooled_deviation(n: Array, squares: Array) -> Array:
    return _sqrt(_divide(squares.sum(-1), n.sum(-1) - 2))


def pooled_t(tables: Array) -> Array:
    """Student's t of two groups with pooled variance, (...,), n - 2 degrees of freedom. Source: SPEC FS-7."""
    n, difference, squares = _two_samples(tables)
    return _divide(difference, _pooled_deviation(n, squares) * _sqrt(_divide(1, n).sum(-1)))


def cohens_d(tables: Array) -> Array:
    """Cohen's d of two groups, (...,), first minus second. Source: SPEC FS-8."""
    n, difference, squares = _two_samples(tables)
    return _divide(difference, _pooled_deviation(n, squares))


def hedges_g(tables: Array) -> Array:
    """Hedges' g, (...,): Cohen's d times 1 - 3/(4 dof - 1). Source: Hedges (1981), J. Educ. Stat. 6(2)."""
    dof = tables[..., 0].sum(-1) - 2
    return cohens_d(tables) * (1 - _divide(3, 4 * dof - 1))


def _anova(tables: Array) -> tuple[Array, Array, Array, Array]:
    """Groups of two or more, their n, squares between and squares within, each (...,)."""
    usable = np.where((tables[..., 0] >= 2)[..., None], tables, 0)
    n, total, squares = _columns(usable)
    within = _squares(n, total, squares).sum(-1)
    overall = _squares(n.sum(-1), total.sum(-1), squares.sum(-1))
    between = np.where(overall - within <= _VARIANCE_FLOOR * squares.sum(-1), 0, overall - within)
    return (n != 0).sum(-1).astype(np.float64), n.sum(-1), between, within


def anova_f(tables: Array) -> Array:
    """F of the one-way analysis of variance, (...,); groups of fewer than two left out.

    NaN with fewer than three groups or no variance within. Source: SPEC FS-9.
    """
    k, n, between, within = _anova(tables)
    f = _divide(_divide(between, k - 1), _divide(within, n - k))
    return _where(k >= 3, f)


def anova_dof(tables: Array) -> tuple[Array, Array]:
    """Degrees of freedom between and within, each (...,); NaN with fewer than three groups."""
    k, n, _, _ = _anova(tables)
    return _where(k >= 3, k - 1), _where(k >= 3, n - k)


def eta_squared(tables: Array) -> Array:
    """Share of the variance that lies between groups, (...,), 0-1; groups as in `anova_f` (SPEC FS-10)."""
    k, _, between, within = _anova(tables)
    return _where(k >= 2, _divide(between, between + within))


def omega_squared(tables: Array) -> Array:
    """Eta squared corrected for bias, (...,); may be negative. Source: Hays (1963), Statistics."""
    k, n, between, within = _anova(tables)
    noise = _divide(within, n - k)
    zero = (between + within) == 0
    return _where((k >= 2) & ~zero, _divide(between - (k - 1) * noise, between + within + noise))


# --------------------------------------------------------------- disparities over group values (..., K)


def _highest(values: Array) -> Array:
    return np.fmax.reduce(values, axis=-1)


def _lowest(values: Array) -> Array:
    return np.fmin.reduce(values, axis=-1)


def _mean_of_groups(values: Array) -> Array:
    is_there = np.isfinite(values)
    return _divide(np.where(is_there, values, 0).sum(-1), is_there.sum(-1))


def _compared(values: Array, result: Array) -> Array:
    return _where(np.isfinite(values).sum(-1) >= 2, result)


def impact_ratio(values: Array) -> Array:
    """Each value over the highest, (..., K); NaN for a group alone, a highest of 0, or any negative value.

    Source: SPEC DIS-3, DIS-5.
    """
    is_ratio = (np.isfinite(values).sum(-1) >= 2) & ~(_lowest(values) < 0)
    return _where(is_ratio[..., None], _divide(values, _highest(values)[..., None]))


def value_range(values: Array) -> Array:
    """Highest minus lowest, (...,); NaN for fewer than two groups. Source: SPEC DIS-2."""
    return _compared(values, _highest(values) - _lowest(values))


def _spread(values: Array, ddof: int) -> Array:
    n = np.isfinite(values).sum(-1)
    deviations = np.where(np.isfinite(values), values - _mean_of_groups(values)[..., None], 0)
    return _compared(values, np.sqrt(_divide((deviations**2).sum(-1), n - ddof)))


def standard_deviation(values: Array) -> Array:
    """Standard deviation over groups, divisor K-1, (...,). Source: SPEC DIS-4."""
    return _spread(values, ddof=1)


def population_deviation(values: Array) -> Array:
    """Standard deviation over groups, divisor K, (...,). Source: SPEC DIS-4."""
    return _spread(values, ddof=0)


def z_scores(values: Array) -> Array:
    """Each value's distance from the mean of groups in population standard deviations, (..., K).

    NaN where all are equal. Source: SPEC DIS-7.
    """
    # The range decides, because the deviations of equal numbers from their mean can differ from 0 by an ulp.
    deviation = np.where(value_range(values) > 0, population_deviation(values), 0)
    return _divide(values - _mean_of_groups(values)[..., None], deviation[..., None])


def dixon_ends(values: Array) -> tuple[Array, Array]:
    """Dixon's ratio at the low and the high end, each (...,), by number of groups: r10, r11, r21 or r22.

    NaN outside 3 to 30 groups and where a denominator is 0. Source: SPEC 10.1.
    """
    ordered = np.sort(values, axis=-1)  # NaN last
    n_groups = np.isfinite(values).sum(-1)
    low, high = (np.full(values.shape[:-1], np.nan) for _ in range(2))
    for k in np.unique(n_groups[(n_groups >= 3) & (n_groups <= 30)]):
        x = ordered[n_groups == k][..., :k]
        gap = 1 if k <= 10 else 2
        cut = 0 if k <= 7 else 1 if k <= 13 else 2
        low[n_groups == k] = _divide(x[..., gap] - x[..., 0], x[..., k - 1 - cut] - x[..., 0])
        high[n_groups == k] = _divide(x[..., -1] - x[..., -1 - gap], x[..., -1] - x[..., cut])
    return low, high


def dixon_q(values: Array) -> Array:
    """Dixon's two-sided Q: the larger of those `dixon_ends` that can be computed, (...,)."""
    return np.fmax(*dixon_ends(values))


# ---------------------------------------------------------------------------------------- registry


def _no_variance(table: Array) -> str:
    return "zero_variance"


def _ratio_reason(table: Array) -> str:
    return "not_applicable" if (group_mean(table) < 0).any() else "zero_max"


def _dixon_reason(table: Array) -> str:
    return "zero_denominator" if 3 <= len(table) <= 30 else "n_out_of_range"


def _dbi_reason(table: Array) -> str:
    return "too_few" if table[:, 0].sum() < 2 else "zero_variance"


def _two_sample_reason(table: Array) -> str:
    if len(table) != 2:
        return "not_applicable"
    return "too_few" if (table[:, 0] < 2).any() else "zero_variance"


def _anova_reason(table: Array, at_least: int) -> str:
    if len(table) < at_least:
        return "not_applicable"
    return "too_few" if (table[:, 0] >= 2).sum() < at_least else "zero_variance"


@dataclass(frozen=True)
class Statistic:
    """One row of the registry.

    `function` maps tables (..., K, J) to (..., K), or to (...,) at the axis's level; `reduce`, where given,
    maps what the function gives to (...,) or (..., K). `extreme`: which values count against equality; for
    "two_sided" the distance from `centre`. `depends_on`: "own" where no relabelling of other groups changes a
    group's value, else "others". `reason` names the status of a NaN, from the (K, J) table. An interval's
    ends stay within `bounds`.
    """

    name: str
    kinds: tuple[Kind, ...]
    level: Literal["group", "axis"]
    function: Callable[[Array], Array]
    reduce: Callable[[Array], Array] | None = None
    extreme: Literal["greater", "less", "two_sided"] = "greater"
    centre: Callable[[Array], Array] | None = None
    depends_on: Literal["own", "others"] = "others"
    reason: Callable[[Array], str] = _no_variance
    bounds: tuple[float, float] = (-np.inf, np.inf)

    def symmetry(self) -> str:
        """Which entry of the attainable p-values applies."""
        if self.level == "axis":
            return "axis"
        return f"{self.depends_on}_directed" if self.extreme == "less" else self.depends_on


_fdi_pooled, _fdi_macro = (partial(fdi, reference=reference) for reference in ("pooled", "macro"))
_jsd_pooled, _jsd_macro = (partial(jsd_nats, reference=reference) for reference in ("pooled", "macro"))
_anova_3, _anova_2 = (partial(_anova_reason, at_least=k) for k in (3, 2))


def _highest_z(values: Array) -> Array:
    return _highest(z_scores(values))


def _lowest_z(values: Array) -> Array:
    return _lowest(z_scores(values))


def _highest_absolute(values: Array) -> Array:
    return _highest(np.abs(values))


def _highest_absolute_z(values: Array) -> Array:
    return _highest_absolute(z_scores(values))


def _lowest_ratio(values: Array) -> Array:
    return _lowest(impact_ratio(values))


def _dixon_low(values: Array) -> Array:
    return dixon_ends(values)[0]


def _dixon_high(values: Array) -> Array:
    return dixon_ends(values)[1]


_SHARE, _NATS, _POSITIVE = (0.0, 1.0), (0.0, float(np.log(2))), (0.0, np.inf)
_OUTCOMES: tuple[Kind, ...] = ("outcomes",)
_SCORE: tuple[Kind, ...] = ("score",)
_SELECTION: tuple[Kind, ...] = ("selection",)
_VALUES: tuple[Kind, ...] = ("score", "selection")
_REGISTERED = (
    Statistic("chi_square", _OUTCOMES, "axis", chi_square, bounds=_POSITIVE),
    Statistic("cramers_v", _OUTCOMES, "axis", cramers_v, bounds=_SHARE),
    Statistic("cramers_v_corrected", _OUTCOMES, "axis", cramers_v_corrected, bounds=_SHARE),
    Statistic("fdi_pooled", _OUTCOMES, "group", _fdi_pooled, depends_on="own", bounds=_SHARE),
    Statistic("max_fdi_pooled", _OUTCOMES, "axis", _fdi_pooled, _highest, bounds=_SHARE),
    Statistic("mean_fdi_pooled", _OUTCOMES, "axis", _fdi_pooled, _mean_of_groups, bounds=_SHARE),
    Statistic("fdi_macro", _OUTCOMES, "group", _fdi_macro, bounds=_SHARE),
    Statistic("max_fdi_macro", _OUTCOMES, "axis", _fdi_macro, _highest, bounds=_SHARE),
    Statistic("mean_fdi_macro", _OUTCOMES, "axis", _fdi_macro, _mean_of_groups, bounds=_SHARE),
    Statistic("jsd_nats_pooled", _OUTCOMES, "group", _jsd_pooled, depends_on="own", bounds=_NATS),
    Statistic("max_jsd_nats_pooled", _OUTCOMES, "axis", _jsd_pooled, _highest, bounds=_NATS),
    Statistic("mean_jsd_nats_pooled", _OUTCOMES, "axis", _jsd_pooled, _mean_of_groups, bounds=_NATS),
    Statistic("jsd_nats_macro", _OUTCOMES, "group", _jsd_macro, bounds=_NATS),
    Statistic("max_jsd_nats_macro", _OUTCOMES, "axis", _jsd_macro, _highest, bounds=_NATS),
    Statistic("mean_jsd_nats_macro", _OUTCOMES, "axis", _jsd_macro, _mean_of_groups, bounds=_NATS),
    Statistic("mean", _SCORE, "group", group_mean, None, "two_sided", _pooled_mean, "own"),
    Statistic("dbi", _SCORE, "group", dbi, None, "two_sided", None, "own", _dbi_reason),
    Statistic("max_abs_dbi", _SCORE, "axis", dbi, _highest_absolute, reason=_dbi_reason, bounds=_POSITIVE),
    Statistic("welch_t", _SCORE, "axis", welch_t, None, "two_sided", reason=_two_sample_reason),
    Statistic("pooled_t", _SCORE, "axis", pooled_t, None, "two_sided", reason=_two_sample_reason),
    Statistic("cohens_d", _SCORE, "axis", cohens_d, None, "two_sided", reason=_two_sample_reason),
    Statistic("hedges_g", _SCORE, "axis", hedges_g, None, "two_sided", reason=_two_sample_reason),
    Statistic("anova_f", _SCORE, "axis", anova_f, reason=_anova_3, bounds=_POSITIVE),
    Statistic("eta_squared", _SCORE, "axis", eta_squared, reason=_anova_2, bounds=_SHARE),
    Statistic("omega_squared", _SCORE, "axis", omega_squared, reason=_anova_2),
    Statistic(
        "selection_rate",
        _SELECTION,
        "group",
        group_mean,
        None,
        "two_sided",
        _pooled_mean,
        "own",
        bounds=_SHARE,
    ),
    Statistic(
        "impact_ratio",
        _SELECTION,
        "group",
        group_mean,
        impact_ratio,
        "less",
        reason=_ratio_reason,
        bounds=_SHARE,
    ),
    Statistic(
        "min_impact_ratio",
        _SELECTION,
        "axis",
        group_mean,
        _lowest_ratio,
        "less",
        reason=_ratio_reason,
        bounds=_SHARE,
    ),
    Statistic(
        "min_max_ratio",
        _VALUES,
        "axis",
        group_mean,
        _lowest_ratio,
        "less",
        reason=_ratio_reason,
        bounds=_SHARE,
    ),
    Statistic("range", _VALUES, "axis", group_mean, value_range, bounds=_POSITIVE),
    Statistic("standard_deviation", _VALUES, "axis", group_mean, standard_deviation, bounds=_POSITIVE),
    Statistic(
        "standard_deviation_population",
        _VALUES,
        "axis",
        group_mean,
        population_deviation,
        bounds=_POSITIVE,
    ),
    Statistic("max_z", _VALUES, "axis", group_mean, _highest_z),
    Statistic("min_z", _VALUES, "axis", group_mean, _lowest_z, "less"),
    Statistic("max_abs_z", _VALUES, "axis", group_mean, _highest_absolute_z, bounds=_POSITIVE),
    Statistic("dixon_q", _VALUES, "axis", group_mean, dixon_q, reason=_dixon_reason, bounds=_SHARE),
    Statistic("dixon_q_low", _VALUES, "axis", group_mean, _dixon_low, reason=_dixon_reason, bounds=_SHARE),
    Statistic("dixon_q_high", _VALUES, "axis", group_mean, _dixon_high, reason=_dixon_reason, bounds=_SHARE),
)
STATISTICS: dict[str, Statistic] = {statistic.name: statistic for statistic in _REGISTERED}


def statistics_of(kind: Kind) -> tuple[str, ...]:
    """Names of all statistics of a kind of sums: "outcomes", "score" or "selection"."""
    return tuple(name for name, statistic in STATISTICS.items() if kind in statistic.kinds)


# -------------------------------------------------------------------------------------- resampling


class Resampled(NamedTuple):
    """One statistic of one group, or of the axis (`group` None), with what chance alone gives.

    `p_value` is (1 + relabellings at least as extreme) / (1 + B), `p_max` the same against the most extreme
    group of the axis; both NaN where fewer than 90 % of the relabellings gave a value (one that gave none
    counts as extreme). `null_*` are quantiles of the relabelled values, `ci_*` the 95 % percentile interval.
    `n_permutations` and `n_bootstrap` count the resamples that gave a value. `n_units` counts units of level
    `unit` in the group, or in all; `permutation` says what was shuffled. `min_attainable_p` is the smallest p
    that the design allows.
    """

    statistic: str
    group: str | None
    value: float
    status: str
    p_value: float
    p_max: float
    null_median: float
    null_p05: float
    null_p95: float
    ci_low: float
    ci_high: float
    ci_status: str
    n: float
    n_units: int
    n_permutations: int
    n_bootstrap: int
    unit: str
    permutation: str
    min_attainable_p: float


def _evaluate(statistics: Sequence[Statistic], tables: Array) -> Array:
    """All columns of all statistics, (columns, b): K for one of a group's, 1 for one of the axis."""
    computed: dict[Callable[[Array], Array], Array] = {}
    columns = []
    for statistic in statistics:
        if statistic.function not in computed:
            computed[statistic.function] = statistic.function(tables)
        value = computed[statistic.function]
        if statistic.reduce is not None:
            value = statistic.reduce(value)
        columns.append(value.T if statistic.level == "group" else value[None])
    return np.concatenate(columns)


def _draw(
    statistics: Sequence[Statistic], make: Callable[[int], Array], n_resamples: int, columns: int, chunk: int
) -> Array:
    """Evaluate `n_resamples` tables, `chunk` at a time: (columns, n_resamples)."""
    out = np.empty((columns, n_resamples))
    for start in range(0, n_resamples, chunk):
        stop = min(start + chunk, n_resamples)
        out[:, start:stop] = _evaluate(statistics, make(stop - start))
    return out


@dataclass(frozen=True)
class _Units:
    """Whole units, drawn with replacement: within their group where none holds two, else over all.

    `of_row` (n,) is each row's unit; `parts` lists the units that are drawn among themselves, one part a
    group or one for all; `n` counts them.
    """

    of_row: Codes
    parts: tuple[Codes, ...]
    is_nested: bool
    n: int

    @classmethod
    def of(cls, group: Codes, unit: Codes) -> "_Units":
        of_row = _dense(unit)
        n = int(of_row.max()) + 1
        is_nested = _is_constant(group, of_row)
        parts: tuple[Codes, ...] = (np.arange(n),)
        if is_nested:
            group_of_unit = group[_first_rows(of_row)]
            parts = tuple(np.flatnonzero(group_of_unit == g) for g in range(int(group.max()) + 1))
        return cls(of_row, parts, is_nested, n)

    @property
    def is_enough(self) -> bool:
        """Whether there are 10 units, and 5 in each group that is drawn from."""
        fewest = min(len(part) for part in self.parts)
        return self.n >= MIN_UNITS and (not self.is_nested or fewest >= MIN_UNITS_PER_GROUP)

    def drawer(self, seed: Sequence[int]) -> Callable[[int], list[Codes]]:
        """Return a function that draws the next b times: places (b, size) in each part."""
        streams = [np.random.default_rng([*seed, index]) for index in range(len(self.parts))]
        return lambda b: [
            rng.integers(0, len(part), size=(b, len(part)))
            for part, rng in zip(self.parts, streams, strict=True)
        ]


def _bootstrap_tables(
    group: Codes, unit: Codes, sums: Array, seed: Sequence[int]
) -> tuple[Callable[[int], Array] | None, int]:
    """Return a function that draws the next b tables (b, K, J) of resampled units, and how many a draw takes.

    None with fewer than 10 units, or fewer than 5 in a group that is drawn from.
    """
    n_groups, n_sums = int(group.max()) + 1, sums.shape[1]
    units = _Units.of(group, unit)
    if not units.is_enough:
        return None, units.n
    if units.is_nested:
        unit_sums = group_table(units.of_row, sums, units.n)
        parts = [unit_sums[rows] for rows in units.parts]
    else:
        cells = group_table(units.of_row * n_groups + group, sums, units.n * n_groups)
        parts = [cells.reshape(units.n, n_groups * n_sums)]
    places = units.drawer(seed)

    def draw(b: int) -> Array:
        rows = np.arange(b)[:, None]
        tables = []
        for part, drawn in zip(parts, places(b), strict=True):
            size = len(part)
            counts = np.bincount((drawn + rows * size).ravel(), minlength=b * size)
            tables.append(counts.reshape(b, size).astype(np.float64) @ part)
        return np.stack(tables, axis=1).reshape(b, n_groups, n_sums)

    return draw, units.n


def _units_by_group(group: Codes, unit: Codes, is_there: NDArray[np.generic]) -> Array:
    """Units of each group that have something in each column of `is_there` (n, C), (K, C).

    A value of one group rests on these; what compares groups on no more than the fewest of them.
    """
    n_groups = int(group.max()) + 1
    cell = _dense(_dense(unit) * n_groups + group)
    held = group_table(cell, (is_there != 0).astype(np.float64), int(cell.max()) + 1) > 0
    return group_table(group[_first_rows(cell)], held.astype(np.float64), n_groups)


def _quantiles(draws: Array, levels: ArrayLike) -> tuple[Array, Codes]:
    """Quantiles (columns, levels) of the finite values of each row, linearly interpolated, and their number.

    `levels` are the same for all rows (levels,), or each row's own (columns, levels). NaN where fewer than
    90 % are finite.
    """
    n_valid = np.isfinite(draws).sum(1)
    levels = np.asarray(levels, dtype=np.float64)
    if not draws.shape[1]:
        return np.full((len(draws), levels.shape[-1]), np.nan), n_valid
    ordered = np.sort(draws, axis=1)  # NaN last
    position = np.maximum(n_valid - 1, 0)[:, None] * levels
    below = np.floor(position).astype(np.int64)
    above = np.minimum(below + 1, np.maximum(n_valid - 1, 0)[:, None])
    low, high = (np.take_along_axis(ordered, index, axis=1) for index in (below, above))
    is_enough = (n_valid >= MIN_VALID_RATE * draws.shape[1])[:, None]
    return _where(is_enough, low + (high - low) * (position - below)), n_valid


def _intervals(draws: Array, observed: Array, n_units: NDArray[np.generic]) -> tuple[Array, Codes]:
    """95 % expanded percentile intervals (columns, 2), shifted so that their median is the estimate.

    `n_units` (columns,) counts the units that a column rests on. Redrawing n of them varies by (n - 1)/n of
    what it should, and the normal quantile ignores that the variance is estimated: the level is that of
    sqrt(n/(n - 1)) t(0.975, n - 1). Source: Hesterberg (2015), The American Statistician 69(4), 5.2.
    Divergences are biased upward in small samples, and twice so in a resample of one: an unshifted interval
    can exclude its own estimate. The target is what the same design would give on average.
    """
    n = np.maximum(n_units, 2).astype(np.float64)
    tail = scipy.special.ndtr(-np.sqrt(n / (n - 1)) * scipy.special.stdtrit(n - 1, 0.975))
    quantiles, n_valid = _quantiles(draws, np.stack([tail, np.full_like(tail, 0.5), 1 - tail], axis=1))
    return quantiles[:, [0, 2]] + (observed - quantiles[:, 1])[:, None], n_valid


def _p_values(statistic: Statistic, observed: Array, draws: Array, centre: float) -> tuple[Array, Array]:
    """p-value of each column and its single-step max-T version, from (columns,) and (columns, B)."""

    def extremity(values: Array) -> Array:
        if statistic.extreme == "two_sided":
            return np.abs(values - centre)
        return -values if statistic.extreme == "less" else values

    n_resamples = draws.shape[1]
    values = extremity(draws)
    scale = np.maximum(np.abs(observed), abs(centre))
    limit = extremity(observed) - (_RELATIVE_SLACK * scale + _ABSOLUTE_SLACK)
    p_value = (1 + (~(values < limit[:, None])).sum(1)) / (1 + n_resamples)
    if len(values) == 1:
        return p_value, p_value
    highest = np.sort(values.max(axis=0))  # NaN last: counted as extreme
    p_max = (1 + n_resamples - np.searchsorted(highest, limit)) / (1 + n_resamples)
    return p_value, p_max


def _status(statistic: Statistic, value: float, table: Array) -> str:
    """Status of a value of a table whose groups all have responses."""
    if np.isfinite(value):
        return "ok"
    return "single_group" if len(table) < 2 else statistic.reason(table)


def _missing(statistic: Statistic, group: str | None, status: str, unit: str, scheme: str) -> Resampled:
    nan = float("nan")
    return Resampled(
        statistic.name, group, nan, status, nan, nan, nan, nan, nan, nan, nan, "not_applicable",
        0.0, 0, 0, 0, unit, scheme, nan,
    )  # fmt: skip


def _canonical(design: Design, sums: Array) -> tuple[Design, Array]:
    """Drop empty groups and put rows in an order that does not depend on the one they came in."""
    order = np.lexsort((*sums.T, design.group, design.prompt, design.block))
    present = np.unique(design.group)
    ordered = Design(
        design.attributes[order],
        np.searchsorted(present, design.group[order]),
        design.prompt[order],
        design.block[order],
        tuple(design.labels[group] for group in present),
    )
    return ordered, sums[order]


def resample(
    design: Design,
    sums: ArrayLike,
    statistics: Iterable[str],
    n_permutations: int = 2000,
    n_bootstrap: int = 1000,
    seed: int = 0,
    chunk_bytes: int = CHUNK_BYTES,
) -> list[Resampled]:
    """Permutation p-values, null quantiles and bootstrap intervals of `statistics`, one row a group or axis.

    `sums` (n, J) holds each response's row (see the module); `statistics` are names of `STATISTICS`, all of
    the kind that J columns suit. Groups without responses get rows with status `empty_group` and are left
    out of everything else. The result depends on `seed`, not on the order of rows nor on `chunk_bytes`.
    Source: SPEC INF-1 to INF-3. Raises KeyError for an unknown statistic and ValueError for sums that do not
    fit.
    """
    chosen = [STATISTICS[name] for name in statistics]
    rows = np.asarray(sums, dtype=np.float64)
    _check_sums(design, rows, chosen)
    if min(n_permutations, n_bootstrap) < 0:
        raise ValueError("the number of resamples cannot be negative")
    if not len(rows):
        unit, scheme = resampling_unit(design), "responses"
        return [
            _missing(statistic, group, "empty_group", unit, scheme)
            for statistic in chosen
            for group in (design.labels if statistic.level == "group" else (None,))
        ]
    full_labels = design.labels
    design, rows = _canonical(design, rows)
    n_groups, n_sums = len(design.labels), rows.shape[1]
    unit = resampling_unit(design)
    plan = _plan(design, unit)
    unit_of_row = design.units(unit)
    widths = [n_groups if statistic.level == "group" else 1 for statistic in chosen]
    starts = np.concatenate([[0], np.cumsum(widths)])

    table = group_table(design.group, rows, n_groups)
    observed = _evaluate(chosen, table[None])[:, 0]

    cell_sums = group_table(plan.cell, rows, int(plan.cell.max()) + 1)
    relabel = plan.labeller([seed, _PERMUTATION_STREAM])
    # Labels twice, index and weight of each non-zero sum, and some ten temporaries of a table's size.
    bytes_each = 8 * (2 * len(cell_sums) + 2 * np.count_nonzero(cell_sums) + 10 * n_groups * n_sums)
    permuted = _draw(
        chosen,
        lambda b: _permuted_tables(relabel(b), cell_sums, n_groups),
        n_permutations,
        starts[-1],
        max(1, chunk_bytes // bytes_each),
    )
    null, n_permuted = _quantiles(permuted, (0.5, 0.05, 0.95))

    draw, n_units = _bootstrap_tables(design.group, unit_of_row, rows, [seed, _BOOTSTRAP_STREAM])
    bytes_each = 8 * (3 * n_units + 10 * n_groups * n_sums)
    booted = np.full((starts[-1], 0), np.nan)
    if draw is not None:
        booted = _draw(chosen, draw, n_bootstrap, starts[-1], max(1, chunk_bytes // bytes_each))
    units_by_group = _units_by_group(design.group, unit_of_row, np.ones((len(rows), 1)))[:, 0]
    fewest = [units_by_group.min()]
    n_rested_on = [
        fewest if s.level == "axis" else units_by_group if s.depends_on == "own" else fewest * n_groups
        for s in chosen
    ]
    interval, n_booted = _intervals(booted, observed, np.concatenate(n_rested_on))

    n_by_group = np.bincount(design.group, minlength=n_groups).astype(np.float64)
    attainable = _attainable(plan, n_by_group, n_permutations)
    is_tested = n_permuted >= max(1, MIN_VALID_RATE * n_permutations)

    results = []
    for statistic, start, stop in zip(chosen, starts[:-1], starts[1:], strict=True):
        centre = float(statistic.centre(table)) if statistic.centre is not None else 0.0
        p_value, p_max = _p_values(statistic, observed[start:stop], permuted[start:stop], centre)
        smallest = attainable[statistic.symmetry()]
        by_label = {}
        for index in range(stop - start):
            column = start + index
            is_group = statistic.level == "group"
            has_value = bool(np.isfinite(observed[column]))
            has_p = has_value and bool(is_tested[column])
            if not has_value:
                ci_status = "not_applicable"
            else:
                ci_status = "ok" if np.isfinite(interval[column]).all() else "too_few"
            ends = interval[column] if ci_status == "ok" else np.full(2, np.nan)
            ci_low, ci_high = np.clip(ends, *statistic.bounds)
            label = design.labels[index] if is_group else None
            by_label[label] = Resampled(
                statistic=statistic.name,
                group=label,
                value=float(observed[column]),
                status=_status(statistic, observed[column], table),
                p_value=float(p_value[index]) if has_p else float("nan"),
                p_max=float(p_max[index]) if has_p else float("nan"),
                null_median=float(null[column, 0]),
                null_p05=float(null[column, 1]),
                null_p95=float(null[column, 2]),
                ci_low=float(ci_low),
                ci_high=float(ci_high),
                ci_status=ci_status,
                n=float(n_by_group[index] if is_group else n_by_group.sum()),
                n_units=int(units_by_group[index] if is_group else n_units),
                n_permutations=int(n_permuted[column]),
                n_bootstrap=int(n_booted[column]),
                unit=unit,
                permutation=plan.scheme,
                min_attainable_p=float(smallest[index]) if has_value else float("nan"),
            )
        for label in full_labels if statistic.level == "group" else (None,):
            results.append(
                by_label.get(label) or _missing(statistic, label, "empty_group", unit, plan.scheme)
            )
    return results


def _check_sums(design: Design, sums: Array, statistics: Sequence[Statistic]) -> None:
    if sums.ndim != 2 or len(sums) != len(design.group):
        raise ValueError("sums must be (n, J), one row per response")
    if not np.isfinite(sums).all():
        raise ValueError("sums must be finite: leave out responses without a value, and count them")
    width = {"score": 3, "selection": 2, "outcomes": sums.shape[1]}
    for statistic in statistics:
        if sums.shape[1] not in {width[kind] for kind in statistic.kinds}:
            raise ValueError(f"{statistic.name} does not go with {sums.shape[1]} sums")
        if "outcomes" not in statistic.kinds and not (sums[:, 0] == 1).all():
            raise ValueError(f"{statistic.name} needs sums whose first column is 1")


# ------------------------------------------------------------------- many columns of one design at once


class Columns(NamedTuple):
    """One disparity of C columns with what chance alone gives: all arrays (C,). NaN as in `Resampled`."""

    value: Array
    p_value: Array
    null_median: Array
    null_p05: Array
    null_p95: Array
    ci_low: Array
    ci_high: Array


class Ratios(NamedTuple):
    """Each group's ratio to the highest, and to the chosen group, of C columns: all arrays (K, C).

    `p_max` is the p-value against the lowest ratio of each relabelling, the quantiles are those of the
    group's own; `chosen_*` is the interval of the ratio to the group that was chosen, NaN where none was.
    """

    ci_low: Array
    ci_high: Array
    p_max: Array
    null_median: Array
    null_p05: Array
    chosen_low: Array
    chosen_high: Array


class ColumnsResampled(NamedTuple):
    """Disparities by name; 95 % intervals of each group's value (K, C); ratios where they were asked for."""

    disparities: dict[str, Columns]
    value_low: Array
    value_high: Array
    ratios: Ratios | None
    unit: Unit
    permutation: Scheme
    n_units: int
    min_attainable_p: float  # of a disparity, as in `Resampled`


COLUMN_DISPARITIES = (
    "range",
    "standard_deviation",
    "standard_deviation_population",
    "min_max_ratio",
    "max_z",
    "min_z",
    "max_abs_z",
    "dixon_q",
    "dixon_q_low",
    "dixon_q_high",
)


def _column_disparities(values: Array) -> Array:
    """COLUMN_DISPARITIES of group values (b, C, K): (disparities, C, b)."""
    z = z_scores(values)
    low, high = dixon_ends(values)
    found = (
        value_range(values),
        standard_deviation(values),
        population_deviation(values),
        _lowest_ratio(values),
        _highest(z),
        _lowest(z),
        _highest_absolute(z),
        np.fmax(low, high),
        low,
        high,
    )
    return np.stack([one.T for one in found])


@dataclass(frozen=True)
class _Draws:
    """Group values as observed (C, K), of given relabellings (b, C, K), and of the next b resamples.

    `n_units` counts all units, `units_by_group` (C, K) those that a group's value rests on; `n_by_group` (K,)
    rows.
    """

    plan: _Plan
    unit: Unit
    n_units: int
    n_by_group: Array
    units_by_group: Array
    observed: Array
    relabelled: Callable[[Codes], Array]
    drawn: Callable[[int], Array] | None

    def infer(
        self,
        n_permutations: int,
        n_bootstrap: int,
        seed: int,
        chunk: int,
        bounds: Array | None,
        with_ratios: bool,
        references: Codes | None,
    ) -> ColumnsResampled:
        """Draw, and compare with what was observed.

        `bounds` (C, 2) are those of a group's value; `references` (C,) is the group to which ratios are
        wanted besides those to the highest, -1 for none.
        """
        n_columns, n_groups = self.observed.shape
        value = _column_disparities(self.observed[None])[..., 0]
        own_ratios = impact_ratio(self.observed)
        labels = self.plan.labeller([seed, _PERMUTATION_STREAM])
        permuted = np.empty((*value.shape, n_permutations))
        null_ratios = np.empty((n_columns, n_groups, n_permutations if with_ratios else 0))
        for start in range(0, n_permutations, chunk):
            stop = min(start + chunk, n_permutations)
            values = self.relabelled(labels(stop - start))
            permuted[..., start:stop] = _column_disparities(values)
            if with_ratios:
                null_ratios[..., start:stop] = np.moveaxis(impact_ratio(values), 0, -1)

        n_booted = n_bootstrap if self.drawn is not None else 0
        booted = np.empty((*value.shape, n_booted))
        group_values = np.empty((n_columns, n_groups, n_booted))
        for start in range(0, n_booted, chunk):
            stop = min(start + chunk, n_booted)
            values = self.drawn(stop - start)
            booted[..., start:stop] = _column_disparities(values)
            group_values[..., start:stop] = np.moveaxis(values, 0, -1)

        fewest = _fewest_units(self.units_by_group, self.observed)
        disparities = {}
        lowest = {}
        for name, own, null_draws, boot_draws in zip(
            COLUMN_DISPARITIES, value, permuted, booted, strict=True
        ):
            null, n_valid = _quantiles(null_draws, (0.5, 0.05, 0.95))
            p_value, _ = _p_values(STATISTICS[name], own, null_draws, 0.0)
            has_p = np.isfinite(own) & (n_valid >= max(1, MIN_VALID_RATE * n_permutations))
            interval = np.clip(_intervals(boot_draws, own, fewest)[0], *STATISTICS[name].bounds)
            disparities[name] = Columns(own, _where(has_p, p_value), *null.T, *interval.T)
            lowest[name] = null_draws

        def by_group(draws: Array, own: Array, n_units: Array) -> tuple[Array, Array]:
            flat = draws.reshape(n_columns * n_groups, -1)
            interval, _ = _intervals(flat, own.reshape(-1), n_units.reshape(-1))
            return tuple(interval.T.reshape(2, n_columns, n_groups))

        value_low, value_high = by_group(group_values, self.observed, self.units_by_group)
        if bounds is not None:
            value_low, value_high = (
                np.clip(ends, bounds[:, :1], bounds[:, 1:]) for ends in (value_low, value_high)
            )
        ratios = None
        if with_ratios:
            resampled = np.moveaxis(group_values, -1, 0)
            compared = np.repeat(fewest[:, None], n_groups, axis=1)
            ends = by_group(np.moveaxis(impact_ratio(resampled), 0, -1), own_ratios, compared)
            null, _ = _quantiles(null_ratios.reshape(n_columns * n_groups, -1), (0.5, 0.05))
            divisor = np.where(references[:, None] >= 0, _value_of(self.observed, references), np.nan)
            chosen = by_group(
                np.moveaxis(_divide(resampled, _value_of(resampled, references)), 0, -1),
                _divide(self.observed, divisor),
                compared,
            )
            ratios = Ratios(
                *(np.clip(end, *_SHARE).T for end in ends),
                _p_lowest(own_ratios, lowest["min_max_ratio"]).T,
                *null.T.reshape(2, n_columns, n_groups).swapaxes(1, 2),
                *(np.maximum(end, 0).T for end in chosen),
            )
        attainable = _attainable(self.plan, self.n_by_group, n_permutations)["axis"]
        return ColumnsResampled(
            disparities,
            value_low.T,
            value_high.T,
            ratios,
            self.unit,
            self.plan.scheme,
            self.n_units,
            float(attainable[0]),
        )


def _fewest_units(units_by_group: Array, values: Array) -> Array:
    """Units of the group with the fewest of those that have a value, both (C, K): (C,), 0 for none."""
    fewest = np.where(np.isfinite(values), units_by_group, np.inf).min(axis=-1)
    return np.where(np.isfinite(fewest), fewest, 0)


def _value_of(values: Array, references: Codes) -> Array:
    """Values (..., C, K) of one group a column, (..., C, 1)."""
    index = np.broadcast_to(references[:, None], (*values.shape[:-1], 1))
    return np.take_along_axis(values, index, axis=-1)


def _p_lowest(own: Array, draws: Array) -> Array:
    """p-value of each group's ratio (C, K) against the lowest ratio of each relabelling (C, B), (C, K).

    A relabelling without a value counts as extreme; NaN where fewer than 90 % gave one, as in `resample`.
    """
    n_resamples = draws.shape[1]
    n_valid = np.isfinite(draws).sum(1)
    limit = own + _RELATIVE_SLACK * np.abs(own) + _ABSOLUTE_SLACK
    ordered = np.sort(draws, axis=1)
    n_extreme = np.stack(
        [
            np.searchsorted(row[:valid], ends, side="right")
            for row, valid, ends in zip(ordered, n_valid, limit, strict=True)
        ]
    )
    p_max = (1 + n_extreme + (n_resamples - n_valid)[:, None]) / (1 + n_resamples)
    has_p = np.isfinite(own) & (n_valid >= max(1, MIN_VALID_RATE * n_resamples))[:, None]
    return _where(has_p, p_max)


def resample_columns(
    design: Design,
    counts: ArrayLike,
    sums: ArrayLike,
    n_permutations: int = 2000,
    n_bootstrap: int = 1000,
    seed: int = 0,
    chunk_bytes: int = 8 * CHUNK_BYTES,
    bounds: tuple[float, float] | None = None,
    with_ratios: bool = True,
    references: Sequence[str | None] | None = None,
) -> ColumnsResampled:
    """Permutation and bootstrap of the disparities of C means (or rates) that one design measured.

    `counts` and `sums` (n, C) hold how many values a prompt has in each column and their sum; a group's value
    is the ratio of its sums, and all columns share their relabellings. The rows of `design` are prompts, each
    with all its repeats. Definitions, units and quantiles are those of `resample` (SPEC INF-1 to INF-3).
    `bounds` are those of a mean; `references` labels, by column, a group to which ratios are wanted too.
    Raises ValueError for arrays that do not fit, and where only single responses can vary.
    """
    n_of, sum_of = np.asarray(counts, dtype=np.float64), np.asarray(sums, dtype=np.float64)
    if n_of.ndim != 2 or n_of.shape != sum_of.shape or len(n_of) != len(design.group):
        raise ValueError("counts and sums must be (n, C), one row per prompt")
    unit = _unit_of_prompts(design)
    n_columns = n_of.shape[1]
    design, rows = _canonical(design, np.hstack([n_of, sum_of]))
    n_groups = len(design.labels)
    plan = _plan(design, unit)
    cell_sums = group_table(plan.cell, rows, int(plan.cell.max()) + 1)
    n_cells = len(cell_sums)

    def values_of(tables: Array) -> Array:
        """Tables (b, K, 2C) -> group values (b, C, K)."""
        return np.swapaxes(_divide(tables[..., n_columns:], tables[..., :n_columns]), -1, -2)

    def relabelled(labels: Codes) -> Array:
        size = len(labels)
        target = (labels + (np.arange(size) * n_groups)[:, None]).ravel()
        cells = np.tile(np.arange(n_cells), size)
        shape = (size * n_groups, n_cells)
        members = scipy.sparse.csr_matrix((np.ones(len(cells)), (target, cells)), shape=shape)
        return values_of((members @ cell_sums).reshape(size, n_groups, 2 * n_columns))

    draw, n_units = _bootstrap_tables(design.group, design.units(unit), rows, [seed, _BOOTSTRAP_STREAM])
    draws = _Draws(
        plan,
        unit,
        n_units,
        np.bincount(design.group, minlength=n_groups).astype(np.float64),
        _units_by_group(design.group, design.units(unit), rows[:, :n_columns]).T,
        values_of(group_table(design.group, rows, n_groups)),
        relabelled,
        None if draw is None else lambda b: values_of(draw(b)),
    )
    chunk = max(1, chunk_bytes // (8 * 10 * n_groups * n_columns))
    limits = None if bounds is None else np.tile(bounds, (n_columns, 1))
    position = {label: index for index, label in enumerate(design.labels)}
    chosen = [position.get(label, -1) for label in references or [None] * n_columns]
    return draws.infer(n_permutations, n_bootstrap, seed, chunk, limits, with_ratios, np.array(chosen))


def _unit_of_prompts(design: Design) -> Unit:
    unit = resampling_unit(design)
    if unit == "response":
        raise ValueError("each group has one prompt: nothing can be shuffled")
    return unit


class _Rows(NamedTuple):
    """Which rows each group holds in the observed design (1, K, M), a relabelling and a resample (b, K, M).

    The row after the last one stands for none.
    """

    observed: Codes
    relabelled: Callable[[Codes], Codes]
    drawn: Callable[[int], Codes] | None


def _rows_of_groups(labels: Codes, n_groups: int) -> Codes:
    """Rows of each group under labels (b, n), (b, K, M), M the size of the largest; n where there is none."""
    b, n = labels.shape
    order = np.argsort(labels.astype(np.int16), axis=1, kind="stable")
    sizes = np.bincount((labels + np.arange(b)[:, None] * n_groups).ravel(), minlength=b * n_groups)
    sizes = sizes.reshape(b, n_groups)
    largest = int(sizes.max())
    if (sizes == largest).all():
        return order.reshape(b, n_groups, largest)
    starts = np.cumsum(sizes, axis=1) - sizes
    ordered = np.take_along_axis(labels, order, axis=1)
    place = np.arange(n) - np.take_along_axis(starts, ordered, axis=1)
    rows = np.full((b, n_groups, largest), n)
    rows[np.arange(b)[:, None], ordered, place] = order
    return rows


def _rows_of_draws(group: Codes, units: _Units, seed: Sequence[int]) -> Callable[[int], Codes]:
    """Return a function that draws the next b resamples: the rows of each group (b, K, M)."""
    n, n_groups = len(group), int(group.max()) + 1
    cell = units.of_row * n_groups + group
    rows_of_cell = _rows_of_groups(_dense(cell)[None], len(np.unique(cell)))[0]
    held = np.full((units.n * n_groups, rows_of_cell.shape[1]), n)
    held[np.unique(cell)] = rows_of_cell
    held = held.reshape(units.n, n_groups, -1)
    places = units.drawer(seed)

    def draw(b: int) -> Codes:
        if not units.is_nested:
            return np.moveaxis(held[places(b)[0]], 1, 2).reshape(b, n_groups, -1)
        found = [
            held[part[drawn], index].reshape(b, -1)
            for index, (part, drawn) in enumerate(zip(units.parts, places(b), strict=True))
        ]
        rows = np.full((b, n_groups, max(part.shape[1] for part in found)), n)
        for index, part in enumerate(found):
            rows[:, index, : part.shape[1]] = part
        return rows

    return draw


def resample_samples(
    design: Design,
    values: ArrayLike,
    columns: Sequence[Column],
    baselines: ArrayLike | None = None,
    edges: Sequence[tuple[float, float]] | None = None,
    n_permutations: int = 2000,
    n_bootstrap: int = 1000,
    seed: int = 0,
    chunk_bytes: int = CHUNK_BYTES,
) -> ColumnsResampled:
    """As `resample_columns`, of statistics that are no ratio of sums, with the same relabellings.

    `values` and `baselines` (n, F) hold F features, one row per response, NaN where there is none; `columns`
    are S statistics with their parameters. Results have F * S columns, a feature's statistics side by side.
    `edges` are, by feature, the ends of bins that groups share; they, like standards, are those of the
    observed data and not drawn again. Raises ValueError as `resample_columns` does.
    """
    x = np.asarray(values, dtype=np.float64)
    y = None if baselines is None else np.asarray(baselines, dtype=np.float64)
    if x.ndim != 2 or len(x) != len(design.group) or (y is not None and y.shape != x.shape):
        raise ValueError("values and baselines must be (n, F), one row per response")
    unit = _unit_of_prompts(design)
    n_features = x.shape[1]
    design, rows = _canonical(design, x if y is None else np.hstack([x, y]))
    n_groups = len(design.labels)
    plan = _plan(design, unit)
    ends = edges if edges is not None else [(0.0, 1.0)] * n_features
    # The row after the last one has no value.
    padded = np.vstack([rows, np.full((1, rows.shape[1]), np.nan)])
    features = [np.ascontiguousarray(padded[:, index]) for index in range(padded.shape[1])]

    def values_of(indices: Codes) -> Array:
        """Rows of groups (b, K, M) -> group values (b, F * S, K)."""
        found = []
        for feature in range(n_features):
            others = None if y is None else features[n_features + feature][indices]
            samples = Samples(features[feature][indices], others, ends[feature])
            found += [column.of(samples) for column in columns]
        return np.stack(found, axis=1)

    units = _Units.of(design.group, design.units(unit))
    draw = None
    if units.is_enough:
        draw = _rows_of_draws(design.group, units, [seed, _BOOTSTRAP_STREAM])
    observed = _rows_of_groups(design.group[None], n_groups)
    is_there = np.isfinite(rows[:, :n_features])
    if y is not None:
        is_there &= np.isfinite(rows[:, n_features:])
    of_features = _units_by_group(design.group, design.units(unit), is_there)
    draws = _Draws(
        plan,
        unit,
        units.n,
        np.bincount(design.group, minlength=n_groups).astype(np.float64),
        np.repeat(of_features, len(columns), axis=1).T,
        values_of(observed)[0],
        lambda labels: values_of(_rows_of_groups(labels[:, plan.cell], n_groups)),
        None if draw is None else lambda b: values_of(draw(b)),
    )
    chunk = max(1, chunk_bytes // (8 * 6 * observed.size))
    bounds = np.tile([column.bounds for column in columns], (n_features, 1))
    return draws.infer(n_permutations, n_bootstrap, seed, chunk, bounds, False, None)


# ------------------------------------------------------------------- exact tests and distributions


def monte_carlo_chi_square(table: ArrayLike, n: int, seed: int) -> float:
    """p-value of chi-square by `n` random tables with the margins of `table` (K, J) of counts.

    Rows must be independent responses. NaN with fewer than two groups or outcomes. Source: SPEC INF-4.
    """
    counts = np.asarray(table)
    counts = counts[counts.any(1)][:, counts.any(0)].astype(np.int64)
    if min(counts.shape) < 2:
        return float("nan")
    observed = float(chi_square(counts.astype(np.float64)))
    limit = observed - (_RELATIVE_SLACK * observed + _ABSOLUTE_SLACK)
    from scipy import stats as distributions  # here, as it takes 1.5 s that every command would pay for

    margins = distributions.random_table(counts.sum(1), counts.sum(0))
    rng = np.random.default_rng([seed, _MONTE_CARLO_STREAM])
    chunk = max(1, CHUNK_BYTES // (8 * 4 * counts.size))
    n_extreme = 0
    for start in range(0, n, chunk):
        tables = margins.rvs(size=min(chunk, n - start), random_state=rng)
        n_extreme += int((chi_square(tables.reshape(-1, *counts.shape)) >= limit).sum())
    return (1 + n_extreme) / (1 + n)


def fisher_exact_p(table: ArrayLike) -> float:
    """Two-sided p-value of Fisher's exact test of a 2x2 table; NaN where a margin is 0."""
    counts = np.asarray(table, dtype=np.int64)
    if counts.shape != (2, 2):
        raise ValueError("Fisher's exact test is for 2x2 tables")
    if not (counts.any(0).all() and counts.any(1).all()):
        return float("nan")
    from scipy import stats as distributions

    return float(distributions.fisher_exact(counts).pvalue)


def _tail(survival: Callable[..., Array], x: ArrayLike, *dof: ArrayLike) -> Array:
    """Survival function, NaN where x or a number of degrees of freedom is missing or not positive."""
    arrays = np.broadcast_arrays(*(np.asarray(a, dtype=np.float64) for a in (x, *dof)))
    is_usable = np.logical_and.reduce([np.isfinite(arrays[0]), *(a > 0 for a in arrays[1:])])
    return _where(is_usable, survival(*(np.where(is_usable, a, 1.0) for a in arrays)))


def chi_square_p(x: ArrayLike, dof: ArrayLike) -> Array:
    """Upper tail of the chi-square distribution, shape as broadcast."""
    return _tail(lambda x, dof: scipy.special.chdtrc(dof, x), x, dof)


def t_p(t: ArrayLike, dof: ArrayLike) -> Array:
    """Both tails of Student's t distribution, shape as broadcast."""
    return 2 * _tail(lambda t, dof: scipy.special.stdtr(dof, -t), np.abs(t), dof)


def f_p(f: ArrayLike, dof_between: ArrayLike, dof_within: ArrayLike) -> Array:
    """Upper tail of the F distribution, shape as broadcast."""
    return _tail(lambda f, *dof: scipy.special.fdtrc(*dof, f), np.maximum(f, 0.0), dof_between, dof_within)


# ---------------------------------------------------------------------------- against fixed shares


class Interval(NamedTuple):
    """95 % bootstrap interval of each group's value: `low`, `high` (K,), NaN where `status` is `too_few`."""

    low: Array
    high: Array
    status: str
    unit: str
    n_units: int


def jsd_nats_to(tables: Array, shares: Array) -> Array:
    """Jensen-Shannon divergence in nats of each group's shares, tables (..., K, J), from `shares` (K, J)."""
    own = _divide(tables, tables.sum(-1, keepdims=True))
    divergence = (_neg_entropy(own) + _neg_entropy(shares)) / 2 - _neg_entropy((own + shares) / 2)
    return np.clip(divergence, *_NATS)


def bootstrap_interval(
    design: Design,
    sums: ArrayLike,
    function: Callable[[Array], Array],
    n_bootstrap: int,
    seed: int,
    depends_on: Literal["own", "others"] = "own",
) -> Interval:
    """Interval of a function of tables (b, K, J) to (b, K), drawing whole units as `resample` does.

    `depends_on`: whether a group's value rests on its own units, or on those of others too.
    """
    design, rows = _canonical(design, np.asarray(sums, dtype=np.float64))
    unit = resampling_unit(design)
    draw, n_units = _bootstrap_tables(design.group, design.units(unit), rows, [seed, _BOOTSTRAP_STREAM])
    if draw is None:
        missing = np.full(len(design.labels), np.nan)
        return Interval(missing, missing, "too_few", unit, n_units)
    observed = function(group_table(design.group, rows, len(design.labels))[None])[0]
    n_by_group = _units_by_group(design.group, design.units(unit), np.ones((len(rows), 1)))[:, 0]
    rested_on = n_by_group if depends_on == "own" else np.full_like(n_by_group, n_by_group.min())
    interval, _ = _intervals(function(draw(n_bootstrap)).T, observed, rested_on)
    return Interval(np.maximum(interval[:, 0], 0), interval[:, 1], "ok", unit, n_units)


# ------------------------------------------------------------------------------- bounds and power


def attainable_fdi_max(n_group: ArrayLike, n: ArrayLike) -> Array:
    """Largest FDI a group of `n_group` among `n` responses can have against the pooled shares (SPEC FS-3)."""
    return 1 - _divide(n_group, n)


def attainable_dbi(share: ArrayLike) -> Array:
    """Largest DBI of a group that holds this share of the responses, sqrt((1-w)/w) (SPEC FS-6)."""
    return _sqrt(_divide(1 - np.asarray(share, dtype=np.float64), share))


def _exact_n(rate: Array, ratio: Array, power: float, alpha: float) -> Array:
    other = rate * ratio
    mean = (rate + other) / 2
    z_alpha, z_power = scipy.special.ndtri([1 - alpha / 2, power])
    spread = z_alpha * np.sqrt(2 * mean * (1 - mean))
    spread = spread + z_power * np.sqrt(rate * (1 - rate) + other * (1 - other))
    return _divide(spread**2, (rate - other) ** 2)


def _needed_n(rate: Array, ratio: Array, power: float, alpha: float, is_corrected: bool) -> Array:
    n = _exact_n(rate, ratio, power, alpha)
    if not is_corrected:
        return n
    return n / 4 * (1 + np.sqrt(1 + _divide(4, n * rate * (1 - ratio)))) ** 2


def _usable_rate(rate: Array) -> NDArray[np.bool_]:
    return (rate > 0) & (rate <= 1)


def required_n(
    rate: ArrayLike,
    ratio: ArrayLike = 0.8,
    power: float = 0.8,
    alpha: float = 0.05,
    is_corrected: bool = False,
) -> Array:
    """Responses per group that detect an impact ratio of `ratio` to the reference `rate`, shape as broadcast.

    Two-sided test of two proportions with the pooled variance under equality; NaN for a rate outside (0, 1]
    or a ratio outside [0, 1). `is_corrected`: for a test that counts ties, as permutation and Fisher's do.
    Source: Fleiss, Levin & Paik (2003), Statistical Methods for Rates and Proportions, 4.2, without and with
    continuity correction; SPEC INF-8.
    """
    rates, ratios = np.broadcast_arrays(np.asarray(rate, np.float64), np.asarray(ratio, np.float64))
    is_usable = _usable_rate(rates) & (ratios >= 0) & (ratios < 1)
    usable = np.where(is_usable, rates, 0.5), np.where(is_usable, ratios, 0.5)
    safe = _needed_n(*usable, power, alpha, is_corrected)
    return _where(is_usable, np.ceil(safe))


def _range_within(width: float, means: Array, deviations: Array) -> float:
    """Probability that independent normals (K,) lie within `width` of each other.

    The sum, over which of them is the lowest, of the chance that the others lie no more than `width` above.
    """
    z = np.linspace(-8, 8, 801)[:, None]
    density = np.exp(-(z[:, 0] ** 2) / 2) / np.sqrt(2 * np.pi) * (z[1] - z[0])
    kinds, counts = np.unique(np.column_stack([means, deviations]), axis=0, return_counts=True)
    within = 0.0
    for index, (mean, deviation) in enumerate(kinds):
        x = mean + deviation * z
        ends = ((x + above - kinds[:, 0]) / kinds[:, 1] for above in (width, 0))
        chance = np.subtract(*(scipy.special.ndtr(end) for end in ends))
        others = counts - (np.arange(len(kinds)) == index)
        within += counts[index] * float((density * (chance**others).prod(axis=1)).sum())
    return within


def _bisect(is_low: Callable[[float], bool], low: float, high: float) -> float:
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if is_low(middle) else (low, middle)
    return low


@cache
def _range_quantile(n_groups: int, level: float) -> float:
    """Quantile of the range of independent standard normals."""
    means, deviations = np.zeros(n_groups), np.ones(n_groups)
    return _bisect(lambda width: _range_within(width, means, deviations) < level, 0, 16)


def power_among_groups(
    rate: float, ratio: float, n: float, n_groups: int, alpha: float = 0.05, is_corrected: bool = False
) -> float:
    """Power to tell `n_groups` groups from equal where one has `ratio` times the `rate` of all others.

    The test is that of the difference of highest and lowest rate, with `n` independent responses per group,
    in the normal approximation: for two groups that of two proportions. `is_corrected`: for a test that
    counts ties; given how many responses are favourable, two rates differ in steps of 2/n, the ends of more
    groups in steps of 1/n, and half a step is lost.
    """
    rates = np.full(n_groups, float(rate))
    rates[-1] *= ratio
    deviations = np.sqrt(np.maximum(rates * (1 - rates), 1e-9) / n)
    limit = _range_quantile(n_groups, 1 - alpha) * np.sqrt(rates.mean() * (1 - rates.mean()) / n)
    if is_corrected:
        limit += (1 if n_groups == 2 else 0.5) / n
    return 1 - _range_within(limit, rates, deviations)


def minimum_detectable_ratio(
    rate: ArrayLike,
    n: ArrayLike,
    power: float = 0.8,
    alpha: float = 0.05,
    is_corrected: bool = False,
    n_groups: int = 2,
) -> Array:
    """The impact ratio nearest to 1 that `n` responses per group detect, shape as broadcast.

    For two groups the inverse of `required_n`, for more of `power_among_groups`; NaN where even a ratio of 0
    would go undetected.
    """
    rates, sizes = np.broadcast_arrays(np.asarray(rate, np.float64), np.asarray(n, np.float64))
    is_usable = _usable_rate(rates) & (sizes > 0)
    if n_groups > 2:
        ratios = np.full(rates.shape, np.nan)
        for at in zip(*np.nonzero(np.atleast_1d(is_usable)), strict=True):
            own_rate, own_n = float(np.atleast_1d(rates)[at]), float(np.atleast_1d(sizes)[at])

            def is_found(ratio: float, rate: float = own_rate, n: float = own_n) -> bool:
                return power_among_groups(rate, ratio, n, n_groups, alpha, is_corrected) >= power

            if is_found(0):
                np.atleast_1d(ratios)[at] = _bisect(is_found, 0, 1)
        return ratios
    safe = np.where(is_usable, rates, 0.5)
    is_usable &= _needed_n(safe, np.zeros_like(safe), power, alpha, is_corrected) <= sizes
    low, high = np.zeros_like(safe), np.ones_like(safe)
    for _ in range(60):
        middle = (low + high) / 2
        is_detected = _needed_n(safe, middle, power, alpha, is_corrected) <= sizes
        low, high = np.where(is_detected, middle, low), np.where(is_detected, high, middle)
    return _where(is_usable, low)


# --------------------------------------------------------------------- tables that are not of groups


class Relabelling(NamedTuple):
    """How a design's labels are shuffled: `draw(b)` gives the next b relabellings, (b, n) group codes."""

    draw: Callable[[int], Codes]
    scheme: Scheme
    unit: Unit
    min_attainable_p: float


def relabelling(design: Design, n_permutations: int, seed: int) -> Relabelling:
    """Return how `resample` would shuffle the labels of a design whose groups all have rows.

    For tables that are no sums by group; `min_attainable_p` is that of a statistic which does not change
    when all groups swap names.
    """
    unit = resampling_unit(design)
    plan = _plan(design, unit)
    relabel = plan.labeller([seed, _PERMUTATION_STREAM])
    n_by_group = np.bincount(design.group, minlength=len(design.labels)).astype(np.float64)
    smallest = _attainable(plan, n_by_group, n_permutations)["axis"].min()
    return Relabelling(lambda b: relabel(b)[:, plan.cell], plan.scheme, unit, float(smallest))


def unit_drawer(n_units: int, seed: int) -> Callable[[int], Array] | None:
    """Return a function that draws the next b bootstraps, how often each unit is in it (b, n_units).

    None with fewer than 10 units.
    """
    if n_units < MIN_UNITS:
        return None
    rng = np.random.default_rng([seed, _BOOTSTRAP_STREAM])

    def draw(b: int) -> Array:
        drawn = rng.integers(0, n_units, size=(b, n_units)) + np.arange(b)[:, None] * n_units
        return np.bincount(drawn.ravel(), minlength=b * n_units).reshape(b, n_units).astype(np.float64)

    return draw


def shifted_intervals(draws: Array, observed: Array, n_units: int) -> Array:
    """95 % intervals (columns, 2) from replicates (columns, b), shifted so that their median is observed.

    `n_units` counts the units that were drawn. NaN where there are no replicates, or where fewer than 90 % of
    them have a value.
    """
    return _intervals(draws, observed, np.full(len(observed), n_units))[0]


class Chance(NamedTuple):
    """What relabelling gives: p-values of large values, median and 95 % quantile, (columns,)."""

    p_value: Array
    median: Array
    p95: Array


def chance_of_more(draws: Array, observed: Array) -> Chance:
    """p-value (1 + as large or missing) / (1 + b) of each column of draws (columns, b), and its null.

    NaN where fewer than 90 % of the relabellings have a value, or where there is none observed.
    """
    null, n_valid = _quantiles(draws, (0.5, 0.95))
    limit = observed - (_RELATIVE_SLACK * np.abs(observed) + _ABSOLUTE_SLACK)
    p_value = (1 + (~(draws < limit[:, None])).sum(1)) / (1 + draws.shape[1])
    is_tested = (n_valid >= max(1, MIN_VALID_RATE * draws.shape[1])) & np.isfinite(observed)
    return Chance(*(_where(is_tested, values) for values in (p_value, null[:, 0], null[:, 1])))


# ------------------------------------------------------------------- two sides that answered the same


class Difference(NamedTuple):
    """One statistic of side b less side a, of one group or of the axis (`group` None).

    `value_a` and `value_b` are of the answers that both gave; `ci_*` is the 95 % interval of the difference
    over draws of units that are the same for both sides. `p_exchanged` is (1 + exchanges of the sides with at
    least this absolute difference) / (1 + B); `p_relabelled`, of an axis, (1 + relabellings of the groups
    whose difference is at least as far from their median, `null_median`) / (1 + B); `p_value` is the larger
    one, NaN where either is. `min_attainable_p` is the smallest that the units which differ at all allow.
    """

    statistic: str
    group: str | None
    value_a: float
    value_b: float
    difference: float
    status: str
    p_value: float
    p_exchanged: float
    p_relabelled: float
    null_median: float
    null_p05: float
    null_p95: float
    ci_low: float
    ci_high: float
    ci_status: str
    n: float
    n_units: int
    n_units_differing: int
    unit: str
    min_attainable_p: float


def resample_differences(
    design: Design,
    sides: ArrayLike,
    statistics: Iterable[str],
    pairs: Sequence[tuple[int, int]],
    n_permutations: int = 2000,
    n_bootstrap: int = 1000,
    seed: int = 0,
    chunk_bytes: int = CHUNK_BYTES,
) -> list[list[Difference]]:
    """Differences b - a of `statistics` for each pair (a, b) of sides, one list a pair.

    `sides` (S, n, J) hold the rows (see the module) of S sides that answered the same n times: row i of each
    side is the same repeat of the same prompt. The bootstrap draws the same units for all sides, so what they
    share drops out of the difference. A difference of two disparities can come of nothing in two ways, and
    has to be more than either gives: the sides answer alike, then it does not matter which of them answered
    a whole unit (exchange); or neither treats the groups differently, and what chance puts into a disparity
    is not the same for both, as where one says yes more often (relabelling of the groups, the same for both
    sides). Definitions, units and quantiles are those of `resample`. The result depends on `seed`, not on the
    order of prompts nor, but for rounding, on the other pairs; swapping a and b changes the sign of a
    difference and nothing else. Raises KeyError and ValueError as `resample` does.
    """
    chosen = [STATISTICS[name] for name in statistics]
    rows = np.asarray(sides, dtype=np.float64)
    if rows.ndim != 3:
        raise ValueError("sides must be (S, n, J): one table of rows a side")
    for side in rows:
        _check_sums(design, side, chosen)
    if min(n_permutations, n_bootstrap) < 0:
        raise ValueError("the number of resamples cannot be negative")
    n_sides, n, n_sums = rows.shape
    if not n:
        return [[] for _ in pairs]
    # The order must not depend on who the sides are: of equal rows the first stays first.
    design, place = _canonical(design, np.arange(n, dtype=np.float64)[:, None])
    stacked = np.moveaxis(rows, 0, 1).reshape(n, n_sides * n_sums)[place[:, 0].astype(np.int64)]
    labels, group = design.labels, design.group
    n_groups = len(labels)
    unit = resampling_unit(design)
    unit_of_row = _dense(design.units(unit))
    n_units = int(unit_of_row.max()) + 1
    of_axis = [statistic for statistic in chosen if statistic.level == "axis"]

    def of_side(tables: Array, side: int) -> Array:
        return tables[..., side * n_sums : (side + 1) * n_sums]

    table = group_table(group, stacked, n_groups)
    observed = [_evaluate(chosen, of_side(table, side)[None])[:, 0] for side in range(n_sides)]

    draw, _ = _bootstrap_tables(group, unit_of_row, stacked, [seed, _BOOTSTRAP_STREAM])
    n_booted = n_bootstrap if draw is not None else 0
    booted = np.empty((n_sides, len(observed[0]), n_booted))
    chunk = max(1, chunk_bytes // (8 * (3 * n_units + 10 * n_groups * n_sums * n_sides)))
    for start in range(0, n_booted, chunk):
        stop = min(start + chunk, n_booted)
        tables = draw(stop - start)
        for side in range(n_sides):
            booted[side, :, start:stop] = _evaluate(chosen, of_side(tables, side))

    plan = _plan(design, unit)
    cell_sums = group_table(plan.cell, stacked, int(plan.cell.max()) + 1)
    relabel = plan.labeller([seed, _PERMUTATION_STREAM])
    relabelled = np.empty((n_sides, len(of_axis), n_permutations))
    bytes_each = 8 * (
        2 * len(cell_sums) + 2 * np.count_nonzero(cell_sums) // n_sides + 10 * n_groups * n_sums
    )
    chunk = max(1, chunk_bytes // bytes_each)
    for start in range(0, n_permutations if of_axis else 0, chunk):
        stop = min(start + chunk, n_permutations)
        relabels = relabel(stop - start)
        for side in range(n_sides):
            tables = _permuted_tables(relabels, of_side(cell_sums, side), n_groups)
            relabelled[side, :, start:stop] = _evaluate(of_axis, tables)

    cells = group_table(unit_of_row * n_groups + group, stacked, n_units * n_groups)
    cells = cells.reshape(n_units, n_groups, n_sides * n_sums)
    exchanges = np.random.default_rng([seed, _EXCHANGE_STREAM]).integers(0, 2, (n_permutations, n_units))
    exchanges = exchanges.astype(np.float64)

    units_by_group = _units_by_group(group, unit_of_row, np.ones((n, 1)))[:, 0]
    fewest = [units_by_group.min()]
    n_rested_on = np.concatenate(
        [
            fewest if s.level == "axis" else units_by_group if s.depends_on == "own" else fewest * n_groups
            for s in chosen
        ]
    )
    owners = [
        (statistic, index if statistic.level == "group" else None)
        for statistic in chosen
        for index in range(n_groups if statistic.level == "group" else 1)
    ]
    n_by_group = np.bincount(group, minlength=n_groups).astype(np.float64)
    attainable = _attainable(plan, n_by_group, n_permutations)["axis"][0]

    def exchanged(a: int, b: int, shift: Array) -> Array:
        """Differences (columns, B) after units have swapped their sides."""
        draws = np.empty((len(owners), n_permutations))
        chunk = max(1, chunk_bytes // (8 * (n_units + 20 * n_groups * n_sums)))
        for start in range(0, n_permutations, chunk):
            swaps = exchanges[start : start + chunk]
            moved = (swaps @ shift).reshape(len(swaps), n_groups, n_sums)
            swapped_a = _evaluate(chosen, of_side(table, a) + moved)
            draws[:, start : start + chunk] = _evaluate(chosen, of_side(table, b) - moved) - swapped_a
        return draws

    def compare(a: int, b: int) -> list[Difference]:
        own = observed[b] - observed[a]
        shift = (of_side(cells, b) - of_side(cells, a)).reshape(n_units, -1)
        n_differing = int(shift.any(axis=1).sum())
        p_exchanged = chance_of_more(np.abs(exchanged(a, b, shift)), np.abs(own)).p_value
        is_axis = np.array([index is None for _, index in owners])
        p_relabelled, null = np.full(len(own), np.nan), np.full((len(own), 3), np.nan)
        draws = relabelled[b] - relabelled[a]
        null[is_axis], _ = _quantiles(draws, (0.5, 0.05, 0.95))
        centre = null[is_axis, 0]
        p_relabelled[is_axis] = chance_of_more(
            np.abs(draws - centre[:, None]), np.abs(own[is_axis] - centre)
        ).p_value
        interval, _ = _intervals(booted[b] - booted[a], own, n_rested_on)
        # An exchange and its complement give the same absolute difference.
        smallest = max(1 / (n_permutations + 1), 0.5 ** max(n_differing - 1, 0))
        found = []
        for column, (statistic, index) in enumerate(owners):
            has_value = bool(np.isfinite(own[column]))
            ends = np.clip(interval[column], *_widest(statistic))
            ci_status = "ok" if np.isfinite(ends).all() else "too_few"
            status = _status(statistic, observed[a][column], of_side(table, a))
            if status == "ok":
                status = _status(statistic, observed[b][column], of_side(table, b))
            p_value = p_exchanged[column]
            if is_axis[column]:
                p_value = np.maximum(p_value, p_relabelled[column])  # NaN where either is
            found.append(
                Difference(
                    statistic=statistic.name,
                    group=None if index is None else labels[index],
                    value_a=float(observed[a][column]),
                    value_b=float(observed[b][column]),
                    difference=float(own[column]),
                    status=status,
                    p_value=float(p_value),
                    p_exchanged=float(p_exchanged[column]),
                    p_relabelled=float(p_relabelled[column]),
                    null_median=float(null[column, 0]),
                    null_p05=float(null[column, 1]),
                    null_p95=float(null[column, 2]),
                    ci_low=float(ends[0]) if has_value and ci_status == "ok" else float("nan"),
                    ci_high=float(ends[1]) if has_value and ci_status == "ok" else float("nan"),
                    ci_status=ci_status if has_value else "not_applicable",
                    n=float(n if index is None else n_by_group[index]),
                    n_units=int(n_units if index is None else units_by_group[index]),
                    n_units_differing=n_differing,
                    unit=unit,
                    min_attainable_p=float(max(smallest, attainable if index is None else 0))
                    if has_value
                    else float("nan"),
                )
            )
        return found

    return [compare(a, b) for a, b in pairs]


def _widest(statistic: Statistic) -> tuple[float, float]:
    """Bounds of a difference of two values of a statistic."""
    width = statistic.bounds[1] - statistic.bounds[0]
    return -width, width
