"""Where the project lies, and which dbt project is built."""

import hashlib
import os
import stat
from collections.abc import Iterator, Set
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from io import BufferedReader
from pathlib import Path

from ingest.errors import PlumblineError, shown

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

PACKAGED = Path(__file__).resolve().parent / "_project"  # where a wheel holds what a clone has at its root
IS_PACKAGED = PACKAGED.is_dir()
PROJECT = PACKAGED if IS_PACKAGED else PACKAGED.parent.parent
PROJECT_VARIABLE = "PLUMBLINE_PROJECT"  # PROJECT, for the packages.yml that `plumbline init DIR` writes


def dbt_project() -> Path:
    """Return the folder of the dbt project that is built: the working folder's own, or PROJECT.

    The working folder has its own where its packages.yml imports Plumbline by PROJECT_VARIABLE.
    """
    here = Path.cwd()
    packages = here / "packages.yml"
    # As bytes: it may be another tool's, in whatever encoding.
    if packages.is_file() and PROJECT_VARIABLE.encode() in packages.read_bytes():
        return here
    return PROJECT


def beside_suite(folder: Path, name: str, what: str) -> Path:
    """Return where a file that a suite names lies. Raises PlumblineError outside the suite's folder."""
    path = (folder / name.replace("\0", "")).resolve()
    if "\0" in name or not path.is_relative_to(folder.resolve()):
        raise PlumblineError(f"{what} {name!r} lies outside the suite's folder.", "Put it beside the suite.")
    return path


@contextmanager
def reading(path: Path, what_to_do: str = "Name another file.") -> Iterator[BufferedReader]:
    """Open a file that somebody named; a pipe or a device, which may never end, is none.

    Raises PlumblineError where it is not there, is no regular file, or cannot be read.
    """
    try:
        # Without O_NONBLOCK the opening of a pipe waits for whoever writes to it.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except FileNotFoundError as error:
        raise PlumblineError(f"{shown(path)} does not exist.", what_to_do) from error
    except (OSError, ValueError) as error:  # ValueError: the name holds a NUL
        problem = getattr(error, "strerror", None) or error
        raise PlumblineError(f"{shown(path)} cannot be read: {problem}.", what_to_do) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise PlumblineError(f"{shown(path)} is a folder, a pipe or a device, not a file.", what_to_do)
    with os.fdopen(descriptor, "rb") as file:
        yield file


def regular_bytes(path: Path, most: int, what_to_do: str = "Name another file.") -> bytes:
    """Return what a file holds. Raises PlumblineError as `reading` does, and above `most` bytes."""
    with reading(path, what_to_do) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise PlumblineError(f"{shown(path)} has more than {most:,} bytes.", what_to_do)
    return content


@contextmanager
def alone(folder: Path, what: str) -> Iterator[None]:
    """Keep a folder to this process. Raises PlumblineError where another has it."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        if fcntl is not None:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise PlumblineError(f"{what} at work in {shown(folder)}.", "Wait for its end.") from error
        yield


def hold(folder: Path, what: str) -> None:
    """Keep a folder to this process until it ends. Raises PlumblineError where another has it."""
    held = alone(folder, what)
    held.__enter__()
    _HELD.append(held)


_HELD: list[AbstractContextManager[None]] = []


def file_sha256(path: Path, what_to_do: str = "Name another file.") -> str:
    """Return the SHA-256 of a file's content. Raises PlumblineError as `reading` does."""
    with reading(path, what_to_do) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def files_below(folder: Path, suffixes: Set[str]) -> list[Path]:
    """Return the files of a folder and of its folders that end so; none where there is no such folder."""
    return [
        Path(place, name)
        for place, _, names in os.walk(folder)
        for name in names
        if os.path.splitext(name)[1] in suffixes
    ]


def known_sha256(path: Path) -> str:
    """Return the SHA-256 of a file of the project's own, which is read again only once it has changed."""
    found = path.stat()
    return _sha256_once(path.absolute(), found.st_size, found.st_mtime_ns)


@cache
def _sha256_once(path: Path, size: int, modified_ns: int) -> str:
    return file_sha256(path)
