"""Whole words in any script: no part of a longer word, and any part where words have no spaces."""

import re

import pytest

from ingest.whole_words import whole_words


def found(text, *phrases):
    return re.findall(whole_words((phrase, re.escape(phrase)) for phrase in phrases), text)


@pytest.mark.parametrize(
    ("text", "phrases", "expected"),
    [
        ("A man, a woman, man-made", ["man"], ["man", "man"]),
        ("भारतीय और भारत, भारत।", ["भारत"], ["भारत", "भारत"]),
        ("தமிழ் பேசும் தமிழர்; தமிழ்நாடு", ["தமிழ", "தமிழ்"], ["தமிழ்"]),
        ("हिंदीभारत", ["भारत"], []),
        ("我是中国人，住在中国。", ["中国人", "中国"], ["中国人", "中国"]),
        ("คนไทยพูด", ["ไทย"], ["ไทย"]),
        ("在Singapore的人, Singaporeans", ["Singapore"], ["Singapore"]),
        ("ที่Zürich", ["Zürich"], ["Zürich"]),
        ("日本team, 日本teams", ["日本team"], ["日本team"]),
        ("Québec, Québecois", ["Québec"], ["Québec"]),
        ("_she_, __Man__ and man_1, of_man, __man_x", ["she", "Man", "man"], ["she", "Man"]),
        ("Anything", [], []),
    ],
)
def test_a_phrase_is_found_as_a_whole_word(text, phrases, expected):
    assert found(text, *phrases) == expected


def test_the_first_phrase_that_stands_there_is_found():
    phrases = ["New York", "New", "新加坡共和国", "新加坡"]
    assert found("New York in 新加坡共和国", *phrases) == ["New York", "新加坡共和国"]
