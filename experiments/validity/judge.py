"""Verdicts: of the model itself on numbers drawn here, and of the pipeline from a file to the marts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import yaml

from experiments.validity.cells import Cell, Kind
from ingest.extract import extract
from ingest.inference.resampling import Resampled
from ingest.load import load_file
from ingest.metrics_page.sql import Sql
from ingest.paths import PROJECT
from ingest.store import Store
from ingest.suite import load_suite
from ingest.warehouse import Warehouse, run_dbt

NEAR = 0.15  # of an interval's width: how far its ends may move when it is drawn anew
PERMUTATIONS = 499  # a test at 0.05 is as exact with these as with the default of 2,000
MARTS = (
    "fct_verdicts", "fct_selection_rates", "fct_disparities", "fct_associations", "fct_group_deviations",
    "fct_summary_statistics",
)  # fmt: skip


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
    read = {"model": "model", "category": "audit", "attributes": {"group": "group"}}
    rule: dict[str, Any]
    if cell.kind == "answers":
        columns["prompt"] = np.char.add(np.char.add(roots, " is about "), groups[group])
        columns["answer"] = np.where(values.ravel() == 1, "Yes.", "No.")
        rule = {"set": "decision", "kind": "pattern", "labels": {"yes": ["Yes"], "no": ["No"]}}
        rule["favourable"] = ["yes"]
        block = "name"
        suite["columns"] = read | {"response": "answer", "prompt": "prompt", "name": "root"}
    else:
        columns["score"] = values.ravel()
        rule, block = {}, "root"
        suite["measurements"] = read | {"root": "root", "shows": ["group"], "features": {"score": "score"}}
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


@dataclass(frozen=True)
class Audit:
    """What is kept of an audit: its verdict where it has one, and the ends of its intervals by measure."""

    value: float | None
    verdict: str | None
    is_significant: bool
    ends: dict[str, tuple[float, float]]


def judge(cell: Cell, tests: Sequence[Resampled]) -> list[dict[str, Any]]:
    """Verdicts of the model `fct_verdicts` on tests of the lowest ratio, one an audit, in their order."""
    sql = Sql(PROJECT)
    thresholds = sql.connection.read_csv(str(PROJECT / "seeds" / "thresholds.csv"))
    sql.connection.register("thresholds", thresholds.to_arrow_table())
    sql.query("stg_suite__suites", "select 'study' as suite, ['four_fifths'] as profiles")
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
        agreed = sum(a.verdict == b.verdict for a, b in pairs)
        yield {"measure": "same_verdict", "n": len(pairs), "n_hits": agreed}
    near = [
        max(abs(low - b.ends[measure][0]), abs(high - b.ends[measure][1])) <= NEAR * (high - low)
        for a, b in pairs
        for measure, (low, high) in a.ends.items()
        if measure in b.ends
    ]
    if near:
        yield {"measure": "near_interval", "n": len(near), "n_hits": sum(near)}
