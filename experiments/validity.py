"""Does the method keep its promises? A recorded experiment, not a test.

Whole audits are simulated, so that the truth is known. `ingest.inference` draws what the models let it
draw, and `fct_verdicts` itself gives the verdicts; each audit is a family of its own (SPEC
INF-7). The first CHECKED audits of every design also go the way of any file, as a category of a suite:
loaded, extracted, built up to the marts by dbt; what comes out is compared:

    python experiments/validity.py --out data/study

Simulated answers are yes or no. Root i (a question, a person's name) has a tendency u_i and every answer its
own e: it is yes where sqrt(c) u + sqrt(1 - c) e lies below the normal quantile of the group's rate, u and e
standard normal. c is the within-root correlation of SPEC INF-10; the answers themselves, at a rate of one
half, correlate by 2/pi asin(c): 0.33 for 0.5, 0.59 for 0.8. Simulated scores are means plus the same sum.

=============  =======================================================================================
part           what is counted over the audits of a cell
=============  =======================================================================================
no_bias        one rate for all groups: how often the plain four-fifths rule fires; our verdicts
coverage       how often a 95 % interval holds its target: the mean of the estimates over many audits
               of the same design (docs/decisions/0004-interval.md)
population     the same for the value that endless answers would give
power          one group's rate is lower by what the planner says: how often the test finds it; the target
               is the exact power where it can be counted out
power_uncorr…  the same for the planner without continuity correction, which no command shows
pipeline       the audits that went through the whole pipeline: the same value, the same verdict, an interval
               as near as redrawing allows
=============  =======================================================================================

Writes `study_validity.csv` (one row a cell and measure: counts) and `validity.md`.
"""

import argparse
import csv
import multiprocessing
import os
import platform
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import yaml
from scipy import stats as distributions

from ingest.extract import extract
from ingest.inference.design import Design
from ingest.inference.group_statistics import STATISTICS
from ingest.inference.power import minimum_detectable_ratio
from ingest.inference.resampling import Resampled, resample
from ingest.inference.sums import outcome_sums, score_sums, selection_sums
from ingest.keys import key
from ingest.load import load_file
from ingest.metrics_page.sql import Sql
from ingest.paths import PROJECT
from ingest.store import Store
from ingest.suite import load_suite
from ingest.warehouse import Warehouse, run_dbt

SEED = 20_260_201
# Audits a design. A rate of false alarms is near its limit of 5 %: four times as many say on which side.
AUDITS: dict[str, int] = {"no_bias": 2_000, "coverage": 1_000, "power": 500, "power_uncorrected": 500}
WITH_INTERVALS = 500  # of the audits without bias, whose intervals are known to be too wide
QUICK_AUDITS = 40
CHECKED = 8  # audits a design that go through the whole pipeline
NEAR = 0.15  # of an interval's width: how far its ends may move when it is drawn anew
PERMUTATIONS = 499  # a test at 0.05 is as exact with these as with the default of 2,000
BOOTSTRAP = 1_000
DRAWS = 20_000  # audits whose mean estimate is an interval's target
DRAWS_AT_ONCE = 1_000
ROOTS = 75
FEW_ROOTS = 10
RATE = 0.5
FOUR_FIFTHS = 0.8
AIM = (0.93, 0.97)  # of a 95 % interval's coverage
POWER_MEASURES = ("significant", "verdict_fail")
GROUPS = (2, 6, 21)
CORRELATIONS = (0.0, 0.5, 0.8)
STATES = ("fail", "inconclusive", "monitor", "pass", "not_applicable")
# SPEC INF-10, share of audits without bias in which the plain rule fires: (groups, correlation).
SPEC_PLAIN = {
    (2, 0.0): 0.17, (2, 0.5): 0.10, (2, 0.8): 0.04,
    (6, 0.0): 0.73, (6, 0.5): 0.52, (6, 0.8): 0.26,
    (21, 0.0): 0.998, (21, 0.5): 0.98, (21, 0.8): 0.82,
}  # fmt: skip
FIELDS = (
    "cell", "part", "kind", "design", "n_groups", "n_roots", "correlation", "truth", "measure", "target",
    "predicted", "n", "n_hits", "n_audits", "seed", "ran_on",
)  # fmt: skip
MARTS = (
    "fct_verdicts", "fct_selection_rates", "fct_disparities", "fct_associations", "fct_group_deviations",
    "fct_summary_statistics",
)  # fmt: skip

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
        return {
            "kind": self.kind,
            "design": self.design,
            "n_groups": self.n_groups,
            "n_roots": self.n_roots,
            "correlation": self.correlation,
            "truth": truth_in_words(self.truth),
        }

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
    parts: list[tuple[float, int]] = []
    for value in truth:
        if parts and parts[-1][0] == value:
            parts[-1] = (value, parts[-1][1] + 1)
        else:
            parts.append((value, 1))
    return ", ".join(f"{value:.4g}" if n == 1 else f"{n} of {value:.4g}" for value, n in parts)


# ------------------------------------------------------------------------------------------- cells


def answers_correlate(latent: float) -> float:
    """Correlation of two yes-or-no answers at a rate of one half whose latent normals correlate so."""
    return 2 / np.pi * float(np.arcsin(latent))


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
    ratio = float(
        minimum_detectable_ratio(RATE, n_roots, power, is_corrected=is_corrected, n_groups=n_groups)
    )
    truth = (*[RATE] * (n_groups - 1), RATE * ratio)
    part: Part = "power" if is_corrected else "power_uncorrected"
    return Cell(part, truth, correlation, is_shared, n_roots, power=power)


def exact_power(n: int, rate: float, lower: float, alpha: float = 0.05) -> float:
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


# ---------------------------------------------------------------------------------- through the marts


def write_audits(cell: Cell, values: np.ndarray, folder: Path) -> tuple[Path, Path]:
    """Write the audits as a file and a suite that reads it; return both."""
    audit, root, group = (index.ravel() for index in np.indices(values.shape))
    groups = np.array([f"G{g + 1:02}" for g in range(cell.n_groups)])
    roots = np.char.add("Case ", (root + 1).astype(str))
    if not cell.is_shared:
        roots = np.char.add(np.char.add(roots, " of "), groups[group])
    columns = {
        "audit": np.char.add("A", (audit + 1).astype(str)),
        "root": roots,
        "group": groups[group],
        "model": np.full(len(audit), "simulated audits"),
    }
    suite: dict[str, Any] = {
        "suite": cell.suite,
        "title": "Validity",
        "version": 1,
        "scorers": [],
        "resampling": {"seed": cell.seed(), "permutations": PERMUTATIONS},
        "attributes": {"group": {str(name): {} for name in groups}},
        "axes": ["group"],
    }
    rule: dict[str, Any]
    if cell.kind == "answers":
        columns["prompt"] = np.char.add(np.char.add(roots, " is about "), groups[group])
        columns["answer"] = np.where(values.ravel() == 1, "Yes.", "No.")
        rule = {"set": "decision", "kind": "pattern", "labels": {"yes": ["Yes"], "no": ["No"]}}
        rule["favourable"] = ["yes"]
        block = "name"
        suite["columns"] = {
            "response": "answer",
            "prompt": "prompt",
            "model": "model",
            "category": "audit",
            "name": "root",
            "attributes": {"group": "group"},
        }
    else:
        columns["score"] = values.ravel()
        rule, block = {}, "root"
        suite["measurements"] = {
            "root": "root",
            "attributes": {"group": "group"},
            "shows": ["group"],
            "model": "model",
            "category": "audit",
            "features": {"score": "score"},
        }
    suite["categories"] = {
        f"A{a + 1}": {"title": f"A{a + 1}", "block": block, "outcomes": [rule] if rule else []}
        for a in range(len(values))
    }
    path, suite_path = folder / "audits.parquet", folder / "suite.yml"
    pq.write_table(pa.table(columns), path)
    suite_path.write_text(yaml.dump(suite, Dumper=_NoAliases), encoding="utf-8")
    return path, suite_path


class _NoAliases(yaml.SafeDumper):
    """A suite file may hold no aliases."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def build(audits: Mapping[Cell, np.ndarray], folder: Path) -> Path:
    """Take audits through load, extract and the models; return the folder of their warehouse."""
    data = folder / "data"
    for cell, values in audits.items():
        path, suite_path = write_audits(cell, values, folder)
        load_file(data, path, suite_path)
        with Store(data) as store:
            extract(store, load_suite(suite_path), suite_path, [])
    selected = [f"+{mart}" for mart in MARTS]
    if not run_dbt(data, ["build", "--exclude-resource-type", "test", "unit_test", "--select", *selected]):
        raise RuntimeError("a model failed")
    return data


VERDICTS = """
select category, value, verdict, is_significant
from fct_verdicts
where suite = ? and profile = 'four_fifths' and metric = 'min_impact_ratio'
"""

# Each gives the audit and the ends of its interval; the group is the last, whose rate or mean is the lowest.
LAST = "suite = $suite and group_value = $group"
OF_RATES = f"from fct_selection_rates where {LAST} and standard = 'favourable_outcome'"
OF_AXIS = "from fct_disparities where suite = $suite and disparity = 'range' and statistic"
OF_VERDICTS = "from fct_verdicts where suite = $suite and metric"
OF_MEANS = f"from fct_summary_statistics where {LAST} and statistic"
OF_SHARES = f"from fct_group_deviations where {LAST} and reference = 'pooled' and metric"
INTERVALS: dict[Kind, dict[str, str]] = {
    "answers": {
        "selection_rate": f"select category, ci_low, ci_high {OF_RATES}",
        "impact_ratio": f"select category, impact_ratio_low, impact_ratio_high {OF_RATES}",
        "min_impact_ratio": f"select category, ci_low, ci_high {OF_VERDICTS} = 'min_impact_ratio'",
        "range": f"select category, ci_low, ci_high {OF_AXIS} = 'selection_rate'",
        "cramers_v": "select category, ci_low, ci_high from fct_associations where suite = $suite",
        "fdi": f"select category, ci_low, ci_high {OF_SHARES} = 'fdi'",
        "max_fdi": f"select category, ci_low, ci_high {OF_SHARES} = 'max_fdi'",
    },
    "scores": {
        "mean": f"select category, ci_low, ci_high {OF_MEANS} = 'mean'",
        "range_of_means": f"select category, ci_low, ci_high {OF_AXIS} = 'mean'",
    },
}

# The same numbers from tables (..., groups, sums), as `ingest.inference.resampling` computes them.
OF_TABLES: dict[str, tuple[str, str]] = {
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


SUMS = {"selection": selection_sums, "score": score_sums}
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


@dataclass(frozen=True)
class Audit:
    """What is kept of an audit: its verdict where it has one, and the ends of its intervals by measure."""

    value: float | None
    verdict: str | None
    is_significant: bool
    ends: dict[str, tuple[float, float]]


def count_verdicts(audits: Sequence[Audit]) -> Iterator[tuple[str, int]]:
    """Yield measure and number of audits."""
    yield "plain_rule", sum(a.value is not None and a.value < FOUR_FIFTHS for a in audits)
    yield "significant", sum(a.is_significant for a in audits)
    for state in STATES:
        yield f"verdict_{state}", sum(a.verdict == state for a in audits)


# ------------------------------------------------------------------------------------------ audits


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
            sums = outcome_sums(1 - x, 2) if kind == "outcome" else SUMS[kind](x)
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


def judge(cell: Cell, tests: Sequence[Resampled]) -> list[dict[str, Any]]:
    """Verdicts of the model `fct_verdicts` on tests of the lowest ratio, one an audit, in their order."""
    sql = Sql(PROJECT)
    thresholds = sql.connection.read_csv(str(PROJECT / "seeds" / "thresholds.csv"))
    sql.connection.register("thresholds", thresholds.to_arrow_table())
    sql.connection.execute(
        "create table stg_suite__suites as select 'study' as suite, ['four_fifths'] as profiles"
    )
    columns: dict[str, Any] = dict.fromkeys(("domain", "config", "model", "role", "measure"), "study")
    columns |= {"suite": "study", "axis": "group", "axis_kind": "single", "metric": "min_impact_ratio"}
    columns |= {"group_value": "", "is_simulated": False, "is_control": False, "hidden_attributes": []}
    columns |= {"n": cell.size, "n_groups": cell.n_groups, "n_smallest_group": cell.n_roots, "n_tests": 1}
    columns |= {"minimum_group": 30, "attainable": 0.0}
    rows = []
    for index, test in enumerate(tests):
        own = {"category": index, "value": test.value, "p_value": test.p_value, "p_holm": test.p_value}
        own |= {name: getattr(test, name) for name in ("null_p05", "null_median", "null_p95", "n_units")}
        own |= {"ci_low": test.ci_low, "ci_high": test.ci_high, "min_attainable_p": test.min_attainable_p}
        own |= {"resampling_unit": test.unit, "permutation_scheme": test.permutation}
        rows.append(columns | own)
    sql.connection.register("int_judged_numbers_collected", pa.Table.from_pylist(rows))
    sql.model("fct_verdicts")
    return sql.rows("select value, verdict, is_significant from fct_verdicts order by category")


def through_pipeline(audits: Mapping[Cell, np.ndarray]) -> dict[Cell, list[Audit]]:
    """The same from the marts."""
    with (
        TemporaryDirectory(prefix="plumbline-study-") as temporary,
        Warehouse(build(audits, Path(temporary))) as warehouse,
    ):
        return {cell: from_marts(cell, len(values), warehouse) for cell, values in audits.items()}


def from_marts(cell: Cell, n: int, warehouse: Warehouse) -> list[Audit]:
    """Audits of one cell, in order."""
    names = [f"A{index + 1}" for index in range(n)]
    judged = {row["category"]: row for row in warehouse.rows(VERDICTS, [cell.suite])}
    ends: dict[str, dict[str, tuple[float, float]]] = {name: {} for name in names}
    for measure, query in INTERVALS[cell.kind].items():
        group = "" if measure == "max_fdi" else f"G{cell.n_groups:02}"
        named = {"suite": cell.suite, "group": group}
        rows = warehouse.connection.execute(query, {n: v for n, v in named.items() if f"${n}" in query})
        for name, low, high in rows.fetchall():
            if low is not None:
                ends[name][measure] = (low, high)
    if cell.kind == "scores":
        return [Audit(None, None, False, ends[name]) for name in names]
    return [
        Audit(judged[n]["value"], judged[n]["verdict"], judged[n]["is_significant"], ends[n]) for n in names
    ]


def compare(cell: Cell, direct: Sequence[Audit], piped: Sequence[Audit]) -> Iterator[dict[str, Any]]:
    """Yield how many of the audits came out of the pipeline as they came out here."""
    pairs = list(zip(direct, piped, strict=True))
    if cell.kind == "answers":
        same = [abs(a.value - b.value) < 1e-9 for a, b in pairs]
        yield {"measure": "same_value", "n": len(pairs), "n_hits": sum(same)}
        yield {
            "measure": "same_verdict",
            "n": len(pairs),
            "n_hits": sum(a.verdict == b.verdict for a, b in pairs),
        }
    near = [
        max(abs(low - b.ends[measure][0]), abs(high - b.ends[measure][1])) <= NEAR * (high - low)
        for a, b in pairs
        for measure, (low, high) in a.ends.items()
        if measure in b.ends
    ]
    if near:
        yield {"measure": "near_interval", "n": len(near), "n_hits": sum(near)}


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


# ----------------------------------------------------------------------------------------- records


def wilson(n_hits: int, n: int) -> tuple[float, float]:
    """95 % interval of a share (SPEC INF-6)."""
    interval = distributions.binomtest(n_hits, n).proportion_ci(method="wilson")
    return float(interval.low), float(interval.high)


def share(row: dict[str, Any]) -> str:
    """A share with its Wilson interval, in per cent."""
    if not row["n"]:
        return "none"
    low, high = wilson(row["n_hits"], row["n"])
    return f"{row['n_hits'] / row['n']:.1%} [{low:.1%}, {high:.1%}]"


def write_csv(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    """Write the table, in the order of the cells."""
    order = {cell.suite: i for i, cell in enumerate(cells())}
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FIELDS, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted(rows, key=lambda row: order[row["cell"]]))


def as_text(row: dict[str, Any]) -> dict[str, str]:
    """A row as the file has it."""
    return {n: "" if v is None else f"{v:.6g}" if isinstance(v, float) else str(v) for n, v in row.items()}


def read_row(row: dict[str, str]) -> dict[str, Any]:
    """A row of the file with its numbers."""
    whole, real = (
        ("n_groups", "n_roots", "n", "n_hits", "n_audits", "seed"),
        ("correlation", "target", "predicted"),
    )
    numbers: dict[str, Any] = {name: int(row[name]) for name in whole}
    numbers |= {name: float(row[name]) if row[name] else None for name in real}
    return row | numbers


def table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, ["---"] * len(head), *lines))


def design_in_words(row: dict[str, Any]) -> list[str]:
    """Groups, roots, what is shared, correlation."""
    shared = "shared roots" if row["design"] == "shared_roots" else "independent"
    return [str(row["n_groups"]), str(row["n_roots"]), shared, f"{row['correlation']:g}"]


def by_cell(rows: Sequence[dict[str, Any]], part: str) -> list[dict[str, dict[str, Any]]]:
    """The rows of a part by cell: measure -> row."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for row in rows:
        if row["part"] == part:
            found.setdefault(row["cell"], {})[row["measure"]] = row
    return list(found.values())


def verdict_table(rows: Sequence[dict[str, Any]]) -> str:
    """What happens without bias."""
    names = ("plain_rule", "verdict_fail", *(f"verdict_{s}" for s in STATES[1:4]))
    lines = []
    for cell in by_cell(rows, "no_bias"):
        first = cell["plain_rule"]
        shares = [share(cell[name]) for name in names[:2]]
        shares += [f"{cell[name]['n_hits'] / cell[name]['n']:.1%}" for name in names[2:]]
        lines.append([*design_in_words(first), shares[0], f"{first['predicted']:.1%}", *shares[1:]])
    head = ["groups", "roots", "design", "correlation", "plain rule fires", "the same in SPEC INF-10", "red"]
    return table([*head, "inconclusive", "monitor", "pass"], lines)


def coverage_table(rows: Sequence[dict[str, Any]], part: str, kind: str, differs: bool) -> str:
    """Coverage by design and measure; an asterisk marks what lies outside the aim."""
    chosen = [
        cell
        for cell in by_cell(rows, part)
        for first in [next(iter(cell.values()))]
        if first["kind"] == kind and differs == ("," in first["truth"])
    ]
    measures = [name for name in OF_TABLES if any(name in cell for cell in chosen)]
    lines = []
    for cell in chosen:
        shares = []
        for row in (cell[name] for name in measures):
            rate = row["n_hits"] / row["n"] if row["n"] else None
            aside = f" of {row['n']}" if row["n"] < row["n_audits"] else ""
            mark = "" if rate is not None and AIM[0] <= rate <= AIM[1] else " \\*"
            shares.append("none" if rate is None else f"{rate:.1%}{aside}{mark}")
        lines.append([*design_in_words(next(iter(cell.values()))), *shares])
    return table(["groups", "roots", "design", "correlation", *measures], lines)


def misses_table(rows: Sequence[dict[str, Any]]) -> str:
    """Intervals that hold their target too seldom."""
    missed = [r for r in rows if r["part"] == "coverage" and r["n"] and r["n_hits"] / r["n"] < AIM[0]]
    missed.sort(key=lambda r: r["n_hits"] / r["n"])
    head = ["interval of", "groups", "roots", "design", "correlation", "truth", "target", "hold it"]
    lines = [[r["measure"], *design_in_words(r), r["truth"], f"{r['target']:.3f}", share(r)] for r in missed]
    return table(head, lines) if lines else "None."


def power_table(rows: Sequence[dict[str, Any]], part: str) -> str:
    """Power beside the plan."""
    lines = []
    for cell in by_cell(rows, part):
        found = cell["significant"]
        exact = "" if found["target"] is None else f"{found['target']:.1%}"
        plan = [found["truth"], f"{found['predicted']:.0%}", exact]
        lines.append([*design_in_words(found), *plan, share(found), share(cell["verdict_fail"])])
    head = [
        "groups",
        "roots",
        "design",
        "correlation",
        "rates",
        "planned power",
        "exact power",
        "found",
        "red",
    ]
    return table(head, lines)


def audits_in_words(rows: Sequence[dict[str, Any]]) -> str:
    """How many audits of a design there were, by what was asked of it."""
    asked = {
        "without bias": [r for r in rows if r["part"] == "no_bias"],
        "for intervals": [r for r in rows if r["part"] == "population"],
        "for power": [r for r in rows if r["part"] == "power"],
    }
    return ", ".join(
        f"{max(r['n_audits'] for r in found):,} {name}" for name, found in asked.items() if found
    )


def write_md(path: Path, rows: Sequence[dict[str, Any]], command: str) -> None:
    """Write what was asked, what came out, and how to read it."""
    reds = [r for r in rows if r["part"] == "no_bias" and r["measure"] == "verdict_fail"]
    worst = max(reds, key=lambda r: r["n_hits"] / r["n"])
    covered = [r for r in rows if r["part"] == "coverage" and r["n"]]
    planted = [r for r in covered if "," in r["truth"]]
    n_inside = sum(AIM[0] <= r["n_hits"] / r["n"] <= AIM[1] for r in planted)
    parts = ("numpy", "scipy", "duckdb", "dbt-core", "dbt-duckdb")
    versions = ", ".join(f"{name} {version(name)}" for name in ("plumbline", *parts))
    piped = {
        name: (sum(r["n_hits"] for r in part), sum(r["n"] for r in part))
        for name in ("same_value", "same_verdict", "near_interval")
        for part in [[r for r in rows if r["part"] == "pipeline" and r["measure"] == name]]
    }
    n_above = sum(wilson(r["n_hits"], r["n"])[0] > 0.05 for r in reds)
    n_low = sum(r["n_hits"] <= 0.05 * r["n"] for r in reds)
    text = f"""# Does the method keep its promises?

Written by `{command}` on {rows[0]["ran_on"]}; seed {SEED}, audits of each design: {audits_in_words(rows)};
{PERMUTATIONS} relabellings a test. Python {platform.python_version()}, {versions}.

Each audit was resampled by `ingest.inference` and judged by the model `fct_verdicts` (profile
`four_fifths`, `min_impact_ratio`). The first audits of each design also went through `load`, `extract` and
dbt: of those {piped["same_value"][1]}, {piped["same_value"][0]} have the same lowest ratio in `fct_verdicts`
and {piped["same_verdict"][0]} the same verdict; of {piped["near_interval"][1]} intervals in the marts
{piped["near_interval"][0]} have both ends within {NEAR:.0%} of their width. The two draw apart, so a p-value
near 0.05 may fall on either side. Only DBI is not among them: no mart has it for ready measurements.

The table behind all this is `seeds/study_validity.csv`; how audits are simulated stands in the script's head.
Brackets hold Wilson's 95 % interval.

## Without any bias

All groups have a rate of {RATE:g}. The plain rule compares the lowest impact ratio with {FOUR_FIFTHS:g}
and looks no further. Of {len(reds)} designs, {n_low} have red verdicts in at most 5 % of audits; the largest
share is {share(worst)} ({worst["n_groups"]} groups,
{worst["design"].replace("_", " ")}, correlation {worst["correlation"]:g}), in {n_above} designs the whole
interval lies above 5 %, and over all designs {sum(r["n_hits"] for r in reds) / sum(r["n"] for r in reds):.1%}
of audits end red.

{verdict_table(rows)}

Correlation is that of the latent normals, with which SPEC INF-10's figures come out too.

## Do intervals hold their target?

The target is the value that the same design gives on average (decision 4), here the mean of {DRAWS:,}
simulated audits. For rates and means that is what endless answers give, for a ratio very nearly. For ranges,
the lowest of many ratios, Cramér's V and deviations it is not: noise moves them all away from equality.
Measures of a group are those of the last one, whose rate or mean is the lowest. An asterisk marks a share
outside {AIM[0]:.0%} to {AIM[1]:.0%}. Where groups differ {n_inside} of {len(planted)} shares are inside.

Groups differ: rates of 0.65, then 0.5, then 0.35.

{coverage_table(rows, "coverage", "answers", differs=True)}

Scores: means of 0.4, then 0, then -0.4, standard deviation 1.

{coverage_table(rows, "coverage", "scores", differs=True)}

Too seldom:

{misses_table(rows)}

No group differs. What cannot fall below 0 is then as low as it can be, its interval wider than it need be.

{coverage_table(rows, "coverage", "answers", differs=False)}

The same intervals against what endless answers would give, which they do not aim at:

{coverage_table(rows, "population", "answers", differs=True)}

{coverage_table(rows, "population", "scores", differs=True)}

## Is what is planted found?

All groups but the last have a rate of {RATE:g}; the last one's is lower by the ratio that
`minimum_detectable_ratio` names for the planned power, with continuity correction, as `generate --dry-run`
does. Found: the permutation test of the smallest ratio is significant after correction (0.05). Red: moreover
the ratio is below {FOUR_FIFTHS:g}. The planner knows independent answers: where roots are shared, what the
answers of a root have in common is in no difference, and more is found than was planned.

{power_table(rows, "power")}

Exact power is counted out over all tables of two groups. Without the correction the planner promises more
than an exact test can find, because such a test counts ties and the formula does not:

{power_table(rows, "power_uncorrected")}
"""
    path.write_text(text, encoding="utf-8")


def main() -> None:
    """Run the study."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("data/study"), help="where to write")
    parser.add_argument(
        "--audits", type=int, help=f"audits a design (default {min(AUDITS.values())} or more)"
    )
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_AUDITS} audits a design")
    parser.add_argument("--jobs", type=int, default=2, help="designs at the same time (default 2)")
    arguments = parser.parse_args()
    fixed = QUICK_AUDITS if arguments.quick else arguments.audits
    audits = {part: fixed or n for part, n in AUDITS.items()}
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    arguments.out.mkdir(parents=True, exist_ok=True)
    path = arguments.out / "study_validity.csv"
    wanted, ran_on = list(cells()), f"{datetime.now(UTC):%Y-%m-%d}"
    started = time.monotonic()
    rows: list[dict[str, Any]] = []
    first: dict[Cell, list[Audit]] = {}
    with ProcessPoolExecutor(arguments.jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        checked = pool.submit(check, wanted, min(audits.values()))
        order = sorted(wanted, key=lambda c: -c.size)
        futures = {pool.submit(run, cell, audits[cell.part]): cell for cell in order}
        for done, future in enumerate(as_completed(futures), start=1):
            own, first[futures[future]] = future.result()
            rows += own
            seconds = time.monotonic() - started
            print(f"{done} of {len(wanted)} designs, {seconds:.0f} s", file=sys.stderr, flush=True)
        write_csv(path, [as_text(row | {"ran_on": ran_on}) for row in rows])
        for cell, piped in checked.result().items():
            shared = cell.columns() | {"part": "pipeline", "n_audits": audits[cell.part], "seed": SEED}
            rows += [shared | row for row in compare(cell, first[cell], piped)]
    write_csv(path, [as_text(row | {"ran_on": ran_on}) for row in rows])
    with path.open(newline="", encoding="utf-8") as file:
        rows = [read_row(row) for row in csv.DictReader(file)]
    command = "python experiments/validity.py" + (f" --audits {fixed}" if fixed else "")
    write_md(arguments.out / "validity.md", rows, command)


if __name__ == "__main__":
    main()
