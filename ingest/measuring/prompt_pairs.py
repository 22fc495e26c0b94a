"""Counterfactual pairs: which prompts differ in one group only, and how alike the answers to them are.

A pair is two branches of one root that differ in the groups of one axis and in nothing else. ROUGE-L and
BLEU compare the answers after the words that show the prompt's own group have become placeholders, so that
"France" and "Japan" in otherwise equal answers are no difference.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from ingest.errors import say
from ingest.keys import key, text_row
from ingest.measuring.pages import make_pages, page_of, progress
from ingest.measuring.text_overlap import Overlap
from ingest.measuring.text_variants import TEXT_VARIANTS
from ingest.prompts.replacements import as_pattern, read_replacements, replacement_path
from ingest.scorers import MAX_CHARACTERS, scorer_row
from ingest.store import Store, uninterrupted
from ingest.suite import Suite
from ingest.suite.fields import composed
from ingest.whole_words import whole_words

SECOND = 6_000  # pairs of short answers that one core compares
ANNOUNCED_FROM = 10_000  # pairs

# Prompts of one root that differ in the groups of one axis only. Where a root has several prompts of a
# group (people's names), the first is paired with the first, the second with the second. The group that
# stands earlier in the suite is `a`.
PROMPT_PAIRS = """
    with places as (select cast(cast($places as json) as map(varchar, map(varchar, integer))) as place),
    axes as (
        select unnest(from_json($axes, $axis_type), max_depth := 2)
    ),
    grouped as (
        select
            axes.axis, axes.reference, p.prompt_key, p.category, p.root_key,
            list_transform(axes.attributes, a -> places.place[a][p.attributes[a]]) as codes,
            array_to_string(list_transform(axes.attributes, a -> p.attributes[a]), ' & ') as group_value,
            list_filter(map_entries(p.attributes), e -> not list_contains(axes.attributes, e.key)) as rest
        from prompts as p
        inner join axes using (category)
        cross join places
        where p.suite = $suite and list_has_all(map_keys(p.attributes), axes.attributes)
    ),
    ranked as (
        select *, row_number() over (
            partition by axis, category, root_key, rest, group_value order by prompt_key) as place
        from grouped
    )
    select
        $suite as suite, a.category, a.axis, a.group_value as group_a, b.group_value as group_b, a.root_key,
        a.prompt_key as prompt_key_a, b.prompt_key as prompt_key_b
    from ranked as a
    inner join ranked as b using (axis, category, root_key, rest, place)
    where a.codes < b.codes and (a.reference is null or a.reference in (a.group_value, b.group_value))"""
AXIS_TYPE = {"category": "VARCHAR", "axis": "VARCHAR", "attributes": ["VARCHAR"], "reference": "VARCHAR"}

# The prompts that are in a pair, and the texts of their answers.
PAIRED_TEXTS = """
    select distinct r.prompt_key, r.text_key
    from responses as r
    inner join prompt_words as w using (prompt_key)
    where w.suite = $suite and r.response_status = 'ok' and r.text_key is not null"""

# Neutral texts to compare: answers to two branches, same config and repeat; and repeats of one prompt.
# What is equal needs no comparison.
TEXT_PAIRS = f"""
    with neutral as (
        select r.prompt_key, r.config_key, r.repeat_index, w.root_key, n.neutral_text_key
        from responses as r
        inner join prompt_words as w using (prompt_key)
        inner join neutral_texts as n
            on r.text_key = n.text_key and w.words_key = n.words_key and n.text_variant = $variant
        where w.suite = $suite and r.response_status = 'ok'
    ),
    compared as (
        select a.root_key, a.neutral_text_key as a, b.neutral_text_key as b
        from (select distinct prompt_key_a, prompt_key_b from prompt_pairs where suite = $suite) as p
        inner join neutral as a on p.prompt_key_a = a.prompt_key
        inner join neutral as b
            on p.prompt_key_b = b.prompt_key
            and a.config_key = b.config_key and a.repeat_index = b.repeat_index
        union all
        select a.root_key, a.neutral_text_key as a, b.neutral_text_key as b
        from neutral as a
        inner join neutral as b
            on a.prompt_key = b.prompt_key and a.config_key = b.config_key and a.repeat_index < b.repeat_index
    ),
    wanted as (
        select least(a, b) as text_key_a, greatest(a, b) as text_key_b, min(root_key) as root_key
        from compared where a <> b group by 1, 2
    ),
    missing as (
        select w.*
        from wanted as w
        left join (
            select text_key_a, text_key_b, count(*) as n_rows from text_pairs
            where scorer_key = $scorer_key group by 1, 2
        ) as m using (text_key_a, text_key_b)
        where coalesce(m.n_rows, 0) < {len(Overlap.features)}
    )"""


@dataclass
class Compared:
    """What comparing the pairs came to."""

    n_prompt_pairs: int
    n_wanted: int
    n_missing: int
    n_compared: int = 0

    def __str__(self) -> str:
        return (
            f"pairs: {self.n_prompt_pairs:,} pairs of prompts; {self.n_compared:,} pairs of texts compared,"
            f" {self.n_wanted - self.n_missing:,} already there."
        )

    @property
    def forecast(self) -> str:
        """What is about to be done, and how to do less."""
        return (
            f"pairs: {self.n_missing:,} pairs of texts to compare, about"
            f" {max(self.n_missing / SECOND, 1):,.0f} s. Fewer: `pairs: {{against: reference}}` or fewer"
            " `axes` in the suite."
        )


class Neutraliser:
    """Puts a placeholder in the place of the words that show a prompt's group, or its person's name.

    >>> words = {"_country_": ["United States", "US"]}
    >>> Neutraliser(words)("In the United States they told us of the US.")
    'In the _country_ they told us of the _country_.'
    """

    def __init__(self, words: Mapping[str, Iterable[str]]) -> None:
        places = {word: place for place, phrases in words.items() for word in phrases if word.split()}
        ordered = sorted(places, key=lambda word: (-len(word), word))
        self.places = [places[word] for word in ordered]
        self.found = whole_words((composed(word), f"({as_pattern(word)})") for word in ordered)

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What finds the words; most are made for texts that are neutral already, and find nothing."""
        return re.compile(self.found)

    def __call__(self, text: str) -> str:
        """Return the text with every such word replaced, longest first, in one pass."""
        # Each alternative is a group, so a match has a last one.
        return self.pattern.sub(lambda match: self.places[match.lastindex - 1], composed(text))  # type: ignore[operator]


def branch_words(suite: Suite, suite_path: Path) -> dict[tuple[str, str], list[str]]:
    """Return (attribute, value) -> the words that show it, those of replacement tables among them."""
    words = {
        (attribute, value): suite.words(attribute, value)
        for attribute, values in suite.attributes.items()
        for value in values
    }
    for branching in suite.branches:
        values = list(suite.attributes[branching.attribute])
        for name in branching.replacements:
            for row in read_replacements(replacement_path(suite_path, name), values):
                for value, word in ((row.target, row.to), (branching.root, row.source)):
                    words[branching.attribute, value] = [*words[branching.attribute, value], word]
    return {place: sorted(set(found)) for place, found in words.items()}


def compare_pairs(store: Store, suite: Suite, suite_path: Path, overlap: Overlap) -> Compared:
    """Neutralise the answers to the suite's pairs of prompts, and compare what is not compared."""
    neutralise(store, suite, suite_path)
    found = count_pairs(store, suite, overlap)
    if found.n_missing >= ANNOUNCED_FROM:
        say(found.forecast, err=True)
    store.connection.execute(
        f"""
        create or replace temp table pages as {TEXT_PAIRS}
        select text_key_a, text_key_b, row_number() over (order by root_key, text_key_a, text_key_b) as place
        from missing""",
        _parameters(suite, overlap),
    )
    scorer = scorer_row(overlap)
    with progress("Comparing pairs", found.n_missing) as advance:
        for start in range(0, found.n_missing, overlap.batch_size):
            rows = store.rows(
                f"""
                select
                    p.text_key_a, p.text_key_b,
                    left(a.text, {MAX_CHARACTERS}), left(b.text, {MAX_CHARACTERS}),
                    greatest(a.n_characters, b.n_characters) > {MAX_CHARACTERS}
                from pages as p
                inner join texts as a on p.text_key_a = a.text_key
                inner join texts as b on p.text_key_b = b.text_key
                where p.place between ? and ? order by p.place""",
                [start + 1, start + overlap.batch_size],
            )
            table = _measured(rows, overlap, scorer["scorer_key"])
            with uninterrupted(), store.transaction():
                store.append("scorers", [scorer])
                store.append_arrow("text_pairs", table)
            found.n_compared += len(rows)
            advance(len(rows))
    return found


def count_pairs(store: Store, suite: Suite, overlap: Overlap) -> Compared:
    """Return how many pairs of prompts and texts there are, and how many of these are not compared."""
    n_prompts = store.value("select count(*) from prompt_pairs where suite = ?", [suite.suite])
    sql = f"{TEXT_PAIRS} select (select count(*) from wanted), (select count(*) from missing)"
    return Compared(n_prompts, *store.connection.execute(sql, _parameters(suite, overlap)).fetchall()[0])


def pair_prompts(store: Store, suite: Suite) -> int:
    """Put the suite's pairs of prompts in the place of those that were there; return how many there are."""
    store.replace_by("prompt_pairs", suite.suite, PROMPT_PAIRS, pairing(suite))
    return int(store.value("select count(*) from prompt_pairs where suite = ?", [suite.suite]))


def pairing(suite: Suite) -> dict[str, str]:
    """Return the parameters of PROMPT_PAIRS."""
    groups = suite.reference if isinstance(suite.reference, dict) else {}
    axes = [
        {
            "category": code,
            "axis": axis,
            "attributes": suite.axis_attributes(axis),
            "reference": groups[axis] if suite.pairs.against == "reference" else None,
        }
        for code in suite.categories
        for axis in suite.axes_of(code)
        if axis in suite.pair_axes()
    ]
    places = {
        attribute: {value: place for place, value in enumerate(values)}
        for attribute, values in suite.attributes.items()
    }
    return {
        "suite": suite.suite,
        "axes": json.dumps(axes),
        "axis_type": json.dumps([AXIS_TYPE]),
        "places": json.dumps(places),
    }


def neutralise(store: Store, suite: Suite, suite_path: Path) -> None:
    """Store the neutral text of every answer to a paired prompt, each distinct one once."""
    shown = branch_words(suite, suite_path)
    prompts = store.rows(
        """
        with paired as (
            select prompt_key_a as prompt_key from prompt_pairs where suite = $1
            union select prompt_key_b from prompt_pairs where suite = $1
        )
        select p.prompt_key, p.root_key, p.attributes, p.shown_by, p.keyword, p.prompt
        from prompts as p inner join paired using (prompt_key) order by p.prompt_key""",
        [suite.suite],
    )
    neutralisers: dict[str, Neutraliser] = {}
    rows = []
    for prompt_key, root_key, attributes, shown_by, name, prompt in prompts:
        # Of a group that the suite has no longer, its name is all that is known.
        words = {
            f"_{attribute}_": shown.get((attribute, value), [value])
            for attribute, value in attributes.items()
        }
        # A person's name shows a group as a word does; a keyword of a corpus is what the text is about.
        stands_there = bool(name) and composed(name) in composed(prompt)
        if stands_there and any(str(e).startswith("name:") for e in shown_by.values()):
            words["_name_"] = sorted({name, *(part for part in name.split() if len(part) > 2)})
        words_key = key("whole words", words)
        if words_key not in neutralisers:
            neutralisers[words_key] = Neutraliser(words)
        row = {"prompt_key": prompt_key, "suite": suite.suite, "root_key": root_key, "words_key": words_key}
        rows.append(row | {"words": sorted({word for found in words.values() for word in found})})
    store.replace("prompt_words", suite.suite, rows)
    # A judge reads sentences, and clean texts have none.
    variants = {suite.pairs.text, *("raw" for judge in suite.judges.values() if judge.compares)}
    for variant in sorted(variants):
        _make_neutral(store, suite, neutralisers, variant)


def _make_neutral(store: Store, suite: Suite, neutralisers: dict[str, Neutraliser], variant: str) -> None:
    """Store the neutral texts that are not made yet, of one variant of the answers."""
    change, shared = TEXT_VARIANTS.get(variant, str), {"text_variant": variant}
    unmade = f"""
        with paired as ({PAIRED_TEXTS})
        select p.text_key, w.words_key, {page_of("any_value(t.n_characters)", "p.text_key, w.words_key")}
        from paired as p
        inner join prompt_words as w using (prompt_key)
        inner join texts as t using (text_key)
        left join neutral_texts as n
            on p.text_key = n.text_key and w.words_key = n.words_key and n.text_variant = $variant
        where n.neutral_text_key is null
        group by p.text_key, w.words_key"""
    for page in make_pages(store, unmade, {"suite": suite.suite, "variant": variant}):
        answers = store.rows(
            "select text_key, words_key, text from pages inner join texts using (text_key) where page = ?"
            " order by text_key, words_key",
            [page],
        )
        texts = [text_row(change(neutralisers[words_key](text))) for _, words_key, text in answers]
        neutral = [
            {"text_key": of, "words_key": words_key, **shared, "neutral_text_key": text["text_key"]}
            for (of, words_key, _), text in zip(answers, texts, strict=True)
        ]
        with uninterrupted(), store.transaction():
            store.append("texts", texts)
            store.append("neutral_texts", neutral)


def _measured(rows: list[tuple[str, str, str, str, bool]], overlap: Overlap, scorer_key: str) -> pa.Table:
    scores = overlap.score([(a, b) for _, _, a, b, _ in rows])
    n_features = len(overlap.features)
    values = np.column_stack([scores[name] for name in overlap.features]).ravel()
    is_valid = np.isfinite(values)
    capped = np.repeat([row[4] for row in rows], n_features)
    return pa.table(
        {
            "text_key_a": np.repeat(np.array([row[0] for row in rows], dtype=object), n_features),
            "text_key_b": np.repeat(np.array([row[1] for row in rows], dtype=object), n_features),
            "scorer_key": pa.repeat(scorer_key, len(values)),
            "feature": list(overlap.features) * len(rows),
            "value": pa.array(values, mask=~is_valid),
            # A text of marks alone has no words to compare.
            "measurement_status": np.where(is_valid, np.where(capped, "capped", "ok"), "empty").astype(
                object
            ),
        }
    )


def _parameters(suite: Suite, overlap: Overlap) -> dict[str, Any]:
    return {
        "suite": suite.suite,
        "variant": suite.pairs.text,
        "scorer_key": scorer_row(overlap)["scorer_key"],
    }
