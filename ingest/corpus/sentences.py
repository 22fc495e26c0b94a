"""Sentences of documents, and which keywords they hold (SPEC COR-5)."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import re2

from ingest.errors import PlumblineError
from ingest.suite.fields import composed
from ingest.unspaced import UNSPACED_LETTER
from ingest.whole_words import whole_words

MAX_PARAGRAPH = 20_000  # characters; longer ones are no prose, and slow to split
# So is what has an end of a sentence in every ten characters, where it is long: time grows with their square.
LONG_PARAGRAPH, SHORTEST_SENTENCES = 500, 10
END = re.compile(r"[.!?。！？]+")
REFERENCE = re.compile(r"(?<!\s)\s*+\[(?:\d{1,4}|[a-z]{1,2}|citation needed|note \d+)\]", re.IGNORECASE)
# A vowel sign of Tamil or Hindi is a mark, and \w has none.
_WORD = r"[\p{L}\p{N}_][\p{L}\p{M}\p{N}_]*"
WORD = re2.compile(rf"{_WORD}(?:['’-]{_WORD})*")


def n_words(sentence: str) -> int:
    """Return how many words a sentence has, whatever its script.

    >>> n_words("It's a well-kept house."), n_words("新加坡是一个城市国家"), n_words("ஒரு பெண் வருகிறார்.")
    (4, 5, 3)
    """
    unspaced = UNSPACED_LETTER.findall(sentence)  # two make about one word
    return len(WORD.findall(UNSPACED_LETTER.sub(" ", sentence))) + len(unspaced) // 2


@lru_cache(maxsize=8)
def _segmenter(language: str) -> Any:
    try:
        import pysbd
        from pysbd.languages import LANGUAGE_CODES
    except ImportError as error:
        raise PlumblineError(
            "Sentences are split with pysbd, which is not installed.",
            "Install the extra: pip install 'plumbline[corpus]'.",
        ) from error
    # Languages without rules of their own end sentences as English does.
    code = language.partition("-")[0]
    return pysbd.Segmenter(language=code if code in LANGUAGE_CODES else "en", clean=False)


def split_sentences(text: str, language: str) -> Iterator[str]:
    """Yield the sentences of a text, spaces collapsed and reference marks such as [12] taken out."""
    segmenter = _segmenter(language)
    for paragraph in text.splitlines():
        plain = composed(" ".join(REFERENCE.sub("", paragraph).split()))
        if not plain or not _is_prose(plain):
            continue
        for sentence in segmenter.segment(plain):
            if stripped := sentence.strip():
                yield stripped


def _is_prose(paragraph: str) -> bool:
    n = len(paragraph)
    if n <= LONG_PARAGRAPH:
        return True
    return n <= MAX_PARAGRAPH and sum(1 for _ in END.finditer(paragraph)) * SHORTEST_SENTENCES <= n


def keyword_pattern(keyword: str) -> re.Pattern[str]:
    """Return what finds a keyword: as a whole word, in any case; in unspaced scripts anywhere."""
    words = composed(keyword).split()
    return re.compile(whole_words([(" ".join(words), r"\s+".join(map(re.escape, words)))]), re.IGNORECASE)


def matching_sentences(
    text: str, keywords: Sequence[str], language: str, min_words: int
) -> Iterator[tuple[int, str, str]]:
    """Yield (position, keyword, sentence), each keyword and sentence once."""
    patterns = [(keyword, keyword_pattern(keyword)) for keyword in keywords]
    seen: set[tuple[str, str]] = set()
    for position, sentence in enumerate(split_sentences(text, language)):
        if n_words(sentence) < min_words:
            continue
        for keyword, pattern in patterns:
            if (keyword, sentence) not in seen and pattern.search(sentence):
                seen.add((keyword, sentence))
                yield position, keyword, sentence
