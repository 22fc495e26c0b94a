"""Generation against a model server on loopback: how near it comes to the server's limit, how it starts.

The server is a process of its own and speaks Ollama's protocol (`tests/helpers/servers`); `generate`
asks it through the command line, as a user does.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

from tests.helpers.servers import Handle, loopback

DELAY = 0.05  # seconds an answer takes
SLOTS = 16
# More than the server has room for: it always finds one waiting, as a real server's queue does.
SENDERS = 24
N_ASKED = 3_000
FEW, MANY = 1_000, 100_000
N_FIRST = 200

Measure = Callable[[list[str], Path], Any]


@dataclass(frozen=True)
class Throughput:
    """Answers a second while the server was asked, of `limit` that it can give; what the command cost."""

    per_second: float
    limit: float
    cost: Any


@dataclass(frozen=True)
class Start:
    """Seconds from the command's start to the first request, and what the command cost."""

    seconds: float
    cost: Any


@contextmanager
def asked(n_prompts: int, measure: Measure, *server: str) -> Iterator[tuple[Path, Handle, list[str]]]:
    """Yield a data folder with so many prompts assembled, a server, and the command that asks it."""
    with loopback(*server) as handle, TemporaryDirectory(prefix="plumbline-bench-") as name:
        data = Path(name)
        suite = data / "suite.yml"
        suite.write_text(suite_text(handle.url, n_prompts), encoding="utf-8")
        measure(["assemble", "--suite", str(suite)], data)
        yield data, handle, ["generate", "--allow-host", "127.0.0.1", "--suite", str(suite)]


def suite_text(url: str, n_prompts: int) -> str:
    """Return a suite of `n_prompts` prompts (a multiple of 100): 50 cases of two groups for each street."""
    streets = ", ".join(f'"{i}"' for i in range(n_prompts // 100))
    cases = ", ".join(f'"{i}"' for i in range(50))
    return f"""
suite: bench
title: Asked of a server on loopback
version: 1
attributes: {{gender: {{Male: {{words: [man]}}, Female: {{words: [woman]}}}}}}
axes: [gender]
configs: [{{backend: ollama, model: tiny, base_url: {url}, concurrency: {SENDERS}}}]
categories:
  FLAT:
    title: Who gets the flat
    block: root
    prompts: ["Street {{street}}, case {{case}}: a {{gender}} asks for a flat. Do they get it?"]
    slots: {{street: [{streets}], case: [{cases}]}}
    outcomes: [{{set: decision, kind: pattern, labels: {{let: ["gladly"], refused: ["sorry"]}}}}]
"""


def throughput(measure: Measure) -> Throughput:
    """Ask 3,000 prompts of a server of 50 ms and 16 slots."""
    with asked(N_ASKED, measure, "--delay", str(DELAY), "--slots", str(SLOTS)) as (data, server, command):
        cost = measure(command, data)
        log = server.log()
    if len(log) != N_ASKED:
        raise SystemExit(f"{len(log):,} requests came, {N_ASKED:,} were to be asked")
    seconds = max(entry["ended"] for entry in log) - min(entry["began"] for entry in log)
    return Throughput(N_ASKED / seconds, SLOTS / DELAY, cost)


def start(n_pending: int, measure: Measure) -> Start:
    """Ask the first 200 of so many pending prompts."""
    with asked(n_pending, measure, "--slots", str(SLOTS)) as (data, server, command):
        began = monotonic()
        cost = measure([*command, "--limit", str(N_FIRST)], data)
        first = min(entry["began"] for entry in server.log())
    return Start(first - began, cost)
