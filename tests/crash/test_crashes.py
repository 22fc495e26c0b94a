"""A stage that fails at any of its writes: the next run ends as an undisturbed one.

What is compared is the content of all raw tables, but for when, by which run and in how many attempts; of a
build that of the marts, too, which must be refused until they are those of an undisturbed one.
PLUMBLINE_CRASHES says how many writes of each stage and kind are tried, spread over the stage; `all` tries
each, and BUILDS of a build, which takes long (tests/warehouse/test_stale_marts.py has the short cases).
"""

import os
import shutil
from pathlib import Path

import pytest
import yaml
from contents import Hashes, mart_hashes, raw_hashes
from faults import KILLED, run
from places import FIXTURES
from tiny import TINY_SUITE, csv_text, record

from ingest.errors import LONGEST

TRIED = os.environ.get("PLUMBLINE_CRASHES", "1")
STAGES = ("load", "generate", "extract", *(["build"] if TRIED == "all" else []))
BUILDS = 12
MARTS = ("dim_responses", "fct_outcome_shares")


class Stage:
    """A stage on data where it has work to do, and what the raw tables hold after it."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder = name, folder
        self.before = folder / "before"
        suite = folder / "suite.yml"
        if name == "load":
            suite.write_text(TINY_SUITE.read_text("utf-8"), "utf-8")
            (folder / "answers.csv").write_text(csv_text([record(n) for n in range(1, 60)]), "utf-8")
            self.words = ["load", str(folder / "answers.csv"), "--suite", str(suite)]
            earlier = [[*self.words, "--limit", "20"]]
        elif name == "build":
            suite.write_text(TINY_SUITE.read_text("utf-8"), "utf-8")
            earlier = []
            for n_answers in (20, 60):
                answers = folder / f"{n_answers}.csv"
                answers.write_text(csv_text([record(n) for n in range(1, n_answers)]), "utf-8")
                self.words = ["audit", str(suite), "--responses", str(answers)]
                self.words += [word for mart in MARTS for word in ("--mart", mart)]
                earlier.append(self.words)
            earlier.pop()
        else:
            asked = yaml.safe_load((FIXTURES / "warehouse_suite.yml").read_text("utf-8"))
            del asked["mitigations"]
            asked |= {"sample": {"roots": 2}, "configs": asked["configs"][:1]}
            suite.write_text(yaml.safe_dump(asked, sort_keys=False, allow_unicode=True), "utf-8")
            shutil.copy(FIXTURES / "warehouse_figures.csv", suite.parent)
            self.words = [name, "--suite", str(suite)]
            earlier = [
                ["assemble", "--suite", str(suite)],
                ["generate", "--suite", str(suite), "--limit", "5"],
            ]
            if name == "extract":
                earlier = [*earlier[:1], ["generate", "--suite", str(suite)]]
        for words in earlier:
            ended = run(["--data", str(self.before), *words], folder)
            assert ended.code == 0, ended.said
        self.data = folder / "data"
        self.again()
        self.earlier = self.content() if name == "build" else {}
        undisturbed = self.run()
        assert undisturbed.code == 0, undisturbed.said
        self.n_writes = undisturbed.n_writes
        self.size = max(path.stat().st_size for path in self.data.iterdir())
        self.expected = self.content()

    def content(self) -> Hashes:
        return raw_hashes(self.data) | (mart_hashes(self.data) if self.name == "build" else {})

    def again(self) -> None:
        shutil.rmtree(self.data, ignore_errors=True)
        shutil.copytree(self.before, self.data)

    def run(self, **fault):
        return run(["--data", str(self.data), *self.words], self.folder, **fault)

    def points(self, largest: int, more: int = 0) -> list[int]:
        if TRIED == "all" and self.name != "build":
            return list(range(1, largest + 1))
        n = BUILDS if self.name == "build" else int(TRIED) + more
        return sorted({max(1, round(largest * (i + 0.5) / n)) for i in range(n)})


@pytest.fixture(scope="module", params=STAGES)
def stage(request, tmp_path_factory) -> Stage:
    return Stage(request.param, tmp_path_factory.mktemp(request.param))


def check(stage: Stage, ended, what: str) -> None:
    if ended.code not in (0, *KILLED):
        assert ended.code == 1, f"{what}: exit code {ended.code}: {ended.said}"
        last = ended.said.rstrip().splitlines()[-1]
        assert "Error: " in last and "mistake" not in last and len(last) <= LONGEST, f"{what}: {ended.said}"
    if stage.name == "build":
        asked = run(["--data", str(stage.data), "export", str(stage.folder / "out")], stage.folder)
        # What fails before the first commit or after the last leaves marts that match.
        is_right = (
            stage.content() in (stage.earlier, stage.expected) if asked.code == 0 else is_refusal(asked)
        )
        assert is_right, f"{what}: {asked.said}"
    after = stage.run()
    assert after.code == 0, f"{what}, then: {after.said}"
    assert stage.content() == stage.expected, f"{what}: the next run ends otherwise"


def is_refusal(asked) -> bool:
    return asked.code == 1 and ("is not whole" in asked.said or "older than the answers" in asked.said)


def test_there_is_something_to_disturb(stage):
    assert stage.n_writes >= 8
    stage.again()
    assert stage.content() != stage.expected


@pytest.mark.parametrize("kind", ["kill", "error", "short"])
def test_after_a_failure_at_a_write_the_next_run_ends_as_an_undisturbed_one(stage, kind):
    n_failed = 0
    for at in stage.points(stage.n_writes):
        stage.again()
        ended = stage.run(kind=kind, at=at)
        n_failed += ended.code != 0
        check(stage, ended, f"{stage.name}, {kind} at write {at} of {stage.n_writes}")
    assert n_failed > 0


def test_on_a_disk_that_is_full_the_next_run_ends_as_an_undisturbed_one(stage):
    """Sizes up to what the largest file becomes; at these, DuckDB's own writes fail."""
    n_failed = 0
    for part in stage.points(20, more=1):
        stage.again()
        size = round(1_000 * (stage.size / 1_000) ** ((part - 1) / 20))
        ended = stage.run(size=size)
        n_failed += ended.code != 0
        check(stage, ended, f"{stage.name}, no file beyond {size:,} bytes of {stage.size:,}")
    assert n_failed > 0
