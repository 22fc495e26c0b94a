"""Tables of the guide: words, kinds of rules, scorers and backends; and the check that each is described."""

import pkgutil
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Any

from ingest import backends, scorers
from ingest.errors import PlumblineError
from ingest.metrics_page.sql import Sql
from ingest.seeds import read_seed

GUIDE = Path("docs/guide")
RULES = "outcome_rules"


def render(project: Path) -> dict[Path, str]:
    """Return the guide's pages that have such a table, each with its tables as they should be now."""
    tables = {
        "README.md": ("words", _words(read_seed(project, "terms"))),
        "own-questions.md": ("kinds of rules", _rules(read_seed(project, RULES))),
        "scorers.md": ("scorers", _scorers()),
        "models.md": ("backends", _backends()),
    }
    pages = {}
    for page, (name, table) in tables.items():
        path = GUIDE / page
        begin, end = f"<!-- {name}: written by `plumbline docs` -->", f"<!-- end of {name} -->"
        text = (project / path).read_text(encoding="utf-8")
        if text.count(begin) != 1 or text.count(end) != 1:
            raise PlumblineError(f"{path} has no place for the table of {name}.", f"Write {begin} and {end}.")
        before, rest = text.split(begin)
        pages[path] = f"{before}{begin}\n{table}\n{end}{rest.split(end)[1]}"
    return pages


def lacking(project: Path) -> list[str]:
    """Return what is not said of a rule, a scorer or a backend, each with the file to complete."""
    offers = [*_offer_gaps(scorers, scorers.About), *_offer_gaps(backends, backends.About)]
    gaps = [*_rule_gaps(project), *offers]
    for place, name, about in _offers(scorers):
        where = f"{place}, ABOUT[{name!r}]"
        for feature, (low, high) in about.features.items() if about else ():
            if not low < high:
                gaps.append(f"{where}: the range of {feature} is {low:g} to {high:g}; mend it.")
        if about and about.features and not about.unit:
            gaps.append(f"{where}: give the unit of its features.")
    return gaps


def _offers(package: Any) -> Iterator[tuple[str, str, Any]]:
    """Yield (file, name, what is said of it or None) for what the modules of a package offer."""
    kind = package.__name__.split(".")[-1]
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        found = import_module(module.name)
        for name in getattr(found, kind.upper(), {}):
            yield f"{module.name.replace('.', '/')}.py", name, getattr(found, "ABOUT", {}).get(name)


def _offer_gaps(package: Any, kind: type) -> Iterator[str]:
    required = [field.name for field in fields(kind) if field.name not in ("features", "unit")]
    for place, name, about in _offers(package):
        if about is None:
            parts = ", ".join(field.name for field in fields(kind))
            yield f"{place}: add {name!r} to ABOUT: About({parts})."
        else:
            lacking = (part for part in required if getattr(about, part) in ("", ()))
            yield from (f"{place}, ABOUT[{name!r}]: give its {part}." for part in lacking)


def _rule_gaps(project: Path) -> Iterator[str]:
    rows, place = read_seed(project, RULES), f"seeds/{RULES}.csv"
    folder = Path("macros") / RULES
    written = {path.stem for path in (project / folder).glob("outcome_rule_*.sql")}
    for macro in sorted(written - {row["macro"] for row in rows}):
        yield f"{place}: add a row for {folder / macro}.sql."
    for row in rows:
        where = f"{place}, {row['kind']}"
        if not row["explanation"]:
            yield f"{where}: give its explanation, which label an answer gets."
        if not row["macro"]:
            continue
        if row["macro"] != f"outcome_rule_{row['kind']}" or row["macro"] not in written:
            yield f"{folder}/outcome_rule_{row['kind']}.sql: add it; {where} needs it."
            continue
        missing = [part for part in ("phrase", "read", "unread") if not row[part]]
        yield from (f"{where}: give its {part}, to try the macro with." for part in missing)
        if not missing:
            yield from _tried(project, row, where)


def _tried(project: Path, row: Mapping[str, str], where: str) -> Iterator[str]:
    """The macro fits the row's phrase to the text that it shall read, and not to the other."""
    if row["phrase_form"] and not re.fullmatch(row["phrase_form"], row["phrase"]):
        yield f"{where}: the phrase {row['phrase']!r} is not of its own phrase_form."
        return
    sql = Sql(project)
    types = {"phrase": "varchar", "pattern": "varchar", "is_word": "bool", "pattern_position": "bigint"}
    is_word = re.fullmatch(r"\w+", row["phrase"]) is not None
    sql.table("rule", types, [[row["phrase"], f"()({row['phrase']})()", is_word, None]])
    for part in ("read", "unread"):
        position = sql.names[row["macro"]]("t.text", "rule")
        query = f"select {position} as position from rule, (select ? as text) as t"
        (found,) = sql.rows(query, [row[part]])
        if (found["position"] is not None and found["position"] >= 0) is not (part == "read"):
            said = "does not fit" if part == "read" else "fits"
            yield f"{where}: {row['phrase']!r} {said} the text in {part}, {row[part]!r}."


def _words(rows: list[dict[str, str]]) -> str:
    return _table(("Word", "Means"), ((row["term"], row["meaning"]) for row in rows))


def _rules(rows: list[dict[str, str]]) -> str:
    head = ("`kind:`", "An answer gets the label of", "Such a phrase", "A text that it fits")
    codes = ({name: f"`{value}`" * bool(value) for name, value in row.items()} for row in rows)
    lines = zip(rows, codes, strict=True)
    return _table(head, ((code["kind"], r["explanation"], code["phrase"], code["read"]) for r, code in lines))


def _scorers() -> str:
    rows = []
    for _, name, about in _offers(scorers):
        if about:
            ranges: dict[tuple[float, float], list[str]] = {}
            for feature, extent in about.features.items():
                ranges.setdefault(extent, []).append(f"`{feature}`")
            spans = (f"{', '.join(of)}: {low:,.9g} to {high:,.9g}" for (low, high), of in ranges.items())
            features = "; ".join(spans)
            reads = "any" if about.languages is None else ", ".join(about.languages)
            rows.append((f"`{name}`", features or "a vector", about.unit, reads, about.model, about.licence))
    return _table(("`scorers:`", "Features", "Unit", "Languages", "Model", "Licence"), rows)


def _backends() -> str:
    rows = ((f"`{name}`", about.asks, about.needs) for _, name, about in _offers(backends) if about)
    return _table(("`backend:`", "Asks", "Needs"), rows)


def _table(head: tuple[str, ...], rows: Any) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
