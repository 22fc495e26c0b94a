"""The metric dictionary: read from docs/metrics/<family>/<metric>.yml, written as the seed `metrics`."""

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from ingest.errors import PlumblineError
from ingest.metrics_page.sql import Sql

METRICS, SEED = Path("docs/metrics"), Path("seeds/metrics.csv")

# A family is a folder of metrics and a page; in the order of the index.
FAMILIES = {
    "outcomes": "Groups and answers",
    "deviations": "One group against everyone",
    "where": "Where a difference sits",
    "scores": "Scores by group",
    "score_tests": "Tests of scores",
    "selection": "Favourable answers",
    "measurements": "Measurements of a group",
    "topics": "Topics",
    "disparities": "Measurements compared between groups",
    "measures": "Measures themselves",
    "pairs": "Counterfactual pairs",
    "differences": "Two configs, and two runs",
    "recommendations": "Recommended lists",
    "classification": "Errors of answers that classify",
    "census": "Official statistics",
    "benchmarks": "Published benchmarks",
    "stereotypes": "Words beside words",
    "reading": "How answers are read",
    "labels": "What people read in answers",
    "quality": "Data quality",
    "inference": "What chance gives, and what a design can show",
}
# Columns of the seed, in order; those in REQUIRED stand in every metric's file.
TYPES = {
    "metric": "varchar", "metric_version": "integer", "title": "varchar", "formula": "varchar",
    "unit": "varchar", "range_low": "double", "range_high": "double", "attainable_bound": "varchar",
    "better": "varchar", "mart": "varchar", "column": "varchar", "source": "varchar", "spec": "varchar",
    "explanation": "varchar", "also_in": "varchar", "row_filter": "varchar", "edge_cases": "varchar",
    "assumptions": "varchar", "misuse": "varchar", "peer_variant": "varchar",
}  # fmt: skip
REQUIRED = {
    "title", "formula", "unit", "better", "mart", "column", "spec", "explanation", "edge_cases", "example"
}  # fmt: skip
# Seeds whose rows are entries where no metric's file covers them, and the family on whose page they stand.
DECLARED = {"statistics": "measurements", "disparities": "disparities", "distances": "measurements"}


def read_metrics(project: Path) -> list[dict[str, Any]]:
    """Return every metric with its family and example, sorted by family and name.

    Raises PlumblineError, naming the file, where a key is missing or unknown.
    """
    entries = []
    for path in sorted((project / METRICS).glob("*/*.yml")):
        place, family = path.relative_to(project), path.parent.name
        found = yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
        if family not in FAMILIES:
            raise PlumblineError(f"{place}: there is no family {family}.", f"One of {', '.join(FAMILIES)}.")
        if not isinstance(found, dict) or (missing := REQUIRED - set(found)):
            missing = missing if isinstance(found, dict) else REQUIRED
            raise PlumblineError(f"{place} lacks {', '.join(sorted(missing))}.", "Add it to that file.")
        if unknown := set(found) - set(TYPES) - {"example"}:
            raise PlumblineError(f"{place}: {', '.join(sorted(unknown))} is no key.", "Correct that file.")
        if not isinstance(found["example"], dict) or "says" not in found["example"]:
            raise PlumblineError(f"{place}: the example says nothing.", "Add `says` below `example`.")
        entries.append({"metric": path.stem, "metric_version": 1, **found, "family": family})
    if not entries:
        raise PlumblineError(f"{METRICS} has no metrics.", "Run the command in a checkout of the project.")
    return sorted(entries, key=lambda entry: (list(FAMILIES).index(entry["family"]), entry["metric"]))


def seed_text(entries: Sequence[Mapping[str, Any]]) -> str:
    """Return the metrics as the seed `metrics`."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(TYPES), extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(entries)
    return text.getvalue()


def dictionary(project: Path, entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows of dim_metrics, each with its family."""
    sql = Sql(project)
    columns = {f'"{column}"': kind for column, kind in TYPES.items()}
    sql.table("metrics", columns, [[entry.get(column) for column in TYPES] for entry in entries])
    for seed in DECLARED:
        sql.seed(seed)
    sql.model("dim_metrics")
    families = {entry["metric"]: entry["family"] for entry in entries}
    rows = sql.rows("from dim_metrics order by metric")
    return [{**row, "family": families.get(row["metric"]) or _family(row)} for row in rows]


def _family(row: Mapping[str, Any]) -> str:
    places = {"fct_summary_statistics": "statistics", "fct_disparities": "disparities"}
    return DECLARED[places.get(row["mart"], "distances")]
