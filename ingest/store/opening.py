"""Opening a DuckDB file, with one line where that fails."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import duckdb

from ingest.errors import SHOWN, PlumblineError, cut, shown
from ingest.paths import reading

Setting = str | bool | int | float | list[str]

IS_LOCKED = "Could not set lock"  # what DuckDB says
LOCKED = "Close it (a dbt run, a notebook, a SQL client), then run the command again."
HEAD = 12  # bytes: a checksum, then the word by which a DuckDB file is known
MAGIC = b"DUCK"
UNREADABLE = (
    "Failure while replaying WAL file"  # DuckDB's words for what a killed writer left beside a database
)


class Advice(NamedTuple):
    """What to do about a database file, by what is wrong with it: it is damaged, empty or half written."""

    damaged: str
    empty: str
    half_written: str

    @classmethod
    def of(cls, damaged: str) -> "Advice":
        """Return the advice of a file that cannot be made anew."""
        return cls(damaged, f"Delete it. {damaged}", damaged)


RAW = Advice.of("Take it from a copy, or bring the answers in again in another --data.")
# Marts are made of answers that lie elsewhere; a build drops what DuckDB cannot read of them.
MARTS = Advice(
    # It may be somebody else's: only an empty file is known to hold nothing.
    damaged="Move it elsewhere, then run `plumbline audit SUITE`, which builds a new one.",
    empty="Delete it, then run `plumbline audit SUITE`, which builds it anew.",
    half_written="Run `plumbline audit SUITE`, which builds it anew.",
)


class _Kept(NamedTuple):
    """A database that stays open, and how it was opened."""

    connection: duckdb.DuckDBPyConnection
    read_only: bool
    config: dict[str, Setting]

    def serves(self, read_only: bool, config: Mapping[str, Setting]) -> bool:
        """Whether it is open as is asked for; readers take any settings."""
        return read_only or (not self.read_only and (not config or self.config == config))


_kept: dict[Path, _Kept] = {}
_is_keeping = False


def _place(path: Path) -> Path:
    """Where a file lies; of links in a circle, the first."""
    return Path(os.path.realpath(path))


@contextmanager
def kept_open() -> Iterator[None]:
    """Keep open, until the end, the databases that are opened inside: to read a catalogue takes time.

    While one is kept, no other process may write to it, and where it was opened for writing none may read it.
    """
    global _is_keeping
    before, _is_keeping = _is_keeping, True
    try:
        yield
    finally:
        _is_keeping = before
        close_kept()


def close_kept() -> None:
    """Close what is kept open, so that another process or library may open it."""
    while _kept:
        _, kept = _kept.popitem()
        kept.connection.close()


def is_held(path: Path) -> bool:
    """Whether a database is kept open for writing: what lies beside it may be in use."""
    kept = _kept.get(_place(path))
    return kept is not None and not kept.read_only


def stop_keeping() -> None:
    """Close what is kept open, and keep nothing more."""
    global _is_keeping
    _is_keeping = False
    close_kept()


def open_database(
    path: Path, read_only: bool, config: Mapping[str, Setting], advice: Advice = RAW
) -> duckdb.DuckDBPyConnection:
    """Return a connection to a database file, made where there is none and it is opened for writing.

    Raises PlumblineError where it is no database, is damaged, open elsewhere or cannot be written, and for a
    memory limit that is none.
    """
    place = _place(path)
    if (kept := _kept.get(place)) is not None:
        if kept.serves(read_only, config) and path.exists():
            return kept.connection.cursor()
        _kept.pop(place).connection.close()
    connection = _connect(path, read_only, config, advice)
    if not _is_keeping:
        return connection
    _kept[place] = _Kept(connection, read_only, dict(config))
    return connection.cursor()


def memory_limit() -> str:
    """Return what DuckDB may take, as it is written: PLUMBLINE_MEMORY, else as in profiles.yml."""
    return os.environ.get("PLUMBLINE_MEMORY") or "2GB"


def _connect(
    path: Path, read_only: bool, config: Mapping[str, Setting], advice: Advice
) -> duckdb.DuckDBPyConnection:
    # DuckDB follows links; its log would lie at what stands before it.
    if not read_only and "?" in str(place := _place(path)):
        raise PlumblineError(
            f"{shown(place)} has a question mark in it, behind which DuckDB writes nothing.",
            "Rename the folder, or choose another --data.",
        )
    if read_only or path.exists() or path.is_symlink():
        with reading(path, advice.damaged) as file:
            head = file.read(HEAD)
        if not head:
            raise PlumblineError(f"{shown(path)} is empty, so it is no database.", advice.empty)
        if not head.endswith(MAGIC):
            what = f"{shown(path)} is no DuckDB database: something else wrote it, or it is damaged."
            raise PlumblineError(what, advice.damaged)
    try:
        return duckdb.connect(str(path), read_only=read_only, config=dict(config))
    except duckdb.ParserException as error:
        raise PlumblineError(f"PLUMBLINE_MEMORY: {error}.", "Give a size, such as 4GB.") from error
    except duckdb.OutOfMemoryException:
        raise
    except duckdb.Error as error:
        said = str(error)
        if IS_LOCKED in said:
            raise PlumblineError(f"{shown(path)} is open in another process.", LOCKED) from error
        if UNREADABLE in said:
            what = (
                f"{shown(path)} is not whole: who wrote to it was killed, and left what DuckDB cannot read."
            )
            raise PlumblineError(what, advice.half_written) from error
        if "ermission denied" in said or "Read-only file system" in said:
            raise PlumblineError(
                f"{shown(path)} cannot be opened: the system does not allow it.", "Choose another --data."
            ) from error
        raise PlumblineError(
            f"{shown(path)} cannot be opened: {cut(said, SHOWN)}.", advice.damaged
        ) from error


@contextmanager
def attached(connection: duckdb.DuckDBPyConnection, path: Path, name: str) -> Iterator[None]:
    """Have a connection read another database for a while, by `name`."""
    attach(connection, path, name)
    try:
        yield
    except BaseException:
        close_kept()  # an error may have left it unusable
        raise
    connection.execute(f"detach {name}")


def attach(connection: duckdb.DuckDBPyConnection, path: Path, name: str) -> None:
    """Have a connection read another database, by `name`."""
    if (kept := _kept.pop(_place(path), None)) is not None:  # a file has one reader or writer in a process
        kept.connection.close()
    quoted = str(path.resolve()).replace("'", "''")
    connection.execute(f"attach '{quoted}' as {name} (read_only)")


def drop_unreadable_log(path: Path) -> None:
    """Remove what a killed writer left beside a database where DuckDB cannot take it over.

    The database is then as at its last checkpoint, so it is for one that can be made anew. DuckDB may refuse
    to drop anew what two threads dropped (duckdb/duckdb#22044).
    """
    log = Path(f"{path}.wal")
    if not log.exists():
        return
    try:
        duckdb.connect(str(path)).close()
    except duckdb.Error as error:
        if UNREADABLE in str(error):
            log.unlink()
