"""Small fixtures that the tests of several stages share: a tiny suite, its files, what the tables hold."""

import gc
import os
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tiny import TINY_SUITE, Record, all_rows, csv_text

from ingest import store
from ingest.cli import cli
from ingest.store import RAW_NAME, Store
from ingest.store.opening import kept_open

# Servers of the tests are on this machine; what an unnamed host gets is what test_reach.py looks at.
os.environ.setdefault(
    "PLUMBLINE_ALLOW_HOST", "127.0.0.1 localhost example.org inside.example.org api.example.com"
)

# Small matrices, many times: threads that wait for one another take nine times as long as one.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# What a shell runs in the background ignores Ctrl-C, and so would what the tests start or raise.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# dbt and its project are a million objects; to look for garbage among them takes a third of all tests' time.
gc.set_threshold(100_000, 50, 50)


def pytest_collection_finish() -> None:
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def new_stores_are_copies(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """To make sixty tables takes 30 ms: Store makes them once, and each new store here begins as a copy.

    One thread reads its statements, as in a build of marts: for so few rows a second one is kept busy by
    waiting alone. In a process that a test starts, Store makes its tables itself, and has all threads.
    """
    folder, process, open_database = tmp_path_factory.mktemp("store"), os.getpid(), store.open_database
    with Store(folder):
        pass
    new = (folder / RAW_NAME).read_bytes()

    def begun(path: Path, read_only: bool, config: Mapping[str, Any], *rest: Any) -> Any:
        if os.getpid() != process:
            return open_database(path, read_only, config, *rest)
        if not read_only:
            with suppress(OSError), path.open("xb") as file:  # it is there, or DuckDB will say
                file.write(new)
        return open_database(path, read_only, {"threads": 1, **config}, *rest)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "open_database", begun)
        yield


@pytest.fixture
def stays_open() -> Iterator[None]:
    """Have raw tables stay open for a test, as an audit has: to open and close them takes 80 ms.

    It is for tests of what is asked of servers, and how. Whether a reader writes nothing, and what lies on
    the disk in between, such a test does not see.
    """
    with kept_open():
        yield


@pytest.fixture
def tiny_suite() -> Path:
    return TINY_SUITE


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Where the databases of one test are."""
    return tmp_path / "data"


@pytest.fixture
def load(data: Path, tiny_suite: Path) -> Callable[..., Result]:
    """Run `plumbline load` on a file, with the tiny suite unless told otherwise."""

    def run(path: Path, *options: str, suite: Path = tiny_suite) -> Result:
        arguments = ["--data", str(data), "load", str(path), "--suite", str(suite), *options]
        return CliRunner().invoke(cli, arguments)

    return run


@pytest.fixture
def load_records(load: Callable[..., Result], tmp_path: Path) -> Callable[..., Result]:
    """Write records to a CSV file and load it."""

    def run(records: list[Record], *options: str, name: str = "answers.csv", **more: Any) -> Result:
        path = tmp_path / name
        path.write_text(csv_text(records), encoding="utf-8", newline="")
        return load(path, *options, **more)

    return run


@pytest.fixture
def query(data: Path) -> Callable[..., list[tuple[Any, ...]]]:
    """Ask the raw tables something."""

    def run(sql: str, *parameters: Any) -> list[tuple[Any, ...]]:
        with Store(data, read_only=True) as store:
            return store.rows(sql, parameters)

    return run


@pytest.fixture
def fingerprint(data: Path) -> Callable[[], dict[str, list[str]]]:
    """All rows of all raw tables (see `tiny.all_rows`)."""

    def run() -> dict[str, list[str]]:
        with Store(data, read_only=True) as store:
            return all_rows(store)

    return run
