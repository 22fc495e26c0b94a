"""Between the models' tables and the arrays of `ingest.inference`: reading, settings, seeds, writing.

The Python models of dbt hold what they read and what they write; how that is done stands here.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from duckdb import DuckDBPyRelation
from numpy.typing import NDArray

from ingest.inference.arrays import Array
from ingest.keys import key

Columns = dict[str, NDArray[Any]]

# What an analysis is of, and how it is resampled; names beside these change with others' answers.
OF_ANALYSIS = (
    "analysis_key, measure_kind, suite, category, config_key, axis, measure,"
    " n_possible_outcomes, seed, n_permutations, n_bootstrap"
)
# What `ingest.inference.bounds.Silent` is made from, behind the key.
OF_SILENT = "analysis_key, group_value, outcome_code, value, n_read, n_missing"


def seed_of(*identity: object) -> int:
    """A seed that depends on what is resampled, not on how many others there are."""
    return int(key(*identity)[:15], 16)


def analysis_seed(analysis: Mapping[str, Any]) -> int:
    """The seed of a row of `int_analyses_listed`: whatever is asked of its answers is relabelled alike.

    A selection is of the answers that its outcomes are counted from, so the two share their relabellings.
    """
    kind = "outcome" if analysis["measure_kind"] == "selection" else analysis["measure_kind"]
    named = ("suite", "category", "config_key", "axis", "measure")
    return seed_of(analysis["seed"], kind, *(analysis[name] for name in named))


def rows_by(relation: DuckDBPyRelation, columns: str, n_keys: int = 1) -> dict[Any, list[tuple[Any, ...]]]:
    """The rest of each row by its first columns, which are keys: several are a tuple."""
    found: dict[Any, list[tuple[Any, ...]]] = {}
    for row in relation.project(columns).fetchall():
        found.setdefault(row[0] if n_keys == 1 else row[:n_keys], []).append(row[n_keys:])
    return found


def row_by(relation: DuckDBPyRelation, columns: str, n_keys: int = 1) -> dict[Any, tuple[Any, ...]]:
    """As `rows_by`, where a key has one row, or rows that are alike."""
    found = rows_by(relation.project(columns).distinct(), columns, n_keys)
    return {name: rows[-1] for name, rows in found.items()}


def records(relation: DuckDBPyRelation) -> list[dict[str, Any]]:
    """Rows by name of column."""
    return [dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall()]


def parts(rows: Columns, name: str, keys: Sequence[Any]) -> Iterator[Columns]:
    """Yield the rows of each key, which `rows` are sorted by."""
    starts = np.searchsorted(rows[name], keys, side="left")
    ends = np.searchsorted(rows[name], keys, side="right")
    for start, end in zip(starts, ends, strict=True):
        yield {column: values[start:end] for column, values in rows.items()}


def with_answers(
    analyses: Sequence[Mapping[str, Any]], answers: DuckDBPyRelation, columns: str
) -> Iterator[tuple[Mapping[str, Any], Columns]]:
    """Yield each analysis, which are sorted by their keys, with these columns of its answers."""
    found = answers.order("analysis_key, response_key").project(f"analysis_key, {columns}").fetchnumpy()
    keys = [analysis["analysis_key"] for analysis in analyses]
    yield from zip(analyses, parts(found, "analysis_key", keys), strict=True)


def where(rows: Columns, chosen: NDArray[Any] | slice) -> Columns:
    """The chosen rows, by their places or by a mask."""
    return {name: column[chosen] for name, column in rows.items()}


def numbers(column: NDArray[Any]) -> Array:
    """A column of numbers as floats, NaN where it is null."""
    return np.ma.filled(np.ma.asarray(column, dtype=np.float64), np.nan)


def lists(column: pa.ChunkedArray) -> NDArray[Any]:
    """A column of lists as arrays that share its memory, None where it is null."""
    found = np.empty(len(column), dtype=object)
    place = 0
    for chunk in column.chunks:
        values, offsets = chunk.values.to_numpy(zero_copy_only=False), chunk.offsets.to_numpy()
        for is_there, start, end in zip(chunk.is_valid().to_pylist(), offsets[:-1], offsets[1:], strict=True):
            found[place] = values[start:end] if is_there else None
            place += 1
    return found


def types(declared: str) -> pa.Schema:
    """The schema of a table from names with their types: "analysis_key int64, statistic string"."""
    fields = (part.split() for part in declared.split(","))
    return pa.schema([(name, _type(kind)) for name, kind in fields])


def _type(name: str) -> pa.DataType:
    """A type by its name: `double`, or `list<float>` of single precision."""
    return pa.list_(pa.float32()) if name == "list<float>" else pa.type_for_alias(name)


def table_of(rows: Iterable[Mapping[str, Any]], schema: pa.Schema) -> pa.Table:
    """A table of rows by name; what a row lacks, and numbers that are not finite, are null."""
    listed = [{name: row.get(name) for name in schema.names} for row in rows]
    for row in listed:
        for name, value in row.items():
            if isinstance(value, float) and not math.isfinite(value):
                row[name] = None
    return pa.Table.from_pylist(listed, schema=schema)


def table_of_columns(blocks: Iterable[Mapping[str, Any]], schema: pa.Schema) -> pa.Table:
    """A table of blocks of columns of equal length; one value stands for a column of it, and NaN is null."""

    def column(field: pa.Field, value: Any, n_rows: int) -> pa.Array:
        values = [value] * n_rows if value is None or np.isscalar(value) else value
        return pa.array(values, field.type, from_pandas=True)

    tables = []
    for block in blocks:
        n_rows = max(len(values) for values in block.values() if not (values is None or np.isscalar(values)))
        tables.append(pa.table([column(f, block[f.name], n_rows) for f in schema], schema=schema))
    return pa.concat_tables([schema.empty_table(), *tables])
