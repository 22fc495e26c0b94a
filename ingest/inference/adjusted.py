"""Judged numbers at equal weights of the other attributes, where groups differ in those too."""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ingest.inference.arrays import Codes
from ingest.inference.design import Design
from ingest.inference.group_statistics import STATISTICS, statistics_of
from ingest.inference.resampling import resample
from ingest.inference.strata import CONFOUNDED, confounding
from ingest.inference.sums import Kind

# What only verdicts read takes the place of what `resample` gives; what else is shown beside the plain
# number has columns of its own.
OF_THE_ADJUSTED = ("bound_low", "bound_high", "value_low", "value_high", "null_tails")
BESIDE = ("ci_low", "ci_high", "null_p05", "null_median", "null_p95")


def adjusted(
    design: Design, sums: ArrayLike, kind: Kind, strata: Codes, options: dict[str, Any]
) -> dict[tuple[str, str], dict[str, Any]]:
    """Columns by statistic and group ('') to be put upon those of `resample`, {} where groups do not differ
    in `strata` (n,). `options` are those of `resample`."""
    together = confounding(design.group, strata)
    if together <= CONFOUNDED:
        return {}
    judged = [name for name in statistics_of(kind) if STATISTICS[name].tested_by]
    tested = {name: None for one in judged for name in (one, STATISTICS[one].tested_by)}
    found = {}
    for row in resample(design, np.asarray(sums), tested, strata=strata, **options):
        if row.statistic in judged:
            own: dict[str, Any] = {name: getattr(row, name) for name in OF_THE_ADJUSTED}
            own |= {f"adjusted_{name}": getattr(row, name) for name in BESIDE}
            own |= {"tail": row.tail if math.isfinite(row.tail) else 0.0}
            own |= {"confounding": together, "adjusted_value": row.value, "p_adjusted": row.p_value}
            found[row.statistic, ""] = own
    return found
