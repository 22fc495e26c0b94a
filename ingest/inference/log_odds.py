"""Log odds of answers by group: a linear mixed model of logit(P), as DiscrimEval has it, fitted by REML.

    logit(P) of a prompt = its group's mean + what its root adds + what its root adds for this group
                           + what its block adds + the rest

Which of the random parts a design can tell apart follows from the design. Rows are prompts: asked again, a
prompt has the same probabilities.
"""

from typing import NamedTuple

import numpy as np
import scipy  # its parts load when they are first used: some take longer than a small build
from numpy.typing import ArrayLike

from ingest.inference.arrays import Array, Codes, Mask
from ingest.inference.constants import ALPHA, VARIANCE_FLOOR
from ingest.inference.reml import Reml, part_columns

EXTREME = 1e-4  # what is nearer to 0 or 1 counts as so much: servers name the likeliest tokens alone
EXPLAINED = 1e-6  # of the variance in groups, below which nothing is left of it that a fit could measure


class LogOdds(NamedTuple):
    """A fitted model: means of K groups with their covariance, and what varies besides (variances).

    NaN where a part cannot be told apart. `dof` are those of differences between groups.
    """

    means: Array
    covariance: Array
    variances: dict[str, float]
    residual: float
    dof: float
    n_units: int
    status: str


def log_odds(probabilities: ArrayLike) -> tuple[Array, Mask]:
    """Return the logarithms of the odds of probabilities (n,), and which were too extreme to be left."""
    p = np.asarray(probabilities, dtype=np.float64)
    held = np.clip(p, EXTREME, 1 - EXTREME)
    return np.log(held / (1 - held)), held != p


def fit_log_odds(values: ArrayLike, group: Codes, root: Codes, block: Codes) -> LogOdds:
    """Fit the model to log odds (n,) of prompts with codes of group, root and block, each from 0.

    `status`: ok, single_group, zero_variance (nothing is left beside the groups), too_few (no degree of
    freedom), not_converged. Source: Tamkin et al. (2023), Evaluating and Mitigating Discrimination; Laird &
    Ware (1982), Biometrics 38(4).
    """
    y = np.asarray(values, dtype=np.float64)
    n_groups = int(group.max()) + 1
    nothing = LogOdds(
        np.full(n_groups, np.nan), np.full((n_groups, n_groups), np.nan), {}, np.nan, np.nan, len(y), ""
    )
    if n_groups < 2:
        return nothing._replace(status="single_group")
    parts, freedom = _parts(group, root, block)
    if min(freedom.values()) < 1:
        return nothing._replace(status="too_few")
    means = np.bincount(group, y) / np.bincount(group)
    spread = float(((y - means[group]) ** 2).mean())
    if spread <= VARIANCE_FLOOR * max(float((y**2).mean()), 1.0):
        return nothing._replace(means=means, status="zero_variance")
    model = Reml(y, np.eye(n_groups)[group], list(parts.values()))
    ratios, has_converged = model.fit()
    means, covariance, residual = model.estimates(ratios)
    # The likelihood has no highest point where nothing is left, so where the search ends says little.
    if min(residual, _left_over(y, [group, *parts.values()])) <= EXPLAINED * spread:
        return nothing._replace(means=means, status="zero_variance")
    variances = dict(zip(parts, (residual * ratios**2).tolist(), strict=True))
    status = "ok" if has_converged else "not_converged"
    dof = _freedom(group, parts, freedom, variances)
    return LogOdds(means, covariance, variances, residual, dof, len(y), status)


def _left_over(y: Array, codes: list[Codes]) -> float:
    """Return the mean square of what fixed levels leave of y; infinite where no freedom is left."""
    if sum(int(one.max()) + 1 for one in codes) - len(codes) + 1 >= len(y):
        return np.inf
    levels = part_columns(codes, len(y)).tocsr()
    return float(scipy.sparse.linalg.lsmr(levels, y, atol=1e-12, btol=1e-12)[3]) ** 2 / len(y)


def _freedom(
    group: Codes, parts: dict[str, Codes], freedom: dict[str, float], variances: dict[str, float]
) -> float:
    """Return the degrees of freedom of groups, of two levels at which they vary by Satterthwaite (1946).

    A level counts by what it adds to the variance of a group's mean. The least freedom where nothing does.
    """
    added = {name: variances[name] * _concentration(group, parts[name]) for name in freedom if name in parts}
    total = sum(added.values())
    if total <= 0:
        return min(freedom.values())
    return total**2 / sum(own**2 / freedom[name] for name, own in added.items())


def _concentration(group: Codes, codes: Codes) -> float:
    """Return the sum of squared shares that levels have of a group, mean over groups."""
    n_groups = int(group.max()) + 1
    table = np.bincount(codes * n_groups + group, minlength=(int(codes.max()) + 1) * n_groups)
    shares = table.reshape(-1, n_groups) / np.bincount(group)
    return float((shares**2).sum(0).mean())


def _parts(group: Codes, root: Codes, block: Codes) -> tuple[dict[str, Codes], dict[str, float]]:
    """Return codes of the random parts that the design can tell apart, and what freedom groups have.

    That is as in a balanced design: of blocks where these lie in groups, of what roots add for a group,
    else of prompts.
    """
    n, n_groups = len(group), int(group.max()) + 1
    cells = np.unique(root * n_groups + group, return_inverse=True)[1]
    n_roots, n_cells, n_blocks = (int(codes.max()) + 1 for codes in (root, cells, block))
    is_crossed = n_cells > n_roots
    parts: dict[str, Codes] = {}
    freedom: dict[str, float] = {"prompt": n - n_groups}
    if 1 < n_roots < n:
        parts["root"] = root
        freedom = {"prompt": n - n_roots - n_groups + 1} if is_crossed else {"root": n_roots - n_groups}
        # What a root adds for one group shows where a root asks about it more than once.
        if is_crossed and n_cells < n:
            parts["slope"] = cells
            freedom = {"slope": n_cells - n_roots - n_groups + 1}
    is_new = not any(_are_alike(block, codes) for codes in (root, cells, np.arange(n)))
    if 1 < n_blocks < n and is_new:
        parts["block"] = block
        if len(np.unique(block * n_groups + group)) == n_blocks:
            freedom = {name: left for name, left in freedom.items() if name in parts}
            freedom["block"] = n_blocks - n_groups
    return parts, freedom


def _are_alike(one: Codes, other: Codes) -> bool:
    """Say whether two codes divide alike."""
    n_pairs = len(np.unique(one * (int(other.max()) + 1) + other))
    return n_pairs == int(one.max()) + 1 == int(other.max()) + 1


class Contrast(NamedTuple):
    """A group against others: difference of log odds, its standard error, interval and two-sided p-value."""

    value: float
    standard_error: float
    ci_low: float
    ci_high: float
    p_value: float


def contrast(fitted: LogOdds, weights: ArrayLike) -> Contrast:
    """Return the sum of weights (K,) times the groups' means, which is judged by t."""
    w = np.asarray(weights, dtype=np.float64)
    value = float(w @ fitted.means)
    error = float(np.sqrt(w @ fitted.covariance @ w))
    half = float(scipy.special.stdtrit(fitted.dof, 1 - ALPHA / 2)) * error
    p_value = 2 * float(scipy.special.stdtr(fitted.dof, -abs(value) / error)) if error > 0 else float("nan")
    return Contrast(value, error, value - half, value + half, p_value)
