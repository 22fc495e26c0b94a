"""Response files for the tiny suite of tests/fixtures."""

import csv
import io
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from places import FIXTURES

from ingest.store import Store
from ingest.store.tables import SCHEMA

TINY_SUITE = FIXTURES / "tiny_suite.yml"
# Each load of the same content says these rows anew; only the run differs.
REPLACED = ("suites", "rejects")

COLUMNS = (
    "id",
    "task",
    "gender",
    "place",
    "person",
    "role",
    "model",
    "round",
    "question",
    "outcome",
    "answer",
)
Record = dict[str, Any]


def record(number: int = 1, **changes: Any) -> Record:
    """One good record of the tiny suite; records of different numbers have different keys."""
    return {
        "id": f"r-{number}",
        "task": "A1",
        "gender": "Female",
        "place": "North",
        "person": "Lim Bee",
        "role": "",
        "model": "model-a",
        "round": str(number),
        "question": "What does the woman Lim Bee from the North do?",
        "outcome": "",
        "answer": f"She is baker number {number}.",
        **changes,
    }


def csv_text(records: Iterable[Mapping[str, Any]], columns: Iterable[str] = COLUMNS) -> str:
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, list(columns), lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return out.getvalue()


def json_lines(records: Iterable[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in records)


def write_parquet(path: Path, records: list[Record]) -> None:
    pq.write_table(pa.Table.from_pylist(records), path)


def all_rows(store: Store) -> dict[str, list[str]]:
    """All rows of all raw tables, without what says who tried: `runs`, `loads`, and the run of REPLACED."""
    found = {}
    for table in SCHEMA:
        columns = "* exclude (run_id)" if table in REPLACED else "*"
        if table not in ("runs", "loads"):
            found[table] = sorted(map(repr, store.rows(f"select {columns} from {table}")))
    return {table: rows for table, rows in found.items() if rows}
