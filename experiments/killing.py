"""What a kill of `experiments/kills.py` is, and processes that can be killed at any time."""

import multiprocessing
import os
import signal
import time
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from pathlib import Path

from ingest.cli import cli


@dataclass(frozen=True)
class Kill:
    """One kill: `seconds` after the start of the run that it ended; stored are rows of the stage's tables."""

    stage: str
    round: int
    seed: int
    seconds: float
    n_stored_before: int
    n_stored: int
    n_asked: int
    n_sent_not_stored: int
    longest_gap_ms: float
    marts: str = ""  # of `load` and `build`: whether the marts were refused or taken afterwards


class Broken(SystemExit):
    """What must hold does not; exit code 1."""

    def __init__(self, what: str) -> None:
        super().__init__(f"BROKEN: {what}")


def work(arguments: list[str], log: Path) -> None:
    """Run a command of plumbline: what a child does until it is killed."""
    os.environ["PLUMBLINE_ALLOW_HOST"] = "127.0.0.1"
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(output, 1)
    os.dup2(output, 2)
    cli(arguments, standalone_mode=True)


class Commands:
    """Commands on one data folder; children are forked, so a run starts at once."""

    def __init__(self, folder: Path) -> None:
        self.data = folder / "data"
        self.log = folder / "log.txt"
        self.context = multiprocessing.get_context("forkserver")
        self.context.set_forkserver_preload(["ingest.audit", "ingest.cli", "experiments.killing"])

    def start(self, *words: str | Path) -> BaseProcess:
        """Start a command in a process of its own."""
        arguments = ["--data", str(self.data), *map(str, words)]
        child = self.context.Process(target=work, args=(arguments, self.log))
        child.start()
        return child

    def finish(self, *words: str | Path) -> float:
        """Run a command to its end; return its seconds."""
        began = time.monotonic()
        child = self.start(*words)
        child.join()
        self.check(child, words)
        return time.monotonic() - began

    def kill(self, child: BaseProcess, seconds: float) -> float | None:
        """Kill a child after so many seconds; return the moment (monotonic), None if it had ended."""
        child.join(seconds)
        if child.exitcode is None:
            os.kill(child.pid, signal.SIGKILL)
        moment = time.monotonic()
        child.join()
        if child.exitcode == -signal.SIGKILL:
            return moment
        self.check(child, ())
        return None

    def check(self, child: BaseProcess, words: tuple[str | Path, ...]) -> None:
        """Raise Broken where a child ended by itself, and not well."""
        if child.exitcode:
            what = " ".join(map(str, words))
            raise Broken(f"{what} ended with {child.exitcode}: {self.log.read_text('utf-8')[-2_000:]}")
