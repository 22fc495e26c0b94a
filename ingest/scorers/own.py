"""Scorers of a suite's own: a Python function, or a file of numbers by text (SPEC 7.1, custom)."""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ingest.errors import PlumblineError, shorten
from ingest.loading.files import RowProblem, read_records
from ingest.measuring.text_variants import clean
from ingest.paths import beside_suite, file_sha256
from ingest.scorers import MAX_CHARACTERS
from ingest.suite import OwnScorer
from ingest.suite.own_code import code_digest, load_function

VERSION = "1"


class OwnFunction:
    """A function of the suite's own; its file is read for the digest, and run at the first text."""

    batch_size = 256

    def __init__(self, name: str, spec: OwnScorer, folder: Path) -> None:
        assert spec.function is not None
        self.name, self.model, self.version = name, spec.function, VERSION
        self.code = spec.function
        self.revision = f"sha256:{code_digest(spec.function, folder, 'function')}"
        self.parameters: Mapping[str, Any] = {"range": list(spec.range)}
        self.features: Mapping[str, tuple[float, float]] = {f"{name}_score": spec.range}
        self._folder = folder

    @cached_property
    def _function(self) -> Callable[[list[str]], Sequence[float | None]]:
        return load_function(self.code, self._folder, "function")

    def score(self, texts: Sequence[str]) -> dict[str, np.ndarray]:
        """Return the function's number of each text, NaN for None. See `Scorer.score`."""
        found = list(self._function(list(texts)))
        if len(found) != len(texts):
            raise self._wrong(f"{len(found):,} values for {len(texts):,} texts")
        return {f"{self.name}_score": np.array([self._number(value) for value in found], dtype=np.float64)}

    def _number(self, value: Any) -> float:
        if value is None:
            return math.nan
        try:
            return float(value)
        except (TypeError, ValueError) as error:
            raise self._wrong(shorten(repr(value))) from error

    def _wrong(self, what: str) -> PlumblineError:
        return PlumblineError(
            f"The scorer {self.name!r} ({self.code}) returned {what}.",
            "It takes a list of texts and returns a number or None for each of them.",
        )


class OwnFile:
    """Numbers of a file; a text is found as it stands there, or cleaned. One that is not there fails."""

    batch_size = 1_000

    def __init__(self, name: str, spec: OwnScorer, folder: Path) -> None:
        assert spec.file is not None
        self._path, self._spec = beside_suite(folder, spec.file, f"The scorer {name!r}:"), spec
        self.name, self.model, self.version = name, spec.file, VERSION
        what_to_do = f"Write it, or have the scorer {name!r} name another file."
        self.revision = f"sha256:{file_sha256(self._path, what_to_do)}"
        parameters = {"range": list(spec.range), "text": spec.text, "value": spec.value}
        self.parameters: Mapping[str, Any] = parameters
        self.features: Mapping[str, tuple[float, float]] = {f"{name}_score": spec.range}

    @cached_property
    def _values(self) -> dict[str, float]:
        values: dict[str, float] = {}
        for number, record in read_records(self._path, [self._spec.text, self._spec.value]):
            if isinstance(record, RowProblem):
                raise self._wrong(number, record.detail)
            text, cell = record
            if not isinstance(text, str):
                raise self._wrong(number, f"{shorten(repr(text))} is no text")
            value = self._number(number, cell)
            for form in (text, clean(text)):
                known = values.setdefault(form[:MAX_CHARACTERS], value)
                if known != value and not (math.isnan(known) and math.isnan(value)):
                    raise self._wrong(number, f"{shorten(repr(text))} has another value further up")
        return values

    def score(self, texts: Sequence[str]) -> dict[str, np.ndarray]:
        """Return the file's number of each text, NaN where it has none. See `Scorer.score`."""
        values = self._values
        return {f"{self.name}_score": np.array([values.get(text, math.nan) for text in texts])}

    def _number(self, number: int, cell: Any) -> float:
        if cell is None or (isinstance(cell, str) and not cell.strip()):
            return math.nan
        try:
            return float(cell)
        except (TypeError, ValueError) as error:
            raise self._wrong(number, f"{shorten(repr(cell))} is no number") from error

    def _wrong(self, number: int, what: str) -> PlumblineError:
        return PlumblineError(f"{self._path.name}, record {number:,}: {what}.", "Correct the file.")


def load_own(name: str, spec: OwnScorer, folder: Path) -> OwnFunction | OwnFile:
    """Return a suite's own scorer; none of its code runs before its first text.

    `folder` is the suite's. Raises PlumblineError where its function or file is missing.
    """
    return OwnFunction(name, spec, folder) if spec.function else OwnFile(name, spec, folder)
