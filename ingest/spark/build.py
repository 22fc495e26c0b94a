"""Around a build on Spark: raw tables go there as files, and what is read comes back into audit.duckdb."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.dataset as pads
import pyarrow.fs as pafs

from ingest.errors import PlumblineError
from ingest.spark.raw_views import raw_place
from ingest.spark.session import FOLDER, forget_raw_tables, prepared_session
from ingest.store import AUDIT_NAME, Store
from ingest.store.opening import open_database
from ingest.store.private import private
from ingest.store.raw_files import RawFiles

BROUGHT = ("fct_", "dim_", "rpt_")
READ_BY_COMMANDS = {"int_families_weighed", "int_config_runs_listed"}
BUILT_FROM = "create table built_from (model varchar primary key, answers varchar, earlier varchar)"


def before(data: Path, store: Store) -> None:
    """Bring the raw tables to where Spark reads them. Raises PlumblineError without dbt's adapter."""
    try:
        import dbt.adapters.spark  # noqa: F401
    except ImportError as error:
        raise PlumblineError(
            "PLUMBLINE_TARGET is spark, and dbt's adapter for it is not installed.",
            "Install the extra: pip install 'plumbline[spark]'.",
        ) from error
    RawFiles(raw_place(data / FOLDER)).export(store)
    forget_raw_tables()


def after(data: Path, manifest: Any) -> int:
    """Make audit.duckdb anew of the tables that commands and the site read; return how many.

    Each gets the columns of its contract, and its rows are held against that contract's constraints. The
    database takes the place of the one before once it is whole.
    """
    spark = prepared_session()
    wanted = {
        node.alias: node
        for node in manifest.nodes.values()
        if (node.resource_type == "model" and node.alias.startswith(BROUGHT))
        or node.alias in READ_BY_COMMANDS
    }
    models = {
        name: node for name, node in wanted.items() if spark.catalog.tableExists(f"{node.schema}.{name}")
    }
    state = RawFiles(raw_place(data / FOLDER)).manifest()["state"]
    path = data / AUDIT_NAME
    new = path.with_suffix(".new")
    new.unlink(missing_ok=True)
    with private():
        connection = open_database(new, False, {})
    with connection:
        connection.execute("set TimeZone = 'UTC'")
        connection.execute(BUILT_FROM)
        for name, node in sorted(models.items()):
            _bring(connection, name, node, spark.table(f"{node.schema}.{name}"))
            row = [node.unique_id, state.get("answers"), state.get("earlier")]
            connection.execute("insert into built_from values (?, ?, ?)", row)
    new.replace(path)
    return len(models)


def _bring(connection: duckdb.DuckDBPyConnection, name: str, node: Any, frame: Any) -> None:
    reader = frame.toArrow().to_reader() if node.config.materialized == "view" else _rows(frame)
    connection.register("brought", reader)
    if node.columns and all(column.data_type for column in node.columns.values()):
        connection.execute(f'create table "{name}" ({", ".join(_columns(node.columns))})')
        # Spark holds no contract: a model's last `select *` may have brought more than it declares.
        declared = ", ".join(f'"{column}"' for column in node.columns)
        connection.execute(f'insert into "{name}" by name select {declared} from brought')
    else:
        connection.execute(f'create table "{name}" as select * from brought')
    connection.unregister("brought")
    connection.execute(f'comment on table "{name}" is {_text(node.description)}')
    for column in node.columns.values():
        comment = f'comment on column "{name}"."{column.name}" is {_text(column.description)}'
        connection.execute(comment)


def _columns(columns: Mapping[str, Any]) -> Iterator[str]:
    """The columns of a contract as DuckDB declares them."""
    for column in columns.values():
        parts = [f'"{column.name}"', column.data_type]
        for constraint in column.constraints:
            kind = constraint.type.value
            parts.append(f"check ({constraint.expression})" if kind == "check" else kind.replace("_", " "))
        yield " ".join(parts)


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _rows(frame: Any) -> pa.RecordBatchReader:
    """A table's rows from its files, or through the driver where only Spark can read them."""
    uris = [uri.replace("s3a://", "s3://", 1) for uri in frame.inputFiles()]
    try:
        found = [pafs.FileSystem.from_uri(uri) for uri in uris]
    except (OSError, ValueError):  # such as dbfs:
        found = []
    if not found:
        return frame.toArrow().to_reader()
    files, _ = found[0]
    return pads.dataset([path for _, path in found], filesystem=files, format="parquet").scanner().to_reader()
