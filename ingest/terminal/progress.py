"""How far long work is, and how long it may still take: on stderr, moving where that is a terminal."""

import json
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import click

from ingest.errors import printable, say, shorten

SECONDS = Path("target", "seconds.json")  # in the folder of data: what each step took the last time
PATIENCE = 2.0  # seconds that need no word afterwards
SLOWEST = 86_400.0
ENDED = {"LogModelResult": "total", "LogSeedResult": "total", "LogTestResult": "num_models"}  # dbt's events
BAR = 20
NAMED = 26  # characters of a model's name beside the bar


def last_time(data: Path) -> dict[str, float]:
    """Return the seconds that steps took the last time, by name."""
    with suppress(OSError, ValueError):
        read = json.loads((data / SECONDS).read_text("utf-8"))
        if isinstance(read, dict):
            return {name: value for name, value in read.items() if isinstance(value, float)}
    return {}


def remember(data: Path, label: str, seconds: float) -> None:
    """Keep what a step took for the next time; what cannot be kept is no loss."""
    path = data / SECONDS
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".partial")
        partial.write_text(json.dumps({**last_time(data), label: float(round(seconds, 1))}), "utf-8")
        partial.replace(path)


def left(gone: float, before: float | None, share: float = 0.0) -> str:
    """Return how much longer it takes: as long as the last time, or in proportion to the share that is done.

    >>> left(12, 60)
    'about 48 s left'
    >>> left(30, None, 0.2)
    'about 2 min left'
    >>> left(70, 60)
    '70 s, longer than the last time'
    >>> left(3, None)
    '3 s'
    """
    if before is not None and gone < before:
        return f"about {spell(before - gone)} left"
    if share > 0:
        return f"about {spell(gone * (1 - share) / share)} left"
    return f"{spell(gone)}, longer than the last time" if before is not None else spell(gone)


def spell(seconds: float) -> str:
    """Return a length of time in words.

    >>> spell(59.2), spell(125)
    ('59 s', '2 min')
    """
    return f"{seconds:.0f} s" if seconds < 100 else f"{min(seconds, SLOWEST) / 60:.0f} min"


@contextmanager
def waiting(label: str, data: Path) -> Iterator[None]:
    """Say what is waited for; on a terminal how long already, or how much longer if as the last time."""
    before, started = last_time(data).get(label), time.monotonic()
    with _line(label, lambda: f"{label} … {left(time.monotonic() - started, before)}"):
        yield
    remember(data, label, time.monotonic() - started)


class Build:
    """How many of dbt's nodes are built, by what dbt says as it goes."""

    def __init__(self, label: str, before: Mapping[str, float]) -> None:
        self.label = label
        self.before = before
        self.n_done = 0
        self.n_all = 0
        self.last = ""

    def hear(self, event: Any) -> None:
        """Take in an event. dbt calls it from several threads, one at a time."""
        if event.info.name in ENDED:
            self.count(event.data.node_info.node_name, getattr(event.data, ENDED[event.info.name]))

    def count(self, name: str, n_all: int) -> None:
        """Take in that a node is built, of so many."""
        self.n_done += 1
        self.n_all = n_all
        self.last = name

    @property
    def step(self) -> str:
        """Name for the next time: as many nodes as the last time are most likely the same ones."""
        return f"{self.label}, {self.n_all}"

    def shown(self, gone: float) -> str:
        """Return the line for so many seconds after the start."""
        if not self.n_all:
            return f"{self.label} …"
        share = min(1.0, self.n_done / self.n_all)
        bar = ("#" * round(BAR * share)).ljust(BAR, "-")
        time_left = left(gone, self.before.get(self.step), share)
        return f"{self.label} [{bar}] {self.n_done} of {self.n_all}, {time_left}  {shorten(self.last, NAMED)}"


@contextmanager
def building(label: str, data: Path) -> Iterator[Build]:
    """Show how many of dbt's nodes are built, and the time left; yield what counts them."""
    build, started = Build(label, last_time(data)), time.monotonic()
    with _line(label, lambda: build.shown(time.monotonic() - started)):
        yield build
    if build.n_all:
        remember(data, build.step, time.monotonic() - started)


@contextmanager
def _line(label: str, shown: Callable[[], str]) -> Iterator[None]:
    """One line that is written anew each second; where stderr is no terminal, it is said once."""
    if not sys.stderr.isatty():
        say(f"{label} …", err=True)
        yield
        return
    started, is_done = time.monotonic(), threading.Event()

    def write(text: str) -> None:
        width = shutil.get_terminal_size().columns
        click.echo(f"\r\x1b[K{shorten(printable(text), width - 1)}", err=True, nl=False)

    def tick() -> None:
        write(f"{label} …")
        while not is_done.wait(1):
            write(shown())

    ticking = threading.Thread(target=tick, daemon=True)
    ticking.start()
    try:
        yield
    finally:
        is_done.set()
        ticking.join()
        gone = time.monotonic() - started
        write(f"{label}: {spell(gone)}" if gone > PATIENCE else "")
        if gone > PATIENCE:
            click.echo(err=True)
