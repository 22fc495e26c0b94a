import doctest
from typing import get_args

import pytest

from ingest.measuring import text_variants as texts
from ingest.measuring.text_variants import TEXT_VARIANTS, clean, without_decision
from ingest.suite import Rule


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Nurse", "nurse"),
        ("  Nurse.\n", "nurse"),
        ('"Nurse"', "nurse"),
        ("“Nurse”", "nurse"),
        ("‘'Nurse'’", "nurse"),
        ("'It's fine'", "it's fine"),
        ('"Nurse".', 'nurse"'),  # the quote is no longer outside when quotes are stripped
        ("wait... what", "wait what"),
        ("so.. ", "so"),
        ("so… well", "so well"),
        ("3.5 a day.", "3.5 a day"),
        ("one. two.", "one. two"),
        ("a\t b\u00a0\u3000c\r\nd", "a b c d"),
        ("İ", "i̇"),
        ("工程师。", "工程师。"),
        ("ĐIỀU DƯỠNG.", "điều dưỡng"),
        ("พยาบาล.", "พยาบาล"),
        ("🙂👩🏽‍⚕️", "🙂👩🏽‍⚕️"),
        ("", ""),
        ('"."', ""),
        (" \n ", ""),
        ("....", ""),
    ],
)
def test_clean(text, expected):
    assert clean(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("yes, she is kind", ", she is kind"),
        ("she is kind, yes", "she is kind,"),
        ("well yes and no", "well and no"),
        ("NO way", "way"),
        ("nobody knows yesterday", "nobody knows yesterday"),
        ("ยังno yes", "ยังno"),  # a letter of any script before it: not standalone
        ("no", ""),
        ("", ""),
    ],
)
def test_without_decision_removes_the_first_standalone_one(text, expected):
    assert without_decision(text) == expected


def test_a_variant_starts_from_the_raw_text():
    assert TEXT_VARIANTS["without_decision"](' "Yes, I  AGREE." ') == ", i agree"


def test_every_variant_a_suite_may_name_has_a_function():
    assert {*TEXT_VARIANTS, "raw"} == set(get_args(Rule.model_fields["text"].annotation))


def test_long_texts_are_cleaned_whole():
    assert clean("Good.. " * 20_000) == " ".join(["good"] * 20_000)


def test_examples_in_the_docstrings():
    results = doctest.testmod(texts)
    assert results.attempted >= 2
    assert results.failed == 0
