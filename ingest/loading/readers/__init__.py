"""Logs of other tools, as records of named fields (SPEC GEN-14): `columns:` say which field is what.

A reader is a file beside this one that ends with `READER`. Its `fits` says by a file's name or by its first
object whether it is such a log; its `read` yields a dict for each answer, or a RowProblem for what cannot be
used. All readers call these fields the same: `prompt`, `system`, `response`, `model`, `status`, `options`,
`id`, and `metadata.…`, `score.…` and so on for what the tool's users name themselves.
"""

import pkgutil
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from ingest.errors import PlumblineError
from ingest.loading.problems import RowProblem, shown
from ingest.loading.readers.documents import Look, look_at

Entry = dict[str, Any] | RowProblem


def never(_: Look) -> bool:
    """Say that no file is one."""
    return False


class Reader(NamedTuple):
    """How a tool's log is told from others and read.

    `goes_with` says of a file that it only completes another one; `read` gets these, too.
    """

    tool: str
    fits: Callable[[Look], bool]
    read: Callable[[Path, Sequence[Path]], Iterator[Entry]]
    goes_with: Callable[[Look], bool] = never


@cache
def readers() -> tuple[Reader, ...]:
    """Return the readers of this folder."""
    modules = (import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__))
    return tuple(module.READER for module in modules if hasattr(module, "READER"))


def reader_of(path: Path) -> Reader | None:
    """Return the reader of a file, None where it is a table: CSV, Parquet or plain JSON Lines.

    Raises PlumblineError for a document of JSON that is none of these, or too large.
    """
    look = look_at(path)
    found = next((reader for reader in readers() if reader.fits(look)), None)
    if found is None and look.is_document:
        raise PlumblineError(
            f"{shown(path)} is one JSON document, and no log of a tool that is known.",
            f"Write one object on each line, or name a log of {', '.join(r.tool for r in readers())}.",
        )
    return found


def main_files(paths: Sequence[Path]) -> list[Path]:
    """Return the files that hold answers; those that only complete another one are left out.

    Raises PlumblineError where all of them are of that kind.
    """
    looks = {path: look_at(path) for path in paths}
    beside = {path: r.tool for path, look in looks.items() for r in readers() if r.goes_with(look)}
    found = [path for path in paths if path not in beside]
    if paths and not found:
        raise PlumblineError(
            f"{shown(paths[0])} holds no answers; it goes with another file of {beside[paths[0]]}.",
            "Name that file too.",
        )
    return found
