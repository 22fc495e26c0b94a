"""Prompt rows: one way to make them, for loaded files and for prompts we assemble."""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ingest.keys import key, text_key
from ingest.measuring.languages import language_of_prompt
from ingest.suite import Suite
from ingest.suite.fields import LANGUAGE_ATTRIBUTE, composed
from ingest.unspaced import UNSPACED_LETTER
from ingest.whole_words import whole_words

# Does the baseline name what the prompt names of the group: all of it, some of it, or nothing? Only the
# first takes the tool's own reaction to the group's words out of a calibrated value (SPEC CAL-3).
BASELINE_KINDS = ("counterfactual", "partial", "unbranched")


class PromptBuilder:
    """Makes rows of the raw table `prompts` and works out what a prompt's text shows.

    `ambiguous` holds (name, attribute) pairs that a file gives two values: such a name shows nothing.
    """

    def __init__(self, suite: Suite, ambiguous: Collection[tuple[str, str]] = ()) -> None:
        self.suite = suite
        self.ambiguous = set(ambiguous)
        self._words: dict[tuple[str, str, bool], re.Pattern[str]] = {}

    def word_of(self, attribute: str, value: str, text: str) -> re.Match[str] | None:
        """Return the first word of an attribute's value in a composed (NFC) text."""
        is_spaced = text.isascii() or UNSPACED_LETTER.search(text) is None
        pattern = self._words.get((attribute, value, is_spaced))
        if pattern is None:
            words = map(composed, self.suite.words(attribute, value))
            found = whole_words(((word, re.escape(word)) for word in words), is_spaced)
            pattern = self._words[attribute, value, is_spaced] = re.compile(found, re.IGNORECASE)
        return pattern.search(text)

    def shown_by(self, prompt: str, attributes: Mapping[str, str], name: str | None) -> dict[str, str]:
        """Return attribute -> evidence for the attributes that the prompt's text shows (SPEC BRA-7).

        An attribute is shown by a word of its value, or by a person's name where the suite says that
        names show it. The language that a suite asks in shows itself.
        """
        evidence = {}
        prompt = composed(prompt)
        name_stands_there = bool(name and composed(name) in prompt)
        for attribute, value in attributes.items():
            word = self.word_of(attribute, value, prompt)
            if self.suite.languages and attribute == LANGUAGE_ATTRIBUTE:
                evidence[attribute] = f"language: {value}"
            elif word:
                evidence[attribute] = f"word: {word.group()}"
            elif (
                name_stands_there
                and self.suite.names is not None
                and attribute in self.suite.names.shows
                and (name, attribute) not in self.ambiguous
            ):
                evidence[attribute] = f"name: {name}"
        return evidence

    def block_key(self, category: str, prompt: str, name: str | None, root_key: str) -> str:
        """Return the key of what makes answers to a prompt resemble those to others."""
        block = self.suite.categories[category].block
        if block == "name" and name:
            return key("block", self.suite.suite, category, "name", name)
        return key("block", self.suite.suite, category, "prompt", prompt) if block == "prompt" else root_key

    def baseline_kind(self, baseline: str, row: Mapping[str, Any]) -> str:
        """Return which of BASELINE_KINDS a baseline is, by what it shows of what its prompt shows."""
        shown = dict(row["shown_by"])
        named = self.shown_by(baseline, {a: v for a, v in row["attributes"] if a in shown}, row["keyword"])
        counterfactual, partial, unbranched = BASELINE_KINDS
        if not named:
            return unbranched
        return counterfactual if set(named) == set(shown) else partial

    def language(self, prompt: str, attributes: Mapping[str, str]) -> str:
        """Return a prompt's language: what a suite of several says of it, else what it surely is."""
        if self.suite.languages and LANGUAGE_ATTRIBUTE in attributes:
            return attributes[LANGUAGE_ATTRIBUTE]
        return language_of_prompt(prompt, self.suite.language)

    def row(
        self,
        category: str,
        prompt: str,
        attributes: Mapping[str, str],
        *,
        method: str,
        name: str | None = None,
        root: str | None = None,
        baseline: str | None = None,
        baseline_kind: str | None = None,
        template: str | None = None,
        slots: Mapping[str, str] | None = None,
        translated_by: str | None = None,
        reviewed_by: str | None = None,
        messages: Sequence[Mapping[str, str]] = (),
    ) -> dict[str, Any]:
        """Return one row of `prompts`.

        `attributes` are declared values; `root` is the text before branching (the prompt itself where
        none is known), `name` the person the prompt is about; `baseline` the text its answers are held
        against, `baseline_kind` which of BASELINE_KINDS that is; `template` what it was made of, with the
        phrase of each of `slots`; `translated_by` and `reviewed_by` who, where it is a translation. Where the
        prompt is the last turn of a conversation, `messages` are its turns, and `prompt` all of them as text.
        """
        suite = self.suite.suite
        spec = self.suite.categories[category]
        root_key = key("root", suite, category, root if root is not None else prompt)
        turns = [dict(message) for message in messages]
        ordered = {a: attributes[a] for a in self.suite.attributes if a in attributes}
        return {
            # A prompt alone has the key that it had before there were conversations.
            "prompt_key": key("prompt", suite, category, prompt, ordered, *([turns] if turns else [])),
            "suite": suite,
            "domain": spec.domain,
            "category": category,
            "concept": None,
            "keyword": name,
            "source_tag": None,
            "method": method,
            "language": self.language(prompt, ordered),
            "prompt": prompt,
            "baseline_text_key": None if baseline is None else text_key(baseline),
            "root_key": root_key,
            "block_key": self.block_key(category, prompt, name, root_key),
            "attributes": list(ordered.items()),
            "shown_by": list(self.shown_by(prompt, ordered, name).items()),
            "baseline_kind": baseline_kind,
            "template": template,
            "slots": None if slots is None else list(slots.items()),
            "translated_by": translated_by,
            "reviewed_by": reviewed_by,
            "messages": json.dumps(turns, ensure_ascii=False) if turns else None,
        }
