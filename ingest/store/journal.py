"""Answers on disk before they are in the database: what keeps them through a kill.

A transaction for each answer would take longer than many model servers take to answer, so answers are
committed together. Until then each is a line of a file beside the database, written before its sender
asks the next one. Whoever opens the database for writing next brings in what a killed process left.
"""

import json
import math
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ingest.asking.first_tokens import is_encoded
from ingest.errors import PlumblineError
from ingest.keys import text_key
from ingest.store.tables import schema_columns

NAMES = ("responses.0.journal", "responses.1.journal")
SET_ASIDE = "responses.set_aside.jsonl"
# Columns of `responses` that name a text of the entry.
TEXT_COLUMNS = ("text_key", "reasoning_text_key", "messages_text_key")

Entry = dict[str, Any]
RESPONSES, VOTES = "responses", "judge_votes"

CHANGED = "the model changed while it was being asked"
UNPROVEN = "the run ended before the server said once more which model answers"


def entry(row: Mapping[str, Any], texts: Sequence[str | None], *, is_proven: bool = True) -> Entry:
    """Return a journal entry: a row of `responses`, and its texts in the order of TEXT_COLUMNS.

    Half a surrogate pair, which JSON can bring and no database takes, becomes a question mark. What is not
    proven waits for its server to say once more which model answers.
    """
    row = {name: storable(value) for name, value in row.items()}
    texts = [storable(text) for text in texts]
    keys = {
        column: text_key(text) if isinstance(text, str) else None
        for column, text in zip(TEXT_COLUMNS, texts, strict=True)
    }
    content: Entry = {"row": {**row, **keys}, "texts": [text for text in texts if text is not None]}
    return content if is_proven else {**content, "is_proven": False}


def vote_entry(row: Mapping[str, Any], *, is_proven: bool = True) -> Entry:
    """Return the journal entry of a row of `judge_votes`; see `entry`."""
    content: Entry = {
        "table": VOTES,
        "row": {name: storable(value) for name, value in row.items()},
        "texts": [],
    }
    return content if is_proven else {**content, "is_proven": False}


def storable(value: Any) -> Any:
    """Return a text in a form that UTF-8 has; anything else as it is."""
    if not isinstance(value, str) or value.isascii():
        return value
    return value.encode("utf-8", "replace").decode("utf-8")


def disowned(content: Entry, reason: str) -> Entry:
    """Return an entry as that of a request to ask again: nobody can say which model gave the answer."""
    row = content["row"]
    if content.get("table") == VOTES:
        nothing = dict.fromkeys(("label", "value", "reason"))
        return {**content, "row": {**row, **nothing, "response_status": "cancelled", "error": reason}}
    texts = dict(zip([name for name in TEXT_COLUMNS if row.get(name)], content["texts"], strict=True))
    nothing = dict.fromkeys(("text_key", "reasoning_text_key", "first_tokens"))
    sent = texts.get("messages_text_key")
    return {
        "row": {**row, **nothing, "response_status": "cancelled", "error": reason},
        "texts": [] if sent is None else [sent],
    }


def flaw(content: Any) -> str | None:
    """Return why the database cannot hold an entry; None where it can."""
    try:
        row, texts, table = content["row"], content["texts"], content.get("table", RESPONSES)
        columns = _columns(table)
        if unknown := sorted(set(row) - set(columns)):
            return f"`{table}` has no column {unknown[0][:SHOWN]!r}"
        if empty := [name for name in REQUIRED[table] if row.get(name) is None]:
            return f"{empty[0]} is missing"
        for name, value in row.items():
            if value is not None and not IS["SCORE" if name == "value" else columns[name]](value):
                return f"{name} is {value!r:.{SHOWN}}"
        if not is_encoded(row.get("first_tokens")):
            return f"first_tokens is {row['first_tokens']!r:.{SHOWN}}"
        if not all(IS["VARCHAR"](text) for text in texts):
            return f"a text is none, or longer than {MOST_CHARACTERS:,} characters"
        if table == RESPONSES and [text_key(text) for text in texts] != [
            row[name] for name in TEXT_COLUMNS if row.get(name)
        ]:
            return "its texts are not those that its keys name"
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        return f"no answer of `plumbline generate`: {type(error).__name__}"
    return None


@cache
def _columns(table: str) -> dict[str, str]:
    return {column: kind for of, column, kind in schema_columns() if of == table}


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= MOST_CHARACTERS and storable(value) == value


def _is_whole(bits: int) -> Callable[[Any], bool]:
    return lambda value: type(value) is int and 0 <= value < 2 ** (bits - 1)


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value < math.inf


MOST_CHARACTERS = 10_000_000
SHOWN = 60
IS: Mapping[str, Callable[[Any], bool]] = {
    "VARCHAR": _is_text,
    "INTEGER": _is_whole(32),
    "BIGINT": _is_whole(64),
    "DOUBLE": _is_number,
    "SCORE": lambda value: type(value) is float and math.isfinite(value),
    "TIMESTAMP": lambda value: isinstance(value, datetime) and value.tzinfo is None,
}
COMMON = ("config_key", "response_status", "n_attempts", "answered_at", "run_id")
REQUIRED = {
    RESPONSES: ("response_key", "prompt_key", "repeat_index", *COMMON),
    VOTES: ("vote_key", "rubric_key", "text_key", *COMMON),
}


class Flawed(NamedTuple):
    """A line of a journal that is no entry."""

    file: str
    number: int
    reason: str
    line: bytes


class Journal:
    """Two files in turn: one is written while the entries of the other become committed."""

    def __init__(self, directory: Path) -> None:
        self.paths = [directory / name for name in NAMES]
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        try:
            self._files = [os.open(path, flags, 0o600) for path in self.paths]
        except OSError as error:
            raise PlumblineError(
                f"{error.filename} cannot be written: {error.strerror}.", "Choose another --data."
            ) from error
        self._n_open = [0, 0]
        self._current = 0
        self._lock = threading.Lock()

    def write(self, content: Entry) -> int:
        """Add an entry; return the number of its file. From then on a kill of this process cannot lose it."""
        line = (json.dumps(content, default=datetime.isoformat) + "\n").encode()
        with self._lock:
            number = self._current
            file = self._files[number]
            size = os.fstat(file).st_size
            try:
                while line:
                    line = line[os.write(file, line) :]
            except OSError as error:
                # Half a line would make what follows unreadable.
                os.ftruncate(file, size)
                raise PlumblineError(
                    f"{self.paths[number]} cannot be written: {error.strerror}.",
                    "The answers before are kept; make room, then the same command goes on.",
                ) from error
            self._n_open[number] += 1
            return number

    def committed(self, n_by_file: Mapping[int, int]) -> None:
        """Forget entries that are in the database now, so many of each file."""
        with self._lock:
            for number, n in n_by_file.items():
                self._n_open[number] -= n
                if not self._n_open[number]:
                    os.ftruncate(self._files[number], 0)
            other = 1 - self._current
            if not self._n_open[other]:
                self._current = other

    def close(self) -> None:
        """Close both files, and remove those that hold nothing."""
        for path, file, n_open in zip(self.paths, self._files, self._n_open, strict=True):
            os.close(file)
            if not n_open:
                path.unlink(missing_ok=True)


def read_entries(directory: Path) -> tuple[list[Entry], list[Flawed]]:
    """Return the entries that a killed process left, and the lines that are none.

    A last line that was not finished is neither. What is not proven comes back disowned.
    """
    entries, flawed = [], []
    for path in (directory / name for name in NAMES):
        if not path.exists():
            continue
        *lines, _ = path.read_bytes().split(b"\n")
        for number, line in enumerate(lines, start=1):
            try:
                content = json.loads(line)
                content["row"]["answered_at"] = datetime.fromisoformat(content["row"]["answered_at"])
                reason = flaw(content)
            except (ValueError, KeyError, TypeError, RecursionError) as error:
                reason = f"no answer of `plumbline generate`: {type(error).__name__}"
            if reason:
                flawed.append(Flawed(path.name, number, reason, line))
            else:
                entries.append(content if content.get("is_proven", True) else disowned(content, UNPROVEN))
    return entries, flawed


def set_aside(directory: Path, flawed: Sequence[Flawed]) -> Path:
    """Put lines that are no entries into a file beside the journal, each with its reason; return the file."""
    path = directory / SET_ASIDE
    with os.fdopen(
        os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "w", encoding="utf-8"
    ) as file:
        for one in flawed:
            line = {**one._asdict(), "line": one.line.decode("utf-8", "replace")}
            file.write(json.dumps(line) + "\n")
        file.flush()
        os.fsync(file.fileno())
    return path
