"""The study's table, and the page that says how to read it."""

import csv
import platform
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from scipy import stats as distributions

from experiments.validity.cells import RATE, SEED, cells
from experiments.validity.judge import NEAR, PERMUTATIONS
from experiments.validity.simulate import DRAWS, FOUR_FIFTHS, OF_TABLES, STATES
from ingest.inference.constants import ALPHA

AIM = (0.93, 0.97)  # of a 95 % interval's coverage
DESIGN = ("groups", "roots", "design", "correlation")
FIELDS = (
    "cell", "part", "kind", "design", "n_groups", "n_roots", "correlation", "truth", "measure", "target",
    "predicted", "n", "n_hits", "n_audits", "seed", "ran_on",
)  # fmt: skip


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
    whole = {name: int(row[name]) for name in ("n_groups", "n_roots", "n", "n_hits", "n_audits", "seed")}
    real = {n: float(row[n]) if row[n] else None for n in ("correlation", "target", "predicted")}
    return row | whole | real


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
    head = [*DESIGN, "plain rule fires", "the same in SPEC INF-10", "red", "inconclusive", "monitor", "pass"]
    return table(head, lines)


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
    return table([*DESIGN, *measures], lines)


def misses_table(rows: Sequence[dict[str, Any]]) -> str:
    """Intervals that hold their target too seldom."""
    missed = [r for r in rows if r["part"] == "coverage" and r["n"] and r["n_hits"] / r["n"] < AIM[0]]
    missed.sort(key=lambda r: r["n_hits"] / r["n"])
    head = ["interval of", *DESIGN, "truth", "target", "hold it"]
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
    head = [*DESIGN, "rates", "planned power", "exact power", "found", "red"]
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
    n_above = sum(wilson(r["n_hits"], r["n"])[0] > ALPHA for r in reds)
    n_low = sum(r["n_hits"] <= ALPHA * r["n"] for r in reds)
    text = f"""# Does the method keep its promises?

Written by `{command}` on {rows[0]["ran_on"]}; seed {SEED}, audits of each design: {audits_in_words(rows)};
{PERMUTATIONS} relabellings a test. Python {platform.python_version()}, {versions}.

Each audit was resampled by `ingest.inference` and judged by the model `fct_verdicts` (profile
`four_fifths`, `min_impact_ratio`). The first audits of each design also went through `load`, `extract` and
dbt: of those {piped["same_value"][1]}, {piped["same_value"][0]} have the same lowest ratio in `fct_verdicts`
and {piped["same_verdict"][0]} the same verdict; of {piped["near_interval"][1]} intervals in the marts
{piped["near_interval"][0]} have both ends within {NEAR:.0%} of their width. The two draw apart, so a p-value
near 0.05 may fall on either side. Only DBI is not among them: no mart has it for ready measurements.

The table behind all this is `seeds/study_validity.csv`; how audits are simulated stands in
`experiments/validity/__init__.py`. Brackets hold Wilson's 95 % interval.

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
