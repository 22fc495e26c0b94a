"""Phrases as whole words of a composed (NFC) text, in any script."""

import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from itertools import groupby

from ingest.unspaced import UNSPACED

WITH_MARKS = 0x20000  # code points: beyond them no script has marks
UNSPACED_LETTER = re.compile(f"[{UNSPACED}]")
# In a script without spaces words stand among other letters: only others show where a word ends.
# Markdown stresses a word by underscores around it; between letters they join what is one name.
LETTER = rf"[^\W_{UNSPACED}]"
NOT_AFTER_LETTER = rf"(?<!{LETTER})(?<!{LETTER}_)(?<!{LETTER}__)"
NOT_BEFORE_LETTER = rf"(?!_*{LETTER})"


def whole_words(phrases: Iterable[tuple[str, str]]) -> str:
    """Return what finds the first of these phrases that stands in a text, each given with its own pattern.

    >>> pattern = re.compile(whole_words([("man", "man"), ("女人", "女人")]))
    >>> pattern.findall("A man is no human; 她是女人吗")
    ['man', '女人']
    """
    runs = groupby(phrases, key=lambda item: _bounds(item[0]))
    alternatives = (
        rf"{before}(?:{'|'.join(pattern for _, pattern in run)}){after}" for (before, after), run in runs
    )
    return "|".join(alternatives) or "(?!)"


def _bounds(phrase: str) -> tuple[str, str]:
    """Return what must not stand before a phrase and after it."""
    before = "" if UNSPACED_LETTER.match(phrase) else NOT_AFTER_LETTER
    after = "" if UNSPACED_LETTER.match(phrase[-1:]) else NOT_BEFORE_LETTER
    if phrase.isascii():  # in a composed text hardly a mark stands beside such a letter
        return before, after
    # Python's \w has letters and digits only, and vowel signs of Indic scripts are marks.
    if before:
        before += f"(?<!{_marks(of_spaced=True)})"
    return before, f"{after}(?!{_marks()})"


@cache
def _marks(of_spaced: bool = False) -> str:
    """Return a class of the marks of all scripts, or of those with spaces alone."""
    marks = "".join(c for c in map(chr, range(WITH_MARKS)) if unicodedata.category(c).startswith("M"))
    return f"[{UNSPACED_LETTER.sub('', marks) if of_spaced else marks}]"
