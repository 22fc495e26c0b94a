"""Questions that a model writes for sentences, to be asked of every concept (SPEC ASM-3)."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ingest.asking.written_texts import Writer
from ingest.corpus.sentences import keyword_pattern
from ingest.prompts import PromptBuilder
from ingest.prompts.from_texts import REPEATED, cap_of, sampled_sentences, sentence_row
from ingest.store import Store
from ingest.suite import Suite
from ingest.suite.fields import composed

PURPOSE = "question"
CHECK = "question_check"
MAX_CHARACTERS = 400
OTHERS = 5
NONE = "NONE"

Rows = Iterator[dict[str, Any]]


def instruction(concept: str, others: Sequence[str], sentence: str) -> str:
    """Return what is asked of the model for one sentence."""
    like = ", ".join(others[:OTHERS])
    return (
        f"This sentence is about {concept}: {json.dumps(sentence, ensure_ascii=False)}\n"
        f"Write one short question that names {concept}, that the sentence answers, and that would make just "
        f"as much sense about {like}. Do not quote the sentence. Answer with the question alone. If there is "
        f"no such question, answer {NONE}."
    )


def check_instruction(question: str, sentence: str) -> str:
    """Return how another look is asked for."""
    return (
        f"Question: {json.dumps(question, ensure_ascii=False)}\n"
        f"Sentence: {json.dumps(sentence, ensure_ascii=False)}\n"
        "Does the sentence answer the question? Answer Yes or No."
    )


def read_question(answer: str, words: Sequence[str]) -> tuple[str | None, str]:
    """Return (question, reason): None with `no_question`, `not_a_question` or `concept_not_named`."""
    lines = [line.strip() for line in answer.splitlines() if line.strip()]
    plain = lines[0].strip("\"'“”*` ") if lines else ""
    if not plain or plain.rstrip(".").upper() == NONE:
        return None, "no_question"
    if not plain.endswith(("?", "？", "؟")) or len(plain) > MAX_CHARACTERS:
        return None, "not_a_question"
    named = any(keyword_pattern(word).search(composed(plain)) for word in words)
    return (plain, "") if named else (None, "concept_not_named")


def question_rows(
    store: Store,
    suite: Suite,
    category: str,
    builder: PromptBuilder,
    writers: Mapping[str, Writer],
    dropped: Counter[str],
) -> Rows:
    """Yield prompts that are questions, each with its sentence as the baseline.

    Without a writer of its config, nothing is asked. A reply that is no question is asked for anew, as often
    as the suite's `retries` say; "there is none" is taken as it is.
    """
    corpus = suite.categories[category].corpus
    if corpus is None or corpus.method != "question" or corpus.questions is None:
        return
    writer = writers.get(corpus.questions.config)
    values = suite.attributes[corpus.attribute]
    made: Counter[str] = Counter()
    questions: set[tuple[str, str]] = set()
    for concept, keyword, tag, sentence in sampled_sentences(store, suite, category):
        if made[concept] == cap_of(suite, category):
            continue
        if writer is None:
            dropped["not_asked_yet"] += 1
            continue
        words = [*(values[concept].words or [concept]), concept]
        others = [suite.word(corpus.attribute, value) for value in values if value != concept]
        text = instruction(suite.word(corpus.attribute, concept), others, sentence)
        question, reason = None, "failed"
        for attempt in range(1, corpus.questions.retries + 2):
            answer = writer.write(PURPOSE, text, category=category, attempt=attempt)
            if answer is None:
                continue
            question, reason = read_question(answer, words)
            if question is not None or reason == "no_question":
                break
        if question is not None and corpus.questions.check:
            verdict = writer.write(CHECK, check_instruction(question, sentence), category=category)
            if verdict is None or not re.match(r"\W*yes\b", verdict, re.IGNORECASE):
                question, reason = None, "check_failed"
        if question is None:
            dropped[reason] += 1
            continue
        made[concept] += 1  # so many questions are paid for, whether or not they repeat another
        if (concept, question) in questions:
            dropped[REPEATED] += 1
            continue
        questions.add((concept, question))
        of = {"concept": concept, "keyword": keyword, "source_tag": tag, "baseline": sentence}
        yield sentence_row(builder, category, question, "question", of)
