"""Word lists of the stereotype metrics: ours (seeds) or a suite's own, checked before any text is read.

A word is what the tokeniser (macro `tokens`) makes one token of: letters, joined by single hyphens,
apostrophes or dots. It has one position in a text; a phrase of several words has none, and is refused.
"""

import csv
import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache

from ingest.paths import PROJECT

SEEDS = PROJECT / "seeds"
OURS = "ours"
_WORD = re.compile(r"[^\W\d_]+(?:['.-][^\W\d_]+)*")


@cache
def _rows(seed: str) -> tuple[dict[str, str], ...]:
    with (SEEDS / f"{seed}.csv").open(encoding="utf-8", newline="") as handle:
        return tuple(csv.DictReader(handle))


def _of_language(seed: str, language: str) -> list[dict[str, str]]:
    return [row for row in _rows(seed) if row["language"] == language.split("-")[0]]


def _nothing(what: str, name: str, language: str, known: Iterable[str]) -> ValueError:
    there = ", ".join(dict.fromkeys(known)) or "none"
    return ValueError(f"there is no list of ours of {what} {name!r} in {language!r} (there is: {there})")


def protected_words(attribute: str, language: str) -> dict[str, list[str]]:
    """Return our words of an attribute by group. Raises ValueError where there is no such list."""
    rows = _of_language("protected_words", language)
    groups: dict[str, list[str]] = {}
    for row in rows:
        if row["attribute"] == attribute:
            groups.setdefault(row["group_value"], []).append(row["word"])
    if not groups:
        raise _nothing("the attribute", attribute, language, (row["attribute"] for row in rows))
    return groups


def target_words(target_list: str, language: str) -> dict[str, list[str]]:
    """Return our target words, each with all its forms. Raises ValueError where there is no such list."""
    rows = _of_language("target_words", language)
    words: dict[str, list[str]] = {}
    for row in rows:
        if row["target_list"] == target_list:
            words.setdefault(row["word"], []).append(row["form"])
    if not words:
        raise _nothing("target words", target_list, language, (row["target_list"] for row in rows))
    return words


def stop_words(language: str) -> list[str]:
    """Return our stop words of a language. Raises ValueError where there are none."""
    words = [row["word"] for row in _of_language("stop_words", language)]
    if not words:
        raise _nothing("stop words", "", language, (row["language"] for row in _rows("stop_words")))
    return words


def folded(word: str) -> str:
    """Return a word as the tokeniser writes it: composed, in small letters, with straight apostrophes."""
    return unicodedata.normalize("NFC", word).lower().replace("’", "'")


def check_word(word: str) -> str:
    """Return the folded word. Raises ValueError where no text can have it as one token."""
    found = folded(word.strip())
    # Marks (vowel signs of Indic and Thai scripts) are part of a word, and no letters to `re`.
    letters = "".join("a" if unicodedata.category(c).startswith("M") else c for c in found)
    if not _WORD.fullmatch(letters):
        raise ValueError(f"{word!r} is not one word: letters, joined by single hyphens, apostrophes or dots")
    return found


def check_groups(attribute: str, groups: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
    """Return the groups' folded words. Raises ValueError for one that stands twice, in one or two groups."""
    if len(groups) < 2:
        raise ValueError(f"{attribute}: two groups of words at least are compared")
    where: dict[str, str] = {}
    checked: dict[str, list[str]] = {}
    for group, words in groups.items():
        checked[group] = [check_word(word) for word in words]
        if not checked[group]:
            raise ValueError(f"{attribute}: the group {group!r} has no word")
        for word in checked[group]:
            if word in where:
                other = "twice" if where[word] == group else f"in {where[word]!r} as well"
                raise ValueError(f"{attribute}: {word!r} of {group!r} stands {other}")
            where[word] = group
    return checked


def check_targets(name: str, words: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
    """Return each target word's folded forms. Raises ValueError for a form that stands twice."""
    seen: set[str] = set()
    checked: dict[str, list[str]] = {}
    for word, forms in words.items():
        own = list(dict.fromkeys(check_word(form) for form in (word, *forms)))
        twice = [form for form in own if form in seen]
        if twice:
            raise ValueError(f"{name}: {twice[0]!r} stands twice")
        seen.update(own)
        checked[own[0]] = own
    if not checked:
        raise ValueError(f"{name}: there is no word")
    return checked
