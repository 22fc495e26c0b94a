"""Texts with the words of their group exchanged for another's, or masked: does a judge say the same?"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ingest.labelling.masking import MASK
from ingest.measuring.prompt_pairs import Neutraliser
from ingest.prompts.replacements import (
    BUILT_IN,
    Replacement,
    Replacer,
    as_pattern,
    read_replacements,
    read_tables,
    replacers,
)
from ingest.suite import Branching, Suite
from ingest.suite.fields import composed, typed_like
from ingest.suite.schema import SEX_NAMES
from ingest.whole_words import whole_words

MASKED = ""  # in the place of a group
SHORTEST = 3  # letters of a part of a name that stands for the name
ENGLISH = {"Male", "Female"}  # the groups that our table of pronouns knows
PRONOUNS = "gender"


class Exchanged(NamedTuple):
    """A text about one group as it would be about another, or about none that can be told."""

    attribute: str
    group_a: str
    group_b: str
    text: str


class Exchange:
    """Exchanges the words that show the groups of a suite: words of its attributes, tables, and names.

    A text that shows two groups of an attribute is left alone. Words that two groups share show neither.
    Without `suite_path` the suite's own tables are left out.
    """

    def __init__(self, suite: Suite, suite_path: Path | None = None) -> None:
        self.swaps: dict[str, dict[tuple[str, str], list[Replacer]]] = {}
        self.shown: dict[str, dict[str, re.Pattern[str]]] = {}
        self.masks: dict[str, Neutraliser] = {}
        for attribute, values in suite.attributes.items():
            own = {value: suite.words(attribute, value) for value in values}
            names = _names(suite, attribute)
            tables = _tables(suite, suite_path, attribute)
            found = {value: {*own[value], *names.get(value, ())} for value in values}
            for branching, rows in tables:
                for row in rows:
                    # A row that leads back to the root begins at a word of another group.
                    if row.target != branching.root:
                        found[row.target].add(row.to)
                        found[branching.root].add(row.source)
            self._add(attribute, found, _aligned(own, names), tables)

    def __call__(self, text: str) -> Iterator[Exchanged]:
        """Yield what a text becomes for each other group, and masked, attribute by attribute."""
        known = composed(text)
        for attribute, patterns in self.shown.items():
            shown = [value for value, pattern in patterns.items() if pattern.search(known)]
            if len(shown) != 1:
                continue
            (group,) = shown
            for other in patterns:
                changed = text
                for swap in self.swaps[attribute].get((group, other), ()):
                    changed = swap(changed).text
                if changed != text:
                    yield Exchanged(attribute, group, other, changed)
            yield Exchanged(attribute, group, MASKED, typed_like(self.masks[attribute](text), text))

    def groups(self, text: str) -> dict[str, set[str]]:
        """Return the groups of each attribute whose words stand in a text."""
        text = composed(text)
        return {
            attribute: {value for value, pattern in patterns.items() if pattern.search(text)}
            for attribute, patterns in self.shown.items()
        }

    def _add(
        self,
        attribute: str,
        found: dict[str, set[str]],
        aligned: dict[tuple[str, str], list[Replacement]],
        tables: list[tuple[Branching, list[Replacement]]],
    ) -> None:
        of: dict[str, set[str]] = {}
        for value, words in found.items():
            for word in words:
                of.setdefault(composed(word).casefold(), set()).add(value)
        told = {
            value: {word for word in words if len(of[composed(word).casefold()]) == 1 and word.split()}
            for value, words in found.items()
        }
        told = {value: words for value, words in told.items() if words}
        if len(told) < 2:
            return
        self.shown[attribute] = {
            value: re.compile(whole_words((word, as_pattern(word)) for word in sorted(words)))
            for value, words in told.items()
        }
        self.masks[attribute] = Neutraliser({MASK: [word for words in told.values() for word in words]})
        swaps: dict[tuple[str, str], list[Replacer]] = {}
        for (group, other), rows in aligned.items():
            kept = [row for row in rows if row.source in told.get(group, ())]
            if kept:
                swaps[group, other] = [Replacer(kept)]
        for branching, rows in tables:
            for pair, replacer in replacers(branching, rows, list(found)).items():
                swaps.setdefault(pair, []).append(replacer)
        self.swaps[attribute] = swaps


def _aligned(
    own: dict[str, list[str]], names: dict[str, list[str]]
) -> dict[tuple[str, str], list[Replacement]]:
    """Return the replacements of one group by another: its first word by the first, and so on."""
    found: dict[tuple[str, str], list[Replacement]] = {}
    for group in own:
        for other in own:
            if group == other:
                continue
            rows: dict[str, Replacement] = {}
            for lists in (own, names):
                sources, targets = lists.get(group, []), lists.get(other, [])
                for i, source in enumerate(sources if targets else ()):
                    to = targets[i % len(targets)]
                    rows.setdefault(composed(source).casefold(), Replacement(other, source, to))
            found[group, other] = list(rows.values())
    return found


def _names(suite: Suite, attribute: str) -> dict[str, list[str]]:
    """Return value -> people's names that show it, and their first parts, ordered by other attributes."""
    found: dict[str, list[str]] = {}
    if suite.names is None or attribute not in suite.names.shows:
        return found

    def others(person: dict[str, str]) -> list[str]:
        return [value for name, value in sorted(person.items()) if name not in ("name", attribute)]

    for person in sorted(suite.names.people, key=others):
        if attribute in person:
            name = person["name"]
            first = name.split()[0]
            found.setdefault(person[attribute], []).append(name)
            if first != name and sum(map(str.isalpha, first)) >= SHORTEST:
                found[person[attribute]].append(first)
    return found


def _tables(
    suite: Suite, suite_path: Path | None, attribute: str
) -> list[tuple[Branching, list[Replacement]]]:
    """Return the replacement tables of an attribute, as if every group were branched into every other.

    Where an English suite has none for its gender, it is ours of pronouns and kin.
    """
    values = list(suite.attributes[attribute])
    found: dict[str, tuple[Branching, list[Replacement]]] = {}
    for branching in suite.branches:
        if branching.attribute == attribute and branching.root not in found:
            both = branching.model_copy(update={"direction": "both", "pairs": "all"})
            names = [name for name in branching.replacements if suite_path is not None or name in BUILT_IN]
            found[branching.root] = both, read_tables(suite_path or Path(), names, values)
    is_ours = attribute in SEX_NAMES and set(values) == ENGLISH and suite.language.startswith("en")
    if not found and is_ours:
        both = Branching(
            category=attribute, attribute=attribute, root="Male", replacements=[PRONOUNS], direction="both"
        )
        found["Male"] = both, read_replacements(BUILT_IN[PRONOUNS], values)
    return list(found.values())[:1]
