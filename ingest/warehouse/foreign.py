"""Marts of elsewhere: their rows are read, and nothing that came with them is run."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pyarrow as pa

from ingest.errors import PlumblineError, shown
from ingest.loading.parquet_check import open_parquet
from ingest.store import AUDIT_NAME
from ingest.store.opening import Advice, Setting, attach, open_database

ANOTHER = "Name a data folder, its audit.duckdb, or a folder that `plumbline export` wrote, of this version."
ANEW = "Is it cut off or damaged? Copy it again, or have `plumbline export` write it anew."

# What a stranger's database says must read no file and load nothing; its views are not asked either.
SHUT: dict[str, Setting] = {
    "enable_external_access": "false",
    "autoload_known_extensions": "false",
    "autoinstall_known_extensions": "false",
    "lock_configuration": "true",
}


@contextmanager
def foreign_marts(path: Path, names: Sequence[str]) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open marts of another data folder, of its database, or of an exported folder, for reading.

    Raises PlumblineError where one of `names` is not there or not readable, also inside the block.
    """
    if path.is_dir() and (path / AUDIT_NAME).exists():
        path = path / AUDIT_NAME
    try:
        connection = _exported(path, names) if path.is_dir() else _attached(path, names)
    except (duckdb.Error, pa.ArrowException, OSError) as error:
        raise PlumblineError(f"{shown(path)} cannot be read.", ANOTHER) from error
    try:
        yield connection
    except duckdb.Error as error:
        is_lacking = isinstance(error, duckdb.CatalogException | duckdb.BinderException)
        what = "lacks what is compared" if is_lacking else "holds no marts of an audit"
        raise PlumblineError(f"{shown(path)} {what}: {str(error).splitlines()[0]}", ANOTHER) from error
    finally:
        connection.close()


def _exported(folder: Path, names: Sequence[str]) -> duckdb.DuckDBPyConnection:
    import pyarrow.dataset as pa_dataset  # loads pandas: a fifth of what every command would wait for

    files = {name: folder / f"{name}.parquet" for name in names}
    if missing := [file.name for file in files.values() if not file.exists()]:
        raise PlumblineError(f"{shown(folder)} holds neither {AUDIT_NAME} nor {missing[0]}.", ANOTHER)
    connection = duckdb.connect(config=SHUT)
    for name, file in files.items():
        try:
            open_parquet(file, ()).close()
        except PlumblineError as error:  # which speaks of answers that are loaded
            raise PlumblineError(error.what, ANEW) from error
        connection.register(name, pa_dataset.dataset(file, format="parquet"))
    return connection


def _attached(path: Path, names: Sequence[str]) -> duckdb.DuckDBPyConnection:
    with open_database(path, True, SHUT, Advice.of(ANOTHER)) as opened:
        tables = {name for (name,) in opened.execute("select table_name from duckdb_tables()").fetchall()}
    if missing := sorted(set(names) - tables):
        raise PlumblineError(f"{shown(path)} lacks what is compared: it has no table {missing[0]}.", ANOTHER)
    # Beside a database of ours, so that its macros are not taken for DuckDB's functions.
    connection = duckdb.connect()
    attach(connection, path, "elsewhere")
    for setting, value in SHUT.items():
        connection.execute(f"set {setting} = {value}")
    for name in names:
        connection.execute(f'create temporary view "{name}" as from elsewhere.main."{name}"')
    return connection
