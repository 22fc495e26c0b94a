"""A benchmark's files as hostile input: found by name, read within limits, bad records with a reason."""

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ingest.benchmarks.published import Rejected
from ingest.errors import PlumblineError, shown
from ingest.paths import regular_bytes
from ingest.suite.fields import LARGEST_INTEGER

MAX_BYTES = 300_000_000
MAX_FILES = 100
MAX_RECORDS = 1_000_000
MAX_TEXT = 20_000
Record = tuple[str, dict[str, Any]]  # where it stands, and what it holds


def found(folder: Path, pattern: str, what: str) -> list[Path]:
    """Return a folder's files of a pattern, sorted. Raises PlumblineError for none, or too many."""
    if not folder.is_dir():
        raise PlumblineError(f"{shown(folder)} is no folder.", f"Name the folder that holds {what}.")
    files = sorted(folder.glob(pattern))
    if not files:
        raise PlumblineError(f"{shown(folder)} has no file {pattern}.", f"Name the folder that holds {what}.")
    if len(files) > MAX_FILES:
        raise PlumblineError(f"{shown(folder)} has {len(files):,} files {pattern}.", f"Name that of {what}.")
    return files


def text_of(path: Path) -> str:
    """Return a file's text. Raises PlumblineError where it is too large, or not UTF-8."""
    try:
        return regular_bytes(path, MAX_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PlumblineError(
            f"{shown(path)} is not UTF-8 (byte {error.start:,}).", "Save it as UTF-8."
        ) from error


def json_lines(path: Path) -> Iterator[Record | Rejected]:
    """Yield the objects of a JSON Lines file, and lines that are none."""
    for number, line in enumerate(text_of(path).split("\n"), start=1):
        place = f"{path.name}, line {number:,}"
        within(number, path)
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            yield Rejected(place, "it is no JSON")
            continue
        yield (place, record) if isinstance(record, dict) else Rejected(place, "it is no JSON object")


def json_document(path: Path) -> Any:
    """Return what a JSON file holds. Raises PlumblineError where it is none."""
    try:
        return json.loads(text_of(path))
    except (ValueError, RecursionError) as error:
        raise PlumblineError(f"{shown(path)} is no JSON.", "Get the file again.") from error


def csv_records(path: Path, needed: tuple[str, ...]) -> Iterator[Record | Rejected]:
    """Yield the rows of a CSV file by column, and rows of another length.

    Raises PlumblineError where a needed column is missing.
    """
    reader = csv.reader(io.StringIO(text_of(path), newline=""))
    try:
        header = next(reader, [])
        if missing := [column for column in needed if column not in header]:
            raise PlumblineError(
                f"{shown(path)} has no column {missing[0]!r}.",
                "Get the file again, as its authors publish it.",
            )
        for number, cells in enumerate(filter(None, reader), start=1):
            within(number, path)
            place = f"{path.name}, row {number:,}"
            if len(cells) != len(header):
                yield Rejected(place, "it has another number of cells than the header")
            else:
                yield place, dict(zip(header, cells, strict=True))
    except csv.Error as error:
        raise PlumblineError(f"{shown(path)} cannot be read: {error}.", "Get the file again.") from error


def text(record: Any, *path: str | int) -> str:
    """Return the text at a path of a record, spaces at its ends taken off.

    Raises ValueError, which says what is missing, where there is none.
    """
    name = ".".join(map(str, path))
    for part in path:
        try:
            record = record[part]
        except (KeyError, IndexError, TypeError) as error:
            raise ValueError(f"there is no {name}") from error
    if not isinstance(record, str) or not record.strip():
        raise ValueError(f"{name} is no text")
    if len(record) > MAX_TEXT:
        raise ValueError(f"{name} is too long")
    if "\x00" in record or any("\ud800" <= character <= "\udfff" for character in record):
        raise ValueError(f"{name} holds what is no character")
    return record.strip()


def name_of(record: Mapping[str, Any], key: str) -> str:
    """Return a name that may be a whole number, 60 or 60.0, as text.

    Raises ValueError, which says what is missing, where it is neither.
    """
    value = record.get(key)
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < LARGEST_INTEGER:
        return str(int(value) if value == int(value) else value)
    return text(record, key)


def code(name: str) -> str:
    """Return a category's code made of a name. Raises ValueError where nothing of it is left."""
    made = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")[:60]
    if not made:
        raise ValueError(f"{name[:60]!r} names no category")
    return made if made[0].isalpha() else f"C_{made}"


def within(number: int, path: Path) -> None:
    """Raise PlumblineError where a file's record is one too many."""
    if number > MAX_RECORDS:
        raise PlumblineError(
            f"{shown(path)} has more than {MAX_RECORDS:,} records.", "Take a part of it, then run this again."
        )
