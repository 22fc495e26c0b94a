"""What databases hold, as hashes: of the raw tables without what tells one run from another, and of marts."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

import duckdb

from ingest.store import AUDIT_NAME, RAW_NAME, Store
from ingest.store.tables import SCHEMA

OF_THE_RUN = {
    "run_id", "answered_at", "n_attempts", "wait_seconds", "latency_ms", "loaded_at", "measured_at",
    "started_at", "ended_at", "created_at", "first_at", "last_at",
}  # fmt: skip
LOGS = ("runs", "loads", "superseded_responses")
# Marts with a row for each run or load, however it ended.
MARTS_OF_LOGS = ("dim_runs", "rpt_runs", "fct_quality", "rpt_quality")
MARTS = ("dim_", "fct_", "rpt_")
Hashes = dict[str, tuple[int, str]]


def raw_hashes(data: Path) -> Hashes:
    """Rows and hash of each raw table, without when, by which run and in how many attempts."""
    found = {}
    with Store(data, read_only=True) as store:
        for table in SCHEMA:
            if table in LOGS:
                continue
            columns = [c for c in store.arrow_schema(table).names if c not in OF_THE_RUN]
            found[table] = _hash(store.rows(f"select {', '.join(columns)} from {table}"))
    return found


def mart_hashes(data: Path) -> Hashes:
    """Rows and hash of each mart and report table, without the columns that tell one run from another."""
    found = {}
    with duckdb.connect(str(data / AUDIT_NAME), read_only=True) as marts:
        marts.execute(f"attach '{data / RAW_NAME}' as raw (read_only)")
        tables = marts.execute(
            "select table_name from information_schema.tables where table_catalog = 'audit'"
        )
        for (table,) in tables.fetchall():
            if table.startswith(MARTS) and table not in MARTS_OF_LOGS:
                names = [column[0] for column in marts.execute(f"select * from {table} limit 0").description]
                columns = ", ".join(f'"{name}"' for name in names if name not in OF_THE_RUN)
                found[table] = _hash(marts.execute(f"select {columns} from {table}").fetchall())
    return found


def _hash(rows: Iterable[tuple[object, ...]]) -> tuple[int, str]:
    lines = sorted(map(repr, rows))
    return len(lines), hashlib.sha256("\n".join(lines).encode()).hexdigest()
