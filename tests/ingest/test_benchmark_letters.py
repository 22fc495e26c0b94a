"""Replies as chat models write them, and the option that each chooses."""

import json
import re
import time

import duckdb
import pytest

from ingest.benchmarks.letters import _CLAUSE, LETTERS
from ingest.benchmarks.options import rule
from ingest.paths import PROJECT
from ingest.suite.rules import Rule

# By the letter that is meant. `none` names no option, or several; `unread` names one as no pattern knows it.
REPLIES = json.loads((PROJECT / "tests" / "fixtures" / "letters.json").read_text("utf-8"))


def letters_read(texts, n_options=3):
    """Return what is read in each text as `int_phrases_matched` reads it: of several, the longest pattern."""
    with duckdb.connect() as engine:
        engine.execute("create table texts as select unnest(?) as text", [texts])
        engine.execute("create table found (text varchar, letter varchar, pattern varchar)")
        for letter, patterns in rule(n_options)["labels"].items():
            for pattern in patterns:
                found = f"()({pattern})()".replace("'", "''")  # as a constant it is compiled once
                engine.execute(
                    "insert into found select distinct text, ?, ? from texts"
                    f" where regexp_matches(text, '{found}', 'is')",
                    [letter, pattern],
                )
        rows = engine.execute("select text, arg_max(letter, length(pattern)) from found group by text")
        return dict(rows.fetchall())


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


def test_a_run_of_signs_is_read_in_one_way():
    """Java tries all ways of reading a text, as Python does: a model may end in thousands of dots."""
    pattern, text = re.compile(f"{_CLAUSE}answer", re.IGNORECASE | re.DOTALL), "." * 30_000
    started = time.process_time()
    assert not pattern.search(text)
    assert time.process_time() - started < 2
