"""A suite's own scorers (SPEC 7.1, custom): a function, a file of numbers, the number that a text gives."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ingest.apart.process import CodeFailed
from ingest.errors import PlumblineError, shorten
from ingest.loading.files import RowProblem, read_records
from ingest.measuring.text_variants import clean
from ingest.paths import beside_suite, file_sha256
from ingest.scorers import MAX_CHARACTERS
from ingest.suite import OwnScorer
from ingest.suite.own_code import OwnCode, code_digest

VERSION = "1"
READ_AS = "11"  # of ingest.scorers.number_in_text: where it reads otherwise, texts are measured anew


class OwnFunction:
    """A function of the suite's own; its file is read for the digest, and run at the first text."""

    batch_size = 256

    def __init__(self, name: str, spec: OwnScorer, folder: Path, hidden: Collection[str] = ()) -> None:
        assert spec.function is not None
        self.name, self.model, self.version = name, spec.function, VERSION
        self.code = spec.function
        self.revision = f"sha256:{code_digest(spec.function, folder, 'function')}"
        self.parameters: Mapping[str, Any] = {"range": list(spec.range)}
        self.features: Mapping[str, tuple[float, float]] = {f"{name}_score": spec.range}
        self.languages = tuple(spec.languages)
        what = f"The function {spec.function!r} of the scorer {name!r}"
        self._own = OwnCode(spec.function, folder, "function", what, hidden)

    def score(self, texts: Sequence[str]) -> dict[str, np.ndarray]:
        """Return the function's number of each text, NaN for None. See `Scorer.score`.

        Raises CodeFailed where the function fails, Stopped where its process ends or has to be ended.
        """
        reply = self._own.ask({"texts": list(texts)})
        values = reply.get("values")
        if not isinstance(values, list) or len(values) != len(texts):
            raise PlumblineError(
                f"The scorer {self.name!r} ({self.code}) returned {CodeFailed(str(reply.get('wrong')))}.",
                "It takes a list of texts and returns a number or None for each of them.",
            )
        if not all(value is None or isinstance(value, float) for value in values):
            raise CodeFailed("something else than a number came back")
        return {f"{self.name}_score": np.array(values, dtype=np.float64)}

    def close(self) -> None:
        """End the child process."""
        self._own.close()


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
        self.languages = tuple(spec.languages)

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
            # Python would read 1_000, and `true` as 1.
            value = math.nan if isinstance(cell, bool) or "_" in str(cell) else float(cell)
        except (TypeError, ValueError, OverflowError):
            value = math.nan
        if not math.isfinite(value):
            raise self._wrong(number, f"{shorten(repr(cell))} is no number")
        return value

    def _wrong(self, number: int, what: str) -> PlumblineError:
        return PlumblineError(f"{self._path.name}, record {number:,}: {what}.", "Correct the file.")


class OwnNumber:
    """The number that a text gives. One that gives none, or several, fails."""

    batch_size = 1_000
    max_characters = 20_000  # a model that reasons gives its number at the end

    def __init__(self, name: str, spec: OwnScorer) -> None:
        self.name, self.model, self.revision, self.version = name, "number in the text", "", READ_AS
        self.parameters: Mapping[str, Any] = {"range": list(spec.range), "beside": spec.beside}
        self.features: Mapping[str, tuple[float, float]] = {f"{name}_score": spec.range}
        self.languages = tuple(spec.languages)
        self._name, self._spec = name, spec

    @cached_property
    def _read(self) -> Callable[[str], float | None]:
        # Its patterns take long to compile.
        from ingest.scorers.number_in_text import NumberReader

        return NumberReader(*self._spec.range, self._spec.beside, own=self._name.replace("_", " "))

    def score(self, texts: Sequence[str]) -> dict[str, np.ndarray]:
        """Return the number of each text, NaN where it has none. See `Scorer.score`."""
        return {f"{self.name}_score": np.array([self._read(text) for text in texts], dtype=np.float64)}


def load_own(
    name: str, spec: OwnScorer, folder: Path, hidden: Collection[str] = ()
) -> OwnFunction | OwnFile | OwnNumber:
    """Return a suite's own scorer; none of its code runs before its first text.

    `folder` is the suite's; a function does not see the variables `hidden`. Raises PlumblineError where its
    function or file is missing.
    """
    if spec.reads:
        return OwnNumber(name, spec)
    return OwnFunction(name, spec, folder, hidden) if spec.function else OwnFile(name, spec, folder)
