"""Intervals of groups' means, from how units' own means differ: by how much, and to which side."""

import numpy as np
import scipy  # its parts load when they are first used: some take longer than a small build

from ingest.inference.arrays import Array, divide, only_where
from ingest.inference.bounds import wilson
from ingest.inference.constants import ALPHA, VARIANCE_FLOOR
from ingest.inference.drawing import Units
from ingest.inference.sums import group_table

STEEPEST = 0.9  # a skewness a counts up to where a (t + a / 6), taken off 1 under the cube root, is this


def mean_intervals(units: Units, counts: Array, sums: Array, ends: Array | None = None) -> Array:
    """95 % intervals (2, K, C) of groups' means, of `counts` and `sums` (n, C) of rows.

    A t interval that is moved for the skewness of the mean: of few lengths or salaries the mean lies mostly
    below the truth, with a variance too small, and redrawn units know of no larger ones. Units with unlike
    numbers of values are worth fewer (Kish 1965, Survey Sampling, 8.2). Where values lie between `ends`
    (2, C), infinite where unknown, it is no wider than Wilson's of units that are each at an end. NaN where a
    group's units are all alike, unless at an end. Source: Hall (1992), Journal of the Royal Statistical
    Society B 54(1).
    """
    of_row, group = units.cells
    n, total = (group_table(of_row, one, len(group)) for one in (counts, sums))
    of_groups, of_squares = (group_table(group, one, units.n_groups) for one in (n, n**2))
    means = divide(group_table(group, total, units.n_groups), of_groups)
    shift = np.nan_to_num((total - means[group] * n) / of_groups[group])
    second, third, size = (
        group_table(group, one, units.n_groups)
        for one in (shift**2, shift**3, np.nan_to_num(total / of_groups[group]) ** 2)
    )
    worth = divide(of_groups**2, of_squares)
    freedom = worth - 1
    varies = (second > VARIANCE_FLOOR * size) & (freedom > 0)
    error = np.sqrt(second * divide(worth, freedom))
    t = scipy.special.stdtrit(freedom, 1 - ALPHA / 2)
    # The cube root is steepest at 0: beyond this skewness intervals grow, and hold hardly more.
    most = 3 * (np.sqrt(t**2 + 2 * STEEPEST / 3) - t)
    skewness = np.clip(np.nan_to_num(divide(third, second**1.5)), -most, most)
    low, high = only_where(varies, [means - error * _moved(quantile, skewness) for quantile in (t, -t)])
    if ends is None:
        return np.stack([low, high])
    first, width = ends[0], ends[1] - ends[0]
    with np.errstate(invalid="ignore"):
        place = np.where(np.isfinite(width), np.clip(divide(means - first, width), 0, 1), np.nan)
    widest = [first + width * end for end in wilson(place, worth)]
    is_at_end = ~varies & ((place < VARIANCE_FLOOR) | (place > 1 - VARIANCE_FLOOR))
    return np.stack(
        [
            np.where(is_at_end, widest[0], np.fmax(low, only_where(varies, widest[0]))),
            np.where(is_at_end, widest[1], np.fmin(high, only_where(varies, widest[1]))),
        ]
    )


def _moved(quantile: Array, skewness: Array) -> Array:
    """What becomes of a quantile of a studentised number whose estimate has this skewness."""
    is_skewed = np.abs(skewness) > 1e-6
    a = np.where(is_skewed, skewness, 1)
    found: Array = np.where(is_skewed, 3 / a * (np.cbrt(1 + a * (quantile - a / 6)) - 1), quantile)
    return found
