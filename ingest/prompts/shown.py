"""Which attributes prompts show and which block they are of, as stored and as the suite says now."""

from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

from ingest.errors import shorten
from ingest.prompts import PromptBuilder
from ingest.store import Store
from ingest.suite import Suite
from ingest.suite.fields import LANGUAGE_ATTRIBUTE, composed

MOST_WORDS = 6
MOST_ROOTS = 2  # that a candidate may stand in on average: with fewer, hardly more tests are too bold
PAGE = 10_000
BY_WORD = "word: "

# Prompts, of a suite or of one of its categories, whose word of an attribute is no sign, as in
# int_prompts_grouped: their text also stands under another value, which it does not show.
SAID_OF_OTHERS = """
    with told as (
        select
            prompt_key, attribute, shown_by[attribute] as sign, hash(category, prompt, attribute) as said
        from (
            select prompt_key, category, prompt, shown_by, unnest(map_keys(attributes)) as attribute
            from prompts
            where suite = $suite and ($category::varchar is null or category = $category) and not $is_choice
        )
    )

    select prompt_key, attribute
    from told
    where
        starts_with(sign, $by_word)
        and said in (
            select said from told
            group by said having bool_or(sign is null) and bool_or(starts_with(sign, $by_word))
        )"""

# The files of a suite that were last loaded when the suite was another.
LOADED_BEFORE = """
    select count(*)
    from (
        select arg_max(json_extract_string(runs.detail, '$.suite_key'), runs.started_at) as suite_key
        from loads
        inner join runs on loads.run_id = runs.run_id
        where loads.suite = ?
        group by loads.file_sha256
    )
    where suite_key is distinct from ?"""


def signs_of(suite: Suite, category: str | None = None) -> dict[str, Any]:
    """Parameters of SAID_OF_OTHERS."""
    is_choice = bool(suite.columns and suite.columns.candidates)
    return {"suite": suite.suite, "category": category, "by_word": BY_WORD, "is_choice": is_choice}


def unshown(store: Store, suite: Suite) -> Iterator[str]:
    """Yield what of prompts is stored otherwise than the suite says now, and what none of them shows.

    Loaded prompts are read when their file is. Of ready measurements the suite says itself what was shown.
    """
    if suite.measurements is not None:
        return
    changed, blocks = _read_otherwise(store, suite)
    for code in sorted(blocks):
        yield (
            f"{code}: its `block:` is another than when its answers were loaded, and counts once their file "
            "is loaded again"
        )
    for attribute, n in sorted(changed.items()):
        yield (
            f"{attribute}: {n:,} prompts are read otherwise by the suite's words of now than when they were "
            "loaded. Load their file again"
        )
    found = store.rows(
        f"""
        with said_of_others as ({SAID_OF_OTHERS}),

        signs as (
            select prompt_key, category, shown_by, unnest(map_keys(attributes)) as attribute
            from prompts
            where suite = $suite
        )

        select
            attribute, category, count(*), bool_or(map_contains(shown_by, attribute)),
            bool_or(map_contains(shown_by, attribute) and said_of_others.prompt_key is null)
        from signs
        left join said_of_others using (prompt_key, attribute)
        group by attribute, category
        order by attribute, category
        """,
        signs_of(suite),
    )
    compared = {
        part for axis in (*suite.all_axes(), *suite.pair_axes()) for part in suite.axis_attributes(axis)
    }
    for attribute, own in groupby(found, itemgetter(0)):
        rows = list(own)
        n = sum(n_prompts for _, _, n_prompts, _, _ in rows)
        has_words = any(has_sign for *_, has_sign, _ in rows)
        is_shown = any(is_shown for *_, is_shown in rows)
        values = suite.attributes.get(attribute, {})
        words = list(dict.fromkeys(word for value in values for word in suite.words(attribute, value)))
        if attribute not in compared or attribute in changed or not words:
            continue
        if has_words:
            for where, n_there in _said_of_all(suite, attribute, rows) if is_shown else [("", n)]:
                yield (
                    f"{attribute}: a control{where}, without verdicts: its words stand in texts that other "
                    f"groups have too, of {n_there:,} prompts. Ask about each group in words of its own"
                )
        if has_words or is_shown:
            continue
        more = ", …" if len(words) > MOST_WORDS else ""
        listed = shorten(", ".join(words[:MOST_WORDS]), 120)
        yield (
            f"{attribute}: a control, without verdicts: none of {n:,} prompts has one of its words as a "
            f"whole word ({listed}{more}). "
            "Where prompts do show it, write each form that they use under `words:`"
        )


def _said_of_all(suite: Suite, attribute: str, rows: list[tuple[Any, ...]]) -> Iterator[tuple[str, int]]:
    """Yield the categories where words stand in every group's texts, of an attribute that others show."""
    for _, code, n_prompts, has_sign, is_shown in rows:
        axes = suite.axes_of(code) if code in suite.categories else ()
        if has_sign and not is_shown and any(attribute in suite.axis_attributes(axis) for axis in axes):
            yield f" in {code}", n_prompts


# Names of a category that show one group each and are asked about in more than one block, by attribute.
NAMES_APART = """
    with shown as (
        select
            category, keyword, block_key, attributes, method, unnest(map_entries(shown_by)) as evidence
        from prompts
        where suite = ? and keyword is not null
    ),

    names as (
        select
            category, evidence.key as attribute, keyword, any_value(attributes[evidence.key]) as label,
            count(distinct attributes[evidence.key]) as n_groups, count(distinct block_key) as n_blocks,
            bool_and(method = 'loaded') as is_loaded
        from shown
        where starts_with(evidence.value, 'name: ')
        group by all
    )

    select
        category, attribute, count(*), bool_and(is_loaded), sum(n_blocks) / count(*) as n_blocks_each,
        count(*) > count(distinct label) as has_several
    from names
    group by category, attribute
    having max(n_groups) = 1 and max(n_blocks) > 1
    order by category, attribute
"""


def names_without_block(store: Store, suite: Suite) -> Iterator[str]:
    """Yield the categories whose groups are shown by names, several a group, that are no blocks.

    Of candidates, whom roots hold together, those who stand in several roots.
    """
    if suite.names is None or suite.measurements is not None:
        return
    is_choice = bool(suite.columns and suite.columns.candidates)
    found: dict[str, list[tuple[str, int, bool]]] = {}
    for code, attribute, n, is_loaded, n_blocks, has_several in store.rows(NAMES_APART, [suite.suite]):
        known = suite.categories.get(code)
        if known is None or known.block == "name":
            continue
        if not any(attribute in suite.axis_attributes(axis) for axis in suite.axes_of(code)):
            continue
        if is_choice and known.block == "root" and n_blocks >= MOST_ROOTS:
            yield (
                f"{code}: each of {n:,} names shows its {attribute} and is a candidate in {n_blocks:,.3g} "
                "roots on average. Answers about one name resemble each other, so too many differences come "
                "up by chance alone: give each root people of its own"
            )
        elif not is_choice and has_several:
            found.setdefault(code, []).append((attribute, n, is_loaded))
    for code, attributes in found.items():
        block = suite.categories[code].block
        named = " and ".join(attribute for attribute, *_ in attributes)
        n_names = max(n for _, n, _ in attributes)
        again = ", and load its file again" if any(is_loaded for *_, is_loaded in attributes) else ""
        yield (
            f"{code}: each of {n_names:,} names shows its {named}, and answers about one name resemble each "
            f"other. With `block: {block}` too many differences come up by chance alone: write `block: name` "
            f"under {code}{again}"
        )


def _read_otherwise(store: Store, suite: Suite) -> tuple[Counter[str], set[str]]:
    """Return of each attribute how many loaded prompts have a word of it now and had none, or the reverse.

    And the categories whose prompts are of other blocks.
    """
    changed: Counter[str] = Counter()
    blocks: set[str] = set()
    if not store.value(LOADED_BEFORE, [suite.suite, suite.suite_key]):
        return changed, blocks
    builder = PromptBuilder(suite)
    found = store.connection.execute(
        """
        select category, prompt, keyword, root_key, block_key, attributes, shown_by from prompts
        where suite = ? and method = 'loaded'
        """,
        [suite.suite],
    )
    while rows := found.fetchmany(PAGE):
        for category, prompt, name, root_key, block_key, attributes, shown_by in rows:
            if category in suite.categories and block_key != builder.block_key(
                category, prompt, name, root_key
            ):
                blocks.add(category)
            text = composed(prompt)
            for attribute, value in attributes.items():
                if attribute == LANGUAGE_ATTRIBUTE or value not in suite.attributes.get(attribute, ()):
                    continue
                had = shown_by.get(attribute, "").startswith(BY_WORD)
                changed[attribute] += had != bool(builder.word_of(attribute, value, text))
    return +changed, blocks
