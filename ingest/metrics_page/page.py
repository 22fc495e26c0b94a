"""The metric dictionary as Markdown: docs/metrics.md as the index, and a page a family."""

import html
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ingest.metrics_page.closure import REGISTRIES
from ingest.metrics_page.dictionary import FAMILIES, METRICS, SEED, seed_text
from ingest.metrics_page.examples import Example
from ingest.seeds import read_seed

INDEX = Path("docs/metrics.md")
BETTER = {
    "lower": "lower means less difference",
    "higher": "higher is better",
    "nearer_zero": "nearer to 0 means less difference",
    "neither": "neither end is better",
}
NATS = (0.10, 0.15, 0.25, 0.30)  # limits of profiles
WRITTEN = "<!-- Written by `plumbline docs` from docs/metrics/ and seeds/: edit those instead. -->"
INTRODUCTION = f"""\
# Metrics

{WRITTEN}

Every number of the marts: what it is, what it does not show, and an example whose figures are computed when
this page is written. A metric is a file, `docs/metrics/<family>/<metric>.yml`; a family is a page. The same
dictionary is the table `dim_metrics`.

A value that cannot be computed is NULL and has a `status`. Fractions lie between 0 and 1. A number is read
beside its interval (`ci_low`, `ci_high`), beside what chance alone gives on the same design (`null_median`,
`null_p95`), and beside the largest value that the design allows (`attainable_max`)."""

LIMITS = """\
## Limits by profile

Limits are engineering choices of the sources named, not legal findings. For a `fail` the difference must also
be significant after correction; for a `pass` the groups must be large enough and the limit within reach."""

UNITS = """\
## Units of divergence

Limits on Jensen-Shannon divergence are in nats. The FAIR-SEA toolkit prints a distance, the square root of
the divergence in bits:"""


def render(
    project: Path,
    entries: Sequence[Mapping[str, Any]],
    rows: Sequence[Mapping[str, Any]],
    examples: Mapping[str, Example],
) -> dict[Path, str]:
    """Return every file that is written from the dictionary, by its path in the project.

    `entries` are the metrics as their files tell them, `rows` those of dim_metrics.
    """
    thresholds = read_seed(project, "thresholds")
    pages = {SEED: seed_text(entries), INDEX: _index(rows, thresholds)}
    for family, title in FAMILIES.items():
        own = [row for row in rows if row["family"] == family]
        parts = [f"# {title}", WRITTEN, "[All metrics](../metrics.md)"]
        parts += [_entry(row, thresholds, examples.get(row["metric"])) for row in own]
        parts += [_listed(project, seed) for seed, listed in REGISTRIES.items() if listed.family == family]
        pages[METRICS / f"{family}.md"] = "\n\n".join(parts) + "\n"
    return pages


def _text(value: str) -> str:
    """Text that Markdown shows as it stands."""
    # An underscore inside a word is only an underscore.
    return re.sub(r"[\\`*\[\]|]|(?<!\w)_|_(?!\w)", r"\\\g<0>", html.escape(value, quote=False))


def _code(value: str) -> str:
    return f"`{value.replace('`', chr(39))}`"


def _range(row: Mapping[str, Any]) -> str:
    low, high = (None if row[end] is None else f"{row[end]:.8g}" for end in ("range_low", "range_high"))
    if low and high:
        return f"{low} to {high}"
    return f"{low} or more" if low else f"{high} or less" if high else "any number"


def _limits(row: Mapping[str, str]) -> dict[str, str]:
    """Green and red of a threshold, as text."""
    green, red = ("<", ">") if row["direction"] == "higher_is_worse" else ("≥", "<")
    told_red = f"{red} {row['red_limit']}" if row["red_limit"] else "none"
    return {"green": f"{green} {row['green_limit']}", "red": told_red}


def _where(row: Mapping[str, Any]) -> str:
    text = _code(f"{row['mart']}.{row['column']}")
    if row["row_filter"]:
        text += f" where {_code(row['row_filter'])}"
    others = [_code(place.strip()) for place in (row["also_in"] or "").split(";") if place.strip()]
    return text + (f"; also {', '.join(others)}" if others else "")


def _entry(row: Mapping[str, Any], thresholds: Sequence[Mapping[str, str]], example: Example | None) -> str:
    text = {name: _text(value) if isinstance(value, str) else "" for name, value in row.items()}
    own = ({**one, **_limits(one)} for one in thresholds if one["metric"] == row["metric"])
    limits = [_text(f"{one['profile']}: green {one['green']}, red {one['red']}") for one in own]
    bound = f"; attainable: {text['attainable_bound']}" if row["attainable_bound"] else ""
    items = {
        "Formula": _code(row["formula"]),
        "Range": f"{_range(row)}; unit: {text['unit']}{bound}; {BETTER[row['better']]}",
        "Where": _where(row),
        "Edge cases": text["edge_cases"],
        "Assumes": text["assumptions"],
        "Worked example": _text(example.text) if example else "",
        "When not to use it": text["misuse"],
        "Elsewhere": text["peer_variant"],
        "Limits": "; ".join(limits),
        "Source": "; ".join(
            part for part in (text["source"], row["spec"] and f"SPEC {text['spec']}") if part
        ),
    }
    lines = [f"## {_text(row['metric'])}", "", f"**{text['title']}.** {text['explanation']}", ""]
    return "\n".join(lines + [f"- **{name}**: {text}" for name, text in items.items() if text])


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *([_text(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _listed(project: Path, seed: str) -> str:
    """The rows of a seed as a table: what each is, and what it gives on the same example."""
    listed, rows = REGISTRIES[seed], read_seed(project, seed)
    columns = (listed.name, "parameters", "title", "formula", "unit", "example", "peer")
    shown = [column for column in columns if column in rows[0]]
    table = _table([*shown[:-1], "in SAGED"], [[row[column] for column in shown] for row in rows])
    title = f"## {seed.replace('_', ' ').capitalize()}"
    about = f"The rows of `seeds/{seed}.csv`, with what each gives for {listed.sample}."
    return "\n\n".join((title, about, table))


def _index(rows: Sequence[Mapping[str, Any]], thresholds: Sequence[Mapping[str, str]]) -> str:
    columns = ("profile", "metric", "axes", "unit", "green", "red", "source", "note")
    told = [{**row, "axes": row["axis_kind"], **_limits(row)} for row in thresholds]
    limits = _table(columns, [[row[column] for column in columns] for row in told])
    bits = [nats / math.log(2) for nats in NATS]
    both = zip(NATS, bits, strict=True)
    rows_of_units = [[f"{one:.2f}", f"{two:.3f}", f"{math.sqrt(two):.3f}"] for one, two in both]
    units = _table(("nats", "bits", "base-2 distance"), rows_of_units)
    parts = [INTRODUCTION, LIMITS, limits, UNITS, units]
    for family, title in FAMILIES.items():
        page = f"metrics/{family}.md"
        own = [row for row in rows if row["family"] == family]
        links = [f"- [{_text(row['metric'])}]({page}#{row['metric']}): {_text(row['title'])}" for row in own]
        parts += [f"## {title}", f"[{title}, in full]({page})", "\n".join(links)]
    return "\n\n".join(parts) + "\n"
