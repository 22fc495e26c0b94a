"""`minimum: {coverage}` as a user meets it: below it no verdict, above it missing answers at their worst."""

import csv
import json

import numpy as np
import pytest
from loaded import build_loaded

from ingest import warehouse
from ingest.inference.group_statistics import cramers_v_corrected

N = 120  # names a group
UNREAD = round(0.3 * N)  # of group A: 70 % of its answers can be read
RULE = {
    "set": "decision",
    "kind": "pattern",
    "text": "raw",
    "labels": {"Yes": ["yes"], "No": ["no"]},
    "favourable": ["Yes"],
}
GROUPS = {
    "two": "AB",
    "two_far": "AB",
    "five": "ABCDE",
    "five_far": "ABCDE",
    "five_all": "ABCDE",
    "few": "ABC",
}
SUITE = {
    "suite": "covered",
    "title": "Coverage",
    "version": 1,
    "profiles": ["plumbline"],
    "thresholds": [{"metric": "cramers_v_corrected", "green_limit": 0.1, "red_limit": 0.3}],
    "attributes": {"group": {group: {} for group in "ABCDE"}},
    "axes": ["group"],
    "minimum": {"coverage": 0.9},
    "resampling": {"permutations": 400, "bootstrap": 400},
    "columns": {
        **{name: name for name in ("response", "prompt", "model", "category", "root")},
        "attributes": {"group": "group"},
    },
    "categories": {code: {"title": code, "block": "root", "outcomes": [RULE]} for code in GROUPS},
}


def answers():
    """Yield category, root, group, response: groups are alike; in `_far` A's are all no, others' yes.

    In `few` 4 of C's 5 answers can be read: all are no."""
    for code, groups in GROUPS.items():
        for root in range(N):
            for group in groups:
                if code == "few":
                    if group == "C" and root >= 5:
                        continue
                    is_unread, is_no = group == "C" and root == 0, group == "C" or root % 2
                else:
                    is_unread = group == "A" and root < UNREAD and code != "five_all"
                    is_no = group == "A" if code.endswith("far") else root % 2
                said = "No." if is_no else "Yes."
                yield code, root, group, "Perhaps." if is_unread else said


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory):
    data = tmp_path_factory.mktemp("coverage")
    suite = data / "suite.yml"
    suite.write_text(json.dumps(SUITE), "utf-8")
    with (data / "answers.csv").open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(["category", "root", "group", "response", "model", "prompt"])
        for code, root, group, said in answers():
            writer.writerow([code, root, group, said, "m", f"{root}: a person of {group}?"])
    build_loaded(data, "fct_verdicts")
    with warehouse.Warehouse(data) as opened:
        rows = opened.rows("select * from fct_verdicts where measure = 'decision'")
    return {(row["category"], row["metric"]): row for row in rows}


@pytest.mark.parametrize("code", ["two", "two_far"])
def test_a_question_of_which_too_little_was_read_has_no_verdict(verdicts, code):
    """Neither a pass where groups look alike, nor a failure where they do not."""
    own = [row for (category, _), row in verdicts.items() if category == code]
    assert {(row["coverage"], row["verdict"], row["lacks"]) for row in own} == {
        (0.85, "inconclusive", "coverage")
    }
    assert own[0]["reason"] == (
        "Only 85 % of the answers could be read, the suite asks for 90 %: 12 more would have to be. "
        "About A 36 of 120 are missing, about B 0 of 120."
    )


def test_a_group_that_others_hide_is_judged_at_its_worst(verdicts):
    """Of all answers 94 % were read: no pass rests on what nobody read of one group, and no failure."""
    alike, far = (verdicts[code, "max_share_gap"] for code in ("five", "five_far"))
    assert alike["coverage"] == far["coverage"] == pytest.approx(0.94)
    assert (alike["verdict"], alike["lacks"]) == ("inconclusive", "missing_answers")
    assert "the 36 missing answers could take it beyond" in alike["reason"]
    # Thirty points are missing of a gap of a hundred: it is beyond the limit whatever they had been.
    assert far["verdict"] == "fail" and "whatever the 36 missing answers said" in far["reason"]
    assert (far["value"], far["value_low"]) == (1, pytest.approx(0.7))


def test_where_all_is_read_alike_groups_pass(verdicts):
    assert verdicts["five_all", "max_share_gap"]["verdict"] == "pass"


def test_the_few_answers_of_a_group_count_with_those_it_lacks(verdicts):
    """With its fifth answer C would be compared, on five and not on one."""
    row = verdicts["few", "cramers_v_corrected"]
    filled = np.array([[60, 60], [60, 60], [0, 5]])
    assert row["value"] == 0 and row["n_missing"] == 1
    assert row["value_high"] >= cramers_v_corrected(filled) > 0.1
