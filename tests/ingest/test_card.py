"""The audit card's words: hostile names stay text, and each limit is said where its numbers say so."""

import json
from datetime import datetime

import pytest

from ingest.card import ALWAYS, ROWS, TABLES, as_json, cell, limitations, table

NOTHING = {name: [] for name in ("configs", "data", "responses", "verdicts", "suites", "missingness")}


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "–"),
        ("", "–"),
        (True, "yes"),
        (12_345, "12,345"),
        (0.123456, "0.1235"),
        (datetime(2026, 1, 2, 3, 4, 5), "2026-01-02 03:04:05 UTC"),
        (["a", "b|c"], r"a, b\|c"),
        ("fair_sea", "fair_sea"),
        ("_x_", r"\_x\_"),
        ("a\nb  c", "a b c"),
        ("<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)&gt;"),
        ("[x](javascript:alert(1))", r"\[x\](javascript:alert(1))"),
        ("&lt;", "&amp;lt;"),
    ],
)
def test_a_cell_shows_what_it_is_given(value, shown):
    assert cell(value) == shown


def test_a_table_has_a_cell_for_each_column_and_says_when_it_is_empty():
    rows = [{"a": "x|y", "b": 1, "more": 2}]
    assert table(rows, "a, b a number") == ["| a | a number |", "| --- | --- |", r"| x\|y | 1 |", ""]
    assert table([], "a") == ["None.", ""]
    *listed, more, _ = table([{"a": row} for row in range(ROWS + 2)], "a")
    assert (len(listed), more) == (2 + ROWS + 1, "… and 2 more in the JSON.")


def test_checks_of_one_rule_and_question_are_told_apart():
    columns = next(columns for _, section, columns in TABLES if section == "missingness")
    told = {"description": "Groups are large enough.", "suite": "s", "category": "Q", "config": "m"}
    counted = {"n_failing": 1, "n_records": 6, "rate": 1 / 6, "limit_rate": 0.0}
    scopes = ("shortlisted: origin", "rating: origin")
    *_, one, other, _ = table([{**told, **counted, "scope": scope} for scope in scopes], columns)
    assert "shortlisted: origin" in one and one.replace("shortlisted", "rating") == other


def test_limits_are_said_where_numbers_say_so():
    assert limitations(NOTHING) == list(ALWAYS)
    said = limitations(
        {
            "configs": [
                {"config": "s", "is_simulated": True, "digest": ""},
                {"config": "m", "is_simulated": False, "digest": None},
                {"config": "n", "is_simulated": False, "digest": "sha256:1"},
            ],
            "data": [
                {"n_prompts": 6, "n_unreviewed": 4, "n_left_out": 0},
                {"n_prompts": 3, "n_unreviewed": 0, "n_left_out": 2},
            ],
            "responses": [
                {"response_status": "ok", "n": 90},
                {"response_status": "refused", "n": 10},
            ],
            "verdicts": [
                {"is_gated": True, "verdict": "inconclusive", "n": 3},
                {"is_gated": True, "verdict": "pass", "n": 4},
                {"is_gated": True, "verdict": "not_applicable", "n": 30},
                {"is_gated": False, "verdict": "inconclusive", "n": 50},
            ],
            "suites": [{"suite": "t", "n_bootstrap": 0}],
            "missingness": [
                {"rule": "r", "rate": 0.2, "limit_rate": 0.1, "n_failing": 2, "n_records": 10},
                {"rule": "q", "rate": 0.05, "limit_rate": 0.1, "n_failing": 1, "n_records": 20},
                {
                    "rule": "flagged_not_asked",
                    "rate": 0.05,
                    "limit_rate": 0.1,
                    "n_failing": 5,
                    "n_records": 100,
                },
                {"rule": "p", "rate": 0.5, "limit_rate": None, "n_failing": 1, "n_records": 2},
            ],
        }
    )
    assert [line.split(":")[0] for line in said[:9]] == [
        "Simulated",
        "No digest was recorded for m",
        "4 of 9 prompts are translations that no person has reviewed",
        "2 of 9 prompts were not asked",
        "Prompts that a person should look at were asked 5 times, counted once a config.",
        "10 of 100 responses could not be used (refused, empty, cut off or failed)",
        "3 of 7 verdicts are inconclusive",
        "Nothing was resampled in t",
        "1 check of the data beyond the limit",
    ]


def test_the_json_holds_no_number_that_is_none():
    assert json.loads(as_json({"at": datetime(2026, 1, 2), "value": None})) == {
        "at": "2026-01-02T00:00:00+00:00",
        "value": None,
    }
    with pytest.raises(ValueError, match="not JSON compliant"):
        as_json({"value": float("nan")})
