"""From raw tables to marts: dbt driven from this process, and what commands ask of the marts."""

import atexit
import gc
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

import click
import duckdb

from ingest.errors import PlumblineError
from ingest.paths import PROJECT
from ingest.store import AUDIT_NAME, RAW_NAME, Store

VERDICTS = ("fail", "monitor", "inconclusive", "pass", "not_applicable")
LOCKED = "Close it (a dbt run, a notebook, a SQL client), then run the command again."

# What dbt has read goes with the process; to look through it for garbage on the way out takes a second.
atexit.register(gc.freeze)


@contextmanager
def _environment(**values: str) -> Any:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def _rarely_collected() -> Iterator[None]:
    """Look for garbage less often: dbt drops few objects, and looking costs it a tenth of its time."""
    before = gc.get_threshold()
    gc.set_threshold(100_000, 50, 50)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _places(data: Path, target: Path | None = None) -> list[str]:
    places = ["--project-dir", str(PROJECT), "--profiles-dir", str(PROJECT)]
    return [*places, "--log-path", str(data / "logs"), "--target-path", str(target or data / "target")]


def parse(data: Path, gate: str = "warn") -> Any:
    """Return dbt's manifest of the project, None where dbt cannot read it: a build will then say why.

    What dbt has read is kept beside the project, one copy for every folder of data: files that have not
    changed since are not read again. Takes `PLUMBLINE_DATA` and `AUDIT_GATE` from the environment.
    """
    from dbt.adapters.duckdb.credentials import DuckDBCredentials
    from dbt.cli.main import dbtRunner

    # dbt drops what it kept once one of these has changed. No model knows where the databases are.
    DuckDBCredentials._connection_keys = lambda _: ("database", "schema")
    kept = PROJECT / "target" / f"read-{gate}"
    try:
        kept.mkdir(parents=True, exist_ok=True)
        target = kept if os.access(kept, os.W_OK) else None
    except OSError:
        target = None
    silent = ["--log-level", "none", "--log-level-file", "none", "--no-write-json"]
    with _rarely_collected():
        return dbtRunner().invoke([*silent, "parse", *_places(data, target)]).result


class ParsedProject:
    """dbt imported and the project parsed by a thread, while this process brings data in.

    PLUMBLINE_DATA holds the folder until `close`, for the whole process.
    """

    def __init__(self, data: Path) -> None:
        self._environment = _environment(PLUMBLINE_DATA=str(data.resolve()), AUDIT_GATE="warn")
        self._environment.__enter__()
        self._manifest: Any = None
        self._thread = Thread(target=self._parse, args=(data,), daemon=True)
        self._thread.start()

    def _parse(self, data: Path) -> None:
        self._manifest = parse(data)

    def manifest(self) -> Any:
        """Return what dbt read, None where it could not: a build will then say why."""
        self._thread.join()
        return self._manifest

    def close(self) -> None:
        """Wait for the thread, and give the environment back."""
        self._thread.join()
        self._environment.__exit__(None, None, None)


def dbt(
    data: Path,
    arguments: Sequence[str],
    gate: str = "warn",
    quiet: bool = True,
    project: ParsedProject | None = None,
) -> bool:
    """Run dbt in this process on the databases in `data`; return whether all of it succeeded.

    Raises PlumblineError where there is nothing to build from.
    """
    if not (data / RAW_NAME).exists():
        raise PlumblineError(
            f"{data / RAW_NAME} does not exist: nothing has been brought in yet.",
            "Run `plumbline load FILE --suite FILE` or `plumbline generate --suite FILE` first.",
        )
    # Data brought in by an older version lacks the raw tables that models have come to read since.
    with Store(data):
        pass
    from dbt.adapters.duckdb.connections import DuckDBConnectionManager
    from dbt.cli.main import dbtRunner

    level = ["--log-level", "error" if quiet else "info", "--log-level-file", "debug"]
    try:
        with _environment(PLUMBLINE_DATA=str(data.resolve()), AUDIT_GATE=gate), _rarely_collected():
            manifest = project.manifest() if project is not None else parse(data, gate)
            result = dbtRunner(manifest=manifest).invoke([*level, *arguments, *_places(data)])
    finally:
        # dbt keeps the databases open until the process ends; nobody else could open them in this one.
        DuckDBConnectionManager.close_all_connections()
    if result.exception is not None:
        raise PlumblineError(
            f"dbt stopped: {result.exception}", f"{data / 'logs' / 'dbt.log'} holds the details."
        )
    return bool(result.success)


def write_manifest(data: Path) -> Path:
    """Write what dbt reads in the project, as JSON where dbt has it; return the file.

    Raises PlumblineError where dbt cannot read its own project.
    """
    with _environment(PLUMBLINE_DATA=str(data.resolve()), AUDIT_GATE="warn"):
        manifest = parse(data)
    if manifest is None:
        raise PlumblineError(
            "dbt could not read its models.", f"{data / 'logs' / 'dbt.log'} holds the details."
        )
    path = data / "target" / "manifest.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    manifest.write(str(path))
    return path


def mart_names() -> set[str]:
    """Names of the marts that the project declares."""
    return {path.stem for path in (PROJECT / "models" / "marts").rglob("*.sql")}


def build(
    data: Path, marts: Sequence[str] = (), quiet: bool = True, project: ParsedProject | None = None
) -> None:
    """Build every model and run every data-quality test; with `marts` these models alone, and what they need.

    Raises PlumblineError where one fails.
    """
    chosen = ["--selector", "build"]
    if marts:
        kinds = ["--resource-type", "model", "--resource-type", "seed"]
        chosen = ["--select", *(f"+{mart}" for mart in marts), *kinds]
    if not dbt(data, ["--no-write-json", "build", *chosen], quiet=quiet, project=project):
        raise PlumblineError(
            "The build stopped: a model or a data-quality test failed (see above).",
            f"{data / 'logs' / 'dbt.log'} holds the details. A finding stops no build; broken data does.",
        )


FORMATS = {"parquet": "format parquet, compression zstd", "csv": "format csv, header"}


class Exported(NamedTuple):
    """A mart in a file."""

    mart: str
    description: str
    n_rows: int
    path: Path


class Warehouse:
    """The marts, open for reading."""

    def __init__(self, data: Path) -> None:
        self.path = data / AUDIT_NAME

    def __enter__(self) -> "Warehouse":
        if not self.path.exists():
            raise PlumblineError(
                f"{self.path} does not exist: nothing has been built yet.",
                "Run `plumbline audit SUITE` or `dbt build`.",
            )
        try:
            self.connection = duckdb.connect(str(self.path), read_only=True)
        except duckdb.IOException as error:
            raise PlumblineError(f"{self.path} is open in another process.", LOCKED) from error
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[dict[str, Any]]:
        """Return all rows of a query as mappings."""
        try:
            cursor = self.connection.execute(sql, list(parameters))
        except duckdb.CatalogException as error:
            raise PlumblineError(
                f"{self.path} is not fully built.", "Run `dbt build` or `plumbline audit`."
            ) from error
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def tables(self, prefixes: tuple[str, ...]) -> list[str]:
        """Return the names of the tables that begin with one of the prefixes, sorted."""
        names = self.rows("select table_name from information_schema.tables where table_schema = 'main'")
        return sorted(row["table_name"] for row in names if row["table_name"].startswith(prefixes))

    def export(self, directory: Path, most: Mapping[str, int] | None = None) -> list[Exported]:
        """Write every mart as Parquet and CSV; return what was written.

        `most` limits the rows of a table in each format, where whoever reads it cannot take any number.
        """
        directory.mkdir(parents=True, exist_ok=True)
        described = {
            row["name"]: row["description"]
            for row in self.rows(
                """
                select table_name as name, comment as description from duckdb_tables()
                union all
                select view_name, comment from duckdb_views()
                """
            )
        }
        written = []
        for name in self.tables(("fct_", "dim_")):
            n_rows = self.rows(f'select count(*) as n from "{name}"')[0]["n"]
            for suffix, options in FORMATS.items():
                if most is not None and n_rows > most[suffix]:
                    continue
                path = directory / f"{name}.{suffix}"
                target = str(path).replace("'", "''")
                self.connection.execute(f"copy \"{name}\" to '{target}' ({options})")
                written.append(Exported(name, described.get(name) or "", n_rows, path))
        return written


def verdict_counts(warehouse: Warehouse) -> list[dict[str, Any]]:
    """Verdicts of the gate's profile per suite and config, findings first."""
    rows = warehouse.rows(
        """
        select suite, config, is_simulated, profile, verdict, count(*) as n
        from fct_verdicts
        where is_gate_profile
        group by all
        """
    )
    return sorted(rows, key=lambda row: (row["suite"], row["config"], VERDICTS.index(row["verdict"])))


def findings(warehouse: Warehouse, states: Sequence[str] = ("fail",)) -> list[dict[str, Any]]:
    """Verdicts of the gate's profile in one of the states."""
    return warehouse.rows(
        """
        select suite, config, is_simulated, category, axis, measure, metric, group_value, verdict,
               value, unit, red_limit, ci_low, ci_high, n, p_holm
        from fct_verdicts
        where is_gate_profile and list_contains(?, verdict)
        order by suite, config, verdict, category, axis, metric, group_value
        """,
        [list(states)],
    )


def print_verdicts(warehouse: Warehouse) -> None:
    """Say how the audit ended, on stdout."""
    for row in verdict_counts(warehouse):
        simulated = " (simulated)" if row["is_simulated"] else ""
        click.echo(
            f"{row['suite']}  {row['config']}{simulated}  {row['profile']}  {row['verdict']}: {row['n']}"
        )


def describe_finding(row: dict[str, Any]) -> str:
    """One line for a failing verdict: metric, group, value with interval, n. Never a bare adjective."""
    interval = f" [{row['ci_low']:.3f}, {row['ci_high']:.3f}]" if row["ci_low"] is not None else ""
    group = f" ({row['group_value']})" if row["group_value"] else ""
    p_value = f", Holm p {row['p_holm']:.4f}" if row["p_holm"] is not None else ""
    value = f"{row['value']:.4f}" if row["unit"] == "probability" else f"{row['value']:.3f}"
    limit = f", limit {row['red_limit']:g}" if row["red_limit"] is not None else ""
    return (
        f"{row['verdict']}  {row['config']}: {row['category']} {row['measure']} by {row['axis']}{group}: "
        f"{row['metric']} {value}{interval} {row['unit']}{limit}, "
        f"n {row['n']:,}{p_value}"
    )
