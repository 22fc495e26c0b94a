"""Fetch SAGED's diagnoser, which is no part of this repository, and an environment that it runs in.

From its repository at the commit that the parity tests' reference figures were made with; where that cannot
be reached, from the wheel on the package index, an older interface of the same code. Both are kept in the
cache folder.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZipFile

REPOSITORY = "https://github.com/holistic-ai/SAGED-Bias.git"
COMMIT = "882c414"
WHEEL = "sagedbias==0.0.13"
WHEEL_SHA256 = "dd59a2840f21cc742c33b920cd668a223cccab1bb4c549f8065ae0954da02d66"
# What the diagnoser imports, as its wheel allows, and pyarrow to read the table. The package itself also asks
# for torch, spaCy and transformers, which other stages of it use.
NEEDS = (
    "numpy==1.26.4", "pandas==2.3.3", "scipy==1.17.1", "tqdm==4.70.1", "plotly==6.1.2", "pyarrow==21.0.0",
)  # fmt: skip
SECONDS_TO_CLONE = 300
SECONDS_TO_INSTALL = 900


class PeerMissingError(Exception):
    """The peer cannot be had here; the message says why, in one line."""


@dataclass(frozen=True)
class Peer:
    """Where the diagnoser is, the Python it runs in, and words for what it is."""

    folder: Path
    python: Path
    what: str
    versions: str


def fetch(cache: Path, checkout: Path | None) -> Peer:
    """Return the peer: from `checkout` where given, else fetched into `cache` once.

    Raises PeerMissingError where it, or what it imports, cannot be had.
    """
    if checkout is not None and not (checkout / "saged" / "_diagnoser.py").exists():
        raise PeerMissingError(f"{checkout} holds no saged/_diagnoser.py")
    python = environment(cache / "saged-env", NEEDS)
    if checkout is not None:
        folder, what = checkout, f"a checkout, {_revision(checkout)}"
    else:
        folder, what = _repository_or_wheel(cache, python)
    needs = ", ".join(need.replace("==", " ") for need in NEEDS[:3])
    release = _run([python, "-c", "import platform; print(platform.python_version())"], 60).strip()
    return Peer(folder, python, what, f"Python {release}, SAGED {what}, {needs}")


def _repository_or_wheel(cache: Path, python: Path) -> tuple[Path, str]:
    try:
        folder = _repository(cache / f"saged-{COMMIT}")
    except PeerMissingError as unreachable:
        print(f"  {unreachable}; trying the wheel {WHEEL}", file=sys.stderr, flush=True)
        folder = wheel(cache / WHEEL, python, WHEEL, WHEEL_SHA256)
        return folder, f"wheel {WHEEL} (older interface: `category`)"
    return folder, f"repository holistic-ai/SAGED-Bias, {_revision(folder)}"


def _repository(folder: Path) -> Path:
    if folder.exists():
        return folder
    git = shutil.which("git")
    if git is None:
        raise PeerMissingError("there is no git")
    part = folder.with_name(folder.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    part.parent.mkdir(parents=True, exist_ok=True)
    # Only a commit's short name is recorded, which a server gives no single commit for: all commits, no files
    # but those that are read.
    clone = [git, "clone", "--quiet", "--filter=blob:none", "--no-checkout", REPOSITORY, part]
    _run(clone, SECONDS_TO_CLONE)
    _run([git, "-C", part, "checkout", "--quiet", "--detach", COMMIT], SECONDS_TO_CLONE)
    part.rename(folder)
    return folder


def wheel(folder: Path, python: Path, name: str, sha256: str) -> Path:
    """Return a folder with the Python files of a wheel, which is fetched once.

    Raises PeerMissingError where it cannot be had, or is another file than it was.
    """
    if folder.exists():
        return folder
    part = folder.with_name(folder.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    download = [python, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", part, name]
    _run(download, SECONDS_TO_INSTALL)
    (file,) = part.glob("*.whl")
    found = hashlib.sha256(file.read_bytes()).hexdigest()
    if found != sha256:
        raise PeerMissingError(f"the wheel {name} is another file than it was: sha256 {found}")
    with ZipFile(file) as packed:
        packed.extractall(part, [name for name in packed.namelist() if name.endswith(".py")])
    file.unlink()
    part.rename(folder)
    return folder


def environment(folder: Path, needs: Sequence[str]) -> Path:
    """Make a virtual environment with what a peer imports, and return its Python.

    Raises PeerMissingError where that cannot be had.
    """
    python = folder / "bin" / "python"
    finished = folder / "installed.txt"
    if finished.exists() and finished.read_text() == "\n".join(needs):
        return python
    shutil.rmtree(folder, ignore_errors=True)
    _run([sys.executable, "-m", "venv", folder], SECONDS_TO_INSTALL)
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *needs]
    _run(install, SECONDS_TO_INSTALL)
    finished.write_text("\n".join(needs))
    return python


def _revision(folder: Path) -> str:
    """Return the commit of a checkout, or the hash of the diagnoser where there is no git folder."""
    git = shutil.which("git")
    if git is not None and (folder / ".git").exists():
        return f"commit {_run([git, '-C', folder, 'rev-parse', '--short=7', 'HEAD'], 60).strip()}"
    found = hashlib.sha256((folder / "saged" / "_diagnoser.py").read_bytes()).hexdigest()
    return f"_diagnoser.py with sha256 {found[:12]}"


def _run(command: Sequence[str | Path], seconds: float) -> str:
    """Run a command and return what it printed. Raises PeerMissingError with its last line if it fails."""
    words = [str(part) for part in command]
    try:
        done = subprocess.run(
            words,
            capture_output=True,
            text=True,
            timeout=seconds,
            stdin=subprocess.DEVNULL,
            env=os.environ | {"GIT_TERMINAL_PROMPT": "0"},
        )
    except subprocess.TimeoutExpired as error:
        raise PeerMissingError(f"{' '.join(words[:3])} … took more than {seconds:.0f} s") from error
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or ["no message"]
        raise PeerMissingError(f"{' '.join(words[:3])} … ended with {done.returncode}: {last[0]}")
    return done.stdout
