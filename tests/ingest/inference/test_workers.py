"""Processes that compute beside this one: the same numbers, and nothing of them is left."""

import linecache
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import pytest

from ingest.inference import kept, workers
from ingest.inference.kept import WRITTEN_BEHIND, Kept
from ingest.inference.tables import types

MODEL = f"""
import numpy as np

FACTOR = 3.0


def drawn(name, seed):
    values = np.random.default_rng(seed).normal(size=20) @ np.linspace(0, 1, 20)
    if name == "wrong":
        raise ValueError(f"no number of {{name}}")
    yield {{"name": name, "value": FACTOR * float(values)}}


{WRITTEN_BEHIND}
class dbtObj:
    pass
"""
SCHEMA = types("name string, value double")


@pytest.fixture(autouse=True)
def two_at_once(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(workers, "_n_processors", lambda: 2)
    monkeypatch.setattr(kept, "ALONE_SECONDS", 0.0)
    monkeypatch.setattr(kept, "TOGETHER_SECONDS", 1e-9)
    yield
    workers.end_workers()


@pytest.fixture
def drawn() -> Any:
    """A function of a model, as dbt loads it."""
    linecache.cache["<drawn>"] = (len(MODEL), None, MODEL.splitlines(keepends=True), "<drawn>")
    module: dict[str, Any] = {"__name__": "drawn"}
    exec(compile(MODEL, "<drawn>", "exec"), module)
    return module["drawn"]


def parts(session: duckdb.DuckDBPyConnection) -> Kept:
    this = SimpleNamespace(database="memory", schema="main", identifier="model")
    return Kept(SimpleNamespace(this=this), session, SCHEMA)


def rows(drawn: Any, names: list[str]) -> list[tuple[Any, ...]]:
    of_parts = parts(duckdb.connect())
    for seed, name in enumerate(names):
        of_parts.add(drawn, name, seed)
    return of_parts.relation().fetchall()


def processes() -> list[subprocess.Popen[bytes]]:
    there = workers.workers()
    assert there is not None
    return there._processes


def has_ended(pid: int, seconds: float = 10) -> bool:
    """Whether a process is gone, or dead and waited for by nobody, within some seconds."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            if Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.02)
    return False


def test_workers_give_the_same_numbers_in_the_same_order(drawn: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"part {n}" for n in range(40)]
    found = rows(drawn, names)
    assert len(processes()) == 2 and [name for name, *_ in found] == names
    workers.end_workers()
    monkeypatch.setattr(kept, "ALONE_SECONDS", float("inf"))
    assert repr(rows(drawn, names)) == repr(found)
    assert workers._there is None


def test_what_a_part_raises_is_raised(drawn: Any) -> None:
    with pytest.raises(ValueError, match="no number of wrong"):
        rows(drawn, ["one", "two", "wrong", "three"])


def test_a_worker_that_was_killed_loses_nothing(drawn: Any) -> None:
    names = [f"part {n}" for n in range(20)]
    before = rows(drawn, names)
    for process in processes():
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    assert repr(rows(drawn, names)) == repr(before)


def test_nothing_is_computed_any_more_once_it_is_stopped(drawn: Any) -> None:
    there = workers.workers()
    assert there is not None
    waiting = [there.submit(time.sleep, 60) for _ in range(3)]
    while len(there._processes) < 2:
        time.sleep(0.01)
    start = time.monotonic()
    with workers.stopped():
        for one in waiting:
            with pytest.raises(CancelledError):
                one.result(10)
        with pytest.raises(CancelledError):
            parts(duckdb.connect()).add(drawn, "one", 1)
    assert time.monotonic() - start < 10
    assert all(process.poll() is not None for process in there._processes)
    assert rows(drawn, ["one"])  # what comes later is computed


def test_few_calls_wait_and_whoever_waits_to_ask_is_told_of_the_end() -> None:
    there = workers.workers()
    assert there is not None
    with ThreadPoolExecutor(1) as other:
        asking = other.submit(lambda: [there.submit(time.sleep, 60) for _ in range(9)])
        deadline = time.monotonic() + 10
        while there._room._value and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.3)
        assert not asking.done() and there._threads._work_queue.qsize() <= workers.WAITING
        workers.end_workers()
        with pytest.raises(CancelledError):
            asking.result(10)


def test_a_worker_that_starts_as_all_end_ends_too() -> None:
    there = workers.workers()
    assert there is not None
    there._is_ended = True  # as `end` says first, and then it kills those that it knows
    with pytest.raises(CancelledError):
        there.submit(time.sleep, 60).result(10)
    assert there._processes[0].wait(10) == -signal.SIGKILL


def test_workers_end_with_the_process_that_asks_them() -> None:
    """Killed, it can tell them nothing."""
    asking = (
        "import time; from ingest.inference import workers as w; w._n_processors = lambda: 2;"
        " there = w.workers(); there.submit(len, 'a').result();"
        " print(there._processes[0].pid, flush=True); time.sleep(60)"
    )
    process = subprocess.Popen([sys.executable, "-c", asking], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    pid = int(process.stdout.readline())
    process.kill()
    process.wait()
    process.stdout.close()
    assert has_ended(pid)


def test_workers_see_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "a-key-of-somebody")
    there = workers.workers()
    assert there is not None
    seen = [there.submit(os.getenv, name).result() for name in ("OPENAI_API_KEY", "OPENBLAS_NUM_THREADS")]
    assert seen == [None, "1"]


def test_with_one_processor_nobody_helps(drawn: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_n_processors", lambda: 1)
    assert workers.workers() is None and len(rows(drawn, ["one", "two", "three"])) == 3
