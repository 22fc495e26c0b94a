"""The edge of the command line: whatever an error is, a user meets it as one line."""

import errno
import os
import platform
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from ingest import __version__
from ingest.errors import SHOWN, PlumblineError, cut, in_one_line, is_ctrl_c, shown
from ingest.redaction import without_secrets

TRACEBACKS = "PLUMBLINE_TRACEBACK"  # set it, and errors of code are shown as Python shows them

# What a library raises, by class, and for the system's own errors by number: what it means, and what to do.
# A class that is not here stands for a mistake of ours.
OUTSIDE: dict[str | int, tuple[str, str]] = {
    errno.ENOSPC: ("The disk is full", "Make room, or choose another --data; then run the command again."),
    errno.EDQUOT: ("The disk is full", "Make room, or choose another --data; then run the command again."),
    errno.EFBIG: (
        "A file may not grow as large as it has to",
        "Raise the limit (`ulimit -f unlimited`), or choose another --data; then run the command again.",
    ),
    errno.EROFS: ("The disk cannot be written to", "Name another place to write to, or another --data."),
    errno.EACCES: ("The system does not allow it", "Give yourself the right, or name another place."),
    errno.EPERM: ("The system does not allow it", "Give yourself the right, or name another place."),
    errno.EMFILE: ("Too many files are open", "Allow more: `ulimit -n 4096`."),
    errno.ENOMEM: ("There is not enough memory", "Close other programs, or bring in less at a time."),
    "OSError": ("The system does not do it", "Is the file or the place the one that you mean?"),
    "MemoryError": ("There is not enough memory", "Close other programs, or bring in less at a time."),
    "RecursionError": ("Something is nested too deep to be read", "Is it the file that you mean?"),
    "UnicodeError": ("A text is no valid Unicode", "Save the file as UTF-8."),
    "re.error": ("A pattern is none", "Correct it in the suite."),
    "zlib.error": ("Something compressed is damaged", "Write the file again."),
    "yaml.error.YAMLError": ("A file is no YAML", "Mend it there."),
    "json.decoder.JSONDecodeError": ("A file is no JSON", "Write it again."),
    "subprocess.SubprocessError": ("Another program did not do its part", "Run the command again."),
    "SystemExit": (
        "Code that is not ours ended the run",
        "Take `exit` out of the scorer, the backend or the plug-in.",
    ),
    "_duckdb.OutOfMemoryException": (
        "DuckDB needs more memory than it may take",
        "Set PLUMBLINE_MEMORY to more, such as 8GB, or make room for its temporary files.",
    ),
    "_duckdb.FatalException": (
        "A database is damaged",
        "Take it from a copy, or bring the answers in again in another --data.",
    ),
    "_duckdb.InternalException": (
        "A database is damaged",
        "Take it from a copy, or bring the answers in again in another --data.",
    ),
    "_duckdb.SerializationException": (
        "A database is damaged",
        "Take it from a copy, or bring the answers in again in another --data.",
    ),
    "_duckdb.Error": ("DuckDB does not do it", "Is it the database, or the file, that you mean?"),
    "pyarrow.lib.ArrowException": ("A table cannot be read", "Write its file again."),
    "safetensors_rust.SafetensorError": ("A model's weights cannot be read", "Fetch the model again."),
    "httpx.HTTPError": ("A server does not answer as it should", "Is it the server that you mean?"),
    "httpx.InvalidURL": ("An address is none", "Correct it in the suite."),
}


class OneLine(click.Group):
    """A group of commands in which every error is one line: what happened, and what to do."""

    def invoke(self, context: click.Context) -> Any:
        """Run the command that was named. Raises PlumblineError in the place of what libraries raise."""
        try:
            return super().invoke(context)
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise
        except (Exception, SystemExit) as error:
            if os.environ.get(TRACEBACKS):
                raise
            if is_ctrl_c(error):
                raise KeyboardInterrupt from error
            data = context.obj if isinstance(context.obj, Path) else None
            raise one_line(error, data) from error


def one_line(error: BaseException, data: Path | None = None) -> PlumblineError:
    """Return an error as a user can take it: of the outside as OUTSIDE has it, else as a mistake of ours.

    Of a mistake of ours a report is written, into the folder of the data where there is one.
    """
    for name in _names(error):
        if name in OUTSIDE:
            meaning, remedy = OUTSIDE[name]
            said = cut(in_one_line(_said(error)), SHOWN)
            return PlumblineError(f"{meaning}: {said}." if said else f"{meaning}.", remedy)
    frame = traceback.extract_tb(error.__traceback__)[-1]
    what = f"This is a mistake in Plumbline: {type(error).__name__} in {Path(frame.filename).name}"
    path = _write_report(error, data)
    return PlumblineError(
        f"{what}, line {frame.lineno}.",
        f"Please report it with {path}, which holds no texts and no keys." if path else "Please report it.",
    )


def _names(error: BaseException) -> Iterator[str | int]:
    if isinstance(error, OSError) and error.errno is not None:
        yield error.errno
    if "No space left on device" in str(error):  # DuckDB's own words
        yield errno.ENOSPC
    if "failed to pin block" in str(error):  # of a commit, which is an error of another class
        yield "_duckdb.OutOfMemoryException"
    for kind in type(error).__mro__:
        yield kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


def _said(error: BaseException) -> str:
    """Return what the error says, without keys; of a file, its name first."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{shown(os.fsdecode(error.filename))}: {error.strerror}"
    if isinstance(error, UnicodeError):
        return ""  # it would show the text
    return str(without_secrets(str(error))).rstrip(". ")


def _write_report(error: BaseException, data: Path | None) -> Path | None:
    """Write where in the code an error arose, and nothing of what it was about; return the file, if any."""
    now = datetime.now(UTC)
    versions = f"plumbline {__version__}, Python {platform.python_version()}, {platform.system()}"
    lines = [f"{versions}, {now:%Y-%m-%d}"]
    link: BaseException | None = error
    while link is not None:
        lines.append(f"{type(link).__module__}.{type(link).__name__}")
        lines += [
            f"  {_place(frame.filename)}, line {frame.lineno}, in {frame.name}"
            for frame in traceback.extract_tb(link.__traceback__)
        ]
        link = link.__cause__ or link.__context__
    for folder in (data, Path(tempfile.gettempdir())):
        path = (folder or Path()) / f"plumbline-mistake-{now:%Y%m%d-%H%M%S}.txt"
        with suppress(OSError):
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")
            return path
    return None


def _place(file: str) -> str:
    """Return a file of code without the folders of this machine."""
    for folder in sorted(sys.path, key=len, reverse=True):
        if folder and file.startswith(folder):
            return file[len(folder) :].lstrip("/\\")
    return Path(file).name
