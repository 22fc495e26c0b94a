"""How likely a design is to end in each verdict, and how large it has to be.

Audits are simulated at the level of tables: each group's answers are drawn as so many independent ones as its
clustered answers are worth, and what is judged of such a table is judged as in a verdict. Numbers beyond a
limit come from `ingest.inference.group_statistics`; what chance gives is their spread where all groups are
alike. Draws have a seed of their own: the same design promises the same.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import scipy  # its parts load when they are first used: some take longer than a small build
from numpy.typing import ArrayLike

from ingest.inference.arrays import Array, Mask, divide
from ingest.inference.bounds import one_sided_level, pseudo_rows
from ingest.inference.constants import ABSOLUTE_SLACK, ALPHA, POWER, RELATIVE_SLACK
from ingest.inference.group_statistics import STATISTICS

DRAWS = 2_000  # audits of a truth: two standard errors of how often they fail are at most 2.3 points
BOUNDED = 24  # of them, those whose bound is drawn, and the draws of each
BOUND_DRAWS = 160
WIDE = 60  # cells of a table: of wider ones fewer are drawn, for time's sake
LARGEST = 100_000  # units that are still worth naming
PRECISION = 0.05  # of a number of units that is searched
DEFAULT_ICC = 0.3  # of answers about one name, where none was measured
GAPS = (0.1, 0.2, 0.3)  # between two groups in the share of an outcome: what is planned for

# Statistics that grow with the square of a difference; those whose null does not depend on the shares.
SQUARED = {"chi_square", "max_jsd_nats_pooled"}
STANDARDISED = SQUARED | {"cramers_v"}

Shares = tuple[float, ...]
Tests = frozenset[str]  # names of statistics


class Layout(NamedTuple):
    """What an axis compares, all groups alike: K groups of `n_units`, each with prompts asked repeatedly.

    A unit is a name, a root or a text. `is_shared`: each unit is asked about every group, so that what its
    answers have in common is in no difference. `icc` is the correlation of a unit's answers, or, where units
    are shared, of a prompt's. `n_together`: where an answer chooses among so many people, of how many; what a
    unit says of a group then moves as one, and is what answers are alike in.
    """

    n_groups: int
    n_units: int
    n_prompts: float
    n_repeats: float
    icc: float
    is_shared: bool = False
    n_together: int = 1

    @property
    def _n_cells(self) -> float:
        """What relabelling moves as a whole, in a group of a shared unit: prompts, or all of a choice."""
        return self.n_prompts if self.n_together == 1 else 1

    @property
    def n_moved(self) -> int:
        """What relabelling moves as a whole, in a group: units, or what shared ones have of it."""
        return max(1, round(self.n_units * (self._n_cells if self.is_shared else 1)))

    @property
    def n_answers(self) -> int:
        """Answers of a group."""
        return max(1, round(self.n_units * self.n_prompts * self.n_repeats))

    @property
    def _clusters(self) -> tuple[float, float]:
        """What answers of a group are alike in: how many, and answers of each."""
        if self.is_shared and self.n_together == 1:
            return self.n_units * self.n_prompts, self.n_repeats
        return self.n_units, self.n_prompts * self.n_repeats

    @property
    def error_dof(self) -> float:
        """Degrees of freedom of what relabelling shuffles: what is moved, less groups and shared units."""
        shared = self.n_units - 1 if self.is_shared else 0
        return self.n_groups * (self.n_moved - 1) - shared

    @property
    def effective_n(self) -> float:
        """Independent answers that a group's are worth: n m / (1 + (m - 1) icc), m answers of each of n.

        Source: Kish (1965), Survey Sampling, 8.2. Who is chosen among K leaves the others out: what one group
        gains another loses, and a difference varies K / (K - 1) times as of independent ones.
        """
        n, m = self._clusters
        return n * m / (1 + max(m - 1, 0) * self.icc) / self._together

    @property
    def _together(self) -> float:
        return self.n_together / (self.n_together - 1) if self.n_together > 1 else 1.0

    def near(self, step: float) -> "Layout":
        """The layout whose design effect, n_answers over effective_n, is on a grid of its logarithm."""
        n, m = self._clusters
        if m <= 1:
            return self
        effect = np.exp(step * np.round(np.log(n * m / self.effective_n / self._together) / step))
        return self._replace(icc=round(float((effect - 1) / (m - 1)), 12))

    @property
    def least_p(self) -> float:
        """Smallest p-value that relabelling allows: names of groups swapped, over all relabellings."""
        size = self._n_cells if self.is_shared else self.n_units
        times = self.n_units if self.is_shared else 1
        log_factorial = scipy.special.gammaln(np.array([self.n_groups * size, size, self.n_groups]) + 1)
        ways = times * (log_factorial[0] - self.n_groups * log_factorial[1])
        return float(np.exp(min(log_factorial[2] - ways, 0)))


class Limit(NamedTuple):
    """What a verdict asks of a number: beyond `fail` in the direction that is worse; `passes` on this side.

    None where there is no such limit.
    """

    statistic: str
    fail: float | None
    passes: float | None

    @property
    def test(self) -> str:
        """The statistic whose null decides what is more than chance."""
        return STATISTICS[self.statistic].tested_by or self.statistic

    @property
    def is_lower_worse(self) -> bool:
        """Whether a low number is the bad one."""
        return STATISTICS[self.statistic].extreme == "less"


def limit_for(statistic: str, fail: float | None, passes: float | None) -> Limit:
    """The limits that a profile sets on a statistic; without a fail limit the pass limit is one.

    A p-value never passes; of chi-square it is the p-value that lies beyond the limit.
    """
    return Limit(statistic, passes if fail is None else fail, None if statistic == "chi_square" else passes)


def shifted(shares: Shares, gap: ArrayLike) -> Array:
    """Shares of outcomes (..., J) in a group whose first outcome is `gap` (...,) rarer.

    The others are commoner in proportion. A first outcome that fewer than half give is commoner instead.
    """
    first = shares[0] + np.asarray(gap, np.float64) * (-1 if shares[0] >= 0.5 else 1)
    rest = np.array(shares[1:])
    rest = rest / rest.sum() if shares[0] < 1 else np.full(len(rest), 1 / len(rest))
    return np.concatenate([first[..., None], (1 - first)[..., None] * rest], axis=-1)


def truth(shares: Shares, gap: ArrayLike, n_groups: int) -> Array:
    """Shares (..., K, J) where one group differs from all others by `gap` (...,) in the first outcome."""
    last = np.clip(shifted(shares, gap), 0, 1)[..., None, :]
    others = np.broadcast_to(shares, (*last.shape[:-2], n_groups - 1, len(shares)))
    rows = np.concatenate([others, last], axis=-2)
    return np.asarray(rows / rows.sum(-1, keepdims=True))


def gap_at(limit: Limit, shares: Shares, n_groups: int) -> float | None:
    """The gap between one group and all others at which the fail limit is reached; None where none does.

    Of endless answers, in groups of equal size.
    """
    fail = limit.fail
    if fail is None or limit.statistic == "chi_square":
        return None
    low, high = 0.0, max(shares[0], 1 - shares[0])
    for _ in range(3):
        gaps = np.linspace(low, high, 1_001)
        values = _value(limit.statistic, _tables(limit.statistic, truth(shares, gaps, n_groups) * 1e9))
        is_within = (fail - values if limit.is_lower_worse else values - fail) < -RELATIVE_SLACK
        if is_within.all():
            return None
        first = int(np.argmin(is_within))
        low, high = gaps[max(first - 1, 0)], gaps[first]
    return float(low)


def _tables(statistic: str, counts: Array) -> Array:
    """Tables of sums of counts (..., K, J): of outcomes, or of whether the first one was the answer."""
    if "outcome" in STATISTICS[statistic].kinds:
        return counts
    return np.stack([counts.sum(-1), counts[..., 0]], axis=-1)


def _value(statistic: str, tables: Array) -> Array:
    """The statistic; where nothing varies groups are as equal as can be."""
    equal = 1.0 if STATISTICS[statistic].extreme == "less" else 0.0
    return np.nan_to_num(STATISTICS[statistic].of(tables), nan=equal)


def _counts(rng: np.random.Generator, rates: Array, n: int, effect: float, size: tuple[int, ...]) -> Array:
    """Counts (*size, J) of n answers in groups with these rates (..., J), which vary `effect` times as
    independent ones would: Dirichlet-multinomial.
    """
    own = np.broadcast_to(rates, (*size, rates.shape[-1]))
    if effect > 1 and n > 1:
        drawn = rng.standard_gamma(own * max((n - 1) / (effect - 1) - 1, 1e-6))
        total = drawn.sum(-1, keepdims=True)
        own = np.where(total > 0, drawn / np.where(total > 0, total, 1), own)
    return rng.multinomial(n, own).astype(np.float64)


class _Design(NamedTuple):
    """What audits are drawn of: n answers a group, which vary `effect` times as independent ones would."""

    shares: Shares
    gap: float
    n_groups: int
    n: int
    effect: float

    @classmethod
    def of(cls, layout: Layout, shares: Shares, gap: float) -> "_Design":
        """The design of a layout."""
        n = layout.n_answers
        return cls(shares, gap, layout.n_groups, n, n / layout.effective_n)

    @property
    def rates(self) -> Array:
        """Shares (K, J)."""
        return truth(self.shares, self.gap, self.n_groups)

    @property
    def alike(self) -> "_Design":
        """The design without a gap: all but the last group are the same in both."""
        return self._replace(gap=0.0)

    def drawn(self, stream: int, rates: Array, size: tuple[int, ...]) -> Array:
        """Counts (*size, J) of a group's answers with these rates (..., J)."""
        return _counts(self.rng(stream), rates, self.n, self.effect, size)

    def size(self, most: int, least: int) -> int:
        """How many are drawn of tables of this width."""
        return max(int(min(1.0, WIDE / (self.n_groups * len(self.shares))) * most), least)

    def rng(self, stream: int) -> np.random.Generator:
        """Random numbers of a purpose, the same for every design of this size."""
        return np.random.default_rng([self.n_groups, self.n, stream])


@lru_cache(maxsize=8)  # of four gaps each: what is drawn of a design serves every profile
def _audits(design: _Design, is_equal: bool) -> Array:
    """Counts (draws, K, J) of simulated audits of the truth, or of equal groups."""
    n_draws, rates = design.size(DRAWS, 500), design.rates
    if is_equal:
        return design.drawn(1, rates.mean(0), (n_draws, design.n_groups))
    if design.gap == 0:
        return design.drawn(0, rates, (n_draws, design.n_groups))
    last = design.drawn(2, rates[-1:], (n_draws, 1))
    return np.concatenate([_audits(design.alike, False)[:, :-1], last], axis=1)


@lru_cache(maxsize=8)
def _redrawn(design: _Design) -> Array:
    """The first audits redrawn (b, audits, K, J)."""
    own = _audits(design, False)[: design.size(BOUNDED, 16)] / design.n
    if design.gap == 0:
        return design.drawn(3, own, (BOUND_DRAWS, *own.shape[:2]))
    last = design.drawn(4, own[:, -1:], (BOUND_DRAWS, len(own), 1))
    return np.concatenate([_redrawn(design.alike)[:, :, :-1], last], axis=2)


@lru_cache(maxsize=4)
def _set_apart(design: _Design, n_units: int) -> Array:
    """`_redrawn` with one more unit a group, which sets groups apart."""
    redrawn = _redrawn(design)
    own = _audits(design, False)[: redrawn.shape[1]]
    one_more = np.stack([pseudo_rows("outcome", table, np.full(len(table), n_units)) for table in own])
    return redrawn + design.rng(5).exponential(size=(*redrawn.shape[:3], 1)) * one_more


@lru_cache(maxsize=1_000)
def _values(statistic: str, design: _Design, is_equal: bool) -> Array:
    """The statistic of `_audits`, (draws,)."""
    return _value(statistic, _tables(statistic, _audits(design, is_equal)))


@lru_cache(maxsize=1_000)
def _bounds(statistic: str, design: _Design, n_units: int) -> Array:
    """One-sided 95 % bound on the unfavourable side of each audit of the truth, (draws,).

    As `ingest.inference.bounds.one_sided_bounds` has it, where redrawing `n_units` of each group gives the
    spread that audits have. It is drawn of the first audits; a straight line along their values gives those
    of the others.
    """
    both = (_redrawn(design), _set_apart(design, n_units))
    redrawn, apart = (_value(statistic, _tables(statistic, drawn)) for drawn in both)
    level = float(one_sided_level(n_units))
    level = level if STATISTICS[statistic].extreme == "less" else 1 - level
    offsets = np.quantile(apart, level, axis=0) - np.median(redrawn, axis=0)
    values = _values(statistic, design, False)
    x = values[: len(offsets)]
    slope = np.cov(x, offsets)[0, 1] / np.var(x, ddof=1) if np.ptp(x) > ABSOLUTE_SLACK else 0.0
    return np.asarray(values + offsets.mean() + slope * (values - x.mean()))


def _within(statistic: str, rates: Array, pooled: Array, n: float) -> Array:
    """How wide chance is for audits' rates (draws, K, J), over that of equal groups of `pooled` shares (J,).

    A permutation test decides as one whose error is what answers vary by inside groups, here each worth n
    independent ones.
    """
    within = (1 - (rates**2).sum(-1).mean(-1)) * n / max(n - 1, 1)
    own = 1 - (rates.mean(1) ** 2).sum(-1)
    width = np.nan_to_num(
        divide(within, own if statistic in STANDARDISED else 1 - (pooled**2).sum()), nan=1.0
    )
    return width if statistic in SQUARED else np.sqrt(width)


def _wider(statistic: str, layout: Layout, pooled: Array, alpha: float) -> float:
    """How much more than the null's quantile has to be shown, of groups that have `pooled` shares (J,).

    The spread of so few units is itself estimated, F over chi-square, of two groups t over normal; and a
    test that counts ties loses half a step, as in `ingest.inference.power.power_among_groups`. A sum of
    squares over more than two groups has finer steps: one answer less in one group and one more in another.
    """
    df, share = layout.error_dof, float(pooled[0])
    if df < 1:
        return float("inf")
    rate = max(share * (1 - share), 1e-9)
    is_sum = statistic == "chi_square" and layout.n_groups > 2
    several = max(int(np.count_nonzero(pooled)) - 1, 1) if is_sum else 1
    dof = several * (layout.n_groups - 1)
    quantile = scipy.special.chdtri(dof, alpha)
    wider = dof * scipy.special.fdtri(dof, several * df, 1 - alpha) / quantile
    if is_sum:
        return float(wider + layout.effective_n / (layout.n_answers**2 * rate * quantile))
    step = (1 if layout.n_groups == 2 else 0.5) / layout.n_answers
    spread = np.sqrt(2 * rate / layout.effective_n)
    more = np.sqrt(wider) + step / (-scipy.special.ndtri(alpha / 2) * spread)
    return float(more**2 if statistic in SQUARED else more)


def _critical(statistic: str, null: Array, alpha: float) -> float:
    """The value that equal groups go beyond with chance `alpha`.

    Beyond their 95 % quantile, which draws show, the square of a difference has the tail of a chi-square with
    the same mean and variance. Source: Satterthwaite (1946), Biometrics Bulletin 2(6).
    """
    squares = null if statistic in SQUARED else null**2
    if squares.var() == 0:
        return float("inf")
    dof = 2 * squares.mean() ** 2 / squares.var()
    further = scipy.special.chdtri(dof, alpha) / scipy.special.chdtri(dof, ALPHA)
    return float(np.quantile(null, 1 - ALPHA) * (further if statistic in SQUARED else np.sqrt(further)))


@lru_cache(maxsize=8)
def _apart(design: _Design, tests: Tests) -> float:
    """By how much less often a table stands out by one test than by any of those that decide of it.

    Numbers of one table mostly stand out together; by how much they do not, the more has to be shown.
    """
    nulls = {test: _values(test, design, True) for test in tests}
    beyond = [null > _critical(test, null, ALPHA) for test, null in nulls.items()]
    return max(1.0, float(np.any(beyond, axis=0).mean()) / max(float(np.mean(beyond)), 1e-9))


@lru_cache(maxsize=4)
def _found(layout: Layout, shares: Shares, gap: float, limit: Limit, n_tables: int, tests: Tests) -> Mask:
    """Which audits (draws,) show more than chance of a limit's number, corrected over `n_tables`."""
    design = _Design.of(layout, shares, gap)
    pooled = design.rates.mean(0)  # what all groups would have, were they alike
    alpha = (1 - (1 - ALPHA) ** (1 / n_tables)) / _apart(design, tests | {limit.test})
    is_p = limit.statistic == "chi_square"
    level = min(alpha, limit.fail) if is_p and limit.fail is not None else alpha
    critical = _critical(limit.test, _values(limit.test, design, True), level)
    critical *= _wider(limit.test, layout, pooled, level)
    shown = _audits(design, False) / design.n
    within = _within(limit.test, shown, pooled, layout.effective_n)
    values = _values(limit.test, design, False)
    return (values > ABSOLUTE_SLACK) & (values >= critical * within) & (layout.least_p <= ALPHA)


def power_to_fail(
    layout: Layout, shares: Shares, gap: float, limit: Limit, n_tables: int = 1, tests: Tests = frozenset()
) -> float:
    """How likely an audit is to end in `fail` of a limit, where one group differs from all others by `gap`.

    `n_tables` are corrected together (docs/guide/verdicts.md); `tests` are those of all limits by which such
    a table is judged. With a single unit a group nothing is decided.
    """
    if layout.n_units < 2:
        return 0.0
    design = _Design.of(layout, shares, gap)
    fails = _found(layout, shares, gap, limit, n_tables, tests)
    if limit.fail is not None and limit.statistic != "chi_square":
        values, slack = _values(limit.statistic, design, False), RELATIVE_SLACK * limit.fail
        is_beyond = values < limit.fail - slack if limit.is_lower_worse else values > limit.fail + slack
        fails = fails & is_beyond
    return float(fails.mean())


def power_to_pass(
    layout: Layout, shares: Shares, gap: float, limit: Limit, n_tables: int = 1, tests: Tests = frozenset()
) -> float:
    """How likely an audit is to end in `pass` of a limit, where one group differs from all others by `gap`.

    What is more than chance is no `pass` but `monitor`, however small; arguments as in `power_to_fail`.
    """
    if layout.n_units < 2 or limit.passes is None:
        return 0.0
    is_open = ~_found(layout, shares, gap, limit, n_tables, tests)
    if not is_open.any():
        return 0.0
    bounds = _bounds(limit.statistic, _Design.of(layout, shares, gap), layout.n_units)
    passes = bounds >= limit.passes if limit.is_lower_worse else bounds <= limit.passes
    return float((passes & is_open).mean())


def least(promise: Callable[[int], float], power: float = POWER, at_most: int = LARGEST) -> int | None:
    """The smallest number from 1 at which `promise` reaches `power`, to 5 %; None where `at_most` does not.

    `promise` grows with the number, up to its noise.
    """
    if promise(at_most) < power:
        return None
    low, high = 0, 1
    while promise(high) < power:
        low, high = high, min(2 * high, at_most)
    while high - low > max(1, PRECISION * high):
        middle = (low + high) // 2
        low, high = (low, middle) if promise(middle) >= power else (middle, high)
    return high
