"""dbt's Python models on Spark: the same files, DuckDB in each task, rows split by what is resampled apart.

A model reads its inputs as relations of DuckDB, and seeds its draws by what an analysis is. So a part of the
analyses gives the rows that it gives among all of them, whichever worker has it, and again after one died.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

import duckdb
import pyarrow as pa

from ingest.spark.splits import PART, split_queries

# Columns that hold what is to be hashed, and of how many texts: Spark has not DuckDB's hash (hash_of).
HASHED = {"int_feature_values_coded": ("response_hash", 1), "int_gate_tests_listed": ("table_key", 4)}


class Inputs:
    """What a model asks of dbt: its inputs, as relations of one database."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, tables: Mapping[str, pa.Table]) -> None:
        self.connection = connection
        self.tables = tables

    def ref(self, *name: str) -> duckdb.DuckDBPyRelation:
        """Return an input; of two words the first is its project."""
        relation = self.connection.from_arrow(self.tables[name[-1]])
        column, n_items = HASHED.get(name[-1], ("", 0))
        if not column:
            return relation
        items = ", ".join(f"{column}[{place}]" for place in range(1, n_items + 1))
        return relation.project(f"* replace (hash({items}) as {column})")

    def config(self, **_: object) -> None:
        """Take what is meant for dbt."""


def run_model(code: str, tables: Mapping[str, pa.Table]) -> pa.Table:
    """Run a model's code on tables, in this process and on one thread; return its rows."""
    names: dict[str, Any] = {"__name__": "model"}
    exec(compile(code, "<model>", "exec"), names)
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.execute("set ieee_floating_point_ops = false")  # as profiles.yml has it
        return names["model"](Inputs(connection, tables), connection).to_arrow_table()


def materialise(
    spark: Any, code: str, name: str, refs: Sequence[str], schema: str, file_format: str | None
) -> None:
    """Run a model's code on what `refs` hold in `schema`, and save its rows there as table `name`."""
    from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

    frames = {ref: spark.table(f"{schema}.{ref}") for ref in refs}
    empty = {
        ref: to_arrow_schema(frame.schema, timezone="UTC").empty_table() for ref, frame in frames.items()
    }
    split = split_queries(name, refs, {ref: frame.columns for ref, frame in frames.items()}, schema)
    whole = {ref: frame.toArrow() for ref, frame in frames.items() if ref not in split}
    like = run_model(code, empty).schema
    if split:
        columns = {ref: empty[ref].schema.names for ref in split}
        parts = _together(spark, split, columns)
        run = _of_part(code, {ref: _as_bytes(table) for ref, table in whole.items()}, columns, like)
        rows = parts.groupBy(PART).applyInArrow(run, from_arrow_schema(like))
    else:
        rows = spark.createDataFrame(run_model(code, whole), from_arrow_schema(like))
    written = rows.write.mode("overwrite")
    (written.format(file_format) if file_format else written).saveAsTable(f"{schema}.{name}")


def _together(spark: Any, split: Mapping[str, str], columns: Mapping[str, Sequence[str]]) -> Any:
    """All inputs' rows in one frame, a column of records each, by the part that they belong to."""
    from pyspark.sql import functions as f

    n_parts = int(spark.conf.get("spark.sql.shuffle.partitions"))
    frames = []
    for ref, query in split.items():
        rows = spark.sql(query)
        part = f.pmod(f.xxhash64(PART), f.lit(4 * n_parts)).alias(PART)
        frames.append(rows.select(part, f.struct(*columns[ref]).alias(ref)))
    together = reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), frames)
    # Few bytes may take long to resample: without a number Spark would make one task of them.
    return together.repartition(n_parts, PART)


def _of_part(
    code: str, whole: Mapping[str, bytes], columns: Mapping[str, Sequence[str]], like: pa.Schema
) -> Callable[[pa.Table], pa.Table]:
    """Return what a task does: tables go along as Arrow's bytes, this package has to be installed there."""
    shape = like.serialize().to_pybytes()

    def run(rows: pa.Table) -> pa.Table:
        tables = {ref: pa.ipc.open_stream(held).read_all() for ref, held in whole.items()}
        for ref, names in columns.items():
            records = rows.column(ref).combine_chunks()
            tables[ref] = pa.Table.from_arrays(records.filter(records.is_valid()).flatten(), names=names)
        return run_model(code, tables).cast(pa.ipc.read_schema(pa.py_buffer(shape)))

    return run


def _as_bytes(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return bytes(sink.getvalue().to_pybytes())
