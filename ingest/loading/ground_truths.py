"""Published figures that a suite's `ground_truth` names: a table beside it, read as a stranger's file."""

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ingest.errors import PlumblineError, shorten
from ingest.loading.files import check_text, named, read_records, shown
from ingest.loading.problems import RowProblem
from ingest.paths import beside_suite, file_sha256, reading
from ingest.suite import Suite, normalise_label
from ingest.suite.ground_truths import JOINED, GroundTruth, ReferenceTable, crosswalk

MOST_BYTES = 20_000_000
MOST_ROWS = 100_000
LARGEST = 1e15
MOST_SHARE = 100.5  # per cents of a whole, rounded
MEND = "Correct `ground_truth:` in the suite, or the file."


def reference_figures(suite: Suite, folder: Path) -> list[dict[str, Any]]:
    """Return the rows of `ground_truth_figures`: all cells that tables beside the suite have.

    Raises PlumblineError with record and column at a cell that cannot be read, one that stands twice, and one
    that the suite's labels and groups need and the table has not.
    """
    rows: list[dict[str, Any]] = []
    for code, category in suite.categories.items():
        truth = category.ground_truth
        if truth is not None and isinstance(truth.table, ReferenceTable):
            rows += _figures(suite, code, truth, truth.table, folder)
    return rows


def labels_of(suite: Suite, code: str, truth: GroundTruth) -> dict[str, list[str]]:
    """Return what the table calls each label of the set, without those that are left out."""
    rules = [rule for rule in suite.categories[code].outcomes if rule.set == truth.set]
    labels = list(dict.fromkeys(label for rule in rules for label in rule.labels))
    if not isinstance(truth.table, ReferenceTable):
        return {}
    return crosswalk(labels, truth.table.outcomes, may_share=True)


def _figures(
    suite: Suite, code: str, truth: GroundTruth, table: ReferenceTable, folder: Path
) -> list[dict[str, Any]]:
    path = beside_suite(folder, table.file, "The table of figures")
    with reading(path, f"Put it beside the suite. {MEND}") as file:
        if file.seek(0, 2) > MOST_BYTES:
            raise PlumblineError(
                f"{shown(path)} has more than {MOST_BYTES:,} bytes.", "Keep the rows you need."
            )
    labels = {part: JOINED.join(parts) for parts in labels_of(suite, code, truth).values() for part in parts}
    values = [*suite.attributes[truth.attribute]]
    groups = {
        part: value
        for value, parts in crosswalk(values, table.groups, may_share=False).items()
        for part in parts
    }
    if len({*groups.values()}) < 2 or len({*labels.values()}) < 2:
        raise PlumblineError(
            f"{code}: `ground_truth` compares two outcomes and two groups at least.",
            "Give more of them what the table calls them.",
        )
    named, grouped = ({normalise_label(part): part for part in found} for found in (labels, groups))
    digest, seen = file_sha256(path), dict[tuple[str, str], int]()
    rows = []
    for number, outcome, group, figure in _cells(path, table):
        place = normalise_label(outcome), normalise_label(group)
        if place in seen:
            raise PlumblineError(
                f"{shown(path)}, record {number:,}: {shorten(outcome)!r} of {shorten(group)!r} stands in "
                f"record {seen[place]:,} already.",
                "Say under `where:` of `ground_truth` which rows count, such as {year: 2024}.",
            )
        seen[place] = number
        published, value = labels.get(named.get(place[0], "")), groups.get(grouped.get(place[1], ""))
        counted = published is not None and value is not None
        rows.append(
            {
                "suite": suite.suite,
                "category": code,
                "outcome_set": truth.set,
                "outcome": outcome,
                "group_label": group,
                "figure": _number(path, number, table.figure, figure) if counted else None,
                "published_label": published,
                "group_value": value,
                "source_file": path.name,
                "source_row": number,
                "file_sha256": digest,
            }
        )
    _is_whole(path, table, seen, labels, groups)
    _adds_up(path, table, rows)
    return rows


def _cells(path: Path, table: ReferenceTable) -> Iterator[tuple[int, str, str, Any]]:
    """Yield (record, outcome, group, figure) of the rows that `where` keeps."""
    wanted = {column: normalise_label(str(value)) for column, value in table.where.items()}
    columns = list(dict.fromkeys([table.outcome, table.group, table.figure, *wanted]))
    n_kept = 0
    for number, cells in read_records(path, columns, remedy=MEND):
        if isinstance(cells, RowProblem):
            raise PlumblineError(f"{shown(path)}, record {number:,}: {cells.detail}.", MEND)
        if number > MOST_ROWS:
            raise PlumblineError(
                f"{shown(path)} has more than {MOST_ROWS:,} records.", "Keep those you need."
            )
        by_column = dict(zip(columns, cells, strict=True))
        try:
            names = [name for name in columns if name != table.figure]
            texts = {name: check_text(named(by_column[name]), name) for name in names}
        except RowProblem as problem:
            raise PlumblineError(f"{shown(path)}, record {number:,}: {problem.detail}.", MEND) from problem
        if any(normalise_label(texts[column]) != value for column, value in wanted.items()):
            continue
        for column in (table.outcome, table.group):
            if not texts[column].strip():
                raise PlumblineError(f"{shown(path)}, record {number:,}: column {column!r} is blank.", MEND)
        n_kept += 1
        yield number, texts[table.outcome].strip(), texts[table.group].strip(), by_column[table.figure]
    if not n_kept:
        raise PlumblineError(f"{shown(path)}: no record has what `where` says.", MEND)


def _number(path: Path, record: int, column: str, cell: Any) -> float:
    try:
        if isinstance(cell, bool):
            raise ValueError
        number = float(cell)
        if not (math.isfinite(number) and 0 <= number <= LARGEST):
            raise ValueError
    except (TypeError, ValueError, OverflowError) as error:
        raise PlumblineError(
            f"{shown(path)}, record {record:,}: column {column!r} holds {shorten(str(cell), 40)!r}, and no "
            "figure from 0 on.",
            "Write figures without signs and separators, such as 1234.5.",
        ) from error
    return number


def _is_whole(
    path: Path,
    table: ReferenceTable,
    seen: Mapping[tuple[str, str], int],
    labels: Mapping[str, str],
    groups: Mapping[str, str],
) -> None:
    """Raise PlumblineError for a name that the table does not have, then for a cell."""
    for i, (column, key, names) in enumerate(
        ((table.outcome, "outcomes", labels), (table.group, "groups", groups))
    ):
        there = {place[i] for place in seen}
        if lacking := [name for name in names if normalise_label(name) not in there]:
            raise PlumblineError(
                f"{shown(path)}: column {column!r} has no {shorten(lacking[0])!r}; it has "
                f"{', '.join(repr(shorten(name)) for name in sorted(there)[:20])}.",
                f"Under `{key}:` of `ground_truth` say what the table calls it, or null to leave it out.",
            )
    for label in labels:
        for group in groups:
            if (normalise_label(label), normalise_label(group)) not in seen:
                raise PlumblineError(
                    f"{shown(path)} has no record of {shorten(label)!r} and {shorten(group)!r}.",
                    "Where nobody is, write 0; what is not published, leave out of `outcomes:` by null.",
                )


def _adds_up(path: Path, table: ReferenceTable, rows: list[dict[str, Any]]) -> None:
    """Raise PlumblineError where a group has nobody, or shares are more than a whole."""
    totals: dict[str, float] = {}
    for row in rows:
        if row["figure"] is not None:
            totals[row["group_value"]] = totals.get(row["group_value"], 0.0) + row["figure"]
    for group, total in totals.items():
        if total <= 0:
            raise PlumblineError(
                f"{shown(path)}: the figures of {shorten(group)!r} are all 0.", "Leave the group out by null."
            )
    whole = {"share": sum(totals.values()), "share_of_group": max(totals.values())}
    if whole.get(table.kind, 0.0) > MOST_SHARE:
        raise PlumblineError(
            f"{shown(path)}: the shares in {table.figure!r} add up to {whole[table.kind]:,.1f}, over 100.",
            "Are they counts (`count:`), or shares of each group (`share_of_group:`)?",
        )
