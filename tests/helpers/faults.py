"""Failures at a chosen write of a stage, each in a process of its own.

A write is a file operation of Python's (`os.write`, `os.ftruncate`, `os.fsync`, `os.replace`, an `open` for
writing) or a statement that DuckDB runs on a database file. With a size no file of the process grows beyond
it, so DuckDB's own writes fail, too, as on a full disk: in the middle, where the system stops them.
"""

import builtins
import errno
import os
import resource
import signal
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
from click.testing import CliRunner

from ingest.cli import cli
from ingest.store import opening

FILE_WRITES = ("write", "ftruncate", "fsync", "replace")
KILLED = (-signal.SIGKILL, -signal.SIGABRT)  # DuckDB aborts where it cannot write a checkpoint
READS = ("select", "from", "with", "pragma", "describe", "show")


class Fault:
    """What happens at the write of this number, from 1; at 0 nothing does, and writes are counted."""

    def __init__(self, kind: str, at: int) -> None:
        self.kind, self.at, self.n = kind, at, 0

    def met(self) -> bool:
        self.n += 1
        if self.n == self.at and self.kind == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        return self.n == self.at


class Connection:
    """A connection whose statements are counted; a statement that fails is not run."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, fault: Fault) -> None:
        self._connection, self._fault = connection, fault

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def __enter__(self) -> "Connection":
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def cursor(self) -> "Connection":
        return Connection(self._connection.cursor(), self._fault)

    def execute(self, sql: str, *parameters: Any) -> Any:
        if not sql.lstrip().lower().startswith(READS) and self._fault.met():
            raise duckdb.IOException("IO Error: Could not write file: No space left on device")
        return self._connection.execute(sql, *parameters)


def inject(fault: Fault) -> None:
    """Have this process fail as it says. There is no way back: call it in a child."""
    for name in FILE_WRITES:
        setattr(os, name, _failing(getattr(os, name), name, fault))
    original = builtins.open

    def opened(file: Any, mode: str = "r", *arguments: Any, **options: Any) -> Any:
        if set(mode) & set("wxa+") and fault.met():
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(file))
        return original(file, mode, *arguments, **options)

    builtins.open = opened  # type: ignore[assignment]
    connect = opening.duckdb.connect

    def connected(*arguments: Any, **options: Any) -> Any:
        return Connection(connect(*arguments, **options), fault)

    opening.duckdb.connect = connected  # type: ignore[assignment]


def _failing(function: Callable[..., Any], name: str, fault: Fault) -> Callable[..., Any]:
    def call(*arguments: Any, **options: Any) -> Any:
        if not fault.met():
            return function(*arguments, **options)
        if name == "write" and fault.kind == "short":
            half = len(arguments[1]) // 2
            function(arguments[0], arguments[1][:half])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    return call


class Ended:
    """How a stage in a child ended: its exit code or minus its signal, what it said, how often it wrote."""

    def __init__(self, code: int, said: str, n_writes: int) -> None:
        self.code, self.said, self.n_writes = code, said, n_writes


def run(arguments: list[str], folder: Path, kind: str = "none", at: int = 0, size: int = 0) -> Ended:
    """Run a command in a child of this process, with a fault at a write or no file beyond a size."""
    said, counted = folder / "said.txt", folder / "writes.txt"
    for path in (said, counted):
        path.unlink(missing_ok=True)
    child = os.fork()
    if child == 0:
        code = 99
        try:
            code = _child(arguments, said, counted, Fault(kind, at), size)
        except BaseException:
            said.write_text(traceback.format_exc())
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    n_writes = int(counted.read_text()) if counted.exists() else 0
    return Ended(os.waitstatus_to_exitcode(status), said.read_text() if said.exists() else "", n_writes)


def _child(arguments: list[str], said: Path, counted: Path, fault: Fault, size: int) -> int:
    write, close, opened = os.write, os.close, os.open
    if size:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    else:
        inject(fault)
    result = CliRunner().invoke(cli, arguments)
    for path, text in ((said, result.output), (counted, str(fault.n))):
        place = opened(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        write(place, text.encode("utf-8", "replace")[-4_000:])
        close(place)
    return 98 if result.exception and not isinstance(result.exception, SystemExit) else result.exit_code
