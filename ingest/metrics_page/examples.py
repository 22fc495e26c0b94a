"""Worked examples: each metric's query on the given tables, and the sentence that tells its figures."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ingest.errors import PlumblineError
from ingest.metrics_page.dictionary import METRICS
from ingest.metrics_page.given import given


class Example(NamedTuple):
    """A metric's example as text, and the figures in it, by the query's columns."""

    text: str
    figures: dict[str, str]


def worked_examples(project: Path, entries: Sequence[Mapping[str, Any]]) -> dict[str, Example]:
    """Return each metric's example, its figures computed.

    Raises PlumblineError, naming the file, where a sentence names what its query does not give.
    """
    sql, phrases = given(project)
    found = {}
    for entry in entries:
        example = entry["example"]
        rows = sql.rows(example["sql"]) if "sql" in example else []
        figures = {column: shown([row[column] for row in rows]) for column in (rows[0] if rows else ())}
        names = {**phrases, **figures}
        if unknown := set(re.findall(r"\{(\w+)\}", example["says"])) - set(names):
            place = METRICS / entry["family"] / f"{entry['metric']}.yml"
            raise PlumblineError(
                f"{place}: the example has no {', '.join(sorted(unknown))}.", "Select it, or add the phrase."
            )
        found[entry["metric"]] = Example(example["says"].format_map(names), figures)
    return found


def number(value: float) -> str:
    """Four decimals at most, or three significant digits where that would hide the value."""
    if value and abs(value) < 5e-4:
        return f"{value:.3g}"
    return f"{value:.4f}".rstrip("0").rstrip(".")


def shown(values: Sequence[Any]) -> str:
    """A column of a query: its values, and those of its lists, one after the other; null is left out."""
    flat = [one for value in values for one in (value if isinstance(value, list) else [value])]
    return ", ".join(_figure(one) for one in flat if one is not None)


def _figure(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else number(float(value))
