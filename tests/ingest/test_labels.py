"""`plumbline labels sample`: its files, what it says, and what it refuses."""

import csv
import io
import re

import pytest
from click.testing import CliRunner
from labelled import World, tiny_with
from tiny import record

from ingest.cli import cli


@pytest.fixture
def world(tmp_path):
    made = World(tmp_path)
    made.load([record(i, answer=f"The woman Lim Bee is a baker, number {i % 5}.") for i in range(1, 31)])
    return made


def sample(world, *arguments):
    command = ["--data", str(world.data), "labels", "sample", str(world.suite_path), *map(str, arguments)]
    return CliRunner().invoke(cli, command)


def test_the_sheet_and_the_table_hold_the_same_answers_without_their_groups(world):
    result = sample(world, "--n", 26)
    assert result.exit_code == 0, result.output
    (key,) = {key for (key,) in world.rows("select sample_key from label_samples")}
    lines = result.output.splitlines()
    assert lines[0] == f"Sample {key[:8]}: 26 of 30 answers, each under one outcome set."
    assert lines[1] == (
        "  A1 job: 26 of 30, by config, label, gender & place, margin: 1 stratum of 30, of each 26 drawn"
    )
    table, sheet = (world.data / "labels" / f"tiny-{key[:8]}.{kind}" for kind in ("csv", "html"))
    assert str(sheet) in lines[2] and str(table) in lines[3]
    assert lines[4] == f"Then: plumbline labels load {world.suite_path} FILE.csv"
    rows = list(csv.DictReader(io.StringIO(table.read_text("utf-8-sig"))))
    assert len(rows) == 26 and {row["choices"] for row in rows} == {"baker | driver | unmatched | ?"}
    assert {row["prompt"] for row in rows} == {"What does the ▮▮▮ ▮▮▮ from the ▮▮▮ do?"}
    page = sheet.read_text("utf-8")
    # Five texts, each once, in the order in which the table has them first.
    answers = list(dict.fromkeys(row["answer"] for row in rows))
    assert re.findall(r'"answer":"([^"]*)"', page) == answers and len(answers) == 5
    assert all(row["response_key"] in page for row in rows)
    assert "Lim" not in page and "woman" not in page
    assert [path.stat().st_mode & 0o777 for path in (table, sheet)] == [0o600] * 2


def test_a_further_sample_has_files_of_its_own(world):
    sample(world, "--n", 12)
    result = sample(world, "--n", 100)
    assert "18 of 30 answers, each under one outcome set. 12 were drawn before." in result.output
    assert len(list((world.data / "labels").iterdir())) == 4
    assert "Nothing is left to draw" in sample(world).output


def test_marts_of_other_answers_are_refused_and_what_was_drawn_makes_none_older(world):
    assert sample(world, "--n", 2).exit_code == 0
    assert sample(world, "--n", 2).exit_code == 0
    build, world.build = world.build, lambda: None
    world.load([record(31)])
    result = sample(world, "--n", 2)
    assert result.exit_code == 1 and "the marts are older than the answers" in result.output
    assert sample(world, "--n", 2, "--stale").exit_code == 0
    build()
    assert sample(world, "--n", 2).exit_code == 0


def test_a_suite_that_was_not_audited_is_refused(world, tmp_path):
    world.suite_path = tiny_with(tmp_path, title="Another title")
    result = sample(world)
    assert result.exit_code == 1 and "suite tiny is not what was audited last here" in result.output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--category", "B1"], "--category B1: the suite has A1, A2."),
        (["--set", "jobs"], "--set jobs: the suite has job, word."),
        (["--by", "age"], "--by: axis 'age': 'age' is no attribute; known: gender, place"),
        (["--config", "model-b"], "The answers are of model-a."),
        (["--n", "1"], "--n 1 is too few"),
    ],
)
def test_what_is_not_there_is_said_and_nothing_is_drawn(world, arguments, said):
    result = sample(world, *arguments)
    assert result.exit_code in (1, 2) and said in " ".join(result.output.split())
    assert world.rows("select count(*) from label_samples") == [(0,)] and not (world.data / "labels").exists()


def test_a_sample_whose_files_cannot_be_written_is_not_drawn(world, tmp_path):
    (tmp_path / "file").touch()
    result = sample(world, "--n", 5, "--out", tmp_path / "file" / "out")
    assert result.exit_code == 1 and "Choose another --out." in result.output
    assert world.rows("select count(*) from label_samples") == [(0,)]
