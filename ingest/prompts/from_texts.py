"""Prompts from texts: sentences cut after their verb, and one's own from a file (SPEC ASM-1, ASM-2)."""

import heapq
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ingest.corpus.sentences import keyword_pattern
from ingest.errors import PlumblineError
from ingest.keys import key
from ingest.loading.columns import declared_labels
from ingest.loading.files import require_columns
from ingest.paths import beside_suite
from ingest.prompts import BASELINE_KINDS, PromptBuilder
from ingest.prompts.replacements import read_csv
from ingest.prompts.sentence_cut import split_sentence
from ingest.prompts.templates import sample_rank
from ingest.store import Store
from ingest.suite import PromptFile, Suite, normalise_label

KEYWORD_LOST = "keyword_lost"
REPEATED = "same_prompt_as_another"
COUNTERFACTUAL = BASELINE_KINDS[0]
MOST_BYTES = 100_000_000  # of a file of prompts

Rows = Iterator[dict[str, Any]]


def sampled_sentences(store: Store, suite: Suite, category: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield (concept, keyword, source tag, sentence): each sentence of a concept once, as drawn by lot.

    The corpus's seed draws. Whoever makes prompts of them stops at `cap` (SPEC COR-8), so that a larger cap
    holds every smaller one.
    """
    corpus = suite.categories[category].corpus
    assert corpus is not None
    by_concept: dict[str, dict[str, tuple[str, str, str, str]]] = {}
    for concept, keyword, tag, sentence in store.rows(
        """
        select concept, keyword, source_tag, sentence from sentences
        where suite = ? and category = ?
        order by document_key, sentence_position, keyword
        """,
        [suite.suite, category],
    ):
        by_concept.setdefault(concept, {}).setdefault(sentence, (concept, keyword, tag, sentence))
    for _, sentences in sorted(by_concept.items()):
        drawn = sorted(sentences, key=lambda text: key("sample", corpus.seed, suite.suite, category, text))
        for sentence in drawn:
            yield sentences[sentence]


def cap_of(suite: Suite, category: str) -> int:
    """Return how many prompts a concept of the category has at most."""
    corpus = suite.categories[category].corpus
    assert corpus is not None
    return corpus.cap if suite.sample.roots is None else min(corpus.cap, suite.sample.roots)


def split_rows(
    store: Store, suite: Suite, category: str, builder: PromptBuilder, dropped: Counter[str]
) -> Rows:
    """Yield prompts that are the first parts of sentences; `dropped` counts by reason those that are not.

    `baseline` holds the whole sentence, `flags` what a person should know of the row.
    """
    corpus = suite.categories[category].corpus
    if corpus is None or corpus.method != "split":
        return
    if suite.language.partition("-")[0] != "en":
        raise PlumblineError(
            f"Category {category}: sentences are split in English only, not in {suite.language!r}.",
            "Use `method: question`, `prompts:` or a `prompt_file:`.",
        )
    made: dict[str, set[str]] = {}
    for concept, keyword, tag, sentence in sampled_sentences(store, suite, category):
        prompts = made.setdefault(concept, set())
        if len(prompts) == cap_of(suite, category):
            continue
        prompt, problem = split_sentence(sentence)
        if problem or prompt in prompts:
            dropped[problem or REPEATED] += 1
            continue
        prompts.add(prompt)
        flags = [] if keyword_pattern(keyword).search(prompt) else [KEYWORD_LOST]
        of = {"concept": concept, "keyword": keyword, "source_tag": tag, "baseline": sentence}
        yield sentence_row(builder, category, prompt, "split", of) | {"flags": flags}


def sentence_row(
    builder: PromptBuilder, category: str, prompt: str, method: str, of: dict[str, str]
) -> dict[str, Any]:
    """Return a prompt's row; `of` is what its sentence gives: concept, keyword, source tag and baseline.

    Such a baseline names what its prompt names.
    """
    corpus = builder.suite.categories[category].corpus
    assert corpus is not None
    shown = {corpus.attribute: of["concept"]}
    baseline, kind = of["baseline"], COUNTERFACTUAL
    row = builder.row(category, prompt, shown, method=method, baseline=baseline, baseline_kind=kind)
    return row | of | {"flags": []}


def file_rows(
    suite: Suite, category: str, builder: PromptBuilder, folder: Path, dropped: Counter[str]
) -> Rows:
    """Yield one's own prompts from the category's `prompt_file`, which lies in the suite's folder."""
    spec = suite.categories[category].prompt_file
    if spec is None:
        return
    labels = {attribute: declared_labels(suite, attribute) for attribute in spec.attributes}
    made: set[str] = set()
    for record in _sampled(suite, category, _records(folder, spec)):
        prompt = (record[spec.prompt] or "").strip()
        if not prompt:
            dropped["empty_prompt"] += 1
            continue
        attributes = {}
        for attribute, column in spec.attributes.items():
            label = record[column] or ""
            if label.strip():
                value = labels[attribute].get(normalise_label(label))
                if value is None:
                    break
                attributes[attribute] = value
        else:
            baseline = (record[spec.baseline] or "").strip() or None if spec.baseline else None
            root = _root(spec, record)
            name = (record[spec.name] or "").strip() or None if spec.name else None
            row = builder.row(
                category, prompt, attributes, method="file", name=name, root=root, baseline=baseline
            )
            if row["prompt_key"] in made:
                dropped[REPEATED] += 1
                continue
            made.add(row["prompt_key"])
            kind = None if baseline is None else builder.baseline_kind(baseline, row)
            yield {
                **row,
                "baseline_kind": kind,
                "keyword": (record[spec.keyword] or None) if spec.keyword else name,
                "source_tag": (record[spec.source_tag] or None) if spec.source_tag else None,
                "baseline": baseline,
                "flags": [],
            }
            continue
        dropped["unknown_label"] += 1


def _root(spec: PromptFile, record: dict[str, str]) -> str | None:
    return (record[spec.root] or "").strip() or None if spec.root else None


def _sampled(suite: Suite, category: str, records: list[dict[str, str]]) -> Iterator[dict[str, str]]:
    """Yield the records of the roots that the suite's `sample` keeps, all where it keeps all."""
    spec, most = suite.categories[category].prompt_file, suite.sample.roots
    assert spec is not None
    roots = [_root(spec, record) or (record[spec.prompt] or "").strip() for record in records]
    kept = set(roots)
    if most is not None and most < len(kept):
        kept = set(heapq.nsmallest(most, kept, key=lambda root: sample_rank(suite, category, root)))
    yield from (record for root, record in zip(roots, records, strict=True) if root in kept)


def _records(folder: Path, spec: PromptFile) -> list[dict[str, str]]:
    path = beside_suite(folder, spec.file, "The prompt file")
    own = [spec.prompt, spec.baseline, spec.root, spec.name, spec.keyword, spec.source_tag]
    needed = [column for column in (*own, *spec.attributes.values()) if column]
    columns, records = read_csv(path, MOST_BYTES)
    require_columns(path, needed, columns, "Name its columns under `prompt_file:`.")
    return records
