"""Parametric models of scores, beside the permutations: type II ANOVA, mixed models, what they assume."""

import warnings
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import scipy  # its parts load when they are first used: some take longer than a small build
from numpy.typing import ArrayLike

from ingest.inference.arrays import Array, Codes, basis, divide, first_rows, one_hot, row_codes
from ingest.inference.constants import VARIANCE_FLOOR

MAX_SHAPIRO = 5_000  # above, SciPy's p-value of the test is not accurate


class Term(NamedTuple):
    """One term of a linear model: F with `dof` and `dof_residual`, or Wald's chi-square with `dof` alone."""

    term: str
    value: float
    dof: float
    dof_residual: float
    p_value: float
    sum_of_squares: float


def _frame(values: Array, factors: Sequence[Codes]) -> dict[str, Array | Codes]:
    return {"y": values, **{f"f{index}": codes for index, codes in enumerate(factors)}}


def _is_constant(values: Array) -> bool:
    """Whether only rounding is left of the variance."""
    return float(values.var()) <= VARIANCE_FLOOR * float(np.mean(values**2))


def anova_type_2(values: ArrayLike, factors: Sequence[Codes], labels: Sequence[str]) -> list[Term]:
    """Type II ANOVA of values (n,) by up to three factors, codes (n,), with what they do together.

    Rows are units, not answers: means of a block's answers in a group. Empty where nothing varies, or where
    no degree of freedom is left. A term that the terms without it tell has no degree of freedom, and F and p
    are NaN. Source: SPEC FS-11; Searle (1971), Linear Models.
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
    weight = np.sqrt(size)
    columns = {term: one_hot(row_codes(codes[first][:, term])) for term in terms}

    def fit(chosen: Sequence[tuple[int, ...]]) -> tuple[Array, int]:
        """What terms leave of the cells' weighted means, and how many parameters they take."""
        design = np.hstack([np.ones((len(first), 1)), *(columns[term] for term in chosen)])
        of_design = basis(weight[:, None] * design)
        left = weight * means
        return left - of_design @ (of_design.T @ left), of_design.shape[1]

    left, n_parameters = fit(terms)
    inside = float(((y - y.mean() - means[cell]) ** 2).sum())
    residual, dof_residual = inside + float((left**2).sum()), len(y) - n_parameters
    found = []
    for term in terms:
        others = [other for other in terms if not set(term) <= set(other)]
        (without, n_without), (beside, n_beside) = fit(others), fit([*others, term])
        dof = n_beside - n_without
        added = float(((without - beside) ** 2).sum()) if dof else 0.0
        f = float(divide(divide(added, dof), residual / dof_residual))
        p_value = float(scipy.special.fdtrc(dof, dof_residual, f)) if np.isfinite(f) else float("nan")
        found.append(Term(" & ".join(labels[index] for index in term), f, dof, dof_residual, p_value, added))
    return found


class Mixed(NamedTuple):
    """Terms of a mixed model; variances of the random intercept and of the rest; whether it converged."""

    terms: list[Term]
    variance_between: float
    variance_within: float
    has_converged: bool


def mixed_model(
    values: ArrayLike, factors: Sequence[Codes], labels: Sequence[str], intercept: ArrayLike
) -> Mixed | None:
    """Mixed model of values (n,): main effects, and a random intercept for each `intercept` (n,).

    Fitted by REML; each factor is judged by Wald's chi-square. None where nothing varies, or with one
    intercept only. Source: SPEC FS-11; Laird & Ware (1982), Biometrics 38(4); statsmodels.
    """
    y, of = np.asarray(values, dtype=np.float64), np.asarray(intercept)
    if len(np.unique(of)) < 2 or _is_constant(y):
        return None
    import pandas as pd
    from statsmodels.formula.api import mixedlm

    formula = "y ~ " + " + ".join(f"C(f{index}, Sum)" for index in range(len(factors)))
    asked = mixedlm(formula, pd.DataFrame(_frame(y, factors)), groups=of)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            fitted = asked.fit(reml=True)
        except np.linalg.LinAlgError:
            # Where intercepts hardly differ, a step along the gradient may leave the covariance singular.
            try:
                fitted = asked.fit(reml=True, method="powell")
            except np.linalg.LinAlgError:
                return Mixed([], float("nan"), float("nan"), False)
    effects = fitted.fe_params
    covariance = fitted.cov_params().loc[effects.index, effects.index]
    terms = []
    for index, label in enumerate(labels):
        own = [name for name in effects.index if name.startswith(f"C(f{index},")]
        b = effects[own].to_numpy()
        wald = float(b @ np.linalg.solve(covariance.loc[own, own].to_numpy(), b))
        p_value = float(scipy.special.chdtrc(len(own), wald))
        terms.append(Term(label, wald, len(own), float("nan"), p_value, float("nan")))
    return Mixed(terms, float(fitted.cov_re.iloc[0, 0]), float(fitted.scale), bool(fitted.converged))


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
