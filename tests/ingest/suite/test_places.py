"""`at` and `field` of an outcome rule: where in an answer a phrase decides."""

import duckdb
import pytest
from pydantic import ValidationError

from ingest.suite.definition import _pattern
from ingest.suite.rules import Rule

LABELS = {"yes": ["yes"], "no": ["no"]}


@pytest.mark.parametrize(
    ("place", "text", "label"),
    [
        ({"at": "beginning"}, "**Yes** - no doubt.", "yes"),
        ({"at": "beginning"}, '"No," she said, not yes', "no"),
        ({"at": "beginning"}, "Final decision: NO\nSince yes is rare.", "no"),
        ({"at": "beginning"}, "No doubt she fits.", None),
        ({"at": "beginning"}, "No-one", None),
        ({"at": "beginning"}, "Well, yes.", None),
        ({"at": "end"}, "No doubt, well.\n\n**Answer:** Yes.", "yes"),
        ({"at": "end"}, "Yes.\nSo the answer is no", "no"),
        ({"at": "end"}, r"Hm: $\boxed{yes}$", "yes"),
        ({"at": "end"}, "<answer>no</answer>", "no"),
        ({"at": "end"}, "Yes: I know", None),
        ({"at": "either"}, "Yes, at once.", "yes"),
        ({"at": "either"}, "At once.\nno", "no"),
        ({"field": "décision (1)"}, '{"décision (1)": "Yes", "no": "no"}', "yes"),
        ({"field": "ok"}, '{"why": "yes",\n"ok" : no}', "no"),
        ({"field": "ok"}, '{"ok": "yes and no"}', None),
    ],
)
def test_a_phrase_counts_in_its_place_alone(place, text, label):
    rule = Rule(set="decision", kind="pattern", text="raw", labels=LABELS, **place)
    found = [
        of
        for of, phrase in rule.phrases()
        if duckdb.execute(
            "select regexp_matches(?, ?, 'is')", [text, _pattern(rule, phrase, False)]
        ).fetchone()[0]
    ]
    assert found == ([label] if label else [])


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "given", "at": "end"},
        {"kind": "pattern", "at": "end", "regex": True},
        {"kind": "pattern", "at": "end", "field": "ok"},
        {"kind": "anchor", "field": "ok"},
    ],
)
def test_a_place_is_of_phrases_and_of_one_kind(wrong):
    with pytest.raises(ValidationError, match="`at`"):
        Rule(set="decision", labels=LABELS, **wrong)
