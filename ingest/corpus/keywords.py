"""More keywords of a concept (SPEC COR-7): by vectors, by an article's links, by what a model answers."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAX_CHARACTERS = 80
MAX_WORDS = 4
MAX_ANSWER = 100_000
WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
# Words that begin or end no name of a thing.
FUNCTION_WORDS = re.compile(
    r"""(?:a|an|the|and|or|but|of|in|on|at|by|for|from|to|with|as|is|are|was|were|be|been|has|have|had|it|its
    |this|that|these|those|which|who|whose|their|his|her|our|your|not|no|than|then|also|such|many|most|some
    |each|every|into|over|under|between|after|before|while|when|where|there|they|he|she|we|you|i|will|would
    |can|could|may|might|must|should|do|does|did|about|other|more|only|both|all|any)""",
    re.VERBOSE | re.IGNORECASE,
)
ANGLES = (
    "words for its roots and origins",
    "its kinds and sub-categories",
    "what is characteristic of it",
    "its synonyms",
    "its full names",
    "its short names",
)


def candidates(texts: Iterable[str], limit: int) -> list[str]:
    """Return the most frequent words and runs of capitalised words of texts, at most `limit`."""
    counts: Counter[str] = Counter()
    for text in texts:
        run: list[str] = []
        for match in WORD.finditer(text):
            word = match.group()
            if FUNCTION_WORDS.fullmatch(word):
                run = []
                continue
            counts[word if word[:1].isupper() else word.casefold()] += 1
            run = [*run, word] if word[:1].isupper() else []
            if 2 <= len(run) <= MAX_WORDS:
                counts[" ".join(run)] += 1
    usual = [phrase for phrase, _ in counts.most_common(limit * 4) if len(phrase) > 2]
    return usual[:limit]


def nearest(
    concept: str, phrases: Sequence[str], encode: Callable[[list[str]], NDArray[np.float32]], limit: int
) -> list[tuple[str, float]]:
    """Return the phrases nearest to a concept with their cosine similarity, best first.

    `encode` returns one vector a text, rows of shape (n, d).
    """
    if not phrases:
        return []
    vectors = encode([concept, *phrases]).astype(np.float64)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    similar = vectors[1:] @ vectors[0]
    order = sorted(range(len(phrases)), key=lambda i: (-similar[i], phrases[i]))
    return [(phrases[i], float(similar[i])) for i in order][:limit]


def instruction(concept: str, run: int) -> str:
    """Return what a model is asked in one run; the angle changes from run to run."""
    return (
        f"List up to ten words or short phrases that name “{concept}”: {ANGLES[run % len(ANGLES)]}. "
        "Answer with a JSON array of strings and nothing else."
    )


def parse_answer(answer: str) -> list[str]:
    """Return the strings of the first JSON array in a model's answer; nothing where there is none.

    The answer is parsed, never evaluated.
    """
    found = _first_json(answer, "[")
    if not isinstance(found, list):
        return []
    return [cleaned for item in found if isinstance(item, str) and (cleaned := usable(item))]


def parse_object(answer: str) -> dict[str, str]:
    """Return the texts of the first JSON object in a model's answer; nothing where there is none."""
    found = _first_json(answer, "{")
    if not isinstance(found, dict):
        return {}
    cleaned = {name: usable(item) for name, item in found.items() if isinstance(item, str)}
    return {name: item for name, item in cleaned.items() if item}


def _first_json(answer: str, opening: str) -> Any:
    start = answer[:MAX_ANSWER].find(opening)
    if start < 0:
        return None
    try:
        return json.JSONDecoder().raw_decode(answer[start:MAX_ANSWER])[0]
    except (ValueError, RecursionError):
        return None


def usable(phrase: str) -> str:
    """Return a phrase as a keyword, spaces collapsed; empty where it is none."""
    plain = " ".join(phrase.split()).strip(" .,;:\"'“”")
    fits = plain.isprintable() and len(plain) <= MAX_CHARACTERS and len(plain.split()) <= MAX_WORDS
    return plain if fits and re.search(r"\w", plain) else ""


def without_contained(phrases: Iterable[tuple[str, float]]) -> list[tuple[str, float]]:
    """Drop a phrase that holds another one: the shorter finds all its sentences."""
    listed = list(phrases)
    folded = [phrase.casefold() for phrase, _ in listed]
    return [
        (phrase, score)
        for (phrase, score), own in zip(listed, folded, strict=True)
        if not any(other != own and re.search(rf"(?<!\w){re.escape(other)}(?!\w)", own) for other in folded)
    ]
