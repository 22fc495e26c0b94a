"""Whether combinations of attributes differ by more than each attribute does on its own."""

from typing import NamedTuple

import numpy as np
import scipy  # its parts load when they are first used: some take longer than a small build

from ingest.inference.arrays import (
    Array,
    Codes,
    basis,
    dense,
    divide,
    indicators,
    is_constant,
    one_hot,
    row_codes,
)
from ingest.inference.constants import CHUNK_BYTES, FLIP_STREAM, PERMUTATION_STREAM, UNLIKE, VARIANCE_FLOOR
from ingest.inference.drawing import chance, draw
from ingest.inference.sums import group_table


class Interaction(NamedTuple):
    """What combinations explain of the variance that main effects leave, with its null.

    `share` is partial eta squared, NaN where `status` is not `ok`. `departure` (K, J) is each combination's
    mean less what the main effects expect there: of shares where there are several columns. `n_units` counts
    units, of one combination each. The null is that of permutations, also where `p_value` is of flips.
    """

    share: float
    status: str
    p_value: float
    null_median: float
    null_p95: float
    departure: Array
    dof: int
    n_units: int


def interaction(
    attributes: Codes, group: Codes, block: Codes, values: Array, n_permutations: int, seed: int
) -> Interaction:
    """Hold combinations of attributes against their main effects.

    `attributes` (n, A), `group` (n,), the code of a row's combination, and `block` (n,) are codes of answers;
    `values` (n, J) are indicators of outcomes, or one column of scores. A row of the model is the mean of a
    block's answers in a combination. What the main effects leave is permuted among these, within blocks
    where blocks hold several combinations, which are then compared inside them. That gives every combination
    the spread of all; where their sizes are unlike, the share has to be more than flips of the residuals'
    signs give, too, which leave each its own: the larger p-value counts. Sources: Freedman & Lane (1983),
    J. Bus. Econ. Stat. 1(4); Anderson (2001), Austral Ecology 26(1); Hemerik, Goeman & Finos (2020), J. R.
    Stat. Soc. B 82(3).
    """
    unit = row_codes(np.column_stack([group, block]))
    n_units = int(unit.max()) + 1
    first = np.unique(unit, return_index=True)[1]
    size = np.bincount(unit)[:, None]
    means = group_table(unit, values, n_units) / size
    cell, of_block = group[first], dense(block[first])
    n_cells = int(group.max()) + 1
    whole = np.zeros(n_units, dtype=np.int64)
    within = whole if is_constant(cell, of_block) else of_block
    main = np.hstack([one_hot(dense(column)) for column in attributes[first].T])
    additive = basis(_centred(main, within))
    is_in_cell = indicators(dense(cell))
    full = _half_inverse(is_in_cell, within)
    left = _centred(means, within)
    left = left - additive @ (additive.T @ left)
    n_blocks = int(within.max()) + 1
    dof, dof_rest = full.shape[1] - additive.shape[1], n_units - n_blocks - full.shape[1]
    total = float((left**2).sum())
    by_cell = divide(group_table(cell, left, n_cells), np.bincount(cell, minlength=n_cells)[:, None])
    status = "ok"
    if total <= VARIANCE_FLOOR * max(float((means**2).sum()), 1e-300):
        status = "zero_variance"
    elif dof < 1:
        status = "not_crossed"
    elif dof_rest < 1:
        status = "too_few"
    if status != "ok":
        nan = float("nan")
        return Interaction(nan, status, nan, nan, nan, by_cell, dof, n_units)

    def shares(residuals: Array) -> Array:
        """What combinations explain of residuals (b, n, J) that main effects leave, (b,)."""
        by_main = (np.einsum("np,bnj->bpj", additive, residuals, optimize=True) ** 2).sum((1, 2))
        # They are centred: what cells explain follows from the sum of each.
        sums = is_in_cell @ np.swapaxes(residuals, 0, 1).reshape(n_units, -1)
        by_all = ((full.T @ sums) ** 2).reshape(full.shape[1], len(residuals), -1).sum((0, 2))
        # Rounding can leave a difference of equal sums just below 0.
        return np.clip(divide(by_all - by_main, (residuals**2).sum((1, 2)) - by_main), 0, 1)

    rng = np.random.default_rng([seed, PERMUTATION_STREAM])
    starts = np.argsort(within, kind="stable")

    def next_draws(b: int) -> Array:
        # Sorted by block, then at random: what falls into a block's places is of that block.
        order = np.lexsort((rng.random((b, n_units)), np.broadcast_to(within, (b, n_units))), axis=1)
        places = np.empty_like(order)
        places[:, starts] = order
        return shares(left[places])[None]

    chunk = max(1, CHUNK_BYTES // (8 * 3 * left.size))
    observed = shares(left[None])
    judged = chance(draw(next_draws, n_permutations, chunk, (1,)), observed)
    p_value, median, p95 = (float(one[0]) for one in (judged.p_value, judged.null_median, judged.null_p95))
    if within is whole and _are_unlike(cell, group):
        flip = np.random.default_rng([seed, FLIP_STREAM])

        def next_flips(b: int) -> Array:
            flipped = left * (flip.integers(0, 2, size=(b, n_units, 1)) * 2 - 1)
            return shares(flipped - flipped.mean(axis=1, keepdims=True))[None]

        flipped = chance(draw(next_flips, n_permutations, chunk, (1,)), observed)
        p_value = max(p_value, float(flipped.p_value[0]))
    return Interaction(float(observed[0]), status, p_value, median, p95, by_cell, dof, n_units)


def _are_unlike(*groups: Codes) -> bool:
    """Whether one combination has many more units, or answers, than another."""
    sizes = [np.bincount(dense(one)) for one in groups]
    return any(size.max() > UNLIKE * size.min() for size in sizes)


def _centred(values: Array, within: Codes) -> Array:
    """Values (n, p) less the mean of their block."""
    n_blocks = int(within.max()) + 1
    return np.asarray(
        values - divide(group_table(within, values, n_blocks), np.bincount(within)[:, None])[within]
    )


def _half_inverse(is_in_cell: "scipy.sparse.csr_matrix", within: Codes) -> Array:
    """Return H (p, rank) with which (H'X'y)² adds up to what X explains of y: X are indicators (p, n), each
    less the mean of its block."""
    size = np.bincount(is_in_cell.nonzero()[0])
    shared = scipy.sparse.diags(size**-0.5) @ is_in_cell @ indicators(within).T
    means = (shared @ scipy.sparse.diags(1 / np.bincount(within)) @ shared.T).toarray()
    # Of columns of length 1: what is there is far from 0, however unlike the sizes.
    parts, vectors = np.linalg.eigh(np.eye(len(size)) - means)
    is_there = parts > 1e-10
    return np.asarray(vectors[:, is_there] / np.sqrt(parts[is_there]) / np.sqrt(size)[:, None])
