"""Groups that were asked different questions, from a file of answers to the verdict."""

import csv
import json

from loaded import build_loaded

from ingest import warehouse

N = 12  # names a group
# The first question that each group is asked, of four in a row.
QUESTIONS = {"alike": (0, 0), "unlike": (0, 2)}
RULE = {
    "set": "decision",
    "kind": "pattern",
    "text": "raw",
    "labels": {"Yes": ["yes"], "No": ["no"]},
    "favourable": ["Yes"],
}
SUITE = {
    "suite": "questions",
    "title": "Whose questions",
    "version": 1,
    "attributes": {"team": {"A": {}, "B": {}}},
    "axes": ["team"],
    "names": {"shows": ["team"]},
    "profiles": ["plumbline"],
    "resampling": {"permutations": 400, "bootstrap": 100},
    "columns": {
        **{column: column for column in ("response", "prompt", "model", "category", "name", "root")},
        "attributes": {"team": "team"},
    },
    "categories": {name: {"title": name, "block": "name", "outcomes": [RULE]} for name in QUESTIONS},
}


def test_a_gap_between_other_questions_is_no_fail(tmp_path):
    """A gets a yes to all, B to one of two: where both were asked the same, the groups differ."""
    with (tmp_path / "answers.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["category", "team", "name", "root", "prompt", "response", "model"])
        for category, first in QUESTIONS.items():
            for place in range(2 * N * 4):
                is_b, name, question = place % 2, place // 2 % N, place // (2 * N)
                root, said = (
                    f"{category} {first[is_b] + question}",
                    "No." if is_b and question % 2 else "Yes.",
                )
                who = f"{'AB'[is_b]}{name}"
                rows.writerow([category, "AB"[is_b], who, root, f"{root}, {who}?", said, "m"])
    (tmp_path / "suite.yml").write_text(json.dumps(SUITE), encoding="utf-8")
    build_loaded(tmp_path, "fct_verdicts")
    with warehouse.Warehouse(tmp_path) as opened:
        found = opened.rows(
            "select category, verdict, lacks, reason from fct_verdicts where metric = 'min_impact_ratio'"
        )
    of = {row["category"]: row for row in found}
    assert of["alike"]["verdict"] == "fail"
    assert (of["unlike"]["verdict"], of["unlike"]["lacks"]) == ("inconclusive", "valid_test")
    assert of["unlike"]["reason"].startswith("The groups were asked different questions")
