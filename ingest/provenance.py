"""Which build makes the marts: Plumbline's version, the commit of its checkout, and a hash of what computes.

`dim_builds` reads it from the environment, so dbt alone, without Plumbline's command, leaves it open.
"""

import json
import os
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ingest import __version__
from ingest.keys import key
from ingest.paths import IS_PACKAGED, PROJECT, dbt_project, files_below, known_sha256

VARIABLE = "PLUMBLINE_BUILD"
COMPUTES = ("models", "macros", "seeds", "dbt_project.yml")
SUFFIXES = {".sql", ".py", ".yml", ".csv"}
# What models do, what other tools count: no number changes.
SAID_BESIDE = ("_unit_tests__", "_semantic_models")
INFERENCE = Path(__file__).parent / "inference"
COMMITTED = ("ingest", *COMPUTES, "pyproject.toml", "uv.lock")
SECONDS = 10  # for git to answer


class Commit(NamedTuple):
    """A commit, and whether files differ from it."""

    commit_id: str
    is_dirty: bool

    def __str__(self) -> str:
        return f"{self.commit_id}, changed" if self.is_dirty else self.commit_id


def build_said() -> str:
    """Return what is known of a build that begins now, as JSON: what `dim_builds` writes down."""
    commit = commit_of(PROJECT)
    said: dict[str, Any] = {"plumbline_version": __version__, "build_hash": build_hash()}
    if commit is not None:
        said |= commit._asdict()
    return json.dumps(said, sort_keys=True)


def build_hash() -> str:
    """Return a hash of models, macros, seeds and the code of Python models: of names and contents alone."""
    folders = dict.fromkeys((PROJECT, dbt_project()))
    files = [(file.relative_to(folder), file) for folder in folders for file in _computing(folder)]
    files += [(file.relative_to(INFERENCE.parent), file) for file in INFERENCE.rglob("*.py")]
    return key("build", sorted((name.as_posix(), known_sha256(file)) for name, file in files))


def _computing(folder: Path) -> Iterator[Path]:
    for part in COMPUTES:
        place = folder / part
        for file in [place] if place.is_file() else files_below(place, SUFFIXES):
            if file.is_file() and not file.name.startswith(SAID_BESIDE):
                yield file


@cache
def commit_of(folder: Path) -> Commit | None:
    """Return the commit that is checked out at the top of `folder`; None for a wheel, or without git."""
    if IS_PACKAGED or not (folder / ".git").exists():
        return None
    found = _git(folder, "rev-parse", "HEAD")
    changes = _git(folder, "status", "--porcelain", "--", *COMMITTED)
    return None if not found or changes is None else Commit(found, bool(changes))


def _git(folder: Path, *arguments: str) -> str | None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            env=environment | {"GIT_OPTIONAL_LOCKS": "0"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
