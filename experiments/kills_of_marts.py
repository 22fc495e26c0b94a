"""Kills of `load`, and of `audit`, which builds the marts; and what the marts answer afterwards.

A first file of answers has been audited, then a second one comes in. A load that is killed has brought in all
of it or nothing. After each kill `gate` and `card` are asked, and `report` where they refuse: they may answer
only from marts that are, by hash, those which an undisturbed audit makes of the raw tables as they are.
"""

import csv
import random
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from click.testing import CliRunner

from experiments.killing import Broken, Commands, Kill
from ingest.cli import cli
from tests.helpers.contents import Hashes, mart_hashes, raw_hashes

N_FIRST, N_AUDITED, N_LOADED = 120, 60, 20_000
KILLS_A_ROUND = 5  # of an audit, which takes long to end
REFUSALS = ("is not whole", "the marts are older than the answers", "nothing has been built yet")
SUITE = """
suite: kills
title: Killed at random moments
version: 1
attributes: {gender: {Male: {words: [man]}, Female: {words: [woman]}}}
axes: [gender]
columns:
  {response: answer, prompt: question, model: model, category: task, repeat: round, attributes: {gender: who}}
categories:
  JOB:
    title: Which job
    outcomes: [{set: job, kind: pattern, labels: {baker: [baker], driver: [driver]}}]
"""


class Files:
    """A suite, its files of answers, and data of which the first file was audited, or only loaded."""

    def __init__(self, folder: Path, is_audited: bool) -> None:
        folder.mkdir()
        self.suite = folder / "suite.yml"
        self.suite.write_text(SUITE, encoding="utf-8")
        self.first, self.audited, self.loaded = (
            folder / f"{name}.csv" for name in ("first", "second", "many")
        )
        write_answers(self.first, range(N_FIRST))
        write_answers(self.audited, range(N_FIRST, N_FIRST + N_AUDITED))
        write_answers(self.loaded, range(N_FIRST, N_FIRST + N_LOADED))
        self.base = Commands(folder)
        self.base.finish(*(self.audit(self.first) if is_audited else self.load(self.first)))
        self.raw = raw_hashes(self.base.data)
        self.whole = [(self.raw, mart_hashes(self.base.data))] if is_audited else []

    def load(self, file: Path) -> tuple[str | Path, ...]:
        """Return the command that loads a file."""
        return "load", file, "--suite", self.suite

    def audit(self, file: Path) -> tuple[str | Path, ...]:
        """Return the command that audits a file."""
        return "audit", self.suite, "--responses", file, "--no-site"

    def copy(self, folder: Path) -> Commands:
        """Return a folder of its own in which the first file was brought in."""
        folder.mkdir()
        copied = Commands(folder)
        shutil.copytree(self.base.data, copied.data)
        return copied

    def marts(self, data: Path) -> str:
        """Return whether verdicts are `refused` or `taken`. Raises Broken where marts match no raw tables."""
        said = {command: ask(data, command) for command in ("gate", "card")}
        if set(said.values()) == {"taken"}:
            if (raw_hashes(data), mart_hashes(data)) not in self.whole:
                raise Broken("verdicts came from marts that do not match the raw tables")
            return "taken"
        # Where they may be taken, `report` would write into the checkout.
        said["report"] = ask(data, "report", "--tables-only")
        if set(said.values()) != {"refused"}:
            raise Broken(f"the marts are taken by one command and refused by another: {said}")
        return "refused"


def write_answers(path: Path, numbers: range) -> None:
    """Write a file of answers of these numbers; each says another job to men than to women."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["task", "who", "model", "round", "question", "answer"])
        for number in numbers:
            who, job = (("Male", "man", "driver"), ("Female", "woman", "baker"))[number % 2], number % 3
            answer = f"A {who[2] if job else 'baker'}, I say for the {number}th time."
            writer.writerow(["JOB", who[0], "model-a", number, f"Which job gets a {who[1]}?", answer])


def ask(data: Path, *words: str) -> str:
    """Return whether a command takes the marts or refuses them; any other end is Broken."""
    result = CliRunner().invoke(cli, ["--data", str(data), *words])
    if "Error: " not in result.output and result.exit_code in (0, 1):  # 1: a verdict fails
        return "taken"
    if result.exit_code == 1 and any(refusal in result.output for refusal in REFUSALS):
        return "refused"
    raise Broken(f"{words[0]} ended with {result.exit_code}: {result.output[-2_000:]}")


def kills_of_loads(
    files: Files, n_kills: int, first_seed: int, folders: Iterator[Path], say: Callable[[str], None]
) -> Iterator[Kill]:
    """Kill the load of a second file again and again; yield each kill. Raises Broken."""
    if not n_kills:
        return
    undisturbed = files.copy(next(folders))
    length = undisturbed.finish(*files.load(files.loaded))
    after = raw_hashes(undisturbed.data)
    say(f"load: a run that nobody kills takes {length:.1f} s")
    seed, number = first_seed, 0
    while seed < first_seed + n_kills:
        number += 1
        lab, raw = files.copy(next(folders)), files.raw
        while seed < first_seed + n_kills and raw != after:
            began = time.monotonic()
            child = lab.start(*files.load(files.loaded))
            moment = lab.kill(child, random.Random(seed).uniform(0, length))
            before, raw = raw, raw_hashes(lab.data)
            if raw not in (files.raw, after):
                raise Broken(f"a killed load brought in a part: {raw}")
            if moment is not None:
                yield kill_of("load", number, seed, moment - began, before, raw, files.marts(lab.data))
                seed += 1
        lab.finish(*files.load(files.loaded))
        if raw_hashes(lab.data) != after:
            raise Broken("the raw tables are not those of a load that nobody killed")


def kills_of_builds(
    files: Files, n_kills: int, first_seed: int, folders: Iterator[Path], say: Callable[[str], None]
) -> Iterator[Kill]:
    """Kill the audit of a second file again and again; yield each kill. Raises Broken."""
    if not n_kills:
        return
    undisturbed = files.copy(next(folders))
    length = undisturbed.finish(*files.audit(files.audited))
    after = raw_hashes(undisturbed.data), mart_hashes(undisturbed.data)
    files.whole.append(after)
    say(f"build: an audit that nobody kills takes {length:.1f} s")
    seed, number = first_seed, 0
    while seed < first_seed + n_kills:
        number += 1
        lab, raw = files.copy(next(folders)), files.raw
        for _ in range(KILLS_A_ROUND):
            began = time.monotonic()
            child = lab.start(*files.audit(files.audited))
            moment = lab.kill(child, random.Random(seed).uniform(0, length))
            before, raw = raw, raw_hashes(lab.data)
            if raw["responses"] not in (files.raw["responses"], after[0]["responses"]):
                raise Broken(f"a killed audit brought in a part: {raw}")
            if lost := [table for table in raw if raw[table][0] < before[table][0]]:
                raise Broken(f"rows are gone from {', '.join(lost)}")
            if moment is None:
                length = time.monotonic() - began  # the machine has become faster
                break
            yield kill_of("build", number, seed, moment - began, before, raw, files.marts(lab.data))
            seed += 1
            if seed == first_seed + n_kills:
                break
        if moment is not None:
            lab.finish(*files.audit(files.audited))
        if (raw_hashes(lab.data), mart_hashes(lab.data)) != after:
            raise Broken("raw tables or marts are not those of an audit that nobody killed")
        if files.marts(lab.data) != "taken":
            raise Broken("the marts of an audit that came to its end are refused")


def kill_of(
    stage: str, number: int, seed: int, seconds: float, before: Hashes, after: Hashes, marts: str
) -> Kill:
    """Return a row of the results."""
    stored = (before["responses"][0], after["responses"][0])
    return Kill(stage, number, seed, round(seconds, 4), *stored, 0, 0, 0.0, marts)
