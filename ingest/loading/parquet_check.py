"""Whether a Parquet file can be read, asked of a child process: a damaged one may crash whoever reads it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from ingest.apart.process import Child, Limits, Stopped
from ingest.errors import SHOWN, PlumblineError, in_one_line, shorten, shown
from ingest.paths import reading

READER = "ingest.apart.parquet:Reading"
ROWS = 100  # records in memory at a time
MAX_FOOTER = 16_000_000  # bytes
MAX_AT_ONCE = 256 << 20  # bytes of ROWS records
MAX_UNFOLDED, MAX_RATIO = 1 << 30, 1_000  # bytes that any file may unfold to, and how many times its size
MEMORY = 1 << 30
SECONDS, BYTES_A_SECOND = 60, 5_000_000
# Checksums are looked at where the file has them.
OPTIONS = {"buffer_size": 1 << 20, "pre_buffer": False, "page_checksum_verification": True}


_waiting: list[Child] = []


@contextmanager
def child_waiting(path: Path) -> Iterator[None]:
    """Start the child that a Parquet file is asked of, which takes a second, while something else is done."""
    try:
        if path.suffix.lower() in (".parquet", ".pq"):
            with suppress(OSError):  # who opens the file will say so
                path.stat()
                _waiting.append(_child())
        yield
    finally:
        while _waiting:
            _waiting.pop().close()


def _child() -> Child:
    return Child(READER, Limits(SECONDS, MEMORY))


def open_parquet(path: Path, columns: Sequence[str]) -> pq.ParquetFile:
    """Open a file of which these columns, or all, have been read once, in a child, from end to end.

    Raises PlumblineError where that crashes, where it cannot be read, and where it is a bomb: a footer, 100
    records or a whole that are far larger than the file can mean.
    """
    with reading(path) as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - 8))
        footer = int.from_bytes(file.read(4), "little")
    if MAX_FOOTER < footer <= size:
        raise PlumblineError(
            f"{shown(path)}: its footer has {footer:,} bytes; at most {MAX_FOOTER:,} are read.",
            "Is it a file of responses? Write it with fewer columns or larger row groups.",
        )
    _check(path, tuple(columns), size, path.stat().st_mtime_ns)
    return pq.ParquetFile(path, **OPTIONS)


@lru_cache(maxsize=64)
def _check(path: Path, columns: tuple[str, ...], size: int, _changed: int) -> None:
    most = max(MAX_UNFOLDED, MAX_RATIO * size)
    question = {"path": str(path), "columns": columns, "options": OPTIONS, "rows": ROWS}
    found = _ask(path, {**question, "most_at_once": MAX_AT_ONCE, "most": most}, size)
    if "error" in found:
        raise unreadable(path, str(found["error"]))
    if "unfolds" in found:
        raise PlumblineError(
            f"{shown(path)} has {size:,} bytes and unfolds to over {most:,}.",
            "Is it a file of responses? Write it as JSON Lines if you mean it.",
        )
    if "at_once" in found:
        raise PlumblineError(
            f"{shown(path)}: {ROWS} of its records take over {MAX_AT_ONCE >> 20} MB.",
            "Is it a file of responses? Shorten its texts.",
        )


def unreadable(path: Path, why: str) -> PlumblineError:
    """Return the error of a file that is no Parquet, or a damaged one."""
    return PlumblineError(
        f"{shown(path)} cannot be read as Parquet: {shorten(in_one_line(why), SHOWN).rstrip('. ')}.",
        "Is it cut off? Copy or write it again. Nothing was loaded.",
    )


def _ask(path: Path, question: dict[str, Any], size: int) -> dict[str, Any]:
    child = _waiting.pop() if _waiting else _child()
    try:
        answer = child.ask(question, SECONDS + size / BYTES_A_SECOND)
    except Stopped as stopped:
        raise unreadable(path, str(stopped)) from stopped
    child.close()
    return answer if isinstance(answer, dict) else {"error": "no answer"}
