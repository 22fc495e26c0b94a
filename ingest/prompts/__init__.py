"""Prompt rows: one way to make them, for loaded files and for prompts we assemble."""

import re
from collections.abc import Collection, Mapping
from typing import Any

from ingest.keys import key, text_key
from ingest.suite import Suite

# Does the baseline name what the prompt names of the group: all of it, some of it, or nothing? Only the
# first takes the tool's own reaction to the group's words out of a calibrated value (SPEC CAL-3).
BASELINE_KINDS = ("counterfactual", "partial", "unbranched")

NOT_IN_WORD = r"(?<!\w)(?:{})(?!\w)"


class PromptBuilder:
    """Makes rows of the raw table `prompts` and works out what a prompt's text shows.

    `ambiguous` holds (name, attribute) pairs that a file gives two values: such a name shows nothing.
    """

    def __init__(self, suite: Suite, ambiguous: Collection[tuple[str, str]] = ()) -> None:
        self.suite = suite
        self.ambiguous = set(ambiguous)
        self.words = {
            (attribute, value): re.compile(
                NOT_IN_WORD.format("|".join(re.escape(word) for word in spec.words or [value])), re.IGNORECASE
            )
            for attribute, values in suite.attributes.items()
            for value, spec in values.items()
        }

    def shown_by(self, prompt: str, attributes: Mapping[str, str], name: str | None) -> dict[str, str]:
        """Return attribute -> evidence for the attributes that the prompt's text shows (SPEC BRA-7).

        An attribute is shown by a word of its value, or by a person's name where the suite says that
        names show it.
        """
        evidence = {}
        name_stands_there = bool(name and name in prompt)
        for attribute, value in attributes.items():
            word = self.words[attribute, value].search(prompt)
            if word:
                evidence[attribute] = f"word: {word.group()}"
            elif (
                name_stands_there
                and self.suite.names is not None
                and attribute in self.suite.names.shows
                and (name, attribute) not in self.ambiguous
            ):
                evidence[attribute] = f"name: {name}"
        return evidence

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
    ) -> dict[str, Any]:
        """Return one row of `prompts`.

        `attributes` are declared values; `root` is the text before branching (the prompt itself where
        none is known), `name` the person the prompt is about; `baseline` the text its answers are held
        against, `baseline_kind` which of BASELINE_KINDS that is; `template` what it was made of, with the
        phrase of each of `slots`.
        """
        suite = self.suite.suite
        spec = self.suite.categories[category]
        root_key = key("root", suite, category, root if root is not None else prompt)
        if spec.block == "name" and name:
            block_key = key("block", suite, category, "name", name)
        elif spec.block == "prompt":
            block_key = key("block", suite, category, "prompt", prompt)
        else:
            block_key = root_key
        ordered = {a: attributes[a] for a in self.suite.attributes if a in attributes}
        return {
            "prompt_key": key("prompt", suite, category, prompt, ordered),
            "suite": suite,
            "domain": spec.domain,
            "category": category,
            "concept": None,
            "keyword": name,
            "source_tag": None,
            "method": method,
            "language": self.suite.language,
            "prompt": prompt,
            "baseline_text_key": None if baseline is None else text_key(baseline),
            "root_key": root_key,
            "block_key": block_key,
            "attributes": list(ordered.items()),
            "shown_by": list(self.shown_by(prompt, ordered, name).items()),
            "baseline_kind": baseline_kind,
            "template": template,
            "slots": None if slots is None else list(slots.items()),
        }
