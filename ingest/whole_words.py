"""Phrases as whole words of a composed (NFC) text, in any script."""

import re
import unicodedata
from collections.abc import Iterable
from functools import cache

from ingest.unspaced import SPACED_LETTER, UNSPACED, UNSPACED_LETTER

WITH_MARKS = 0x20000  # code points: beyond them no script has marks
VARIATION_SELECTOR = re.compile("[\ufe00-\ufe0f]")
# In a script without spaces words stand among other letters: only others show where a word ends.
# Markdown stresses a word by underscores around it; between letters they join what is one name.
NOT_AFTER_LETTER = "(?<!{0})(?<!{0}_)(?<!{0}__)"
NOT_BEFORE_LETTER = "(?!_*{0})"
LETTER = r"[^\W_]"


def whole_words(phrases: Iterable[tuple[str, str]], is_spaced: bool = False) -> str:
    """Return what finds the first of these phrases that stands in a text, each given with its own pattern.

    `is_spaced`, it is for texts without letters of the scripts that put no spaces between words. It finds the
    same in them, and compiles in a tenth of the time.

    >>> pattern = re.compile(whole_words([("man", "man"), ("女人", "女人")]))
    >>> pattern.findall("A man is no human; 她是女人吗")
    ['man', '女人']
    """
    listed = list(phrases)
    if not listed:
        return "(?!)"
    letter, after_all = LETTER if is_spaced else SPACED_LETTER, ""
    before, after = NOT_AFTER_LETTER.format(letter), NOT_BEFORE_LETTER.format(letter)
    if not all(phrase.isascii() for phrase, _ in listed):  # beside such a letter hardly a mark is left by NFC
        # Python's \w has letters and digits only, and vowel signs of Indic scripts are marks.
        before += f"(?<!{_marks(of_spaced=True)})"
        after_all = f"(?!{_marks()})"
    # Each bound stands once, however many phrases there are: the text itself says which script it is in.
    if not is_spaced:
        before = _unless(f"(?=[{UNSPACED}])", before, [phrase[:1] for phrase, _ in listed])
        after = _unless(f"(?<=[{UNSPACED}])", after, [phrase[-1:] for phrase, _ in listed])
    after += after_all
    # Where case is ignored, a large class takes three times as long to compile; these have no case.
    return f"(?-i:{before})(?:{'|'.join(pattern for _, pattern in listed)})(?-i:{after})"


def _unless(in_unspaced: str, bound: str, letters: Iterable[str]) -> str:
    """Return what must hold at one end of phrases that have these letters there."""
    are_unspaced = {UNSPACED_LETTER.match(letter) is not None for letter in letters}
    if are_unspaced == {True}:
        return ""
    return f"(?:{in_unspaced}|{bound})" if True in are_unspaced else bound


@cache
def _marks(of_spaced: bool = False) -> str:
    """Return a class of the marks of all scripts, or of those with spaces alone.

    What encloses a sign or chooses its picture, as behind an emoji, belongs to no word.
    """
    marks = "".join(c for c in map(chr, range(WITH_MARKS)) if unicodedata.category(c) in ("Mn", "Mc"))
    marks = VARIATION_SELECTOR.sub("", marks)
    return f"[{UNSPACED_LETTER.sub('', marks) if of_spaced else marks}]"
