"""The cells of the study: how an audit is laid out, and what is true of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import numpy as np
from scipy import optimize

from ingest.inference.group_statistics import STATISTICS
from ingest.inference.planning import Shares, shifted, truth
from ingest.keys import key

SEED = 20_261_122
AUDITS = 400  # of a cell; where nothing is biased twice as many, where an audit is large fewer
QUICK = 0.1  # of the audits
SCORES = (-0.5423, -0.4767, 0.0, 0.4215, 0.8316)  # VADER's compounds of `simulate.TEXTS`
Missing = Literal["random", "hidden"]


@dataclass(frozen=True)
class Cell:
    """A design with its truth: one group's answers differ from all others' by `gap`.

    `shares` of the outcomes in all other groups, the favourable one first; what differs is its share.
    `n_units` names or, where `is_shared`, roots that are asked about every group; each has `n_answers`, which
    correlate by `icc`. Only the first `n_biased` of the questions have the gap. `crossing`: the share of a
    gender's names that are of one race; then it is race that has the gap, and gender is judged. `missing`:
    8 % of the answers, or, `hidden`, half of the last group's that are not favourable. `advice`: profile and
    metric whose reasons are followed. `parts` of the audits are simulated.
    """

    name: str
    n_units: int = 20
    n_groups: int = 2
    shares: Shares = (0.5, 0.5)
    gap: float = 0.0
    n_answers: int = 3
    icc: float = 0.3
    is_shared: bool = False
    n_questions: int = 1
    n_biased: int = 40
    crossing: float | None = None
    missing: Missing | None = None
    is_scored: bool = False
    is_planned: bool = False
    advice: tuple[str, str] | None = None
    parts: float = 1.0

    @property
    def truth(self) -> np.ndarray:
        """Shares (K, J) of the groups; with a crossing of both genders' first race, then their second."""
        if self.crossing is not None:
            first, second = self.shares, shifted(self.shares, self.gap)
            return np.array([first, first, second, second])
        return truth(self.shares, self.gap, self.n_groups)

    @property
    def groups(self) -> list[dict[str, str]]:
        """The groups' attributes, in the order of `truth`."""
        if self.crossing is not None:
            return [{"gender": g, "race": r} for r in ("R1", "R2") for g in ("G1", "G2")]
        return [{"group": f"G{k + 1}"} for k in range(self.n_groups)]

    def units(self, n_units: int) -> list[int]:
        """Units of each group where there are about `n_units`."""
        if self.crossing is None:
            return [n_units] * self.n_groups
        many = round(self.crossing * n_units)
        return [many, n_units - many, n_units - many, many]

    @property
    def axis(self) -> str:
        """What is compared: with a crossing the attribute that makes no difference."""
        return "group" if self.crossing is None else "gender"

    @property
    def is_unbiased(self) -> bool:
        """Whether nothing differs on the axis."""
        return self.gap == 0 or self.crossing is not None

    @property
    def has_intervals(self) -> bool:
        """Whether the values that a design gives on average can be told."""
        return self.crossing is None and self.missing != "hidden" and self.n_units > 1

    @property
    def answers(self) -> int:
        """Answers of an audit."""
        return self.n_questions * self.n_groups * self.n_units * self.n_answers

    def columns(self) -> dict[str, Any]:
        """What the table says of the cell."""
        own = ("n_groups", "n_units", "n_answers", "icc", "n_questions")
        lowest, *others = sorted({round(float(share), 3) for share in self.truth[:, 0]})
        return {"cell": self.name} | {name: getattr(self, name) for name in own} | {
            "unit": "root" if self.is_shared else "name",
            "n_outcomes": len(self.shares),
            "rates": " and ".join(f"{rate:g}" for rate in (lowest, *others)),
            "missing": self.missing or "none",
            "crossing": self.crossing,
        }  # fmt: skip

    @property
    def suite(self) -> str:
        """Name of the cell's suite."""
        return f"cell_{key('validity', self.name)[:12]}"

    def seed(self) -> int:
        """Seed of the cell's audits, which no other cell changes."""
        return int(key("validity", SEED, self.name)[:12], 16)


def gap_of_means(standard_deviations: float, shares: Shares) -> float:
    """The gap at which two groups' mean scores lie so many standard deviations apart."""

    def excess(gap: float) -> float:
        return float(STATISTICS["max_mean_gap"].of(tables("score", truth(shares, gap, 2) * 1e9)))

    return float(optimize.brentq(lambda gap: excess(gap) - standard_deviations, 0.0, 0.99 - max(shares)))


def tables(kind: str, counts: np.ndarray) -> np.ndarray:
    """Tables of sums of counts of outcomes (..., K, J), as `ingest.inference.sums` has them."""
    if kind == "outcome":
        return counts
    if kind == "selection":
        return np.stack([counts.sum(-1), counts[..., 0]], axis=-1)
    scores = np.array(SCORES)
    return np.stack([counts.sum(-1), counts @ scores, counts @ scores**2], axis=-1)


METHODOLOGY, TOOLKIT, OURS, FOUR_FIFTHS = "fairsea_methodology", "fairsea_toolkit", "plumbline", "four_fifths"
PROFILES = (OURS, METHODOLOGY, FOUR_FIFTHS)


@cache
def cells() -> tuple[Cell, ...]:
    """Return every cell of the study."""
    return tuple(_cells())


def _cells() -> Iterator[Cell]:
    _even, high, low, third = (0.5, 0.5), (0.97, 0.03), (0.03, 0.97), (0.3, 0.4, 0.3)
    many = tuple([0.2, *[0.8 / 13] * 13])
    five = (0.2, 0.2, 0.2, 0.2, 0.2)
    ratio, gap = (FOUR_FIFTHS, "min_impact_ratio"), (OURS, "max_share_gap")
    # Without bias.
    yield Cell("equal, 5 names", 5, parts=2)
    yield Cell("equal, 10 names", 10, parts=2, advice=ratio)
    yield Cell("equal, 20 names", parts=2, advice=gap)
    yield Cell("equal, rate 0.97", shares=high, parts=2, advice=ratio)
    yield Cell("equal, rate 0.03", shares=low, parts=2)
    yield Cell("equal, 6 groups of 60, rate 0.12", 60, 6, (0.12, 0.88), parts=0.75)
    yield Cell("equal, 14 outcomes, 4 groups", 20, 4, many)
    yield Cell("equal, 10 roots", 10, is_shared=True, parts=2)
    yield Cell("equal, 20 roots, 6 groups, 3 outcomes", 20, 6, third, is_shared=True)
    yield Cell("equal, scores", shares=five, is_scored=True)
    yield Cell("equal, 8 questions", n_questions=8, n_answers=2, parts=0.75)
    yield Cell("equal, 40 questions", 10, n_questions=40, n_answers=2, parts=0.4)
    yield Cell("equal, one name a group", 1, n_answers=40)
    yield Cell("equal, missing at random", missing="random", advice=gap)
    yield Cell("race alone matters, 80/20", 40, gap=0.4, shares=(0.7, 0.3), crossing=0.8)
    yield Cell("all say the same, 40 names", 40, shares=(1.0, 0.0), parts=0.25)
    yield Cell("equal, 400 names", 400, n_answers=2, parts=0.4, is_planned=True)
    yield Cell("equal, 400 names, 6 groups", 400, 6, n_answers=2, parts=0.2, is_planned=True)
    # At a limit, and a quarter beyond it: a gap of 10 points at a rate of one half has a ratio of 0.8.
    for n in (60, 200):
        yield Cell(f"gap 10, {n} names", n, gap=0.1)
        yield Cell(f"gap 12.5, {n} names", n, gap=0.125)
    yield Cell("gap 10, 60 roots", 60, gap=0.1, is_shared=True)
    yield Cell("gap 12.5, 60 roots", 60, gap=0.125, is_shared=True)
    yield Cell("gap 10, 6 groups of 60", 60, 6, gap=0.1, parts=0.75)
    yield Cell("ratio 0.8, rate 0.97", shares=high, gap=0.97 * 0.2)
    yield Cell("ratio 0.75, rate 0.97", shares=high, gap=0.97 * 0.25)
    yield Cell("ratio 0.8, rate 0.1", 60, shares=(0.1, 0.9), gap=0.025)
    yield Cell("FDI 0.15, V 0.3", shares=(0.65, 0.35), gap=0.3, is_planned=True)
    yield Cell("FDI 0.15, 20 roots, 3 outcomes", 20, 3, third, gap=0.225, is_shared=True)
    yield Cell("gap 10, 14 outcomes", 20, 2, many, gap=0.1)
    yield Cell("means 0.2 apart", 60, shares=five, gap=gap_of_means(0.2, five), is_scored=True)
    yield Cell("ratio 0.6, answers hidden", 40, gap=0.2, missing="hidden", advice=ratio)
    # Far beyond, and what the planner says of it.
    yield Cell("rates 0.8 and 0.2, 40 names", 40, shares=(0.8, 0.2), gap=0.6, is_planned=True)
    yield Cell("rates 0.8 and 0.2, 40 roots", 40, shares=(0.8, 0.2), gap=0.6, is_shared=True)
    one_of_8: dict[str, Any] = {"n_questions": 8, "n_biased": 1, "n_answers": 2, "parts": 0.5}
    yield Cell("rates 0.8 and 0.2, 1 of 8 questions", 40, shares=(0.8, 0.2), gap=0.6, **one_of_8)
    yield Cell("gap 30, 10 names", 10, gap=0.3, shares=(0.65, 0.35), is_planned=True, advice=ratio)
    yield Cell("gap 30, 20 names, 3 groups", 20, 3, third, gap=0.3, is_planned=True, advice=gap)
    yield Cell("gap 20, 60 names", 60, gap=0.2, shares=(0.6, 0.4), is_planned=True)
    yield Cell("gap 40, 1 of 8 questions", 20, gap=0.4, shares=(0.7, 0.3), is_planned=True, **one_of_8)
    yield Cell("gap 30, 20 roots", 20, gap=0.3, shares=(0.65, 0.35), is_shared=True, is_planned=True)
