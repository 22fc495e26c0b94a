"""Parametric models of scores, beside the permutations: type II ANOVA, mixed models, what they assume."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import scipy  # its parts load when they are first used: some take longer than a small build
from numpy.typing import ArrayLike

from ingest.inference.arrays import (
    Array,
    Codes,
    basis,
    dense,
    divide,
    first_rows,
    one_hot,
    row_codes,
)
from ingest.inference.constants import VARIANCE_FLOOR
from ingest.inference.reml import Reml
from ingest.inference.sums import group_table

NAN = float("nan")
MAX_SHAPIRO = 5_000  # above, SciPy's p-value of the test is not accurate

Effect = tuple[int, ...]  # places of the factors of a term


class Term(NamedTuple):
    """One term of a linear model: F with `dof` and `dof_residual`, or Wald's chi-square with `dof` alone."""

    term: str
    value: float
    dof: float
    dof_residual: float
    p_value: float
    sum_of_squares: float


def _is_constant(values: Array) -> bool:
    """Whether only rounding is left of the variance."""
    return float(values.var()) <= VARIANCE_FLOOR * float(np.mean(values**2))


def anova_type_2(values: ArrayLike, factors: Sequence[Codes], labels: Sequence[str]) -> list[Term]:
    """Type II ANOVA of values (n,) by up to three factors, codes (n,), with what they do together.

    Rows are units, not answers: means of a block's answers in a group. Empty where nothing varies, where the
    terms leave nothing, or where no degree of freedom is left. A term that the terms without it tell has no
    degree of freedom, and F and p are NaN. Source: SPEC FS-11; Searle (1971), Linear Models.
    """
    y, codes = np.asarray(values, dtype=np.float64), np.column_stack(factors)
    cell = row_codes(codes)
    first = first_rows(cell)
    full = np.prod([len(np.unique(factor)) for factor in factors])
    if len(y) <= len(first) or _is_constant(y):
        return []
    # Where combinations were never asked, only main effects can be told.
    together = len(factors) if len(first) == full else 1
    sizes = range(1, together + 1)
    terms = [term for size in sizes for term in combinations(range(len(factors)), size)]
    size = np.bincount(cell)
    means = np.bincount(cell, y - y.mean()) / size
    weight = np.sqrt(size)[:, None]
    columns = {term: weight * one_hot(row_codes(codes[first][:, term])) for term in terms}
    added, left, n_parameters = _added(weight[:, 0] * means, weight, columns)
    inside = float(((y - y.mean() - means[cell]) ** 2).sum())
    dof_residual = len(y) - n_parameters
    if inside + left <= VARIANCE_FLOOR * float((y**2).sum()):
        return []  # Beside rounding, any term would look large.
    residual = (inside + left) / dof_residual
    found = []
    for term, (squares, dof) in added.items():
        f = float(divide(divide(squares, dof), residual))
        p_value = float(scipy.special.fdtrc(dof, dof_residual, f)) if np.isfinite(f) else NAN
        found.append(Term(_name(term, labels), f, dof, dof_residual, p_value, squares))
    return found


def _name(term: Effect, labels: Sequence[str]) -> str:
    return " & ".join(labels[index] for index in term)


def _added(
    y: Array, intercept: Array, columns: Mapping[Effect, Array]
) -> tuple[dict[Effect, tuple[float, int]], float, int]:
    """Sum of squares and degrees of freedom that each term adds to all terms that do not hold it (type II);
    the sum of squares that all of them leave, and how many parameters they take."""

    def fit(terms: Iterable[Effect]) -> tuple[Array, int]:
        of_design = basis(np.hstack([intercept, *(columns[term] for term in terms)]))
        return y - of_design @ (of_design.T @ y), of_design.shape[1]

    added = {}
    for term in columns:
        others = [other for other in columns if not set(term) <= set(other)]
        (without, n_without), (beside, n_beside) = fit(others), fit([*others, term])
        dof = n_beside - n_without
        added[term] = float(((without - beside) ** 2).sum()) if dof else 0.0, dof
    left, n_parameters = fit(columns)
    return added, float((left**2).sum()), n_parameters


class Mixed(NamedTuple):
    """Terms of a mixed model; variances of the random intercept and of the rest; whether it converged.

    Without terms, and NaN, where it did not.
    """

    terms: list[Term]
    variance_between: float
    variance_within: float
    has_converged: bool


def mixed_model(
    values: ArrayLike, factors: Sequence[Codes], labels: Sequence[str], intercept: ArrayLike
) -> Mixed | None:
    """Mixed model of values (n,): main effects, and a random intercept for each `intercept` (n,).

    Fitted by REML; each factor is judged by Wald's chi-square, beside the others. None where nothing varies,
    with one intercept only, or where no degree of freedom is left. Source: SPEC FS-11; Laird & Ware (1982),
    Biometrics 38(4).
    """
    y, of = np.asarray(values, dtype=np.float64), dense(np.asarray(intercept))
    effects = [one_hot(dense(codes)) for codes in factors]
    ones = np.ones((len(y), 1))
    x = basis(np.hstack([ones, *effects]))
    if not of.any() or _is_constant(y) or len(y) <= x.shape[1]:
        return None
    model = Reml(y, x, [of])
    ratios, has_converged = model.fit()
    residual = model.estimates(ratios)[2]
    # Without a highest point of the likelihood, variances are those at which the search gave up.
    if not has_converged or residual <= VARIANCE_FLOOR * float(np.mean(y**2)):
        return Mixed([], NAN, NAN, False)
    # Rows that are independent again: each less a part of the mean of its intercept.
    size = np.bincount(of)
    part = (1 - 1 / np.sqrt(1 + size * ratios[0] ** 2))[of][:, None]

    def apart(columns: Array) -> Array:
        return np.asarray(columns - part * (group_table(of, columns, len(size)) / size[:, None])[of])

    columns: dict[Effect, Array] = {(index,): apart(effect) for index, effect in enumerate(effects)}
    added = _added(apart(y[:, None])[:, 0], apart(ones), columns)[0]
    terms = []
    for term, (squares, dof) in added.items():
        wald = squares / residual if dof else NAN
        p_value = float(scipy.special.chdtrc(dof, wald))
        terms.append(Term(_name(term, labels), wald, dof, NAN, p_value, NAN))
    return Mixed(terms, float(residual * ratios[0] ** 2), float(residual), True)


class Assumptions(NamedTuple):
    """What t tests and ANOVA assume of scores: NaN where a test cannot be made."""

    normality_test: str
    normality: float
    normality_p: float
    equal_variance: float
    equal_variance_p: float


def assumptions(values: ArrayLike, group: ArrayLike) -> Assumptions:
    """Normality of values (n,) about their group's mean, and equality of the groups' variances.

    Shapiro & Wilk (1965) up to 5,000 values, D'Agostino & Pearson (1973) above; Brown & Forsythe (1974).
    """
    from scipy import stats

    y, codes = np.asarray(values, dtype=np.float64), np.unique(group, return_inverse=True)[1]
    left = y - (np.bincount(codes, y) / np.bincount(codes))[codes]
    name = "shapiro_wilk" if len(y) <= MAX_SHAPIRO else "dagostino_pearson"
    normal = equal = (float("nan"), float("nan"))
    varies = float((left**2).mean()) > VARIANCE_FLOOR * float((y**2).mean())
    if varies and len(y) >= 3:
        test = stats.shapiro if name == "shapiro_wilk" else stats.normaltest
        found = test(left)
        normal = (float(found.statistic), float(found.pvalue))
    samples = [y[codes == one] for one in range(int(codes.max()) + 1)]
    samples = [sample for sample in samples if len(sample) >= 2]
    if varies and len(samples) >= 2:
        found = stats.levene(*samples, center="median")
        equal = (float(found.statistic), float(found.pvalue))
    return Assumptions(name, *normal, *equal)
