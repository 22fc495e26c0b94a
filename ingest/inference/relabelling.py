"""How a design's labels are shuffled, and the smallest p-value that this allows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import scipy  # its parts load when they are first used: some take longer than a small build
from numpy.typing import NDArray

from ingest.inference.arrays import Array, Codes, dense, first_rows, is_constant, row_codes
from ingest.inference.constants import PERMUTATION_STREAM
from ingest.inference.design import Design, Unit, resampling_unit

Scheme = Literal["whole_blocks", "within_blocks", "blocks_and_within", "prompts", "responses"]


@dataclass(frozen=True)
class Layer:
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
            if len(members) == 1 and mixed:
                return classes[0][1].permuted(np.broadcast_to(self.label, (b, len(self.label))), axis=-1)
            labels = np.repeat(self.label[None], b, axis=0)
            for items, rng in classes:
                repeated = np.broadcast_to(self.label[items], (b, *items.shape))
                labels[:, items] = rng.permuted(repeated, axis=-1)
            return labels

        return draw


@dataclass(frozen=True)
class Plan:
    """How a design's groups are relabelled: `cell` (n,) is what moves as one, in `layers`."""

    scheme: Scheme
    cell: Codes
    layers: tuple[Layer, ...]
    block_of_cell: Codes  # only where blocks and cells both move
    combine: Codes  # (labels of layer 0, labels of layer 1) -> group

    def labeller(self, seed: Sequence[int]) -> Callable[[int], Codes]:
        """Return a function that draws the next b relabellings, group codes (b, cells)."""
        shuffles = [layer.shuffler([*seed, index]) for index, layer in enumerate(self.layers)]
        if len(shuffles) == 1:
            return shuffles[0]
        blocks, within = shuffles
        return lambda b: self.combine[blocks(b)[:, self.block_of_cell], within(b)]


def plan_for(design: Design, unit: Unit, stratum: Codes | None = None) -> Plan:
    """Decide what moves where (docs/architecture.md); rows in canonical order, groups 0..K-1 all present.

    unit block
        An attribute that varies inside no block moves with whole blocks; one that varies inside some block
        is shuffled inside each block, among its prompts with all their repeats. An axis with both kinds does
        both and recombines. Where that could make a combination that is no group of the design (Male & Malay
        was never asked), prompts swap labels freely instead, and the scheme says so: that test ignores what
        a block's prompts share.
    unit prompt, response
        They swap labels freely.

    What swaps freely does so among those of its own `stratum` (n,), where each lies in one.
    """
    none = np.zeros((0, 0), dtype=np.int64)

    def free(scheme: Scheme, cell: Codes) -> Plan:
        first = first_rows(cell)
        label = design.group[first]
        is_within = stratum is not None and is_constant(stratum, cell)
        among = stratum[first] if stratum is not None and is_within else np.zeros_like(label)
        return Plan(scheme, cell, (Layer(label, among),), none, none)

    prompt, block = dense(design.prompt), dense(design.block)
    if unit == "response":
        return free("responses", np.arange(len(design.group)))
    if unit == "prompt":
        return free("prompts", prompt)
    is_fixed = np.array([is_constant(column, block) for column in design.attributes.T], dtype=bool)
    if is_fixed.all():
        return free("whole_blocks", block)
    first = first_rows(prompt)
    block_of_prompt = block[first]
    fixed = row_codes(design.attributes[:, is_fixed])
    if not fixed.any():
        return Plan("within_blocks", prompt, (Layer(design.group[first], block_of_prompt),), none, none)
    varying = row_codes(design.attributes[:, ~is_fixed])
    combine = np.full((fixed.max() + 1, varying.max() + 1), -1, dtype=np.int64)
    combine[fixed, varying] = design.group
    if (combine < 0).any():
        return free("prompts", prompt)
    fixed_of_block = fixed[first_rows(block)]
    layers = (
        Layer(fixed_of_block, np.zeros_like(fixed_of_block)),
        Layer(varying[first], block_of_prompt),
    )
    return Plan("blocks_and_within", prompt, layers, block_of_prompt, combine)


def _log_factorial(n: NDArray[np.generic]) -> Array:
    return np.asarray(scipy.special.gammaln(np.asarray(n, dtype=np.float64) + 1))


def _log_renamings(counts: Codes) -> float:
    """Log of the number of ways to swap names among labels that are spread over the strata alike."""
    _, alike = np.unique(counts.T, axis=0, return_counts=True)
    return float(_log_factorial(alike).sum())


def attainable(plan: Plan, n_by_group: Array, n_permutations: int) -> dict[str, Array]:
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
    plan = plan_for(design, unit)
    relabel = plan.labeller([seed, PERMUTATION_STREAM])
    n_by_group = np.bincount(design.group, minlength=len(design.labels)).astype(np.float64)
    smallest = attainable(plan, n_by_group, n_permutations)["axis"].min()
    return Relabelling(lambda b: relabel(b)[:, plan.cell], plan.scheme, unit, float(smallest))
