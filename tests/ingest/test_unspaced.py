"""Scripts without spaces are known in one place, and whoever reads texts knows all of them."""

import re
from pathlib import Path

import pytest

from ingest.asking.answer_status import WORD_END
from ingest.corpus.sentences import n_words
from ingest.measuring.text_overlap import STEM_TOKEN
from ingest.unspaced import SPACED_LETTER, UNSPACED, stands_in_words

LETTERS = {
    "Thai": "ก", "Lao": "ກ", "Burmese": "က", "Khmer": "ក", "kana": "か", "Han": "漢", "Han, A": "㐀",
    "Han, compatible": "豈", "Han, rare": "𠀀",
}  # fmt: skip


@pytest.mark.parametrize("letter", LETTERS.values(), ids=LETTERS)
def test_every_reader_knows_every_such_script(letter):
    assert stands_in_words(f"{letter}a") and stands_in_words(f"a{letter}")
    assert STEM_TOKEN.findall(letter * 3) == [letter] * 3
    assert n_words(letter * 6) == 3
    assert not re.fullmatch(SPACED_LETTER, letter)
    assert re.search(f"{letter}{WORD_END}", letter * 2)


@pytest.mark.parametrize("letter", ["a", "ß", "ж", "ش", "त", "한"])
def test_scripts_with_spaces_are_none(letter):
    assert not re.search(f"[{UNSPACED}]", letter)


def test_no_other_module_lists_them():
    elsewhere = [
        path.name
        for path in Path("ingest").rglob("*.py")
        if path.name != "unspaced.py" and re.search(r"u4e00|u3040|\u4e00-|\u3040-", path.read_text("utf-8"))
    ]
    assert elsewhere == []
