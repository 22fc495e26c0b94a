"""Audits of a design: simulated, resampled, counted."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from scipy import stats as distributions

from experiments.validity.cells import SEED, Cell, Kind
from experiments.validity.judge import INTERVALS, PERMUTATIONS, Audit, judge, through_pipeline
from ingest.inference.constants import ALPHA
from ingest.inference.design import Design
from ingest.inference.group_statistics import STATISTICS
from ingest.inference.resampling import Resampled, resample
from ingest.inference.sums import Kind as SumKind
from ingest.inference.sums import outcome_sums, sums_of

WITH_INTERVALS = 500  # of the audits without bias, whose intervals are known to be too wide
CHECKED = 8  # audits a design that go through the whole pipeline
BOOTSTRAP = 1_000
DRAWS = 20_000  # audits whose mean estimate is an interval's target
DRAWS_AT_ONCE = 1_000
FOUR_FIFTHS = 0.8
POWER_MEASURES = ("significant", "verdict_fail")
STATES = ("fail", "inconclusive", "monitor", "pass", "not_applicable")
# SPEC INF-10, share of audits without bias in which the plain rule fires: (groups, correlation).
SPEC_PLAIN = {
    (2, 0.0): 0.17, (2, 0.5): 0.10, (2, 0.8): 0.04,
    (6, 0.0): 0.73, (6, 0.5): 0.52, (6, 0.8): 0.26,
    (21, 0.0): 0.998, (21, 0.5): 0.98, (21, 0.8): 0.82,
}  # fmt: skip


def exact_power(n: int, rate: float, lower: float, alpha: float = ALPHA) -> float:
    """Power of the permutation test of two groups of n independent answers, every outcome counted.

    Relabelling keeps the number of yes: one group's share of them is hypergeometric, and the ratio of the
    rates the more extreme the further they lie apart.
    """
    yes = np.arange(n + 1)
    chance = np.outer(distributions.binom.pmf(yes, n, rate), distributions.binom.pmf(yes, n, lower))
    power = 0.0
    for total in range(1, 2 * n):
        first = np.arange(max(0, total - n), min(n, total) + 1)
        null = distributions.hypergeom.pmf(first, 2 * n, total, n)
        apart = np.abs(2 * first - total)
        p_value = np.array([null[apart >= distance].sum() for distance in apart])
        power += chance[first, total - first][p_value <= alpha].sum()
    return float(power)


# The same numbers from tables (..., groups, sums), as `ingest.inference.resampling` computes them.
OF_TABLES: dict[str, tuple[SumKind, str]] = {
    "selection_rate": ("selection", "selection_rate"),
    "impact_ratio": ("selection", "impact_ratio"),
    "min_impact_ratio": ("selection", "min_impact_ratio"),
    "range": ("selection", "range"),
    "cramers_v": ("outcome", "cramers_v"),
    "fdi": ("outcome", "fdi_pooled"),
    "max_fdi": ("outcome", "max_fdi_pooled"),
    "mean": ("score", "mean"),
    "dbi": ("score", "dbi"),
    "range_of_means": ("score", "range"),
}
MEASURES: dict[Kind, tuple[str, ...]] = {
    "answers": tuple(INTERVALS["answers"]),
    "scores": (*INTERVALS["scores"], "dbi"),  # no mart has DBI for ready measurements
}


def tables_of(kind: str, values: np.ndarray) -> np.ndarray:
    """Tables of sums (n, groups, J) of audits (n, roots, groups)."""
    n = np.full(values.sum(1).shape, float(values.shape[1]))
    if kind == "selection":
        return np.stack([n, values.sum(1)], axis=-1)
    if kind == "outcome":
        return np.stack([values.sum(1), n - values.sum(1)], axis=-1)
    return np.stack([n, values.sum(1), (values**2).sum(1)], axis=-1)


def endless(kind: str, truth: Sequence[float]) -> np.ndarray:
    """Table of sums (1, groups, J) that endless answers tend to, per group 10^12 of them."""
    mean, n = np.array(truth), 1e12
    columns = {"selection": (1, mean), "outcome": (mean, 1 - mean), "score": (1, mean, mean**2 + 1)}[kind]
    return n * np.stack(np.broadcast_arrays(*columns), axis=-1)[None]


def last_value(measure: str, tables: np.ndarray) -> np.ndarray:
    """The measure of each table (n,): of the last group, or of the axis."""
    statistic = STATISTICS[OF_TABLES[measure][1]]
    value = statistic.of(tables)
    return value[..., -1] if statistic.level == "group" else value


def targets(cell: Cell, measures: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Measure -> mean estimate over DRAWS audits of this design, and what endless answers would give."""
    rng = np.random.default_rng([cell.seed(), 1])
    found: dict[str, list[np.ndarray]] = {measure: [] for measure in measures}
    for _ in range(DRAWS // DRAWS_AT_ONCE):
        values = cell.draw(DRAWS_AT_ONCE, rng)
        tables = {kind: tables_of(kind, values) for kind in {OF_TABLES[m][0] for m in measures}}
        for measure in measures:
            found[measure].append(last_value(measure, tables[OF_TABLES[measure][0]]))
    return {
        measure: (
            float(np.nanmean(np.concatenate(found[measure]))),
            float(last_value(measure, endless(OF_TABLES[measure][0], cell.truth))[0]),
        )
        for measure in measures
    }


def count_verdicts(audits: Sequence[Audit]) -> Iterator[tuple[str, int]]:
    """Yield measure and number of audits."""
    yield "plain_rule", sum(a.value is not None and a.value < FOUR_FIFTHS for a in audits)
    yield "significant", sum(a.is_significant for a in audits)
    for state in STATES:
        yield f"verdict_{state}", sum(a.verdict == state for a in audits)


def design_of(cell: Cell) -> Design:
    """The design of every audit of a cell, answers in the order of its values (roots, groups)."""
    root, group = (codes.ravel() for codes in np.indices((cell.n_roots, cell.n_groups)))
    answer = np.arange(cell.size)
    labels = tuple(f"G{g + 1:02}" for g in range(cell.n_groups))
    return Design(group[:, None], group, answer, root if cell.is_shared else answer, labels)


def resample_audits(cell: Cell, values: np.ndarray) -> list[Audit]:
    """Resample audits (audits, roots, groups) as the models do, and have them judged."""
    design = design_of(cell)
    last = design.labels[-1]
    judged, ends = [], []
    for index, answers in enumerate(values):
        found: dict[str, Resampled] = {}
        has_intervals = not cell.power and (cell.part != "no_bias" or index < WITH_INTERVALS)
        for kind in {OF_TABLES[measure][0] for measure in MEASURES[cell.kind]}:
            if not has_intervals and kind != "selection":
                continue
            x = answers.ravel()
            sums = outcome_sums(1 - x, 2) if kind == "outcome" else sums_of(kind, x, x)
            names = {s for k, s in (OF_TABLES[m] for m in MEASURES[cell.kind]) if k == kind}
            rows = resample(
                design,
                sums,
                sorted(names) if has_intervals else ["min_impact_ratio"],
                n_permutations=PERMUTATIONS if kind == "selection" else 0,
                n_bootstrap=BOOTSTRAP if has_intervals else 0,
                seed=cell.seed() + index,
            )
            found |= {row.statistic: row for row in rows if row.group in (None, last)}
        ends.append(
            {
                measure: (row.ci_low, row.ci_high)
                for measure in MEASURES[cell.kind]
                if (row := found.get(OF_TABLES[measure][1])) is not None and row.ci_status == "ok"
            }
        )
        judged.append(found.get("min_impact_ratio"))
    if cell.kind == "scores":
        return [Audit(None, None, False, own) for own in ends]
    return [
        Audit(row["value"], row["verdict"], row["is_significant"], own)
        for row, own in zip(judge(cell, judged), ends, strict=True)
    ]


def draw(cell: Cell, n_audits: int) -> np.ndarray:
    """The audits of a cell; fewer are the first of more."""
    rng = np.random.default_rng([cell.seed(), 0])
    return np.concatenate([cell.draw(1, rng) for _ in range(n_audits)])


def run(cell: Cell, n_audits: int) -> tuple[list[dict[str, Any]], list[Audit]]:
    """Simulate and count one cell; return its rows of the table, and its first audits."""
    audits = resample_audits(cell, draw(cell, n_audits))
    shared = cell.columns() | {"n_audits": n_audits, "seed": SEED}
    return [shared | row for row in count(cell, audits)], audits[:CHECKED]


def check(wanted: Sequence[Cell], n_audits: int) -> dict[Cell, list[Audit]]:
    """Take the first audits of every cell through the pipeline."""
    return through_pipeline({cell: draw(cell, min(CHECKED, n_audits)) for cell in wanted})


def count(cell: Cell, audits: Sequence[Audit]) -> Iterator[dict[str, Any]]:
    """Yield what the table says of each measure of a cell."""
    predicted = {"significant": cell.power}
    target = {}
    if cell.part == "no_bias":
        predicted = {"plain_rule": SPEC_PLAIN[cell.n_groups, cell.correlation]}
    elif cell.power and cell.n_groups == 2 and not cell.is_shared:
        target = {"significant": exact_power(cell.n_roots, *cell.truth)}
    for measure, n_hits in count_verdicts(audits):
        if cell.part == "no_bias" or (cell.power and measure in POWER_MEASURES):
            own = {"measure": measure, "n": len(audits), "n_hits": n_hits}
            yield own | {"predicted": predicted.get(measure), "target": target.get(measure)}
    if cell.power:
        return
    for measure, aims in targets(cell, MEASURES[cell.kind]).items():
        # Without bias any group may come out highest, and the highest has no ratio to itself.
        if measure == "impact_ratio" and cell.part == "no_bias":
            continue
        pairs = [audit.ends[measure] for audit in audits if measure in audit.ends]
        # Without bias endless answers give a number at the end of the scale, which no interval can straddle.
        parts = ("coverage", "population") if cell.part == "coverage" else ("coverage",)
        for part, aim in zip(parts, aims, strict=False):
            n_hits = sum(low <= aim <= high for low, high in pairs)
            yield {"part": part, "measure": measure, "target": aim, "n": len(pairs), "n_hits": n_hits}
