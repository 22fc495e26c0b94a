"""Parts of a Python model's table that are kept from the build before: what they are made of is the same.

A model resamples many analyses apart. Each row says in `inputs_hash` what its part was made of: answers,
settings and code. A build copies the parts whose hash is in the table that is there, and computes the others.
The hash stands in the table itself, so nothing has to be mended after a build that was killed.
"""

import hashlib
import linecache
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from ingest.inference.tables import table_of, table_of_columns
from ingest.keys import key

HASH = "inputs_hash"
WRITTEN_BEHIND = "# This part is user provided model code"  # what dbt begins with behind a model
LIBRARIES = ("numpy", "scipy")  # whose numbers these are
MOST_ROWS = 10_000  # in memory, before they become a table


class Kept:
    """The parts of one model's table, in the order in which they are asked for.

    `dbt` and `session` are what dbt gives to the model; a part is made as rows by name, or as `in_columns`,
    which are blocks of columns of equal length. Where there is no table of an earlier build, or one of other
    columns, every part is computed. In a task of Spark `dbt.this` is missing: the table has no place, and no
    hash is made.
    """

    def __init__(
        self, dbt: Any, session: duckdb.DuckDBPyConnection, schema: pa.Schema, in_columns: bool = False
    ) -> None:
        self.session = session
        self.table_of = table_of_columns if in_columns else table_of
        self.schema = schema.append(pa.field(HASH, pa.string()))
        this = getattr(dbt, "this", None)
        self.has_place = this is not None
        self.before = _before(this, session, self.schema) if self.has_place else self.schema.empty_table()
        self.places = _places(self.before)
        # Tables, and where rows stand in the table before.
        self.found: list[pa.Table | slice] = [self.schema.empty_table()]
        self.most_rows = 1 if in_columns else MOST_ROWS
        self.rows: list[Mapping[str, Any]] = []
        self.taken: set[str] = set()

    def add(self, made: Callable[..., Iterable[Mapping[str, Any]]], *inputs: Any) -> None:
        """Add the rows of one part: those that are there of the same inputs, or what `made(*inputs)` gives.

        Inputs are arrays, texts, numbers, truth values, None, and what holds these: lists, tuples, mappings.
        Raises TypeError at anything else, ValueError at inputs that another part has.
        """
        if not self.has_place:
            self._make(None, made(*inputs))
            return
        name = hashlib.blake2b((inference_code() + _source(made)).encode(), digest_size=16)
        for one in inputs:
            _take(name, one)
        inputs_hash = name.hexdigest()
        if inputs_hash in self.taken:
            raise ValueError("Two parts of a table are made of the same inputs: name what tells them apart.")
        self.taken.add(inputs_hash)
        if inputs_hash in self.places:
            self._keep(self.places[inputs_hash])
        else:
            self._make(inputs_hash, made(*inputs))

    def _make(self, inputs_hash: str | None, rows: Iterable[Mapping[str, Any]]) -> None:
        # Many small parts become one table: to make a table takes longer than to make a row.
        self.rows += ({**row, HASH: inputs_hash} for row in rows)
        if len(self.rows) >= self.most_rows:
            self._flush()

    def _keep(self, place: slice) -> None:
        self._flush()
        last = self.found[-1]
        if isinstance(last, slice) and last.stop == place.start:
            self.found[-1] = slice(last.start, place.stop)
        else:
            self.found.append(place)

    def _flush(self) -> None:
        if self.rows:
            self.found.append(self.table_of(self.rows, self.schema))
            self.rows = []

    def relation(self) -> duckdb.DuckDBPyRelation:
        """All parts as the table that the model returns."""
        self._flush()
        tables = [self.before[one] if isinstance(one, slice) else one for one in self.found]
        return self.session.from_arrow(pa.concat_tables(tables).combine_chunks())


def _before(this: Any, session: duckdb.DuckDBPyConnection, schema: pa.Schema) -> pa.Table:
    """The table of the build before, empty where there is none of these columns."""
    place = [this.database, this.schema, this.identifier]
    columns = session.execute(
        "select column_name from duckdb_columns()"
        " where database_name = ? and schema_name = ? and table_name = ? order by column_index",
        place,
    ).fetchall()
    if [name for (name,) in columns] != schema.names:
        return schema.empty_table()
    quoted = ".".join('"' + name.replace('"', '""') + '"' for name in place)
    return session.sql(f"select * from {quoted} order by rowid").to_arrow_table().cast(schema)


def _places(table: pa.Table) -> dict[str, slice]:
    """Where the rows of each part stand: together."""
    names = np.asarray(table.column(HASH).to_pylist(), dtype=object)
    starts = np.flatnonzero(np.r_[True, names[1:] != names[:-1]]) if len(names) else np.empty(0, dtype=int)
    lengths = np.diff(np.r_[starts, len(names)])
    return {names[s]: slice(s, s + n) for s, n in zip(starts.tolist(), lengths.tolist(), strict=True)}


@cache
def inference_code() -> str:
    """Return a hash of the code that resampled numbers depend on: all of this package, and the libraries."""
    here = Path(__file__).parent
    files = [*sorted(here.rglob("*.py")), here.parent / "keys.py"]
    return key([file.read_text("utf-8") for file in files], [version(name) for name in LIBRARIES])


@cache
def _source(made: Callable[..., Any]) -> str:
    """The text of the model that defines a function, without what dbt writes behind it."""
    text, *_ = "".join(linecache.getlines(made.__code__.co_filename)).partition(WRITTEN_BEHIND)
    return text.strip()


def _take(name: Any, value: Any) -> None:
    """Hash a value with its kind and its length, so that no two lists of inputs look alike."""
    match value:
        case np.ma.MaskedArray() if not np.ma.is_masked(value):
            _take(name, np.ma.getdata(value))  # whether there is a mask depends on other parts
        case np.ma.MaskedArray():
            _take(name, np.ma.getmaskarray(value))
            _take(name, np.ma.filled(value, "" if value.dtype == object else 0))
        case np.ndarray() if value.dtype == object:
            _take(name, value.tolist())
        case np.ndarray():
            name.update(f"array {value.dtype.str} {value.shape};".encode())
            name.update(np.ascontiguousarray(value).data)
        case Mapping():
            _take(name, sorted(value.items()))
        case list() | tuple():
            name.update(f"{len(value)} of;".encode())
            for one in value:
                _take(name, one)
        case str():
            encoded = value.encode("utf-8", "surrogatepass")
            name.update(b"text %d;" % len(encoded) + encoded)
        case None | bool() | int() | float() | np.generic():
            name.update(f"{type(value).__name__} {value!r};".encode())
        case _:
            raise TypeError(f"{type(value).__name__} is no input of a part.")
