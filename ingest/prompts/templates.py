"""Prompts from templates: every root meets every group, or every person (SPEC ASM-1)."""

import heapq
import math
from collections.abc import Iterator, Mapping
from itertools import product
from math import prod
from typing import Any

from ingest.errors import PlumblineError
from ingest.keys import key
from ingest.prompts import BASELINE_KINDS, PromptBuilder
from ingest.suite import FIELD, Suite, Template
from ingest.suite.fields import LANGUAGE_ATTRIBUTE, fill
from ingest.suite.mitigations import Mix
from ingest.suite.sources import Translation

METHOD = "template"


def prompt_rows(suite: Suite, category: str, builder: PromptBuilder) -> Iterator[dict[str, Any]]:
    """Yield the rows of `prompts` that a category's templates give, duplicates included.

    A root is a template with its slots filled. Each root meets every combination of the attributes that
    it names, or, where it names {name}, every person; a person's own attributes hold for them. Where the
    category has a `mix`, each root meets one of them. All of it is said in each of the suite's languages. The
    suite's `sample` leaves whole roots out. `baseline` holds the text that `baseline_text_key` is the key of.
    """
    kept = sampled_roots(suite, category)
    mix = suite.categories[category].mix
    drawn = drawn_values(suite, category, mix) if mix else {}
    for template in suite.categories[category].templates:
        fields = set(FIELD.findall(template.text))
        kind = baseline_kind(suite, template)
        groups = list(_groups(suite, category, fields))
        for filled, root in _roots(suite, category, template):
            if kept is not None and root not in kept:
                continue
            about = [_drawn_person(suite, category, root, groups, drawn[root], mix)] if mix else groups
            for language, (name, attributes) in product(suite.asked_languages, about):
                said = template.in_language(language)
                shown = {a: suite.word(a, value, language) for a, value in attributes.items() if a in fields}
                values = {**_slots_in(suite, category, filled, language), **shown, "name": name or ""}
                baseline = None if said.baseline is None else fill(said.baseline, values)
                translated_by, reviewed_by = suite.translated(language, said)
                row = builder.row(
                    category,
                    fill(said.text, values),
                    {**attributes, **({LANGUAGE_ATTRIBUTE: language} if suite.languages else {})},
                    method=METHOD,
                    name=name,
                    root=root,
                    baseline=baseline,
                    baseline_kind=kind,
                    template=template.text,
                    slots=filled,
                    translated_by=translated_by,
                    reviewed_by=reviewed_by,
                    messages=_messages(said, values),
                )
                yield {**row, "baseline": baseline}


def _messages(said: Translation, values: Mapping[str, str]) -> list[dict[str, str]]:
    """Return a prompt's conversation with its values; none where the prompt stands alone."""
    turns = [(turn.role, turn.content) for turn in said.messages]
    turns += [("user", said.prompt)] if turns else []
    return [{"role": role, "content": fill(content, values)} for role, content in turns]


def _slots_in(suite: Suite, category: str, filled: dict[str, str], language: str) -> dict[str, str]:
    """Return the phrases of a root's slots in a language; as they stand where they are not translated."""
    spec = suite.categories[category]
    found = spec.slot_translations.get(language, {})
    return {
        slot: found[slot][spec.slots[slot].index(phrase)] if slot in found else phrase
        for slot, phrase in filled.items()
    }


def baseline_kind(suite: Suite, template: Template) -> str | None:
    """Return which of BASELINE_KINDS a template's baseline is; None where it has none."""
    if template.baseline is None:
        return None
    about = {*suite.attributes, "name"} & set(FIELD.findall(template.text))
    named = about & set(FIELD.findall(template.baseline))
    counterfactual, partial, unbranched = BASELINE_KINDS
    if not named:
        return unbranched
    return counterfactual if named == about else partial


def _roots(suite: Suite, category: str, template: Template) -> Iterator[tuple[dict[str, str], str]]:
    """Yield (slot values, root) for every root of a template."""
    spec = suite.categories[category]
    fields = set(FIELD.findall(template.text))
    slots = [slot for slot in spec.slots if slot in fields]
    for chosen in product(*(spec.slots[slot] for slot in slots)):
        filled = dict(zip(slots, chosen, strict=True))
        yield filled, fill(template.text, filled)


def sampled_roots(suite: Suite, category: str) -> set[str] | None:
    """Return the roots that the suite's `sample` keeps of a category; None where it keeps all."""
    if suite.sample.roots is None:
        return None
    roots = {root for t in suite.categories[category].templates for _, root in _roots(suite, category, t)}
    return set(
        heapq.nsmallest(suite.sample.roots, roots, key=lambda root: sample_rank(suite, category, root))
    )


def sample_rank(suite: Suite, category: str, root: str) -> str:
    """Return what orders a category's roots by lot: the first so many of them are its sample."""
    return key("sample", suite.sample.seed, suite.suite, category, root)


def _groups(suite: Suite, category: str, fields: set[str]) -> Iterator[tuple[str | None, dict[str, str]]]:
    """Yield (person's name or None, attribute values) for everyone a template is about."""
    people: list[dict[str, str]] = [{}]
    if "name" in fields:
        people = suite.names.people if suite.names else []
        if not people:
            raise PlumblineError(
                f"Category {category}: a prompt holds {{name}}, but the suite has no `names: people:`.",
                "List people there, each with a `name` and the attributes it stands for.",
            )
    for person in people:
        own = {field: value for field, value in person.items() if field != "name"}
        open_attributes = [a for a in suite.attributes if a in fields and a not in own]
        for values in product(*(suite.attributes[a] for a in open_attributes)):
            yield person.get("name"), {**own, **dict(zip(open_attributes, values, strict=True))}


def drawn_values(suite: Suite, category: str, mix: Mix) -> dict[str, dict[str, str]]:
    """Return which value of each mixed attribute each root of a category is about.

    Of all roots that can be about an attribute, in an order drawn for it, the first so many are about its
    first value, the next about its second: so the shares hold as nearly as whole roots allow, and attributes
    are independent. A sample has some of these roots, as they are.
    """
    of: dict[str, dict[str, str]] = {}
    for attribute, shares in mix.shares.items():
        roots = []
        for template in suite.categories[category].templates:
            groups = _groups(suite, category, set(FIELD.findall(template.text)))
            has_it = any(attribute in attributes for _, attributes in groups)
            for _, root in _roots(suite, category, template):
                of.setdefault(root, {})
                roots += [root] if has_it else []
        roots = sorted(
            set(roots), key=lambda root: key("mix", mix.seed, suite.suite, category, attribute, root)
        )
        whole, before, end = math.fsum(shares.values()), 0, 0.0
        for value, share in shares.items():
            end += share
            after = round(len(roots) * end / whole)
            of.update({root: {**of[root], attribute: value} for root in roots[before:after]})
            before = after
    return of


def _drawn_person(
    suite: Suite,
    category: str,
    root: str,
    groups: list[tuple[str | None, dict[str, str]]],
    wanted: Mapping[str, str],
    mix: Mix,
) -> tuple[str | None, dict[str, str]]:
    """Return who a root is about: one of those that have the wanted values, by lot."""
    able = [one for one in groups if wanted.items() <= one[1].items()]
    if not able:
        who = " and ".join(f"{attribute} {value}" for attribute, value in wanted.items())
        raise PlumblineError(
            f"Category {category}: the `mix` wants somebody with {who}, and `names: people:` has nobody.",
            "Add such a person, or set that share to 0.",
        )
    return min(able, key=lambda one: key("person", mix.seed, suite.suite, category, root, one[0], one[1]))


def n_combinations(suite: Suite, category: str) -> int:
    """Return how many rows `prompt_rows` yields, without making them."""
    spec = suite.categories[category]
    kept = sampled_roots(suite, category)
    total = 0
    for template in spec.templates:
        fields = set(FIELD.findall(template.text))
        if kept is None:
            n_roots = prod(len(phrases) for slot, phrases in spec.slots.items() if slot in fields)
        else:
            n_roots = sum(root in kept for _, root in _roots(suite, category, template))
        n_people = 1 if spec.mix else sum(1 for _ in _groups(suite, category, fields))
        total += n_roots * len(suite.asked_languages) * n_people
    return total
