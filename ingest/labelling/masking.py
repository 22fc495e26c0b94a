"""Texts without the words that show a group, as far as these are known."""

import re
from collections.abc import Collection, Mapping

from ingest.labelling.drawing import Item
from ingest.prompts.replacements import as_pattern
from ingest.suite import Rule, normalise_label
from ingest.suite.fields import composed
from ingest.unspaced import SPACED_LETTER

MASK = "▮▮▮"
SHORTEST = 3  # letters of a part of a name that stands for the name: "Tan", not "d/o"
# How much of a text is shown: its beginning and its end.
FIRST, LAST = 8_000, 2_000
ARTICLE = re.compile(rf"\b([Aa])n?(\s+)(?={MASK})")
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f]")


class Masking:
    """Hides the words of a suite's groups.

    `words` are those of each attribute's values. Of an attribute that a prompt shows, the words of all its
    values are hidden: those of one group alone would tell by what is left which one it is. What is a label of
    the rule, or a whole phrase of it, stays: without it the answer could not be read. In the categories
    `with_people` a prompt's keyword is a person's name, which tells as much as a word.
    """

    def __init__(
        self, words: Mapping[tuple[str, str], Collection[str]], with_people: Collection[str] = ()
    ) -> None:
        self.with_people = set(with_people)
        self.words: dict[str, set[str]] = {}
        for (attribute, _), found in words.items():
            self.words.setdefault(attribute, set()).update(found)
        self.patterns: dict[frozenset[str], re.Pattern[str] | None] = {}

    def of(self, item: Item, rule: Rule) -> Item:
        """Return a drawn answer as an annotator sees it."""
        words = {word for attribute in item.shown_by for word in self.words.get(attribute, ())}
        if item.keyword and item.category in self.with_people:
            parts = (part for part in item.keyword.split() if sum(map(str.isalpha, part)) >= SHORTEST)
            words |= {item.keyword, *parts}
        stays = {
            normalise_label(word) for label, phrases in rule.labels.items() for word in (label, *phrases)
        }
        hidden = frozenset(word for word in words if normalise_label(word) not in stays)
        pattern = self._pattern(hidden)
        # "an" before one of old and young would tell which one it is.
        is_told = len({word.strip()[:1].casefold() in "aeiou" for word in hidden}) == 2
        prompt, answer = (_shown(text, pattern, is_told) for text in (item.prompt, item.answer))
        return item._replace(prompt=prompt, answer=answer)

    def names_a_group(self, text: str) -> bool:
        """Whether a text holds a word of any group."""
        pattern = self._pattern(frozenset(word for words in self.words.values() for word in words))
        return pattern is not None and pattern.search(composed(text)) is not None

    def _pattern(self, words: frozenset[str]) -> re.Pattern[str] | None:
        if words not in self.patterns:
            ordered = sorted((word for word in words if word.split()), key=lambda word: (-len(word), word))
            bounded = "|".join(_bounded(word) for word in ordered)
            self.patterns[words] = re.compile(bounded) if ordered else None
        return self.patterns[words]


def _bounded(word: str) -> str:
    """Return the pattern of a whole word; where a script has no spaces, of the word wherever it stands."""
    word = " ".join(composed(word).split())
    before = rf"(?<!{SPACED_LETTER})" if re.match(SPACED_LETTER, word) else ""
    after = rf"(?!{SPACED_LETTER})" if re.search(rf"{SPACED_LETTER}\Z", word) else ""
    return f"{before}{as_pattern(word)}{after}"


def _shown(text: str, pattern: re.Pattern[str] | None, is_told_by_article: bool) -> str:
    text = CONTROL.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))
    if pattern is not None:
        text = pattern.sub(MASK, composed(text))
        if is_told_by_article:
            text = ARTICLE.sub(r"\1(n)\2", text)
    left_out = len(text) - FIRST - LAST
    if left_out <= 0:
        return text
    return f"{text[:FIRST]}\n[… {left_out:,} characters are left out here …]\n{text[-LAST:]}"
