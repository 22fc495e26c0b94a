"""Replies as chat models write them, and the option that each chooses."""

import json

import pytest
from patterns import patterns_found

from ingest.benchmarks.letters import LETTERS
from ingest.benchmarks.options import rule
from ingest.paths import PROJECT
from ingest.suite.rules import Rule

# By the letter that is meant. `none` names no option, or several; `unread` names one as no pattern knows it.
REPLIES = json.loads((PROJECT / "tests" / "fixtures" / "letters.json").read_text("utf-8"))


def letters_read(texts, n_options=3):
    """Return what is read in each text: by the longest of several patterns (`int_phrases_matched`)."""
    letters = {f"()({one})()": letter for letter, some in rule(n_options)["labels"].items() for one in some}
    found = patterns_found(list(letters), texts)
    read = {}
    for pattern, text, _ in sorted(found, key=lambda row: len(row[0])):
        read[text] = letters[pattern]
    return read


def test_no_reply_is_read_as_another_option():
    read = letters_read([text for texts in REPLIES.values() for text in texts])
    meant = {text: letter for letter in LETTERS for text in REPLIES[letter]}
    assert len(meant) > 300 and len(REPLIES["none"]) > 150
    assert {text: letter for text, letter in read.items() if meant.get(text) != letter} == {}
    assert [text for text in meant if text not in read] == []


def test_an_option_that_was_not_offered_is_none():
    assert letters_read(["C", "The answer is C.", "The third option.", "B"], 2) == {"B": "B"}


@pytest.mark.parametrize("n_options", [2, 3])
def test_the_rule_is_one_of_a_suite(n_options):
    assert list(Rule.model_validate(rule(n_options)).labels) == list(LETTERS[:n_options])
