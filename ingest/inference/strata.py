"""Groups that differ in another attribute too: compared at equal weights of it, and shuffled within it."""

import numpy as np

from ingest.inference.arrays import Array, Codes, divide, only_where
from ingest.inference.group_statistics import cramers_v
from ingest.inference.sums import Kind

CONFOUNDED = 0.1  # from this V on, groups are compared at equal weights of the strata


def confounding(group: Codes, stratum: Codes) -> float:
    """How far groups and strata go together: Cramér's V of their counts, 0 (balanced) to 1 (the same)."""
    table = np.zeros((int(group.max()) + 1, int(stratum.max()) + 1))
    np.add.at(table, (group, stratum), 1)
    found = float(cramers_v(table))
    return found if np.isfinite(found) else 0.0


def spread_out(sums: Array, stratum: Codes) -> Array:
    """Sums (n, J) of each row in the columns of its stratum, (n, strata * J)."""
    n, n_sums = sums.shape
    n_strata = int(stratum.max()) + 1
    spread = np.zeros((n, n_strata, n_sums))
    spread[np.arange(n), stratum] = sums
    return spread.reshape(n, n_strata * n_sums)


def stratum_of(spread: Array, n_sums: int) -> Codes:
    """The stratum of each row (n,) from what `spread_out` gives of rows that are not 0."""
    by_stratum = np.abs(spread.reshape(len(spread), -1, n_sums)).sum(-1)
    found: Codes = by_stratum.argmax(axis=1)
    return found


def standardised(tables: Array, kind: Kind, n_sums: int) -> Array:
    """Tables (..., K, strata * J) as tables (..., K, J) in which every stratum has the same weight.

    A group's shares, rates or means are those of the strata in which all groups have answers, averaged; its
    number of answers stays. NaN where there is no such stratum. Source: direct standardisation, e.g.
    Rothman, Greenland & Lash (2008), Modern Epidemiology, ch. 3.
    """
    by_stratum = tables.reshape(*tables.shape[:-1], -1, n_sums)
    n = by_stratum.sum(-1) if kind == "outcome" else by_stratum[..., 0]
    is_compared = np.asarray((n > 0).all(axis=-2, keepdims=True))
    weight = divide(is_compared, is_compared.sum(-1, keepdims=True))
    shares = np.nan_to_num(divide(by_stratum, n[..., None]))
    own = (shares * np.nan_to_num(weight)[..., None]).sum(-2)
    found: Array = own * n.sum(-1)[..., None]
    return only_where(np.asarray(is_compared.any(-1))[..., None], found)
