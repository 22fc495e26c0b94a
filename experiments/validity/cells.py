"""The designs of the study: what each audit is like, and what is known of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal

import numpy as np
from scipy import stats as distributions

from ingest.inference.power import minimum_detectable_ratio
from ingest.keys import key

SEED = 20_260_201
# Audits a design. A rate of false alarms is near its limit of 5 %: four times as many say on which side.
AUDITS: dict[str, int] = {"no_bias": 2_000, "coverage": 1_000, "power": 500, "power_uncorrected": 500}
QUICK_AUDITS = 40
ROOTS = 75
FEW_ROOTS = 10
RATE = 0.5
GROUPS = (2, 6, 21)
CORRELATIONS = (0.0, 0.5, 0.8)
Part = Literal["no_bias", "coverage", "power", "power_uncorrected"]
Kind = Literal["answers", "scores"]


@dataclass(frozen=True)
class Cell:
    """One design. `truth` is each group's rate (answers) or mean (scores); without `is_shared` no two answers
    have a root in common, and there are `n_roots` roots a group. `power`: what was planned.
    """

    part: Part
    truth: tuple[float, ...]
    correlation: float = 0.0
    is_shared: bool = True
    n_roots: int = ROOTS
    kind: Kind = "answers"
    power: float | None = None

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(self.truth)

    @property
    def design(self) -> str:
        """What a root is asked."""
        return "shared_roots" if self.is_shared else "independent"

    @property
    def size(self) -> int:
        """Answers in an audit."""
        return self.n_groups * self.n_roots

    def columns(self) -> dict[str, Any]:
        """What the table says of a cell."""
        return {"cell": self.suite, "part": self.part} | self._design()

    def _design(self) -> dict[str, Any]:
        own = ("kind", "design", "n_groups", "n_roots", "correlation")
        return {name: getattr(self, name) for name in own} | {"truth": truth_in_words(self.truth)}

    @property
    def suite(self) -> str:
        """Name of the cell's suite."""
        return f"cell_{key(self.part, self._design())[:12]}"

    def seed(self) -> int:
        """Seed of the cell's audits, which no other cell changes."""
        return int(key(SEED, self.suite)[:15], 16)

    def draw(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Simulate n audits, (n, roots, groups): 1.0 or 0.0 for answers, numbers for scores."""
        latent = rng.standard_normal((n, self.n_roots, self.n_groups))
        if self.correlation:
            latent *= np.sqrt(1 - self.correlation)
            latent += np.sqrt(self.correlation) * rng.standard_normal((n, self.n_roots, 1))
        if self.kind == "scores":
            return latent + np.array(self.truth)
        return (latent < distributions.norm.ppf(self.truth)).astype(np.float64)


def truth_in_words(truth: Sequence[float]) -> str:
    """Rates with how many groups have each, in order: `0.65, 19 of 0.5, 0.35`."""
    runs = ((value, len(list(run))) for value, run in groupby(truth))
    return ", ".join(f"{value:.4g}" if n == 1 else f"{n} of {value:.4g}" for value, n in runs)


def planned(
    n_groups: int,
    n_roots: int,
    power: float,
    *,
    is_shared: bool = False,
    correlation: float = 0.0,
    is_corrected: bool = True,
) -> Cell:
    """Return a cell whose last group has the ratio that the planner says is found with `power`.

    The planner knows independent answers. Of what a root's answers share nothing is left in their difference,
    so that where roots are shared it promises too little, never too much.
    """
    ratio = minimum_detectable_ratio(RATE, n_roots, power, is_corrected=is_corrected, n_groups=n_groups)
    truth = (*[RATE] * (n_groups - 1), RATE * float(ratio))
    part: Part = "power" if is_corrected else "power_uncorrected"
    return Cell(part, truth, correlation, is_shared, n_roots, power=power)


def spread(n_groups: int, by: float, centre: float) -> tuple[float, ...]:
    """One group above the others, one below."""
    return (centre + by, *[centre] * (n_groups - 2), centre - by)


def cells() -> Iterator[Cell]:
    """Yield every design of the study."""
    for k in GROUPS:
        yield Cell("no_bias", (RATE,) * k, is_shared=False)
        for correlation in CORRELATIONS:
            yield Cell("no_bias", (RATE,) * k, correlation)
    for k in GROUPS:
        yield Cell("coverage", spread(k, 0.15, RATE), is_shared=False)
        yield Cell("coverage", spread(k, 0.15, RATE), 0.5)
    yield Cell("coverage", spread(6, 0.15, RATE), 0.8)
    yield Cell("coverage", spread(6, 0.15, RATE), 0.5, n_roots=FEW_ROOTS)
    yield Cell("coverage", spread(6, 0.15, RATE), is_shared=False, n_roots=FEW_ROOTS)
    yield Cell("coverage", spread(6, 0.4, 0.0), is_shared=False, kind="scores")
    yield Cell("coverage", spread(6, 0.4, 0.0), 0.5, kind="scores")
    yield Cell("coverage", spread(6, 0.4, 0.0), 0.5, n_roots=FEW_ROOTS, kind="scores")
    for k in GROUPS:
        for power in (0.5, 0.8, 0.95):
            yield planned(k, ROOTS, power)
        for correlation in CORRELATIONS[1:]:
            yield planned(k, ROOTS, 0.8, is_shared=True, correlation=correlation)
    yield planned(2, 150, 0.8)
    yield planned(2, 408, 0.8)
    yield planned(6, 150, 0.8)
    for power in (0.5, 0.8, 0.95):
        yield planned(2, ROOTS, power, is_corrected=False)
    yield planned(2, 388, 0.8, is_corrected=False)
