"""Sentences of the built pages have at most 20 words, so that they can be read once."""

import re
from collections.abc import Iterable
from pathlib import Path

import duckdb
import pytest
from hostile import PAYLOAD
from sentences import n_words, sentences

MOST = 20
# Pages that say how a number is made, and lists of files and licences, whose words are those of documents.
METHOD = {"metrics", "validity", "provenance", "rerun", "print", "annex-iv", "licences", "downloads", "dbt"}
# A publisher's own title, quoted as its licence asks.
QUOTED = ("Contains information from Employed Residents",)
# What the session's site is spoilt with belongs to no sentence; a page shows it without its numbers, too.
SPOILT = (PAYLOAD, re.sub(r"\d", "…", PAYLOAD))
# What suites, models and people called things, and what was asked and answered.
NAMES = (
    "config", "model", "role", "category_title", "title", "suite_title", "outcome", "contrast_outcome",
    "group_value", "group_high", "group_low", "axis", "measure", "feature", "outcome_set", "profile",
    "metric_title", "target_list", "word", "group_a", "group_b", "item",
)  # fmt: skip


@pytest.fixture(scope="module")
def names(tables: Path) -> list[str]:
    """Names of several words, longest first: what a suite calls something counts as one word."""
    found: set[str] = set()
    with duckdb.connect(str(tables), read_only=True) as connection:
        for table, column in connection.execute(
            "select table_name, column_name from duckdb_columns()"
            " where starts_with(table_name, 'rpt_') and data_type = 'VARCHAR'"
            " and list_contains(?, column_name)",
            [list(NAMES)],
        ).fetchall():
            rows = connection.execute(f'select distinct "{column}" from {table} where "{column}" is not null')
            found.update(name.replace(PAYLOAD, "") for (name,) in rows.fetchall())
    spaced = {" ".join(form.split()) for name in found for form in (name, name.replace("_", " "))}
    return sorted((name for name in spaced if " " in name), key=len, reverse=True)


def too_long(html: str, names: Iterable[str]) -> list[str]:
    return [
        sentence
        for sentence in sentences(html, SPOILT)
        # Names are many, long sentences few.
        if n_words(sentence) > MOST and n_words(sentence, names) > MOST and not sentence.startswith(QUOTED)
    ]


def test_a_long_sentence_is_seen_and_others_words_are_not():
    long = "word " * (MOST + 1)
    html = f'<main id="content"><p>Two <b>bold</b> words. {long}</p><blockquote>{long}</blockquote></main>'
    assert too_long(html, []) == [long.strip()]
    assert too_long(html, ["word " * MOST]) == []
    assert too_long(f"<p>{long}</p>", []) == []


def test_no_sentence_of_the_pages_is_long(site, names):
    pages = [
        page
        for page in site.rglob("index.html")
        if not {page.relative_to(site).parts[0]} & METHOD and page.parent != site / "dbt"
    ]
    assert len(pages) > 20
    found: dict[str, str] = {}
    for page in pages:
        for sentence in too_long(page.read_text("utf-8"), names):
            found.setdefault(sentence, page.parent.relative_to(site).as_posix())
    assert [f"{page}: {sentence}" for sentence, page in found.items()] == []
