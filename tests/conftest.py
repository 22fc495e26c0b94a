"""Small fixtures that the tests of several stages share: a tiny suite, its files, what the tables hold."""

import gc
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tiny import TINY_SUITE, Record, all_rows, csv_text

from ingest.cli import cli
from ingest.store import Store

# Servers of the tests are on this machine; what an unnamed host gets is what test_reach.py looks at.
os.environ.setdefault(
    "PLUMBLINE_ALLOW_HOST", "127.0.0.1 localhost example.org inside.example.org api.example.com"
)


# dbt and its project are a million objects; to look for garbage among them takes a third of all tests' time.
gc.set_threshold(100_000, 50, 50)


def pytest_collection_finish() -> None:
    gc.freeze()


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
