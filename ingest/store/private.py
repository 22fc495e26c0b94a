"""Texts on the disk: this user's alone, none that a killed process leaves, and room for them."""

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ingest.errors import PlumblineError, shown

SCRATCH = "plumbline-"
OTHERS = 0o077  # what group and others may not do


@contextmanager
def private() -> Iterator[None]:
    """Have files that are made inside readable by this user alone."""
    before = os.umask(OTHERS)
    try:
        yield
    finally:
        os.umask(before)


def sweep(database: Path) -> None:
    """Remove what DuckDB had put beside a database when it was killed; nobody else may have it open."""
    shutil.rmtree(f"{database}.tmp", ignore_errors=True)


def check_room(folder: Path, needed: int) -> None:
    """Raise PlumblineError where the disk of a folder has fewer than `needed` MB left."""
    left = shutil.disk_usage(folder).free >> 20
    if left < needed:
        raise PlumblineError(
            f"The disk of {shown(folder)} is full: {left:,} MB are left, {needed:,} are needed.",
            "Make room, or choose another --data; then the same command goes on.",
        )


@contextmanager
def scratch() -> Iterator[Path]:
    """Make a folder that goes with the block. Those of processes that were killed go, too."""
    place = Path(tempfile.gettempdir())
    for left in place.glob(f"{SCRATCH}[0-9]*-*"):
        process = re.match(rf"{SCRATCH}([0-9]{{1,9}})-", left.name)
        if process and not _is_running(int(process[1])):
            shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=f"{SCRATCH}{os.getpid()}-") as folder:
        yield Path(folder)


def _is_running(process: int) -> bool:
    with suppress(PermissionError):  # somebody else's
        try:
            os.kill(process, 0)
        except (ProcessLookupError, OverflowError):
            return False
    return True
