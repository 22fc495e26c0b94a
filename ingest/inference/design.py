"""Who answered what, and which units are drawn or relabelled as a whole."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ingest.inference.arrays import Array, Codes, is_constant, row_codes

Unit = Literal["block", "prompt", "response"]


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
        combination = row_codes(self.attributes)
        if not (is_constant(combination, self.group) and is_constant(self.group, combination)):
            raise ValueError("a group must be one combination of attributes, and the other way round")
        for name, codes in (("block", self.block), ("group", self.group)):
            if not is_constant(codes, self.prompt):
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

    @classmethod
    def from_codes(
        cls,
        groups: Sequence[tuple[str, Sequence[int]]],
        group: ArrayLike,
        prompt: ArrayLike,
        block: ArrayLike,
    ) -> "Design":
        """Build a design from codes (n,); `groups` (K) are labels with their attributes' codes."""
        of_row = np.asarray(group, dtype=np.int64)
        return cls(
            attributes=np.array([codes for _, codes in groups], dtype=np.int64)[of_row],
            group=of_row,
            prompt=np.asarray(prompt, dtype=np.int64),
            block=np.asarray(block, dtype=np.int64),
            labels=tuple(label for label, _ in groups),
        )

    def units(self, unit: Unit) -> Codes:
        """Code of each response's unit at level `unit`, (n,)."""
        if unit == "response":
            return np.arange(len(self.group))
        return self.block if unit == "block" else self.prompt


def _keys(values: ArrayLike) -> NDArray[np.str_]:
    """Keys as text. Raises ValueError for a missing one, which would become a group called None."""
    keys: np.ma.MaskedArray[Any, np.dtype[np.object_]] = np.ma.asarray(values, dtype=object)
    if np.ma.getmaskarray(keys).any() or any(key is None or key != key for key in keys.data.tolist()):
        raise ValueError("a key is missing: leave out such responses, and count them")
    return keys.data.astype(str)


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


def unit_of_prompts(design: Design) -> Unit:
    """Return `resampling_unit`. Raises ValueError where only single responses can vary."""
    unit = resampling_unit(design)
    if unit == "response":
        raise ValueError("each group has one prompt: nothing can be shuffled")
    return unit


def canonical(design: Design, sums: Array) -> tuple[Design, Array]:
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
