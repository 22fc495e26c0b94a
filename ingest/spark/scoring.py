"""Scorers on the workers of Spark: distinct texts go out in the batches that they would have here."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa

from ingest.errors import PlumblineError, say
from ingest.measuring.texts import Need, Task, attempt
from ingest.plugins import offers
from ingest.scorers import Embedder, Scorer, Where, load_scorer
from ingest.spark.session import session
from ingest.store.private import scratch

AT_ONCE = 1000  # batches that go out together, and of which an interruption may lose the numbers
SENT = pa.schema([("batch", pa.int64()), ("position", pa.int64()), ("text", pa.string())])
RETURNED = pa.schema(
    [
        ("batch", pa.int64()),
        ("position", pa.int64()),
        ("numbers", pa.list_(pa.float64())),
        ("error", pa.string()),
    ]
)


class Spread:
    """A scorer that is asked on all workers at once; it has the identity of the one that is loaded here.

    Every worker loads its own, from the same place: Plumbline and the scorer's packages are installed there.
    A text on which the scorer fails has no numbers.
    """

    def __init__(self, task: Task, where: Where) -> None:
        scorer = task.scorer
        self.name, self.model, self.revision = scorer.name, scorer.model, scorer.revision
        self.version, self.parameters = scorer.version, scorer.parameters
        self.languages = getattr(scorer, "languages", ())
        self.of_one = scorer.batch_size
        self.batch_size = scorer.batch_size * AT_ONCE
        self.width, self.scorer_key = task.width, task.scorer_key
        self.where = {name: str(value) for name, value in asdict(where).items() if value and name != "data"}

    def _numbers(self, texts: Sequence[str]) -> np.ndarray:
        """The matrix that `Task.measure` returns here."""
        n = np.arange(len(texts))
        sent = pa.table({"batch": n // self.of_one, "position": n, "text": list(texts)}, schema=SENT)
        spark = session()
        asked = _asked(self.name, self.where, self.scorer_key)
        from pyspark.sql.pandas.types import from_arrow_schema

        batches = int(n[-1]) // self.of_one + 1
        frame = spark.createDataFrame(sent).repartition(batches, "batch").groupBy("batch")
        found = frame.applyInArrow(asked, from_arrow_schema(RETURNED)).toArrow().sort_by("position")
        if errors := [error for error in found.column("error").to_pylist() if error]:
            say(f"{self.name}: {errors[0]}", err=True)
        flat = found.column("numbers").combine_chunks().flatten().to_numpy(zero_copy_only=False)
        return np.asarray(flat).reshape(len(texts), self.width)


class SpreadScorer(Spread):
    """One that gives numbers."""

    def __init__(self, task: Task, where: Where) -> None:
        super().__init__(task, where)
        self.features: Mapping[str, tuple[float, float]] = task.ranges

    def score(self, texts: Sequence[str]) -> Mapping[str, np.ndarray]:
        """Return the numbers of each feature, and of which texts only the beginning was read."""
        from ingest.scorers import TRUNCATED

        return dict(zip([*self.features, TRUNCATED], self._numbers(texts).T, strict=True))


class SpreadEmbedder(Spread):
    """One that gives vectors."""

    def __init__(self, task: Task, where: Where) -> None:
        super().__init__(task, where)
        self.dimensions = task.width

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Return a vector a text."""
        return self._numbers(texts).astype(np.float32)


def spread(task: Task, where: Where) -> Task:
    """Return the task with a scorer that is asked on Spark; a suite's own stays on this machine."""
    if task.scorer.name not in offers("scorer"):
        return task
    kind = SpreadEmbedder if task.is_embedder else SpreadScorer
    return Task(kind(task, where), task.need)


def _asked(name: str, where: Mapping[str, str], scorer_key: str) -> Callable[[pa.Table], pa.Table]:
    """Return what a worker does with one batch. Raises PlumblineError there where it has another model."""

    def run(rows: pa.Table) -> pa.Table:
        rows = rows.sort_by("position")
        task = _loaded(name, tuple(sorted(where.items())))
        if task.scorer_key != scorer_key:
            raise PlumblineError(
                f"A worker has another version of the scorer {name!r}, or of its model.",
                "Install the same there, or name the same folder by --model-dir.",
            )
        errors: list[str] = []
        numbers = attempt(task.measure, rows.column("text").to_pylist(), task.width, errors)
        first = pa.array([*errors[:1], *[None] * (len(rows) - len(errors[:1]))], pa.string())
        flat = pa.array(numbers.astype(np.float64).ravel())
        offsets = np.arange(len(rows) + 1, dtype=np.int32) * task.width
        lists = pa.ListArray.from_arrays(pa.array(offsets), flat)
        return pa.table([rows.column("batch"), rows.column("position"), lists, first], schema=RETURNED)

    return run


@cache
def _loaded(name: str, where: tuple[tuple[str, str], ...]) -> Task:
    """A worker's own scorer, loaded once a process. What it locks of its model is nobody else's affair."""
    from pathlib import Path

    given: dict[str, Any] = dict(where)
    folder = given.get("model_dir")
    with scratch() as data:
        place = Where(Path(folder) if folder else None, given.get("device", "auto"), data)
        scorer: Scorer | Embedder = load_scorer(name, place)
    return Task(scorer, Need())
