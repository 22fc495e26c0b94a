"""Parts of a Python model's table that are kept from the build before: what they are made of is the same.

A model resamples many analyses apart. Each row says in `inputs_hash` what its part was made of: answers,
settings and code. A build copies the parts whose hash is in the table that is there, and computes the others.
The hash stands in the table itself, so nothing has to be mended after a build that was killed. What takes
long is computed by workers (ingest/inference/workers.py): the same numbers bit by bit, in the same order.
"""

import hashlib
import linecache
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from ingest.inference.tables import table_of, table_of_columns
from ingest.inference.workers import check_not_stopped, workers
from ingest.keys import key

HASH = "inputs_hash"
PART = "part"  # in a row of several parts that are made at once: which of them it is of, from 0
PLACE = "key_place"
WRITTEN_BEHIND = "# This part is user provided model code"  # what dbt begins with behind a model
LOADED_BY = "dbtObj"  # which that defines
LIBRARIES = ("numpy", "scipy")  # whose numbers these are
ALONE_SECONDS = 1.5  # of one table, before workers help: each takes most of a second to start
TOGETHER_SECONDS = 0.2  # of parts that are computed together
MOST_TOGETHER = 500

Made = Callable[..., Iterable[Mapping[str, Any]]]
AtOnce = tuple[list[str], tuple[Any, ...]]  # hashes of parts, and what they are made of


class Kept:
    """The parts of one model's table, in the order in which they are asked for.

    `dbt` and `session` are what dbt gives to the model; a part is made as rows by name, or as `in_columns`,
    which are blocks of columns of equal length. Where there is no table of an earlier build, or one of other
    columns, every part is computed. In a task of Spark `dbt.this` is missing: the table has no place, and no
    hash is made.

    `keys` are columns whose values change with what else there is, such as places in an order. They are given
    when a part is added, are in no hash, and are not made: a row says in PLACE which of its part's it has.
    """

    def __init__(
        self,
        dbt: Any,
        session: duckdb.DuckDBPyConnection,
        schema: pa.Schema,
        in_columns: bool = False,
        keys: Sequence[str] = (),
    ) -> None:
        self.session = session
        self.stored = schema.append(pa.field(HASH, pa.string()))
        self.schema = pa.schema([field for field in self.stored if field.name not in keys])
        this = getattr(dbt, "this", None)
        self.has_place = this is not None
        before = _before(this, session, self.stored) if self.has_place else self.stored.empty_table()
        self.before = before.select(self.schema.names)
        self.places = _places(self.before)
        self.keys: dict[str, list[int]] = {name: [] for name in keys}
        self.first_keys: dict[str, int] = {}  # where those of a part begin
        # Tables, those that workers make, and where rows stand in the table before.
        self.found: list[pa.Table | Future[pa.Table] | slice] = [self.schema.empty_table()]
        self.in_columns = in_columns
        self.made: Made | None = None
        self.parts: list[AtOnce] = []
        self.n_together = 1
        self.seconds = 0.0
        self.taken: set[str] = set()

    def add(self, made: Made, *inputs: Any, keys: Mapping[str, Sequence[int]] | None = None) -> None:
        """Add the rows of one part: those that are there of the same inputs, or what `made(*inputs)` gives.

        Inputs are arrays, texts, numbers, truth values, None, and what holds these: lists, tuples, mappings.
        Raises TypeError at anything else, ValueError at inputs that another part has.
        """
        name = self._named(made, inputs, keys)
        if name in self.places:
            self._keep(self.places[name])
        else:
            self._make([name], made, inputs)

    def add_each(
        self, made: Made, parts: Iterable[tuple[Any, Any, Mapping[str, Sequence[int]]]], *shared: Any
    ) -> None:
        """Add several parts, of which those that are not there are made at once: `made(items, *shared)`.

        Each part has the inputs that its rows depend on, the item by which `made` knows it, and its keys.
        Rows say in PART which of the items they are of; those of an item follow each other. Raises as `add`.
        """
        missing = {}
        for inputs, item, keys in parts:
            name = self._named(made, inputs, keys)
            if name in self.places:
                self._keep(self.places[name])
            else:
                missing[name] = item
        if missing:
            self._make(list(missing), made, (list(missing.values()), *shared))

    def _named(self, made: Made, inputs: Any, keys: Mapping[str, Sequence[int]] | None) -> str:
        check_not_stopped()
        name = digest(inference_code() + _source(made), inputs) if self.has_place else str(len(self.taken))
        if name in self.taken:
            raise ValueError("Two parts of a table are made of the same inputs: name what tells them apart.")
        self.taken.add(name)
        for column, values in (keys or {}).items():
            self.first_keys[name] = len(self.keys[column])
            self.keys[column] += values
        return name

    def _make(self, names: list[str], made: Made, inputs: tuple[Any, ...]) -> None:
        # Many small parts become one table: to make a table takes longer than to make a row.
        if made is not self.made:
            self._flush()
            self.made = made
        self.parts.append((names, inputs))
        if len(self.parts) >= self.n_together:
            self._flush()

    def _keep(self, place: slice) -> None:
        self._flush()
        last = self.found[-1]
        if isinstance(last, slice) and last.stop == place.start:
            self.found[-1] = slice(last.start, place.stop)
        else:
            self.found.append(place)

    def _flush(self) -> None:
        if self.made is None or not self.parts:
            return
        parts, self.parts = self.parts, []
        call = _call(self.made) if self.has_place and self.seconds >= ALONE_SECONDS else None
        helping = workers() if call is not None else None
        if call is not None and helping is not None:
            self.found.append(helping.submit(*call, parts, self.schema, self.in_columns))
            return
        start = time.perf_counter()
        self.found.append(table_of_parts(self.made, parts, self.schema, self.in_columns))
        seconds = max(time.perf_counter() - start, 1e-9)
        self.seconds += seconds
        self.n_together = min(max(1, int(TOGETHER_SECONDS / seconds * len(parts))), MOST_TOGETHER)

    def relation(self) -> duckdb.DuckDBPyRelation:
        """All parts as the table that the model returns."""
        self._flush()
        table = pa.concat_tables([self._table(one) for one in self.found]).combine_chunks()
        if self.keys:
            part = table.column(HASH).combine_chunks().dictionary_encode()
            first = np.array([self.first_keys[name] for name in part.dictionary.to_pylist()], dtype=np.int64)
            place = table.column(PLACE).to_numpy()
            for column, values in self.keys.items():
                found = np.array(values, dtype=np.int64)[first[part.indices.to_numpy()] + place]
                table = table.append_column(column, pa.array(found))
        return self.session.from_arrow(table.select(self.stored.names))

    def _table(self, found: pa.Table | Future[pa.Table] | slice) -> pa.Table:
        if isinstance(found, slice):
            return self.before[found]
        return found.result() if isinstance(found, Future) else found


def table_of_model(
    text: str, name: str, parts: list[AtOnce], schema: pa.Schema, in_columns: bool
) -> pa.Table:
    """Make a table of parts by a function of a model, of which a worker knows the text alone."""
    return table_of_parts(_functions_of(text)[name], parts, schema, in_columns)


def table_of_parts(made: Made, parts: list[AtOnce], schema: pa.Schema, in_columns: bool) -> pa.Table:
    """Make a table of parts, each with its hash."""
    rows = ({**row, HASH: names[row.get(PART, 0)]} for names, inputs in parts for row in made(*inputs))
    return table_of_columns(rows, schema) if in_columns else table_of(rows, schema)


def _call(made: Made) -> tuple[Any, ...] | None:
    """What a worker calls to make parts by a function; None for one inside another, which it cannot find."""
    if not made.__qualname__.isidentifier():
        return None
    if LOADED_BY not in made.__globals__:
        return table_of_parts, made
    text = _source(made)
    return (table_of_model, text, made.__name__) if text else None


@cache
def _functions_of(text: str) -> dict[str, Any]:
    """What the text of a model defines."""
    found: dict[str, Any] = {"__name__": "model"}
    exec(compile(text, "<model>", "exec"), found)
    return found


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
    """Where the rows of each part stand: together, or they are none that can be kept."""
    names = np.asarray(table.column(HASH).to_pylist(), dtype=object)
    starts = np.flatnonzero(np.r_[True, names[1:] != names[:-1]]) if len(names) else np.empty(0, dtype=int)
    ends = [*starts[1:].tolist(), len(names)]
    times = Counter(names[starts])
    return {
        names[start]: slice(start, end)
        for start, end in zip(starts.tolist(), ends, strict=False)
        if times[names[start]] == 1
    }


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


def digest(*values: Any) -> str:
    """Return a hash of what a part may be made of. Raises TypeError at anything else."""
    name = hashlib.blake2b(digest_size=16)
    for one in values:
        _take(name, one)
    return name.hexdigest()


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
