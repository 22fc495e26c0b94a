"""Answers on disk before they are in the database: what keeps them through a kill.

A transaction for each answer would take longer than many model servers take to answer, so answers are
committed together. Until then each is a line of a file beside the database, written before its sender
asks the next one. Whoever opens the database for writing next brings in what a killed process left.
"""

import json
import os
import threading
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from ingest.errors import PlumblineError
from ingest.keys import text_key

NAMES = ("responses.0.journal", "responses.1.journal")
# Columns of `responses` that name a text of the entry.
TEXT_COLUMNS = ("text_key", "reasoning_text_key", "messages_text_key")

Entry = dict[str, Any]


def entry(row: Mapping[str, Any], texts: Sequence[str | None]) -> Entry:
    """Return a journal entry: a row of `responses`, and its texts in the order of TEXT_COLUMNS.

    Half a surrogate pair, which JSON can bring and no database takes, becomes a question mark.
    """
    row = {name: storable(value) if isinstance(value, str) else value for name, value in row.items()}
    texts = [None if text is None else storable(text) for text in texts]
    keys = {
        column: None if text is None else text_key(text)
        for column, text in zip(TEXT_COLUMNS, texts, strict=True)
    }
    return {"row": {**row, **keys}, "texts": [text for text in texts if text is not None]}


def storable(text: str) -> str:
    """Return a text that has a form in UTF-8."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


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


def read_entries(directory: Path) -> list[Entry]:
    """Return the entries that a killed process left; a last line that it did not finish is no entry.

    Raises PlumblineError where a file is something else.
    """
    entries = []
    for path in (directory / name for name in NAMES):
        if not path.exists():
            continue
        *lines, _ = path.read_bytes().split(b"\n")
        for number, line in enumerate(lines, start=1):
            try:
                content = json.loads(line)
                content["row"]["answered_at"] = datetime.fromisoformat(content["row"]["answered_at"])
                entries.append(content)
            except (ValueError, KeyError, TypeError) as error:
                raise PlumblineError(
                    f"{path}, line {number}, is no answer that `plumbline generate` wrote: {error!r}.",
                    "Move the file away to go on without what it holds.",
                ) from error
    return entries
