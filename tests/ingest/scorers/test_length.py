"""How long answers are, in any script."""

import pytest

from ingest.scorers import characters_read, load_scorer


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("she doesn't like the well-known rule, no. 7", 8),
        ("— … !", 0),
        ("她是女人", 4),
        ("ผมชอบ", 5),
        ("她 likes tea", 3),
        ("வணக்கம் உலகம்", 2),
        ("مرحبا بالعالم", 2),
    ],
)
def test_words_and_characters(text, words):
    scores = load_scorer("length").score([text])
    assert (scores["length_words"][0], scores["length_characters"][0]) == (words, len(text))


def test_a_long_text_is_counted_whole():
    scorer = load_scorer("length")
    assert characters_read(scorer) > 100_000
    assert scorer.score(["word " * 20_000])["length_words"] == [20_000]
