"""The check that the dictionary closes: what is computed has an entry, a unit, a golden number and a report.

Each gap is told as the file to add or to complete. It reads files and computes small examples; no warehouse.
"""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ingest.inference.group_statistics import STATISTICS
from ingest.inference.samples import KERNELS, parse_parameters
from ingest.metrics_page.dictionary import METRICS
from ingest.metrics_page.examples import Example, shown
from ingest.metrics_page.given import statistic
from ingest.metrics_page.sql import Sql
from ingest.seeds import read_seed

VALUES, BASELINES = (0.1, 0.2, 0.2, 0.7), (0.1, 0.4, 0.6, 0.7)
MODE_WIDTH = 0.25
# Where functions that resampling calls are registered.
FUNCTIONS, SAMPLED = "ingest/inference/group_statistics.py", "ingest/inference/samples.py"
GROUPS = (0.5, 0.45, 0.1625)
# Marts that are there for queries: no page shows them.
SQL_ONLY = {"dim_topic_words", "fct_classification_parity"}
VECTORS = ("[3.0, 4.0]::double[]", "[0.0, 5.0]::double[]")


class Registry(NamedTuple):
    """A seed whose rows name macros: its column of names, its room of macros, what a row must say."""

    name: str
    room: str
    prefix: str
    family: str
    filled: tuple[str, ...]
    sample: str
    covers: str = ""


# `sample` is what a row's `example` is computed from; `covers` finds the rows that a metric's filter names.
REGISTRIES = {
    "statistics": Registry(
        "statistic", "statistics", "statistic", "measurements", ("title", "formula", "unit"),
        "the values 0.1, 0.2, 0.2, 0.7, their baselines 0.1, 0.4, 0.6, 0.7", r"statistic = '(\w+)'",
    ),
    "distances": Registry(
        "distance", "distances", "distance", "measurements", ("title", "formula", "unit"),
        "the vectors (3, 4) and (0, 5)", r"feature = '(\w+)_distance_wrt_baseline'",
    ),
    "selection_standards": Registry(
        "standard", "selection", "standard", "selection", ("title",), "the values 0.1, 0.2, 0.2, 0.7"
    ),
    "selection_methods": Registry(
        "method", "selection", "method", "selection", ("title",),
        "the values 0.1, 0.2, 0.2, 0.7: the share selected against their mean, bins 0.25 wide",
    ),
    "disparities": Registry(
        "disparity", "disparities", "disparity", "disparities", ("title", "formula", "unit", "report"),
        "groups with 0.5, 0.45, 0.1625", r"disparity = '(\w+)'",
    ),
}  # fmt: skip


def gaps(
    project: Path,
    entries: Sequence[Mapping[str, Any]],
    rows: Sequence[Mapping[str, Any]],
    examples: Mapping[str, Example],
) -> list[str]:
    """Return what the dictionary lacks, each with the file to add or complete.

    `entries` are the metrics as their files tell them, `rows` those of dim_metrics, `examples` the metrics'.
    """
    sql = Sql(project)
    _tables(sql)
    seeds = {seed: read_seed(project, seed) for seed in REGISTRIES}
    found = [gap for seed in REGISTRIES for gap in _registry(sql, seed, seeds[seed], rows)]
    found += _golden(entries, examples)
    found += [
        *_pairs(project, rows),
        *_compared(project, rows, seeds),
        *_shown(project, seeds["disparities"]),
    ]
    return [*found, *_reports(project, rows)]


def _tables(sql: Sql) -> None:
    pairs = list(zip(VALUES, BASELINES, strict=True))
    sql.table("sample_pairs", {"value": "double", "baseline_value": "double"}, pairs)
    sql.query("sample", "select *, avg(value) over () as mean, value - mean as deviation from sample_pairs")
    types = {"analysis_key": "bigint", "statistic": "varchar", "parameters": "varchar", "unit": "varchar"}
    types |= {"group_value": "varchar", "value": "double", "n": "bigint", "is_compared": "bool"}
    groups = [(1, "mean", "", "share", f"group {i}", value, 4, True) for i, value in enumerate(GROUPS)]
    sql.table("int_statistics_listed", types, groups)
    sql.model("int_statistics_summarised")


def _registry(
    sql: Sql, seed: str, rows: list[dict[str, str]], dictionary: Sequence[Mapping[str, Any]]
) -> Iterator[str]:
    registry, place = REGISTRIES[seed], f"seeds/{seed}.csv"
    folder = sql.project / "macros" / registry.room
    named = {row["macro"] for row in rows}
    for path in sorted(folder.glob(f"{registry.prefix}_*.sql")):
        if path.stem not in named and not _is_called(sql.project, path):
            yield f"{place}: add a row for {path.relative_to(sql.project)}."
    covered = {row["metric"] for row in dictionary}
    covered |= {name for row in dictionary for name in re.findall(registry.covers, row["row_filter"] or "")}
    for row in rows:
        name = row[registry.name]
        where = f"{place}, {name}" + (f" ({row['parameters']})" if row["parameters"] else "")
        if not row["macro"] and _kernel(row) not in KERNELS:
            yield f"{SAMPLED}: add {_kernel(row)} to KERNELS, or name its macro in {where}."
            continue
        if row["macro"] and row["macro"] not in sql.names:
            yield f"macros/{registry.room}/{row['macro']}.sql: add it; {where} names it."
            continue
        yield from (f"{where}: give its {column}." for column in registry.filled if not row[column])
        if registry.covers and name not in covered:
            page = METRICS / registry.family / f"{name}.yml"
            yield f"{where}: give its explanation, or add {page} if there is more to say."
        if not row["example"]:
            yield f"{where}: give its example, worked out by hand from {registry.sample}."
            continue
        value = _example(sql, seed, row)
        if value is None or abs(value - float(row["example"])) > 1e-6:
            yield f"{where}: the example is {row['example']}, but {registry.sample} give {value}."


def _golden(entries: Sequence[Mapping[str, Any]], examples: Mapping[str, Example]) -> Iterator[str]:
    """Each example gives the numbers that its file says it gives."""
    for entry in entries:
        place = METRICS / entry["family"] / f"{entry['metric']}.yml"
        figures, gives = examples[entry["metric"]].figures, entry["example"].get("gives")
        if not gives:
            yield f"{place}: say below `example` what it `gives`, worked out by hand."
            continue
        for column in sorted(set(figures) | set(gives)):
            said = shown([gives.get(column)])
            if said != figures.get(column):
                yield f"{place}: the example gives {column} {figures.get(column)}, its file says {said}."


def _is_called(project: Path, macro: Path) -> bool:
    """Whether another macro or a model calls a macro."""
    call = re.compile(rf"\b{macro.stem}\(")
    files = [*(project / "macros").rglob("*.sql"), *(project / "models").rglob("*.sql")]
    return any(path != macro and call.search(path.read_text(encoding="utf-8")) for path in files)


def _kernel(row: Mapping[str, str]) -> str:
    """The statistic that resampling computes for a row without a macro."""
    return row.get("statistic") or row["standard"].split("_")[0]


def _example(sql: Sql, seed: str, row: Mapping[str, str]) -> float | None:
    """What a row's macro gives on the seed's sample; without a macro, what resampling gives."""
    parameters = parse_parameters(row["parameters"])
    if not row["macro"]:
        return statistic(_kernel(row), row["parameters"], VALUES, BASELINES)
    macro = sql.names[row["macro"]]
    if seed == "distances":
        query = f"select {macro(*VECTORS, parameters=parameters)} as value"
    elif seed == "disparities":
        # A macro that returns a mapping prints it.
        expressions = ast.literal_eval(str(macro(parameters=parameters)).strip())
        query = f"select {expressions['value']} as value from int_statistics_summarised"
    elif seed == "selection_methods":
        mode = {"lowest": min(VALUES), "width": MODE_WIDTH}
        condition = macro("mean", sql.names["limit_slack"]("mean"), parameters, mode)
        query = f"select avg(if({condition}, 1, 0)) as value from sample"
    else:
        query = f"select {macro(parameters=parameters)} as value from sample"
    (found,) = sql.rows(query)
    return None if found["value"] is None else float(found["value"])


def _pairs(project: Path, dictionary: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Metrics of pairs and of lists: an entry each, and a row for each macro that compares lists."""
    known = {row["metric"] for row in dictionary}
    metrics = [row["metric"] for row in read_seed(project, "pair_metrics")]
    for metric in metrics:
        if metric not in known:
            family = "recommendations" if metric.startswith("recommendation_") else "pairs"
            yield f"{METRICS / family / metric}.yml: add it; seeds/pair_metrics.csv has the metric."
    for path in sorted((project / "macros" / "recommendations").glob("recommendation_*.sql")):
        if path.stem not in metrics:
            yield f"seeds/pair_metrics.csv: add a row for {path.relative_to(project)}."


def _compared(
    project: Path, dictionary: Sequence[Mapping[str, Any]], seeds: Mapping[str, list[dict[str, str]]]
) -> Iterator[str]:
    """What Python resamples, what configs are compared in, and what is judged."""
    known = {row["metric"] for row in dictionary}
    for name in STATISTICS:
        told = {name, name.removesuffix("_pooled").removesuffix("_macro")}
        if not told & (known | {row["disparity"] for row in seeds["disparities"]}):
            yield f"{METRICS}/<family>/{name}.yml: add it; STATISTICS of {FUNCTIONS} has {name}."
    for name in KERNELS:
        if name not in {row["statistic"] for row in seeds["statistics"]}:
            yield f"seeds/statistics.csv: add a row for {name}, which KERNELS of {SAMPLED} has."
    for row in read_seed(project, "compared_statistics"):
        if row["statistic"] not in STATISTICS:
            yield f"{FUNCTIONS}: add {row['statistic']} to STATISTICS; compared_statistics names it."
    for seed in ("compared_statistics", "thresholds", "judged_metrics"):
        for metric in sorted(_names(read_seed(project, seed)) - known):
            yield f"{METRICS}/<family>/{metric}.yml: add it; seeds/{seed}.csv names the metric."
    judged = read_seed(project, "judged_metrics")
    for metric in sorted({row["metric"] for row in read_seed(project, "thresholds")} - _names(judged)):
        yield f"seeds/judged_metrics.csv: add {metric}; seeds/thresholds.csv judges it."
    for row in judged:
        if row["statistic"] and row["statistic"] not in STATISTICS:
            yield f"ingest/inference: add {row['statistic']} to STATISTICS; judged_metrics names it."


def _names(rows: Sequence[Mapping[str, str]]) -> set[str]:
    return {row["metric"] for row in rows}


def _shown(project: Path, disparities: Sequence[Mapping[str, str]]) -> Iterator[str]:
    """The report that a disparity names does show it: two of them show some disparities only."""
    (summary,) = (project / "models").rglob("rpt_summary_statistics.sql")
    others = {
        "rpt_nulls": STATISTICS,
        "rpt_summary_statistics": re.findall(r"'(\w+)'", summary.read_text("utf-8")),
    }
    for row in disparities:
        if row["report"] in others and row["disparity"] not in others[row["report"]]:
            where = f"seeds/disparities.csv, {row['disparity']}: {row['report']} does not show it"
            yield f"{where}: name rpt_disparities, or for rpt_nulls add it to STATISTICS of {FUNCTIONS}."


def _reports(project: Path, dictionary: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Every mart that holds a metric is read by a report table, directly or through another mart."""
    models = {path.stem: path.read_text(encoding="utf-8") for path in (project / "models").rglob("*.sql")}
    reads = {name: set(re.findall(r"ref\('(\w+)'\)", sql)) for name, sql in models.items()}
    reached, new = set(), {name for name in models if name.startswith("rpt_")}
    while new:
        reached |= new
        new = {one for name in new for one in reads.get(name, ())} - reached
    unread = {row["mart"] for row in dictionary} - reached
    for mart in sorted(unread - SQL_ONLY):
        yield f"models/reports: add a table that reads {mart}; no page can show its metrics."
    for mart in sorted(SQL_ONLY - unread):
        yield f"ingest/metrics_page/closure.py: take {mart} out of SQL_ONLY; a report reads it."
