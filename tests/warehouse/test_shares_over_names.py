"""Intervals of shares and failures where a name's answers are alike, from a file of answers to the marts."""

import csv
import json

import pytest
from loaded import build_loaded
from scipy import stats

from ingest import warehouse

N = 10  # names a group
QUESTIONS = {"alike": 8, "once": 1, "refused": 8}  # questions about each name, of each category
RULE = {"set": "decision", "kind": "pattern", "text": "raw", "labels": {"Yes": ["yes"], "No": ["no"]}}
SUITE = {
    "suite": "shares",
    "title": "Shares over names",
    "version": 1,
    "attributes": {"team": {team: {} for team in "AB"}},
    "axes": ["team"],
    "minimum": {"cell": 1},
    "resampling": {"permutations": 0, "bootstrap": 0},
    "columns": {
        **{column: column for column in ("response", "prompt", "model", "category", "name", "status")},
        "attributes": {"team": "team"},
    },
    "categories": {name: {"title": name, "block": "name", "outcomes": [RULE]} for name in QUESTIONS},
}


def test_shares_and_failures_have_intervals_over_names(tmp_path):
    """Half of the names get a yes, or are refused, whatever is asked: each tells one thing, however often."""
    with (tmp_path / "answers.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["category", "team", "name", "prompt", "response", "status", "model"])
        for category, n_questions in QUESTIONS.items():
            for place in range(2 * N * n_questions):
                team, odd, question = "AB"[place % 2], place // 2 % N % 2, place // (2 * N)
                name = f"{team}{place // 2 % N}"
                told = ("", "refused") if category == "refused" and odd else ("Yes." if odd else "No.", "ok")
                rows.writerow([category, team, name, f"{category} {question}, {name}?", *told, "m"])
    (tmp_path / "suite.yml").write_text(json.dumps(SUITE), encoding="utf-8")
    build_loaded(tmp_path, "fct_outcome_shares")
    warehouse.build(tmp_path, ["fct_failures"])
    with warehouse.Warehouse(tmp_path) as opened:
        shares = opened.rows(
            "select share_low as low, share_high as high from fct_outcome_shares"
            " where category in ('alike', 'once') and outcome_set = 'decision'"
        )
        failures = opened.rows("select failure_rate_low as low, failure_rate_high as high from fct_failures")
    of_names = stats.binomtest(N // 2, N).proportion_ci(method="wilson")
    assert len(shares) == 8 and len(failures) == 2
    for row in [*shares, *failures]:
        assert (row["low"], row["high"]) == (pytest.approx(of_names.low), pytest.approx(of_names.high))
