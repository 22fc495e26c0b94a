"""Intervals of shares, failures, errors and agreement, where answers of a name are alike."""

import csv
import json

import pytest
from click.testing import CliRunner
from loaded import build_loaded
from scipy import stats

from ingest import labels, warehouse

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


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Half of the names get a yes, or are refused, whatever is asked: each tells one thing, however often."""
    folder = tmp_path_factory.mktemp("shares")
    with (folder / "answers.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["category", "team", "name", "prompt", "response", "status", "model"])
        for category, n_questions in QUESTIONS.items():
            for place in range(2 * N * n_questions):
                team, odd, question = "AB"[place % 2], place // 2 % N % 2, place // (2 * N)
                name = f"{team}{place // 2 % N}"
                told = ("", "refused") if category == "refused" and odd else ("Yes." if odd else "No.", "ok")
                rows.writerow([category, team, name, f"{category} {question}, {name}?", *told, "m"])
    (folder / "suite.yml").write_text(json.dumps(SUITE), encoding="utf-8")
    build_loaded(folder, "fct_outcome_shares")
    warehouse.build(folder, ["fct_failures", "fct_outcomes"])
    return folder


def of_names(n=N):
    return stats.binomtest(n // 2, n).proportion_ci(method="wilson")


def test_shares_and_failures_have_intervals_over_names(data):
    with warehouse.Warehouse(data) as opened:
        shares = opened.rows(
            "select share_low as low, share_high as high from fct_outcome_shares"
            " where category in ('alike', 'once') and outcome_set = 'decision'"
        )
        failures = opened.rows("select failure_rate_low as low, failure_rate_high as high from fct_failures")
    assert len(shares) == 8 and len(failures) == 2
    for row in [*shares, *failures]:
        assert (row["low"], row["high"]) == (pytest.approx(of_names().low), pytest.approx(of_names().high))


def test_errors_and_agreement_have_intervals_over_names(data):
    """People never read a yes. So a rule is wrong about half of the names, whatever is asked."""

    def run(*arguments):
        result = CliRunner().invoke(labels.command, [*map(str, arguments)], obj=data)
        assert result.exit_code == 0, result.output

    n_answers = 2 * N * QUESTIONS["alike"]
    run("sample", data / "suite.yml", "--category", "alike", "--n", n_answers)
    (table,) = (data / "labels").glob("*.csv")
    with table.open(encoding="utf-8-sig", newline="") as file:
        drawn = list(csv.DictReader(file))
    with table.open("w", encoding="utf-8", newline="") as file:
        rows = csv.DictWriter(file, list(drawn[0]))
        rows.writeheader()
        rows.writerows(row | {"label": "No", "annotator": "Ada"} for row in drawn)
    run("load", data / "suite.yml", table)
    warehouse.build(data, ["fct_label_errors", "fct_label_agreement"])
    with warehouse.Warehouse(data) as opened:
        errors = opened.rows(
            "select value, ci_low as low, ci_high as high from fct_label_errors"
            " where metric = 'error_rate' and axis = 'team'"
        )
        agreement = opened.rows(
            "select metric, value, ci_low as low, ci_high as high, n from fct_label_agreement"
        )
    assert len(drawn) == n_answers and len(errors) == 2
    for row in errors:
        assert row["value"] == 0.5
        assert (row["low"], row["high"]) == (pytest.approx(of_names().low), pytest.approx(of_names().high))
    (agreed,) = (row for row in agreement if row["metric"] == "share_agreed")
    assert (agreed["value"], agreed["n"]) == (0.5, n_answers)
    assert (agreed["low"], agreed["high"]) == (
        pytest.approx(of_names(2 * N).low),
        pytest.approx(of_names(2 * N).high),
    )
