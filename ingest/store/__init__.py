"""The only file that opens data/raw.duckdb."""

import json
import os
import platform
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import duckdb
import pyarrow as pa

from ingest import __version__
from ingest.errors import PlumblineError, is_ctrl_c, say, shown
from ingest.keys import key, text_row
from ingest.paths import PROJECT
from ingest.provenance import commit_of
from ingest.redaction import without_secrets
from ingest.store.journal import NAMES, VOTES, Entry, read_entries, set_aside
from ingest.store.opening import is_held, memory_limit, open_database
from ingest.store.private import check_room, private, scratch, sweep
from ingest.store.tables import SCHEMA, STATE, UNINDEXED, schema_columns, state_view

LEAST_ROOM = (
    64  # MB free on the disk before a transaction: in a commit without room DuckDB aborts the process
)
BRING_IN = (
    "Run `plumbline load FILE --suite FILE` or `plumbline generate --suite FILE` first, "
    "or name another --data."
)
RAW_NAME = "raw.duckdb"
AUDIT_NAME = "audit.duckdb"
# An answer `i` that came after the one `r` which is there: neither it nor one that it followed. Their times
# alone do not say so, for a clock may have been set back in between.
IS_NEWER = """
    r.answered_at <> i.answered_at
    and not exists (
        select 1 from superseded_responses as old
        where old.response_key = i.response_key and old.answered_at = i.answered_at
    )
"""


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let Ctrl-C wait for the end of the block: inside DuckDB it would end a transaction half-way."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[tuple[int, FrameType | None]] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: received.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if received and callable(before):
        before(*received[0])


def utc_now() -> datetime:
    """Return the present in UTC, without a zone, as the tables hold it."""
    return datetime.now(UTC).replace(tzinfo=None)


def data_dir(option: Path | None = None) -> Path:
    """Return where the two databases are: the option, or PLUMBLINE_DATA, or `data`; `~` is the home."""
    # A shell leaves `~` as it is between quotes and behind `--data=`; DuckDB and dbt do not.
    return Path(os.path.expanduser(option or os.environ.get("PLUMBLINE_DATA") or "data"))


class NothingYet(PlumblineError):
    """A data folder has no raw tables: there was no run, or the first one was stopped before it made them."""


def is_begun(directory: Path) -> bool:
    """Say whether a data folder has raw tables."""
    try:
        with Store(directory, read_only=True):
            return True
    except NothingYet:
        return False


def _lacking(named: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Yield table, name and type of each column that tables of an older version lack, by their SQL."""
    for table, column, kind in schema_columns() if named else ():
        sql = named.get(table, "")
        if sql and f"({column} " not in sql and f", {column} " not in sql:
            yield table, column, kind


class Store:
    """Raw tables, open for writing by this one process.

    >>> with Store(Path("data")) as store:          # doctest: +SKIP
    ...     store.append("prompt_flags", [{"prompt_key": "k", "flag": "f"}])
    """

    def __init__(self, directory: Path, read_only: bool = False, must_exist: bool = False) -> None:
        self.path = directory / RAW_NAME
        self.read_only = read_only
        self.must_exist = must_exist or read_only
        self.in_transaction = False
        self._schemas: dict[str, pa.Schema] = {}
        self.connection: duckdb.DuckDBPyConnection

    def __enter__(self) -> "Store":
        if self.must_exist and not self.path.exists():
            raise NothingYet(f"{self.path} does not exist: nothing has been brought in yet.", BRING_IN)
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise PlumblineError(
                f"{shown(self.path)} cannot be written: {error.strerror}.", "Choose another --data."
            ) from error
        # What does not fit is written beside the file until it is needed, as in a build (profiles.yml).
        was_held = is_held(self.path)
        with private():
            self.connection = open_database(self.path, self.read_only, {"memory_limit": memory_limit()})
        if not self.read_only:
            if not was_held:
                sweep(self.path)
            self._make_tables(self._take_over_suites(self._tables()))
            self._keep_state_view()
            self.replay()
        elif there := self._tables():
            self._stand_in(there)
        else:
            self.connection.close()
            what = f"{self.path} holds no tables: nothing has been brought in yet."
            raise NothingYet(what, BRING_IN)
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()

    def _tables(self) -> dict[str, str]:
        """The tables that there are, and the SQL of each."""
        # duckdb_columns() would look through DuckDB's own views first, half of what opening a database takes.
        return dict(
            self.rows("select table_name, replace(sql, '\"', '') from duckdb_tables() where not internal")
        )

    def _take_over_suites(self, tables: dict[str, str]) -> dict[str, str]:
        """Keep which suites version 0.1 registered, in tables of their parts, and drop those tables.

        The `definition` of such a suite is null until its file is read again. Returns the tables then.
        """
        if "suite_attributes" not in tables:
            return tables
        columns = "suite, suite_key, file_sha256, run_id"
        with self.transaction():
            self.connection.execute(f"create temp table known_suites as select {columns} from suites")
            for table in tables:
                if table == "suites" or (table.startswith("suite_") and table not in SCHEMA):
                    self.connection.execute(f"drop table {table}")
            self.connection.execute(f"create table suites ({SCHEMA['suites']})")
            self.connection.execute("insert into suites by name from known_suites")
            self.connection.execute("drop table known_suites")
        return self._tables()

    def _make_tables(self, named: dict[str, str]) -> None:
        """Make the tables that are not there among `named`, and add what those of an older version lack."""
        if missing := [table for table in SCHEMA if table not in named]:
            with self.transaction():  # one wait for the disk in the place of forty
                for table in missing:
                    self.connection.execute(f"create table {table} ({SCHEMA[table]})")
        for table, column, kind in _lacking(named):
            self.connection.execute(f"alter table {table} add column if not exists {column} {kind}")

    def _stand_in(self, named: dict[str, str]) -> None:
        """Let a reader find what an older version's tables lack, empty; the file stays as it is."""
        for table, columns in SCHEMA.items():
            if table not in named:
                self.connection.execute(f"create temp table {table} ({columns})")
        lacking: dict[str, list[str]] = {}
        for table, column, kind in _lacking(named):
            lacking.setdefault(table, []).append(f"cast(null as {kind}) as {column}")
        for table, added in lacking.items():
            database = self.value("select current_database()")
            rows = f'select *, {", ".join(added)} from "{database}".{table}'
            self.connection.execute(f"create temp view {table} as {rows}")

    def _keep_state_view(self) -> None:
        """Have the view by which marts are found older than the answers, as this version defines it."""
        wanted = key(state_view())
        found = self.rows("select comment from duckdb_views() where view_name = ?", [STATE])
        if found != [(wanted,)]:
            with self.transaction():
                self.connection.execute(f"create or replace view {STATE} as {state_view()}")
                self.connection.execute(f"comment on view {STATE} is '{wanted}'")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All of what happens inside, or nothing; inside another transaction, a part of that one."""
        if self.in_transaction:
            yield
            return
        check_room(self.path.parent, LEAST_ROOM)
        self.connection.execute("begin")
        self.in_transaction = True
        try:
            yield
        except BaseException:
            self.connection.execute("rollback")
            raise
        else:
            self.connection.execute("commit")
        finally:
            self.in_transaction = False

    def rows(self, sql: str, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> list[tuple[Any, ...]]:
        """Return all rows of a query."""
        given = dict(parameters) if isinstance(parameters, Mapping) else list(parameters)
        return self.connection.execute(sql, given).fetchall()

    def value(self, sql: str, parameters: Sequence[Any] = ()) -> Any:
        """Return the single value of a query."""
        return self.rows(sql, parameters)[0][0]

    @contextmanager
    def registered(self, name: str, columns: Mapping[str, Any] | pa.Table) -> Iterator[None]:
        """Let SQL read columns in memory under a name, for the block."""
        self.connection.register(name, columns if isinstance(columns, pa.Table) else pa.table(columns))
        try:
            yield
        finally:
            self.connection.unregister(name)

    def append(self, table: str, rows: Sequence[Mapping[str, Any]]) -> int:
        """Add the rows that are not there yet, in one statement; return how many were new.

        A column that a row does not name is NULL. Rows whose key is there already change nothing.
        """
        if not rows:
            return 0
        return self.append_arrow(table, pa.Table.from_pylist(list(rows), schema=self.arrow_schema(table)))

    def append_arrow(self, table: str, batch: pa.Table) -> int:
        """Like `append`, from an Arrow table that has some or all of the columns."""
        names = ", ".join(batch.column_names)
        insert, rows = f"insert or ignore into {table} ({names})", f"select {names} from incoming_rows"
        if key_column := UNINDEXED.get(table.removeprefix("wanted_")):
            insert = f"insert into {table} ({names})"
            firsts = f"select distinct on ({key_column}) {names} from incoming_rows"
            rows = f"{firsts} anti join {table} using ({key_column})"
        with self.registered("incoming_rows", batch):
            return int(self.value(f"{insert} {rows}"))

    def arrow_schema(self, table: str) -> pa.Schema:
        """Return a raw table's columns as Arrow types."""
        if (known := self._schemas.get(table)) is not None:
            return known
        found = self.connection.execute(f"select * from {table} limit 0").to_arrow_table().schema
        if table in SCHEMA:  # which stays as it is while the store is open
            self._schemas[table] = found
        return found

    def replace(self, table: str, suite: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Put these rows in the place of all that a suite had in a definition table."""
        with self.registered("given_rows", pa.Table.from_pylist(list(rows), schema=self.arrow_schema(table))):
            self.replace_by(table, suite, "from given_rows", {})

    def replace_by(self, table: str, suite: str, query: str, parameters: Mapping[str, Any]) -> None:
        """Put a query's rows in the place of all that a suite had in a table.

        Rows that are there already are not written: to write costs more than to compare.
        """
        with self.transaction():
            self.connection.execute(f"create or replace temp table wanted_rows as from {table} limit 0")
            self.connection.execute(f"insert into wanted_rows by name {query}", parameters)
            wanted, there = "select * from wanted_rows", f"select * from {table} where suite = $suite"
            differing = f"({there} except all {wanted}) union all ({wanted} except all {there}) limit 1"
            if self.rows(differing, {"suite": suite}):
                self.connection.execute(f"delete from {table} where suite = ?", [suite])
                self.connection.execute(f"insert or ignore into {table} {wanted}")
            self.connection.execute("drop table wanted_rows")

    def replay(self) -> int:
        """Bring in the answers that a killed process left; return how many that were.

        What cannot be brought in is set aside, and what cannot be vouched for is asked again; both are said.
        """
        entries, flawed = read_entries(self.path.parent)
        entries.sort(key=lambda entry: entry["row"]["answered_at"])
        newest = {entry["row"].get("response_key") or entry["row"]["vote_key"]: entry for entry in entries}
        self.append_answers(list(newest.values()))
        if flawed:
            path = set_aside(self.path.parent, flawed)
            first = f"{flawed[0].file}, line {flawed[0].number}: {flawed[0].reason}"
            say(f"{len(flawed):,} answers are no answers and set aside in {path}: {first}.", err=True)
        for name in NAMES:
            (self.path.parent / name).unlink(missing_ok=True)
        return len(newest)

    def append_answers(self, entries: Sequence[Entry]) -> None:
        """Write answers with their texts in one transaction, each response once.

        A response that is there already gives way to one that came after it: attempts, waiting and cost add
        up, and what it was before stays in `superseded_responses`. Storing an entry again changes nothing.
        """
        votes = [entry["row"] for entry in entries if entry.get("table") == VOTES]
        self._append_votes(votes)
        entries = [entry for entry in entries if entry.get("table") != VOTES]
        if not entries:
            return
        texts = dict.fromkeys(text for entry in entries for text in entry["texts"])
        rows = [entry["row"] for entry in entries]
        names_given = {name for row in rows for name in row}
        columns = [column for column in self.arrow_schema("responses") if column.name in names_given]
        incoming = pa.Table.from_pylist(rows, schema=pa.schema(columns))
        added = [name for name in ("n_attempts", "wait_seconds", "cost") if name in incoming.column_names]
        updates = [
            f"{name} = i.{name}" for name in incoming.column_names if name not in ("response_key", *added)
        ]
        updates += [f"{name} = coalesce(r.{name} + i.{name}, i.{name}, r.{name})" for name in added]
        with self.transaction(), self.registered("incoming_answers", incoming):
            self.append("texts", [text_row(text) for text in texts])
            self.connection.execute(
                f"""
                insert or ignore into superseded_responses by name
                select
                    r.response_key, r.response_status, r.n_attempts, r.wait_seconds,
                    r.error, r.answered_at, r.run_id
                from responses as r inner join incoming_answers as i using (response_key)
                where {IS_NEWER}
                """
            )
            self.connection.execute(
                f"update responses as r set {', '.join(updates)} from incoming_answers as i"
                f" where r.response_key = i.response_key and {IS_NEWER}"
            )
            self.append_arrow("responses", incoming)

    def _append_votes(self, votes: Sequence[Mapping[str, Any]]) -> None:
        """Write votes of judges, each once; a newer one takes the place of one that failed."""
        if not votes:
            return
        schema = self.arrow_schema(VOTES)
        updates = ", ".join(
            f"{name} = excluded.{name}"
            for name in schema.names
            if name not in ("vote_key", "n_attempts", "cost")
        )
        with (
            self.transaction(),
            self.registered("incoming_votes", pa.Table.from_pylist(list(votes), schema=schema)),
        ):
            self.connection.execute(
                f"""
                insert into {VOTES} by name select * from incoming_votes
                on conflict (vote_key) do update
                set
                    {updates}, n_attempts = {VOTES}.n_attempts + excluded.n_attempts,
                    cost = coalesce({VOTES}.cost + excluded.cost, excluded.cost, {VOTES}.cost)
                where
                    {VOTES}.answered_at < excluded.answered_at
                    or {VOTES}.run_id <> excluded.run_id
                """
            )

    @contextmanager
    def run(self, command: str, detail: Mapping[str, Any]) -> Iterator[str]:
        """Record a run of a stage: when, with what, and how it ended."""
        started = utc_now()
        run_id = key("run", command, started.isoformat(), os.getpid())
        row = {
            "run_id": run_id,
            "command": command,
            "started_at": started,
            "ended_at": None,
            "run_status": "running",
            "detail": json.dumps(without_secrets(dict(detail)), sort_keys=True, ensure_ascii=False),
            "versions": json.dumps(versions(), sort_keys=True),
        }
        self.append("runs", [row])
        status = "failed"
        try:
            yield run_id
            status = "ok"
        except BaseException as error:
            if is_ctrl_c(error):
                status = "interrupted"
            raise
        finally:
            self.connection.execute(
                "update runs set ended_at = ?, run_status = ? where run_id = ?", [utc_now(), status, run_id]
            )

    def note(self, run_id: str, found: Mapping[str, Any]) -> None:
        """Add to a run's detail what it found."""
        detail = json.loads(self.value("select detail from runs where run_id = ?", [run_id]))
        written = json.dumps(without_secrets({**detail, **found}), sort_keys=True, ensure_ascii=False)
        self.connection.execute("update runs set detail = ? where run_id = ?", [written, run_id])


def versions() -> dict[str, str]:
    """Return the versions of everything that can change a number."""
    commit = commit_of(PROJECT)
    return {
        "plumbline": __version__,
        "python": platform.python_version(),
        **_installed(),
        **({} if commit is None else {"commit": str(commit)}),
    }


@cache
def _installed() -> dict[str, str]:
    """Return the versions of packages; to read what they say of themselves takes 40 ms."""
    from importlib.metadata import PackageNotFoundError, version

    names = (
        "dbt-core",
        "dbt-duckdb",
        "duckdb",
        "numpy",
        "scipy",
        "tokenizers",
        "safetensors",
        "vaderSentiment",
    )
    found = {name: version(name) for name in names}
    for name in ("torch", "transformers", "sentence-transformers"):  # the extra `models`
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


@contextmanager
def opened(directory: Path, dry_run: bool) -> Iterator[Store]:
    """Open the store; a dry run leaves it as it is, and makes none where there is none."""
    if not dry_run or is_begun(directory):
        with Store(directory, read_only=dry_run) as store:
            yield store
    else:
        with scratch() as empty, Store(empty) as store:
            yield store
