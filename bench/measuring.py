"""How a benchmark measures: a process from outside, and the lines of the results."""

import os
import platform
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
WATCHED_EVERY = 0.1  # seconds
LOAD_AT_START = os.getloadavg()[0]
MB = 1_000_000


@dataclass(frozen=True)
class Options:
    """What the command line asks for; `peer` is a checkout of the peer that is there already.

    `scale` is the part of the records that `load` takes; below 1 it holds nothing against a limit.
    """

    repeats: int
    responses: Path | None
    peer: Path | None
    cache: Path
    is_quick: bool
    scale: float


@dataclass(frozen=True)
class Cost:
    """What a process and its descendants took."""

    seconds: float
    cpu_seconds: float
    peak_rss_mb: float


@dataclass(frozen=True)
class Measurement:
    """One line of the results; `limit` is None where none is set.

    `ratio` is measured / limit, or limit / measured of a limit to be reached: above 1 it is not kept.
    """

    name: str
    what: str
    measured: float
    unit: str
    limit: float | None
    ratio: float | None
    seconds: float | None
    cpu_seconds: float | None
    peak_rss_mb: float | None
    runs: int
    date: str
    machine: str
    versions: str


def resident_bytes(pid: int) -> int:
    """Sum the resident memory of a process and its descendants; 0 where there is no /proc."""
    total, waiting = 0, [pid]
    while waiting:
        process = Path("/proc") / str(waiting.pop())
        try:
            total += int((process / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
            for children in process.glob("task/*/children"):
                waiting += [int(child) for child in children.read_text().split()]
        except (FileNotFoundError, ProcessLookupError):
            continue  # it ended meanwhile
    return total


def measure(command: Sequence[str | Path], data: Path, settings: Mapping[str, str] | None = None) -> Cost:
    """Run a command to its end, with `settings` in its environment.

    Raises SystemExit with its last lines if it fails.
    """
    log = data / "bench.log"
    environment = os.environ | {"PLUMBLINE_DATA": str(data), "DO_NOT_TRACK": "1"} | dict(settings or {})
    # Else each process would compile this project's files anew, which is no user's case.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    started = time.monotonic()
    with log.open("wb") as output:
        process = subprocess.Popen(
            [str(part) for part in command], cwd=ROOT, env=environment, stdout=output, stderr=output
        )
        peak, pid = 0, 0
        while not pid:
            peak = max(peak, resident_bytes(process.pid))
            time.sleep(WATCHED_EVERY)
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
    seconds = time.monotonic() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-20:])
        raise SystemExit(f"{' '.join(process.args)} ended with {process.returncode}:\n{tail}")
    largest = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return Cost(seconds, usage.ru_utime + usage.ru_stime, max(peak, largest) / MB)


def total(costs: Sequence[Cost]) -> Cost:
    """Costs of processes that ran one after another."""
    return Cost(
        sum(c.seconds for c in costs), sum(c.cpu_seconds for c in costs), max(c.peak_rss_mb for c in costs)
    )


def median(costs: Sequence[Cost]) -> Cost:
    """Median of each figure over runs."""
    return Cost(*(statistics.median(getattr(c, f.name) for c in costs) for f in fields(Cost)))


def machine() -> str:
    """Processor, cores used, memory, and how busy it was before this began."""
    cpu = platform.processor() or platform.machine()
    information = Path("/proc/cpuinfo")
    if information.exists() and (found := re.search(r"model name\s*: (.+)", information.read_text())):
        cpu = found.group(1)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    cores = f"{usable} of {os.cpu_count()} cores"
    return f"{cpu}, {cores}, {memory:.0f} GB, load average at the start {LOAD_AT_START:.1f}"


def versions() -> str:
    """Versions of what does the work."""
    names = ("plumbline", "dbt-core", "duckdb", "numpy", "scipy")
    return f"Python {platform.python_version()}, " + ", ".join(f"{name} {version(name)}" for name in names)


def record(
    name: str,
    what: str,
    measured: float,
    unit: str,
    limit: float | None = None,
    *,
    cost: Cost | None = None,
    runs: int = 1,
    is_least: bool = False,
    made_with: str | None = None,
) -> Measurement:
    """Return a line of the results; a limit is a most unless it `is_least`. No `cost`: none was measured."""
    ratio = None
    if limit is not None:
        ratio = limit / measured if is_least else measured / limit
    taken = asdict(cost).values() if cost else (None, None, None)
    where = (f"{datetime.now(UTC):%Y-%m-%d}", machine(), made_with or versions())
    return Measurement(name, what, measured, unit, limit, ratio, *taken, runs, *where)
