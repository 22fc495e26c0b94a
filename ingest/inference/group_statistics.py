"""Statistics of tables of sums, and the registry that names them.

A response adds one row of J numbers to its group (`ingest.inference.sums`), so every statistic is a function
of a (K groups, J sums) table, and of a stack (..., K, J) of such tables, one a resample. A value that cannot
be computed is NaN. A new statistic is one function and one row of `STATISTICS`.
"""

from functools import partial
from operator import itemgetter

import numpy as np
from numpy.typing import ArrayLike

from ingest.inference.arrays import Array, Mask, divide, only_where, sqrt
from ingest.inference.constants import VARIANCE_FLOOR
from ingest.inference.registry import Statistic
from ingest.inference.sums import Kind

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
    per_row = np.nan_to_num(divide(1, tables.sum(-1)))
    per_column = np.nan_to_num(divide(1, tables.sum(-2)))
    # Equals the sum of (O-E)^2/E over what is not empty, without building E.
    explained = (((tables**2) @ per_column[..., None])[..., 0] * per_row).sum(-1)
    return only_where((r >= 2) & (c >= 2), np.maximum(n * (explained - 1), 0))


def chi_square_dof(tables: Array) -> Array:
    """Degrees of freedom of `chi_square`, (...,); NaN where that is NaN."""
    r, c, _ = _sizes(tables)
    return only_where((r >= 2) & (c >= 2), (r - 1.0) * (c - 1.0))


def cramers_v(tables: Array) -> Array:
    """Cramér's V, (...,), 0-1, which rounding does not lift above 1. Source: SPEC FS-2."""
    r, c, n = _sizes(tables)
    return np.minimum(sqrt(divide(chi_square(tables), n * (np.minimum(r, c) - 1))), 1)


def cramers_v_corrected(tables: Array) -> Array:
    """Bias-corrected Cramér's V, (...,). Source: Bergsma (2013), J. Korean Statistical Society 42(3)."""
    r, c, n = _sizes(tables)
    phi = np.maximum(divide(chi_square(tables), n) - divide((r - 1.0) * (c - 1.0), n - 1), 0)
    rows, columns = (k - divide((k - 1.0) ** 2, n - 1) for k in (r, c))
    smaller = np.minimum(rows, columns) - 1
    return np.minimum(sqrt(only_where(smaller > 0, divide(phi, smaller))), 1)


def _shares(tables: Array, reference: str) -> tuple[Array, Array, Mask]:
    """Rows as shares (..., K, J), their reference (..., 1, J), and which rows can be compared (..., K)."""
    n = tables.sum(-1)
    has_rows = n != 0
    shares = tables / np.where(has_rows, n, 1)[..., None]
    if reference == "pooled":
        pooled = divide(tables.sum(-2), n.sum(-1)[..., None])
    elif reference == "macro":
        pooled = divide(shares.sum(-2), has_rows.sum(-1)[..., None])
    else:
        raise ValueError(f"no such reference: {reference!r}")
    return shares, pooled[..., None, :], has_rows & (has_rows.sum(-1) >= 2)[..., None]


def fdi(tables: Array, reference: str = "pooled") -> Array:
    """Half the absolute differences between a group's shares and the reference's, (..., K), 0-1.

    `reference`: "pooled" (all responses) or "macro" (unweighted mean of the groups that have any). NaN for an
    empty group, and where there is no other. Source: SPEC FS-3.
    """
    shares, pooled, is_compared = _shares(tables, reference)
    return only_where(is_compared, np.abs(shares - pooled).sum(-1) / 2)


def max_share_gap(tables: Array) -> Array:
    """Largest difference between two groups in their shares of one outcome, (...,), 0-1.

    NaN with fewer than two groups that have responses.
    """
    shares, _, is_compared = _shares(tables, "pooled")
    there = is_compared[..., None]
    gaps = np.where(there, shares, -np.inf).max(-2) - np.where(there, shares, np.inf).min(-2)
    return only_where(np.asarray(is_compared.any(-1)), gaps.max(-1))


def _neg_entropy(shares: Array) -> Array:
    return np.asarray((shares * np.log(np.where(shares > 0, shares, 1))).sum(-1))


def _divergence(shares: Array, others: Array) -> Array:
    """Jensen-Shannon divergence in nats of shares from others, (..., J) each: (...,)."""
    divergence = (_neg_entropy(shares) + _neg_entropy(others)) / 2 - _neg_entropy((shares + others) / 2)
    return np.clip(divergence, 0, np.log(2))


def jsd_nats(tables: Array, reference: str = "pooled") -> Array:
    """Jensen-Shannon divergence of each group from the reference in nats, (..., K), 0 to ln 2.

    NaN as for `fdi`. Source: SPEC FS-5.
    """
    shares, pooled, is_compared = _shares(tables, reference)
    return only_where(is_compared, _divergence(shares, pooled))


def jsd_nats_to(tables: Array, shares: Array) -> Array:
    """Jensen-Shannon divergence in nats of each group's shares, tables (..., K, J), from `shares` (K, J)."""
    return _divergence(divide(tables, tables.sum(-1, keepdims=True)), shares)


# ----------------------------------------------------- statistics: (..., K, 2 or 3) scores, selections


def group_mean(tables: Array) -> Array:
    """Mean score or selection rate of each group, (..., K); NaN for an empty group."""
    return divide(tables[..., 1], tables[..., 0])


def pooled_mean(tables: Array) -> Array:
    """Mean over all responses, (...,)."""
    return divide(tables[..., 1].sum(-1), tables[..., 0].sum(-1))


def _squares(n: Array, total: Array, squares: Array) -> Array:
    """Sum of squared deviations, exactly 0 where only rounding is left of it."""
    deviations = squares - np.nan_to_num(divide(total**2, n))
    return np.where(deviations <= VARIANCE_FLOOR * squares, 0, deviations)


def _columns(tables: Array) -> tuple[Array, Array, Array]:
    return tables[..., 0], tables[..., 1], tables[..., 2]


def dbi(tables: Array) -> Array:
    """Each group's mean minus the overall mean in overall standard deviations (divisor n-1), (..., K).

    NaN for an empty group, for a group alone, and where the scores do not vary. Source: SPEC FS-6.
    """
    n, total, squares = (column.sum(-1) for column in _columns(tables))
    deviation = sqrt(divide(_squares(n, total, squares), n - 1))
    shift = group_mean(tables) - pooled_mean(tables)[..., None]
    is_compared = ((tables[..., 0] != 0).sum(-1) >= 2)[..., None]
    return only_where(is_compared, divide(shift, deviation[..., None]))


def attainable_dbi(share: ArrayLike) -> Array:
    """Largest DBI of a group that holds this share of the responses, sqrt((1-w)/w) (SPEC FS-6)."""
    return sqrt(divide(1 - np.asarray(share, dtype=np.float64), share))


def _two_samples(tables: Array) -> tuple[Array, Array, Array]:
    """n, difference (first minus second group) and squares (..., 2); NaN unless two groups of two or more."""
    n, total, squares = _columns(tables)
    if n.shape[-1] != 2:
        nothing = np.full(n.shape[:-1], np.nan)
        return np.full((*nothing.shape, 2), np.nan), nothing, np.full((*nothing.shape, 2), np.nan)
    means = group_mean(tables)
    difference = only_where(np.asarray((n >= 2).all(-1)), means[..., 0] - means[..., 1])
    return n, difference, _squares(n, total, squares)


def welch_t(tables: Array) -> Array:
    """Welch's t of two groups, (...,), first minus second; NaN with n < 2 or no variance.

    Source: SPEC FS-7.
    """
    n, difference, squares = _two_samples(tables)
    return divide(difference, np.sqrt(divide(squares, n * (n - 1)).sum(-1)))


def welch_dof(tables: Array) -> Array:
    """Welch-Satterthwaite degrees of freedom, (...,); NaN where `welch_t` is NaN."""
    n, difference, squares = _two_samples(tables)
    parts = divide(squares, n * (n - 1))
    dof = divide(parts.sum(-1) ** 2, divide(parts**2, n - 1).sum(-1))
    return only_where(np.isfinite(difference), dof)


def _pooled_deviation(n: Array, squares: Array) -> Array:
    return sqrt(divide(squares.sum(-1), n.sum(-1) - 2))


def pooled_t(tables: Array) -> Array:
    """Student's t of two groups with pooled variance, (...,), n - 2 degrees of freedom. Source: SPEC FS-7."""
    n, difference, squares = _two_samples(tables)
    return divide(difference, _pooled_deviation(n, squares) * sqrt(divide(1, n).sum(-1)))


def cohens_d(tables: Array) -> Array:
    """Cohen's d of two groups, (...,), first minus second. Source: SPEC FS-8."""
    n, difference, squares = _two_samples(tables)
    return divide(difference, _pooled_deviation(n, squares))


def hedges_g(tables: Array) -> Array:
    """Hedges' g, (...,): Cohen's d times 1 - 3/(4 dof - 1). Source: Hedges (1981), J. Educ. Stat. 6(2)."""
    dof = tables[..., 0].sum(-1) - 2
    return cohens_d(tables) * (1 - divide(3, 4 * dof - 1))


def _anova(tables: Array) -> tuple[Array, Array, Array, Array]:
    """Groups of two or more, their n, squares between and squares within, each (...,)."""
    usable = np.where((tables[..., 0] >= 2)[..., None], tables, 0)
    n, total, squares = _columns(usable)
    within = _squares(n, total, squares).sum(-1)
    overall = _squares(n.sum(-1), total.sum(-1), squares.sum(-1))
    between = np.where(overall - within <= VARIANCE_FLOOR * squares.sum(-1), 0, overall - within)
    return (n != 0).sum(-1).astype(np.float64), n.sum(-1), between, within


def anova_f(tables: Array) -> Array:
    """F of the one-way analysis of variance, (...,); groups of fewer than two left out.

    NaN with fewer than three groups or no variance within. Source: SPEC FS-9.
    """
    k, n, between, within = _anova(tables)
    f = divide(divide(between, k - 1), divide(within, n - k))
    return only_where(k >= 3, f)


def anova_dof(tables: Array) -> tuple[Array, Array]:
    """Degrees of freedom between and within, each (...,); NaN with fewer than three groups."""
    k, n, _, _ = _anova(tables)
    return only_where(k >= 3, k - 1), only_where(k >= 3, n - k)


def eta_squared(tables: Array) -> Array:
    """Share of the variance that lies between groups, (...,), 0-1; groups as in `anova_f` (SPEC FS-10)."""
    k, _, between, within = _anova(tables)
    return only_where(k >= 2, divide(between, between + within))


def omega_squared(tables: Array) -> Array:
    """Eta squared corrected for bias, (...,); may be negative. Source: Hays (1963), Statistics."""
    k, n, between, within = _anova(tables)
    noise = divide(within, n - k)
    zero = (between + within) == 0
    return only_where((k >= 2) & ~zero, divide(between - (k - 1) * noise, between + within + noise))


# --------------------------------------------------------------- disparities over group values (..., K)


def highest(values: Array) -> Array:
    """Largest value of a group, (...,)."""
    return np.asarray(np.fmax.reduce(values, axis=-1))


def lowest(values: Array) -> Array:
    """Smallest value of a group, (...,)."""
    return np.asarray(np.fmin.reduce(values, axis=-1))


def mean_of_groups(values: Array) -> Array:
    """Unweighted mean of the groups that have a value, (...,)."""
    is_there = np.isfinite(values)
    return divide(np.where(is_there, values, 0).sum(-1), is_there.sum(-1))


def _compared(values: Array, result: Array) -> Array:
    return only_where(np.isfinite(values).sum(-1) >= 2, result)


def impact_ratio(values: Array) -> Array:
    """Each value over the highest, (..., K); NaN for a group alone, a highest of 0, or any negative value.

    Source: SPEC DIS-3, DIS-5.
    """
    is_ratio = (np.isfinite(values).sum(-1) >= 2) & ~(lowest(values) < 0)
    return only_where(is_ratio[..., None], divide(values, highest(values)[..., None]))


def value_range(values: Array) -> Array:
    """Highest minus lowest, (...,); NaN for fewer than two groups. Source: SPEC DIS-2."""
    return _compared(values, highest(values) - lowest(values))


def _spread(values: Array, ddof: int) -> Array:
    n = np.isfinite(values).sum(-1)
    deviations = np.where(np.isfinite(values), values - mean_of_groups(values)[..., None], 0)
    return _compared(values, np.sqrt(divide((deviations**2).sum(-1), n - ddof)))


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
    return divide(values - mean_of_groups(values)[..., None], deviation[..., None])


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
        low[n_groups == k] = divide(x[..., gap] - x[..., 0], x[..., k - 1 - cut] - x[..., 0])
        high[n_groups == k] = divide(x[..., -1] - x[..., -1 - gap], x[..., -1] - x[..., cut])
    return low, high


def larger_end(ends: tuple[Array, Array]) -> Array:
    """Dixon's two-sided Q: the larger of those `dixon_ends` that can be computed, (...,)."""
    return np.fmax(*ends)


low_end, high_end = itemgetter(0), itemgetter(1)


# ---------------------------------------------------------------------------------------- registry


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


_fdi_pooled, _fdi_macro = (partial(fdi, reference=reference) for reference in ("pooled", "macro"))
_jsd_pooled, _jsd_macro = (partial(jsd_nats, reference=reference) for reference in ("pooled", "macro"))
_anova_3, _anova_2 = (partial(_anova_reason, at_least=k) for k in (3, 2))


_SHARE, _NATS, _POSITIVE = (0.0, 1.0), (0.0, float(np.log(2))), (0.0, np.inf)
_OUTCOME: tuple[Kind, ...] = ("outcome",)
_SCORE: tuple[Kind, ...] = ("score",)
_SELECTION: tuple[Kind, ...] = ("selection",)
_BOTH: tuple[Kind, ...] = ("score", "selection")
MEAN = (group_mean,)
_Z, _DIXON, _RATIO = (*MEAN, z_scores), (*MEAN, dixon_ends), (*MEAN, impact_ratio)
_REGISTERED = (
    Statistic("chi_square", _OUTCOME, "axis", (chi_square,), bounds=_POSITIVE, tested_by="chi_square"),
    Statistic("cramers_v", _OUTCOME, "axis", (cramers_v,), bounds=_SHARE, tested_by="chi_square"),
    Statistic(
        "cramers_v_corrected",
        _OUTCOME,
        "axis",
        (cramers_v_corrected,),
        bounds=_SHARE,
        tested_by="chi_square",
    ),
    Statistic("fdi_pooled", _OUTCOME, "group", (_fdi_pooled,), depends_on="own", bounds=_SHARE),
    Statistic(
        "max_fdi_pooled",
        _OUTCOME,
        "axis",
        (_fdi_pooled, highest),
        bounds=_SHARE,
        tested_by="max_fdi_pooled",
    ),
    Statistic("mean_fdi_pooled", _OUTCOME, "axis", (_fdi_pooled, mean_of_groups), bounds=_SHARE),
    Statistic("fdi_macro", _OUTCOME, "group", (_fdi_macro,), bounds=_SHARE),
    Statistic("max_fdi_macro", _OUTCOME, "axis", (_fdi_macro, highest), bounds=_SHARE),
    Statistic("mean_fdi_macro", _OUTCOME, "axis", (_fdi_macro, mean_of_groups), bounds=_SHARE),
    Statistic("jsd_nats_pooled", _OUTCOME, "group", (_jsd_pooled,), depends_on="own", bounds=_NATS),
    Statistic(
        "max_jsd_nats_pooled",
        _OUTCOME,
        "axis",
        (_jsd_pooled, highest),
        bounds=_NATS,
        tested_by="max_jsd_nats_pooled",
    ),
    Statistic("mean_jsd_nats_pooled", _OUTCOME, "axis", (_jsd_pooled, mean_of_groups), bounds=_NATS),
    Statistic("jsd_nats_macro", _OUTCOME, "group", (_jsd_macro,), bounds=_NATS),
    Statistic("max_jsd_nats_macro", _OUTCOME, "axis", (_jsd_macro, highest), bounds=_NATS),
    Statistic("mean_jsd_nats_macro", _OUTCOME, "axis", (_jsd_macro, mean_of_groups), bounds=_NATS),
    Statistic(
        "max_share_gap",
        _OUTCOME,
        "axis",
        (max_share_gap,),
        bounds=_SHARE,
        tested_by="max_share_gap",
    ),
    Statistic("mean", _SCORE, "group", MEAN, "two_sided", pooled_mean, "own"),
    Statistic("dbi", _SCORE, "group", (dbi,), "two_sided", None, "own", _dbi_reason),
    Statistic(
        "max_abs_dbi",
        _SCORE,
        "axis",
        (dbi, np.abs, highest),
        reason=_dbi_reason,
        bounds=_POSITIVE,
        tested_by="max_abs_dbi",
    ),
    Statistic(
        "max_mean_gap",
        _SCORE,
        "axis",
        (dbi, value_range),
        reason=_dbi_reason,
        bounds=_POSITIVE,
        tested_by="max_mean_gap",
    ),
    Statistic("welch_t", _SCORE, "axis", (welch_t,), "two_sided", reason=_two_sample_reason),
    Statistic("pooled_t", _SCORE, "axis", (pooled_t,), "two_sided", reason=_two_sample_reason),
    Statistic("cohens_d", _SCORE, "axis", (cohens_d,), "two_sided", reason=_two_sample_reason),
    Statistic("hedges_g", _SCORE, "axis", (hedges_g,), "two_sided", reason=_two_sample_reason),
    Statistic("anova_f", _SCORE, "axis", (anova_f,), reason=_anova_3, bounds=_POSITIVE),
    Statistic("eta_squared", _SCORE, "axis", (eta_squared,), reason=_anova_2, bounds=_SHARE),
    Statistic("omega_squared", _SCORE, "axis", (omega_squared,), reason=_anova_2),
    Statistic("selection_rate", _SELECTION, "group", MEAN, "two_sided", pooled_mean, "own", bounds=_SHARE),
    Statistic("impact_ratio", _SELECTION, "group", _RATIO, "less", reason=_ratio_reason, bounds=_SHARE),
    # Among many groups a ratio of 0 is not rare by chance; the same difference of rates is.
    Statistic(
        "min_impact_ratio",
        _SELECTION,
        "axis",
        (*_RATIO, lowest),
        "less",
        reason=_ratio_reason,
        bounds=_SHARE,
        tested_by="range",
    ),
    Statistic("min_max_ratio", _BOTH, "axis", (*_RATIO, lowest), "less", reason=_ratio_reason, bounds=_SHARE),
    Statistic("range", _BOTH, "axis", (*MEAN, value_range), bounds=_POSITIVE),
    Statistic("standard_deviation", _BOTH, "axis", (*MEAN, standard_deviation), bounds=_POSITIVE),
    Statistic(
        "standard_deviation_population", _BOTH, "axis", (*MEAN, population_deviation), bounds=_POSITIVE
    ),
    Statistic("max_z", _BOTH, "axis", (*_Z, highest)),
    Statistic("min_z", _BOTH, "axis", (*_Z, lowest), "less"),
    Statistic("max_abs_z", _BOTH, "axis", (*_Z, np.abs, highest), bounds=_POSITIVE),
    Statistic("dixon_q", _BOTH, "axis", (*_DIXON, larger_end), reason=_dixon_reason, bounds=_SHARE),
    Statistic("dixon_q_low", _BOTH, "axis", (*_DIXON, low_end), reason=_dixon_reason, bounds=_SHARE),
    Statistic("dixon_q_high", _BOTH, "axis", (*_DIXON, high_end), reason=_dixon_reason, bounds=_SHARE),
)
STATISTICS: dict[str, Statistic] = {statistic.name: statistic for statistic in _REGISTERED}


def statistics_of(kind: Kind) -> tuple[str, ...]:
    """Names of all statistics of a kind of sums: "outcomes", "score" or "selection"."""
    return tuple(name for name, statistic in STATISTICS.items() if kind in statistic.kinds)


# What is computed of the values of groups, whatever they are: means, rates, or statistics of measurements.
DISPARITIES = tuple(row for row in _REGISTERED if row.kinds == _BOTH)
