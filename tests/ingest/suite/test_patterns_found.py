"""Where patterns stand in texts, as `int_patterns_found` says it."""

import pytest
from patterns import patterns_found
from pydantic import ValidationError

from ingest.suite.definition import phrase_pattern
from ingest.suite.rules import Rule


@pytest.mark.parametrize(
    ("phrase", "text", "position"),
    [
        ("retail trade", "Retail Trade it is", 0),
        ("retail trade", "So\nretail trade", 3),
        ("service & sales", "in Service & Sales", 3),
        ('o\'brien "b"', 'an O\'Brien "B" here', 3),
        (".*", "say .* now", 4),
        (".*", "anything at all", None),
        ("c++", "是 C++.", 2),
        ("not sure", "I am not surely so, not sure", 20),
        ("😀", "ok 😀", 3),
    ],
)
def test_a_phrase_stands_behind_so_many_characters(phrase, text, position):
    pattern = phrase_pattern(phrase, False)
    assert patterns_found([pattern], [text]) == ([] if position is None else [(pattern, text, position)])


def test_each_pattern_is_sought_in_each_text():
    patterns, texts = (
        ["()(z+)()", "()('; drop table x; --)()", r"()(\bno\b)()"],
        ["azz", "no. '; drop table x; --"],
    )
    assert set(patterns_found(patterns, texts)) == {
        (patterns[0], texts[0], 1),
        (patterns[1], texts[1], 4),
        (patterns[2], texts[1], 0),
    }


def test_nothing_is_found_where_nothing_is_sought():
    assert patterns_found([], []) == []


@pytest.mark.parametrize("phrase", ["(a", "a)|(b", r"(a)\1", r"\p{L}{448}"])
def test_a_pattern_that_cannot_be_sought_is_no_rule(phrase):
    """The last one is as large as RE2 takes by itself."""
    with pytest.raises(ValidationError, match="is not a regular expression"):
        Rule(set="decision", kind="pattern", regex=True, labels={"a": [phrase], "b": ["b"]})
