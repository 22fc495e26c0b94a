"""The edge: whatever is named and whatever goes wrong, a user reads one line that says what to do."""

import errno
import os
import re
import signal
import threading
import zlib
from collections.abc import Callable
from pathlib import Path

import click
import duckdb
import httpx
import pyarrow as pa
import pytest
import yaml
from click.testing import CliRunner, Result
from tiny import TINY_SUITE, all_rows, csv_text, record

from ingest.cli import cli
from ingest.compare import earlier_marts
from ingest.edge import OneLine
from ingest.errors import LONGEST, PlumblineError
from ingest.store import RAW_NAME, Store

SECRET = "Siti lives at 4 Jalan Besar"
KEY = "sk-proj-" + "A1b2C3d4" * 5


def line_of(result: Result) -> str:
    """Return the one line of a command that stopped."""
    assert result.exit_code == 1, result.output
    assert isinstance(result.exception, SystemExit), result.exception
    (line,) = result.stderr.splitlines()
    assert line.startswith("Error: ") and line.isprintable() and len(line) <= LONGEST, line
    return line


def failing(fail: Callable[[], object], folder: Path) -> str:
    """Return the line with which a command ends whose code does this."""

    @click.group(cls=OneLine)
    @click.pass_context
    def group(context: click.Context) -> None:
        context.obj = folder

    @group.command()
    def work() -> None:
        fail()

    return line_of(CliRunner().invoke(group, ["work"]))


def throw(error: BaseException) -> Callable[[], object]:
    def fail() -> None:
        raise error

    return fail


def recurse() -> object:
    return recurse()


FAILURES = {
    "disk full": (throw(OSError(errno.ENOSPC, "No space left on device", "x")), "The disk is full: x"),
    "disk quota": (throw(OSError(errno.EDQUOT, "Disk quota exceeded", "x")), "The disk is full"),
    "limit on a file": (throw(OSError(errno.EFBIG, "File too large")), "`ulimit -f unlimited`"),
    "disk full in DuckDB": (
        throw(duckdb.IOException("Could not write file: No space left on device")),
        "The disk is full",
    ),
    # Marts of a read-only folder are exported elsewhere: another --data has none.
    "read-only disk": (
        throw(OSError(errno.EROFS, "Read-only file system", "x")),
        "cannot be written to: x: Read-only file system. Name another place to write to",
    ),
    "no right": (throw(PermissionError(errno.EACCES, "Permission denied", "x")), "does not allow it: x"),
    "other trouble": (lambda: os.rmdir("/proc"), "/proc"),
    "too many files": (throw(OSError(errno.EMFILE, "Too many open files")), "ulimit -n"),
    "memory": (throw(MemoryError()), "not enough memory"),
    "memory of DuckDB": (
        lambda: duckdb.connect(config={"memory_limit": "1MB"}).sql("from range(9000000) order by 1").df(),
        "PLUMBLINE_MEMORY",
    ),
    "memory of DuckDB in a commit": (
        throw(duckdb.TransactionException("Failed to commit: failed to pin block of size 256.0 KiB")),
        "PLUMBLINE_MEMORY",
    ),
    "recursion": (recurse, "nested too deep"),
    "text that is none": (lambda: b"\xff".decode(), "no valid Unicode"),
    "pattern that is none": (lambda: re.compile("("), "Correct it in the suite"),
    "packed, and damaged": (lambda: zlib.decompress(b"x"), "compressed is damaged"),
    "no YAML": (lambda: yaml.safe_load("["), "no YAML"),
    "DuckDB": (lambda: duckdb.sql("from nosuch"), "nosuch"),
    "DuckDB, a value": (lambda: duckdb.sql(f"select '{KEY}'::int").fetchall(), "DuckDB does not do it"),
    "Arrow": (lambda: pa.array(["x"]).cast(pa.int8()), "Write its file again"),
    "a server": (lambda: httpx.get("http://127.0.0.1:9"), "Is it the server that you mean?"),
    "an address": (lambda: httpx.get("http://127.0.0.1:x"), "Correct it in the suite"),
    "exit": (throw(SystemExit(0)), "Code that is not ours ended the run"),
    "exit with a word": (throw(SystemExit("done")), "ended the run: done."),
    "long": (throw(OSError(errno.EIO, "Input/output error", "x" * 5_000)), "Input/output error"),
    "escapes": (throw(OSError(errno.EIO, "Input/output error", "\x1b[2J\nx")), r"\x1b[2J"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAILURES)
def test_what_the_outside_does_is_one_line(name, tmp_path):
    fail, expected = FAILURES[name]
    line = failing(fail, tmp_path)
    assert expected in line and KEY not in line
    assert "mistake" not in line and list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "error", [KeyError(SECRET), AssertionError(f"{SECRET} {KEY}"), TypeError(SECRET), IndexError(SECRET)]
)
def test_a_mistake_of_ours_says_so_and_its_report_holds_no_texts(tmp_path, error):
    def raises() -> None:
        try:
            raise ValueError(SECRET)
        except ValueError:
            raise error  # noqa: B904

    line = failing(raises, tmp_path)
    (path,) = tmp_path.iterdir()
    assert f"a mistake in Plumbline: {type(error).__name__} in test_edge.py" in line
    assert "holds no texts and no keys" in line
    report = path.read_text("utf-8")
    assert f"builtins.{type(error).__name__}" in report and "builtins.ValueError" in report
    assert "in raises" in report
    for word in (SECRET, KEY, str(Path.home()), str(tmp_path)):
        assert word not in line.replace(path.name, "") or word == str(tmp_path)
        assert word not in report


def test_what_a_user_did_and_what_a_command_says_itself_stay_as_they_are(tmp_path):
    for error, code in ((PlumblineError("No.", "Do."), 1), (click.UsageError("x"), 2), (click.Abort(), 1)):

        @click.group(cls=OneLine)
        def group(error: Exception = error) -> None:
            raise error

        group.command("work")(lambda: None)
        result = CliRunner().invoke(group, ["work"])
        assert result.exit_code == code and "mistake" not in result.stderr


# ------------------------------------------------------------------------------------------ files


def pipe(path: Path) -> None:
    os.mkfifo(path)


def folder(path: Path) -> None:
    path.mkdir()


def circle(path: Path) -> None:
    path.symlink_to(path.name)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def nowhere(path: Path) -> None:
    path.symlink_to(path.parent / "nosuch")


NO_FILES = (pipe, folder, circle, device, nowhere)


@pytest.fixture
def stored(load_records) -> None:
    assert load_records([record(1)]).exit_code == 0


# What is named, and by which command; {} is the thing that is no file.
NAMED: dict[str, tuple[str, ...]] = {
    "answers": ("load", "{}", "--suite", str(TINY_SUITE)),
    "suite of load": ("load", "answers.csv", "--suite", "{}"),
    "suite of audit": ("audit", "{}", "--no-site"),
    "suite of plan": ("plan", "{}"),
    "suite of generate": ("generate", "--suite", "{}"),
    "suite of extract": ("extract", "--suite", "{}"),
    "suite of assemble": ("assemble", "--suite", "{}"),
    "suite of scrape": ("scrape", "--suite", "{}"),
    "answers of audit": ("audit", str(TINY_SUITE), "--responses", "{}"),
}


@pytest.mark.parametrize("name", NAMED)
def test_what_is_no_file_is_not_waited_for(name, tmp_path, data, stored):
    (tmp_path / "answers.csv").write_text(csv_text([record(2)]))
    with Store(data, read_only=True) as store:
        before = all_rows(store)
    for make in NO_FILES:
        place = tmp_path / f"{make.__name__}.csv"
        make(place)
        arguments = [word.replace("{}", str(place)) for word in NAMED[name]]
        arguments = [str(tmp_path / word) if word == "answers.csv" else word for word in arguments]
        assert place.name in line_of(CliRunner().invoke(cli, ["--data", str(data), *arguments]))
    with Store(data, read_only=True) as store:
        assert all_rows(store) == before


@pytest.mark.parametrize("make", NO_FILES)
@pytest.mark.parametrize("database", [RAW_NAME, "audit.duckdb"])
def test_what_is_no_database_is_not_waited_for(make, database, tmp_path):
    make(tmp_path / database)
    command = ["status"] if database == RAW_NAME else ["gate"]
    assert database in line_of(CliRunner().invoke(cli, ["--data", str(tmp_path), *command]))


@pytest.mark.parametrize("make", NO_FILES)
def test_an_earlier_run_is_not_waited_for(make, tmp_path):
    make(tmp_path / "earlier.duckdb")
    with pytest.raises(PlumblineError, match=r"earlier\.duckdb"), earlier_marts(tmp_path / "earlier.duckdb"):
        pass


@pytest.mark.parametrize(
    "content",
    [b"no database", b"SQLite format 3\0" * 20, b"\0" * 5_000, b"lock " * 1_000],
    ids=["text", "SQLite", "zeros", "the word lock"],
)
def test_another_file_is_no_database(content, tmp_path):
    (tmp_path / RAW_NAME).write_bytes(content)
    for command in (["status"], ["load", str(tmp_path / RAW_NAME), "--suite", str(TINY_SUITE)]):
        line = line_of(CliRunner().invoke(cli, ["--data", str(tmp_path), *command]))
        assert "another process" not in line
    assert (tmp_path / RAW_NAME).read_bytes() == content


@pytest.mark.parametrize("at", [8, 40, 4_096, 8_192, 12_300, -20_000])
def test_a_damaged_database_is_no_open_one(at, data, stored, load_records):
    path = data / RAW_NAME
    content = bytearray(path.read_bytes())
    for i in range(at, at + 16):
        content[i] ^= 0xFF
    path.write_bytes(content)
    for result in (CliRunner().invoke(cli, ["--data", str(data), "status"]), load_records([record(3)])):
        if result.exit_code != 0:  # not every page is read by each command
            assert "another process" not in line_of(result)


@pytest.mark.parametrize("place", ["x" * 300 + ".csv", "a/" * 2_500 + "x.csv"])
def test_a_name_that_no_file_can_have(place, data, load, tmp_path):
    line = line_of(load(tmp_path / place))
    assert "cannot be read" in line and line.endswith("so save it to disk first.")
    assert not (data / RAW_NAME).exists()


@pytest.mark.parametrize("make", [pipe, device, circle])
def test_data_that_is_no_folder(make, tmp_path, load_records):
    make(tmp_path / "data")
    assert "data" in line_of(load_records([record(1)]))


@pytest.mark.parametrize("limit", ["1MB", "3 parsecs", "much"])
def test_a_memory_limit_that_is_too_small_or_none(limit, monkeypatch, load_records):
    monkeypatch.setenv("PLUMBLINE_MEMORY", limit)
    assert "PLUMBLINE_MEMORY" in line_of(load_records([record(n) for n in range(1, 50)]))


def test_a_mistake_whose_report_cannot_be_written_is_said_all_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path / "nosuch"))
    line = failing(throw(KeyError(SECRET)), tmp_path / "nosuch")
    assert line.endswith("Please report it.") and SECRET not in line


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("not supported.", "not supported."),
        ("the labels are no | ?", "the labels are no | ?."),
        ("and so on...", "and so on...."),
        ("nothing", "nothing."),
    ],
)
def test_what_a_server_said_ends_once(said, shown):
    assert PlumblineError(f"It failed: {said}.", "Do.").message == f"It failed: {shown} Do."


def test_ctrl_c_during_a_query_is_no_mistake_of_ours(tmp_path):
    @click.group(cls=OneLine)
    @click.pass_context
    def group(context: click.Context) -> None:
        context.obj = tmp_path

    @group.command()
    def work() -> None:
        with Store(tmp_path) as store, store.run("work", {}):
            threading.Timer(0.3, signal.raise_signal, [signal.SIGINT]).start()
            store.value(
                "select count(*) from range(1000000) as a, range(3000) as b where (a.range + b.range) = 3"
            )

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        result = CliRunner().invoke(group, ["work"])
    finally:
        signal.signal(signal.SIGINT, before)
    assert result.exit_code == 1 and result.stderr.strip() == "Aborted!", result.output
    assert not list(tmp_path.glob("plumbline-mistake*"))
    with Store(tmp_path, read_only=True) as store:
        assert store.rows("select run_status from runs") == [("interrupted",)]
