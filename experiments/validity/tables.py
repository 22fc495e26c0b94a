"""The study's table, and the page that says how to read it."""

import csv
import platform
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from scipy import stats as distributions

from experiments.validity.simulate import BOOTSTRAP, PERMUTATIONS

FIELDS = (
    "cell", "part", "profile", "metric", "unit", "n_units", "n_groups", "n_answers", "n_outcomes", "rates",
    "icc", "n_questions", "crossing", "missing", "target", "lowest", "highest", "n", "n_hits", "result",
    "reason", "n_audits", "seed", "ran_on",
)  # fmt: skip
PARTS = {
    "false_alarm": "audits of an unbiased config with a `fail`",
    "pass_at_limit": "`pass` where the truth is at the limit",
    "pass_beyond": "`pass` where it is a quarter beyond",
    "fail_far": "`fail` where the truth is far beyond",
    "pass_equal": "`pass` where groups are equal, 400 units",
    "interval": "95 % intervals that hold their target",
    "bound": "one-sided 95 % bounds that hold the truth",
    "power_to_fail": "`fail`, by the planner's promise",
    "power_to_pass": "`pass`, by the planner's promise",
    "advice": "decided once what the reason names is collected",
}
SAFE = ("interval", "power_to_fail", "power_to_pass")  # more than asked for errs to the safe side
# Why a cell misses: by part, and where it matters by cell and metric.
REASONS: dict[tuple[str, ...], str] = {
    (
        "pass_beyond",
    ): "A quarter of the limit is less than one standard error here. A bound that errs in 5 of "
    "100 audits at the limit then errs in 2 or 3 of 100 a quarter beyond; more names make it fewer.",
    ("pass_equal",): "Chance pushes the widest gap of many groups up: six groups take more names than two.",
    (
        "interval",
        "equal, rate 0.03",
        "min_impact_ratio",
    ): "There are three or four favourable answers in all: "
    "the ratio of two such counts is mostly 0, and half of the audits have no interval.",
    ("interval", "gap 10, 14 outcomes", "cramers_v_corrected"): "14 outcomes in 60 answers a group: redrawn "
    "tables lack some of them, and V varies less than in new audits. The bound that verdicts use holds.",
    ("interval", "means 0.2 apart"): "Perhaps these 200 draws: of 600 further audits 94 % hold the ratio.",
    (
        "bound",
        "means 0.2 apart",
    ): "Perhaps these 200 draws: its interval holds in 94 % of 600 further audits.",
}
Row = dict[str, Any]


def wilson(n_hits: int, n: int) -> tuple[float, float]:
    """95 % interval of a share (SPEC INF-6)."""
    interval = distributions.binomtest(n_hits, n).proportion_ci(method="wilson")
    return float(interval.low), float(interval.high)


def result(row: Row) -> str:
    """Whether a share is what it must be; `by_chance`: it is not, but its interval reaches that."""
    if not row["n"]:
        return "none"
    share = row["n_hits"] / row["n"]
    low, high = wilson(row["n_hits"], row["n"])
    if row["lowest"] <= share <= row["highest"]:
        return "holds"
    if row["part"] in SAFE and share > row["highest"]:
        return "conservative"
    return "by_chance" if low <= row["highest"] and row["lowest"] <= high else "misses"


def reason(row: Row) -> str:
    """Why a row misses; empty where it does not."""
    if result(row) != "misses":
        return ""
    of = (row["part"], row["cell"], row.get("metric", ""))
    return next((REASONS[of[:n]] for n in (3, 2, 1) if of[:n] in REASONS), "")


def write_csv(path: Path, rows: Iterable[Row]) -> None:
    """Write the table."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FIELDS, restval="", lineterminator="\n")
        writer.writeheader()
        for row in rows:
            own = row | {"result": result(row), "reason": reason(row)}
            writer.writerow({n: f"{v:.6g}" if isinstance(v, float) else v for n, v in own.items()})


def table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, ["---"] * len(head), *lines))


def share(row: Row) -> str:
    """A share in per cent with its Wilson interval."""
    low, high = wilson(row["n_hits"], row["n"])
    return f"{row['n_hits'] / row['n']:.1%} ({low:.1%} to {high:.1%})"


def asked(row: Row) -> str:
    """What a share must be."""
    if row["highest"] == 1:
        return f"≥ {row['lowest']:.0%}"
    return f"≤ {row['highest']:.0%}" if row["lowest"] == 0 else f"{row['lowest']:.0%} to {row['highest']:.0%}"


def design(row: Row) -> str:
    """A cell's layout in a few words."""
    words = f"{row['n_groups']} groups × {row['n_units']} {row['unit']}s × {row['n_answers']}"
    words += f", {row['n_outcomes']} outcomes" if row["n_outcomes"] > 2 else ""
    words += f", {row['n_questions']} questions" if row["n_questions"] > 1 else ""
    return words + f", rates {row['rates']}"


def summary(rows: Sequence[Row]) -> str:
    """What had to hold, and in how many rows it does."""
    lines = []
    for part, words in PARTS.items():
        own = [row for row in rows if row["part"] == part and row["n"]]
        if own:
            counts = [
                sum(result(r) == name for r in own)
                for name in ("holds", "conservative", "by_chance", "misses")
            ]
            promise = "promise ± 5 points" if part.startswith("power") else asked(own[0])
            lines.append([words, promise, str(len(own)), *map(str, counts)])
    head = ["of", "must be", "rows", "hold", "conservative", "off, perhaps by chance", "miss"]
    return table(head, lines)


def by_cell(rows: Sequence[Row], part: str) -> str:
    """The rows of a part."""
    lines = [
        [r["cell"], design(r), r.get("profile", ""), r.get("metric", ""), asked(r), share(r), result(r)]
        for r in rows
        if r["part"] == part and r["n"]
    ]
    return table(["cell", "design", "profile", "metric", "must be", "found", "result"], lines)


def write_md(path: Path, rows: Sequence[Row], command: str) -> None:
    """Write what was asked, what came out, and how to read it."""
    parts = ("numpy", "scipy", "duckdb", "dbt-core", "dbt-duckdb")
    versions = ", ".join(f"{name} {version(name)}" for name in ("plumbline", *parts))
    missed = [row for row in rows if row["n"] and result(row) == "misses"]
    names = [
        [
            r["cell"],
            PARTS[r["part"]],
            r.get("profile", ""),
            r.get("metric", ""),
            asked(r),
            share(r),
            reason(r),
        ]
        for r in missed
    ]
    head = ["cell", "of", "profile", "metric", "must be", "found", "why"]
    sections = "\n\n".join(
        f"## {words[0].upper()}{words[1:]}\n\n{by_cell(rows, part)}"
        for part, words in PARTS.items()
        if any(row["part"] == part and row["n"] for row in rows) and part not in ("interval", "bound")
    )
    text = f"""# Does the method keep its promises?

Written by `{command}` on {max(row["ran_on"] for row in rows)}; seed {rows[0]["seed"]},
{min(row["n_audits"] for row in rows)} to {max(row["n_audits"] for row in rows)} audits of each of
{len({row["cell"] for row in rows})} cells; {PERMUTATIONS} relabellings and {BOOTSTRAP} draws an audit. Python
{platform.python_version()}, {versions}.

Every audit was simulated, then loaded, extracted and built up to `fct_verdicts`, each a config of its own;
how stands in `experiments/validity/__init__.py`. The whole table is `seeds/study_validity.csv`. Brackets hold
Wilson's 95 % interval. A row is off *perhaps by chance* where that interval reaches what must be.

{summary(rows)}

## What misses

{table(head, names) if names else "Nothing."}

{sections}
"""
    path.write_text(text, encoding="utf-8")
