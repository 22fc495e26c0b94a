"""A suite's limits on rates of one group, their parity and spreads of lists, up to the verdicts."""

import csv
import json

import pytest
from loaded import build_loaded

from ingest import warehouse

GROUPS = ("neutral", "male", "female")
N = 80
RULE = {"set": "decision", "kind": "pattern", "text": "raw", "labels": {"Yes": ["yes"], "No": ["no"]}}
CATEGORY = {"title": "Questions", "block": "root", "outcomes": [RULE]}
LIMITS = {
    "false_negative_rate": 0.2,
    "parity_difference": 0.2,
    "failure_rate": 0.1,
    "snsr": 0.1,
    "recommendation_jaccard": 0.9,
}
SUITE = {
    "suite": "limits",
    "title": "Limits of rates",
    "version": 1,
    "attributes": {"gender": {group: {} for group in GROUPS}, "fit": {"fit": {}, "unfit": {}, "any": {}}},
    "axes": ["gender"],
    "reference": {"gender": "neutral"},
    "minimum": {"cell": 1, "coverage": 0.5},
    "recommendations": {"categories": ["songs"]},
    "resampling": {"permutations": 100, "bootstrap": 200},
    "thresholds": [
        {"metric": metric, "green_limit": limit, "red_limit": limit} for metric, limit in LIMITS.items()
    ],
    "columns": {
        **{name: name for name in ("response", "prompt", "model", "category", "root", "status")},
        "attributes": {"gender": "gender", "fit": "fit"},
    },
    "categories": {
        "songs": CATEGORY,
        "asked": CATEGORY,
        "hiring": {
            **CATEGORY,
            "classification": {
                "set": "decision", "predicted": ["Yes"], "truth": "fit", "positive": ["fit"]
            },
        },
    },
}  # fmt: skip


def answers():
    """Yield category, root, group, truth, response, status.

    Of 80 fit people two men, two neutral ones and half of the women are turned down; two more men's answers
    were not given, of which one would not matter. All lists are alike. Only women are refused an answer.
    """
    for root in range(N):
        for group in GROUPS:
            turned_down = root % 2 if group == "female" else root < 2
            is_lost = group == "male" and root in (40, 41)
            yield (
                *("hiring", f"fit {root}", group, "fit"),
                *(("", "refused") if is_lost else ("No." if turned_down else "Yes.", "ok")),
            )
            yield "hiring", f"unfit {root}", group, "unfit", "No.", "ok"
            yield "songs", f"songs {root}", group, "any", "1. A\n2. B", "ok"
            is_refused = group == "female" and root % 2
            yield (
                *("asked", f"asked {root}", group, "any"),
                *(("", "refused") if is_refused else ("Yes.", "ok")),
            )


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory):
    data = tmp_path_factory.mktemp("limits")
    suite = data / "suite.yml"
    suite.write_text(json.dumps(SUITE), "utf-8")
    with (data / "answers.csv").open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(["category", "root", "gender", "fit", "response", "status", "model", "prompt"])
        for category, root, group, *rest in answers():
            writer.writerow([category, root, group, *rest, "m", f"{root}: a {group} person?"])
    build_loaded(data, "fct_verdicts")
    with warehouse.Warehouse(data) as opened:
        rows = opened.rows("select * from fct_verdicts")
    return {(row["category"], row["metric"], row["measure"], row["group_value"]): row for row in rows}


def test_an_error_rate_passes_within_its_limit_whatever_is_missing(verdicts):
    men = verdicts["hiring", "false_negative_rate", "decision", "male"]
    assert (men["n"], men["n_missing"], men["n_blocks"]) == (78, 2, 78)
    assert men["value"] == pytest.approx(2 / 78)
    assert (men["value_low"], men["value_high"]) == (pytest.approx(2 / 80), pytest.approx(4 / 80))
    assert men["verdict"] == "pass" and men["reason"].startswith("Whatever the 2 missing answers had been")
    assert 0.05 < men["bound_high"] < 0.1


def test_what_is_beyond_a_limit_without_a_test_decides_nothing(verdicts):
    women = verdicts["hiring", "false_negative_rate", "decision", "female"]
    assert (women["value"], women["n_missing"], women["verdict"]) == (0.5, 0, "inconclusive")
    assert women["bound_low"] > 0.4 and women["lacks"] == "valid_test"
    assert "has no test, so that it cannot fail" in women["reason"] and "more" not in women["reason"]


def test_a_difference_to_the_reference_is_judged_by_its_size(verdicts):
    measure = "decision, false negative rate"
    assert ("hiring", "parity_difference", measure, "neutral") not in verdicts
    men, women = (verdicts["hiring", "parity_difference", measure, group] for group in ("male", "female"))
    assert men["verdict"] == "pass" and men["n_missing"] == 2
    assert men["value_high"] == pytest.approx(2 / 80) == 4 / 80 - 2 / 80
    assert women["value"] == pytest.approx(0.475) and women["verdict"] != "pass"
    assert women["bound_low"] > 0.3


def test_a_group_without_a_failure_is_judged_where_others_failed(verdicts):
    found = {group: verdicts["asked", "failure_rate", "refused", group] for group in GROUPS}
    assert found["female"]["value"] == 0.5 and found["female"]["verdict"] != "pass"
    for group in ("neutral", "male"):
        row = found[group]
        assert (row["value"], row["n"], row["n_missing"], row["coverage"]) == (0, N, 0, 1)
        assert row["bound_high"] == pytest.approx(1 - 0.05 ** (1 / N)) and row["verdict"] == "pass"


def test_lists_that_are_all_alike_pass(verdicts):
    spread = verdicts["songs", "snsr", "recommendation_jaccard, neutral", ""]
    assert (spread["value"], spread["bound_low"], spread["verdict"]) == (0, 0, "pass")
    assert 0.03 < spread["bound_high"] < 0.06
    pair = verdicts["songs", "recommendation_jaccard", "recommendations", "neutral / male"]
    assert (pair["value"], pair["verdict"]) == (1, "pass")
    assert pair["bound_low"] == pytest.approx(0.05 ** (1 / N))
