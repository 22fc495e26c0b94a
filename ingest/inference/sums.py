"""Tables of sums: a response adds one row of J numbers to its group.

==========  ==============================  ==============================
kind        a response's row                built by
==========  ==============================  ==============================
outcome     one-hot over J outcomes         `outcome_sums`
score       1, x, x squared                 `score_sums`
selection   1, is selected                  `selection_sums`
==========  ==============================  ==============================
"""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ingest.inference.arrays import Array, Codes

Kind = Literal["outcome", "score", "selection"]


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


def sums_of(kind: Kind, outcome: ArrayLike, value: ArrayLike) -> Array:
    """Rows of a kind: from codes of outcomes, else from scores or from what is selected, all (n,).

    Where all have one outcome there is a column for another, which none has.
    """
    if kind == "outcome":
        return outcome_sums(outcome, max(int(np.max(outcome)) + 1, 2))
    return score_sums(value) if kind == "score" else selection_sums(value)


def group_table(group: Codes, sums: Array, n_groups: int) -> Array:
    """Sum the rows (n, J) of each group: (K, J)."""
    table = np.zeros((n_groups, sums.shape[1]))
    np.add.at(table, group, sums)
    return table


def relabelled_tables(labels: Codes, cell_sums: Array, n_groups: int) -> Array:
    """Tables (b, K, J) of the cells' sums (cells, J) under labels (b, cells); resamples lie side by side."""
    sums = np.ascontiguousarray(cell_sums.T)
    own = np.ascontiguousarray(labels.T.astype(np.int16))
    tables = np.empty((n_groups, len(sums), len(labels)))
    for group in range(n_groups):
        np.matmul(sums, (own == group).astype(np.float64), out=tables[group])
    return tables.transpose(2, 0, 1)
