"""Arrays of numbers and of codes, and arithmetic that says NaN where there is no result."""

import numpy as np
import scipy  # its parts load when they are first used: some take longer than a small build
from numpy.typing import ArrayLike, NDArray

from ingest.inference.constants import LIMIT_SLACK

Array = NDArray[np.float64]
Codes = NDArray[np.int64]
Mask = NDArray[np.bool_]


def divide(a: ArrayLike, b: ArrayLike) -> Array:
    """a / b, NaN where b is 0."""
    denominator = np.asarray(b, np.float64)
    return np.asarray(np.divide(a, np.where(denominator == 0, np.nan, denominator), dtype=np.float64))


def _limit_slack(limit: ArrayLike) -> Array:
    return np.asarray(LIMIT_SLACK * np.maximum(1, np.abs(np.asarray(limit, np.float64))))


def meets(value: ArrayLike, operator: str, limit: ArrayLike) -> Mask:
    """Whether value is <, <=, > or >= the limit, where equal up to a slack is equal.

    Raises KeyError for another operator. As the macro of the same name. Source: SPEC CON-3.

    >>> bool(meets((36 / 60) / (45 / 60), "<", 0.8))
    False
    """
    compare = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal}[operator]
    slack = _limit_slack(limit)
    return np.asarray(
        compare(value, np.subtract(limit, slack) if operator in ("<", ">=") else np.add(limit, slack))
    )


def bin_of(place: ArrayLike) -> Array:
    """Number of the bin that holds what lies `place` widths above the lowest end; on an edge, of the next.

    As the macro of the same name.

    >>> float(bin_of(0.3 / 0.1))
    3.0
    """
    return np.asarray(np.floor(np.asarray(place) + _limit_slack(place)))


def only_where(condition: Mask, values: ArrayLike) -> Array:
    """Values where the condition holds, else NaN."""
    return np.where(condition, values, np.nan)


def sqrt(values: Array) -> Array:
    """Square root, NaN of negative numbers."""
    out = np.full_like(values, np.nan)
    np.sqrt(values, out=out, where=values >= 0)
    return out


def dense(codes: NDArray[np.generic]) -> Codes:
    """The same codes as 0, 1, … without gaps, in sorted order."""
    found: Codes = np.unique(codes, return_inverse=True)[1].ravel().astype(np.int64)
    return found


def indicators(codes: Codes) -> "scipy.sparse.csr_matrix":
    """Which of n rows have which code, (levels, n): as many numbers as rows, whatever their levels."""
    n = len(codes)
    return scipy.sparse.csr_matrix((np.ones(n), (codes, np.arange(n))), shape=(int(codes.max()) + 1, n))


def one_hot(codes: Codes) -> Array:
    """Which of n rows have which code, (n, levels)."""
    return np.eye(int(codes.max()) + 1)[codes]


def basis(design: Array) -> Array:
    """Orthonormal basis (n, rank) of the columns of a design."""
    left, sizes, _ = np.linalg.svd(design, full_matrices=False)
    return np.asarray(left[:, sizes > 1e-9 * max(float(sizes.max(initial=0)), 1e-9)])


def first_rows(codes: Codes) -> Codes:
    """Row at which each code occurs first, in the order of codes."""
    return np.unique(codes, return_index=True)[1]


def row_codes(rows: NDArray[np.generic]) -> Codes:
    """Code of each distinct row, (n,), in sorted order."""
    if not len(rows) or not rows.shape[1]:
        return np.zeros(len(rows), dtype=np.int64)
    found: Codes = np.unique(rows, axis=0, return_inverse=True)[1].ravel().astype(np.int64)
    return found


def is_constant(codes: Codes, within: Codes) -> bool:
    """Whether `codes` never varies among the rows that share a value of `within`."""
    if not len(codes):
        return True
    order = np.lexsort((codes, within))
    same = within[order][1:] == within[order][:-1]
    return bool(np.all(codes[order][1:][same] == codes[order][:-1][same]))
