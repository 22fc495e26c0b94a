"""The sheet in a browser, as annotators use it: by keyboard, by mouse, on a phone; then what it saved.

Needs Node and Chromium.
"""

import csv
import io
import json
import subprocess

import pytest
from click.testing import CliRunner
from labelled import ANCHORS, SCORE, World, by_each_kind, tiny_with
from places import ROOT
from tiny import record

from ingest.cli import cli
from ingest.labelling.table import unguarded

HOSTILE = [
    "</script><script>alert(1)</script><img src=x onerror=alert(1)>",
    "<!-- <svg onload=alert(1)> {{DATA}} {{SCRIPT}}",
    "\u202eright to left\u202c <iframe src='http://127.0.0.2:9/'></iframe>",
    '=HYPERLINK("http://127.0.0.2:9/") \'x\' \\"',
    "wide" * 400,
    "long " * 20_000,
]
ANSWERS = [*HOSTILE, *(f"A baker, number {i}. She is a woman." for i in range(6)), "A driver.", "A driver."]


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("labelled")
    made = World(folder, tiny_with(folder, ANCHORS, SCORE), by_each_kind)
    made.load(record(i, answer=answer) for i, answer in enumerate(ANSWERS, start=1))
    return made


def labels(world, *arguments):
    result = CliRunner().invoke(cli, ["--data", str(world.data), "labels", *map(str, arguments)])
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture(scope="module")
def seen(world):
    labels(world, "sample", world.suite_path, "--n", 1000)
    (sheet,) = (world.data / "labels").glob("*.html")
    done = subprocess.run(
        ["node", "tests/label_sheet.mjs", str(sheet), str(world.folder)],
        cwd=ROOT / "reports",
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_nothing_runs_or_is_asked_for_and_everybody_can_read_it(seen):
    assert seen["problems"] == []
    pages = [seen["start"], seen["end"], seen["phone"]]
    assert [problem for page in pages for problem in page["problems"]] == seen["scan"] == []
    looks = [*seen["looks"], *seen["others"], seen["phone"]]
    assert [look for look in looks if look["elements"] or look["isWide"]] == []
    assert {look["focused"] for look in looks} == {"answer"}


def test_texts_are_shown_as_they_are_without_their_groups(seen):
    shown = {look["answer"] for look in seen["others"]}
    assert set(HOSTILE[:5]) < shown and "A baker, number 1. ▮▮▮ is a ▮▮▮." in shown
    assert any(text.startswith("long long") and "characters are left out here" in text for text in shown)
    assert {look["prompt"] for look in seen["others"]} == {"What does the ▮▮▮ ▮▮▮ from the ▮▮▮ do?"}


def chosen(looks):
    """Return (what was asked, the answer) -> the choice whose key was pressed."""
    found = {}
    for look in looks:
        for choice in look["choices"]:
            key, _, text = choice.partition(" ")
            if key == look["key"]:
                found[look["asked"], look["answer"]] = text
    return found


def test_keys_choose_go_back_note_skip_and_stay_after_a_reload(seen):
    assert "42 answers, of which 39 look different" in seen["start"]["text"]
    first = chosen(seen["looks"])
    asked, answer = list(first)[-1]
    assert (seen["back"]["asked"], seen["back"]["answer"]) == (asked, answer)
    assert seen["back"]["pressed"].endswith(first[asked, answer])
    assert (seen["skipped"]["asked"], seen["skipped"]["answer"]) not in first
    assert seen["leaving"] == "beforeunload"
    assert seen["restored"]["count"].startswith(f"{len(first)} of 39 labelled")
    # Skipping is for now: it comes again the next time, or when one asks for it at the end.
    assert seen["restored"]["answer"] == seen["again"]["answer"] == seen["skipped"]["answer"]
    assert "1 answer is left" in seen["left"]
    assert "All 39 answers are labelled" in seen["end"]["text"]


def test_without_a_store_in_the_browser_it_says_so_and_works(seen):
    assert "does not keep what you choose" in seen["phone"]["warning"]
    assert seen["tapped"]["count"].startswith("1 of 39 labelled")


def test_each_annotator_has_another_order(seen):
    first = list(chosen(seen["looks"]))[:2]
    assert [(look["asked"], look["answer"]) for look in (seen["phone"], seen["tapped"])] != first


def test_what_was_saved_is_loaded_for_every_answer_that_looks_the_same(world, seen):
    assert [name.split("-")[2:] for name in seen["saved"]] == [["Ada", "1", "1.csv"], ["Bo.csv"]]
    printed = labels(world, "load", world.suite_path, *(world.folder / name for name in seen["saved"]))
    assert "by Ada =1+1, Bo" in printed
    assert '"\'=cmd() 1 ""quoted"""' in (world.folder / seen["saved"][0]).read_text("utf-8")
    (table,) = (world.data / "labels").glob("*.csv")
    answers = {
        (row["outcome_set"], row["response_key"]): unguarded(row["answer"])
        for row in csv.DictReader(io.StringIO(table.read_text("utf-8-sig")))
    }
    expected = chosen([*seen["looks"], *seen["others"]])
    ask = {
        "job": "Which of these does the answer say: job?",
        "mood": "Which of these does the answer say: mood?",
    }
    ask["tone"] = "Where does the answer lie: tone?"
    none = {"job": "unmatched", "mood": "unclear"}
    columns = "outcome_set, response_key, label, value, seconds"
    rows = world.rows(f"select {columns} from labels where annotator = 'Ada =1+1'")
    assert len(rows) == 42 and sum(row[-1] for row in rows) > 0.3
    for outcome_set, response_key, label, value, _ in rows:
        text = expected[ask[outcome_set], answers[outcome_set, response_key]]
        meant = {"None of these": none.get(outcome_set), "It cannot be told": None}.get(text, text)
        if outcome_set == "tone" and meant is not None:
            assert (label, value) == (None, float(meant.split()[0].replace("−", "-")))
        else:
            assert (label, value) == (meant, None)
    assert world.rows("select note from labels where note <> ''") == [('=cmd() 1 "quoted"',)]
