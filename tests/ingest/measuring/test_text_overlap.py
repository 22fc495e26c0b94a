"""ROUGE-L and BLEU of pairs of texts: by hand, by definition, in any script."""

import math
import random
from collections import Counter

import pytest

from ingest.measuring.text_overlap import (
    Overlap,
    f_measure,
    grams,
    longest_common_subsequence,
    lower_bleu,
    stems,
    tokens,
)


def bleu(text, other):
    return lower_bleu(grams(tokens(text)), grams(tokens(other)))


def by_table(a, b):
    """The textbook's table of the longest common subsequence."""
    row = [0] * (len(b) + 1)
    for x in a:
        before, row = row, [0]
        for j, y in enumerate(b):
            row.append(before[j] + 1 if x == y else max(before[j + 1], row[j]))
    return row[-1]


def test_longest_common_subsequence_is_that_of_the_table():
    generator = random.Random(7)
    for _ in range(300):
        a, b = (generator.choices("abcde", k=generator.randrange(90)) for _ in range(2))
        assert longest_common_subsequence(a, b) == by_table(a, b) == longest_common_subsequence(b, a)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("She can't: it's well-known.", ["she", "ca", "n't", ":", "it", "'s", "well-known", "."]),
        ("Ask D. Tan, s/o R. Tan.", ["ask", "d.", "tan", ",", "s/o", "r.", "tan", "."]),
        ("He has 3.50 ... or more -- I’d", ["he", "has", "3.50", "...", "or", "more", "--", "i", "’", "d"]),
        ("वह नर्स है।", ["वह", "नर्स", "है", "।"]),
        ("她是護士。", ["她", "是", "護", "士", "。"]),
        ("🙂", ["🙂"]),
        ("", []),
    ],
)  # fmt: skip
def test_words_of_any_script_are_whole(text, expected):
    assert tokens(text) == expected


def test_stems_compare_words_of_one_kind():
    assert stems("Nursing nurses are careful; she is.") == ["nurs", "nurs", "are", "care", "she", "is"]
    assert stems("Nursing nurses", "none") == ["nursing", "nurses"]
    assert Overlap("th").parameters["stemmer"] == "none"


def test_by_hand():
    # Two of three words on one side and of four on the other: 2 × 2 / 7.
    assert f_measure(["the", "cat", "sat"], ["the", "dog", "sat", "down"]) == pytest.approx(4 / 7)
    # 4, 3, 2, 1 of 5, 4, 3, 2 n-grams in common, both of five words.
    expected = (4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25
    assert bleu("a b c d e", "a b c d f") == pytest.approx(expected)
    # The shorter text's own precision is 1, but it is punished for being short.
    assert bleu("a b c d", "a b c d e f g h") == pytest.approx(
        min(math.exp(1 - 8 / 4), (4 / 8 * 3 / 7 * 2 / 6 * 1 / 5) ** 0.25)
    )


def test_edges():
    assert bleu("yes", "no") == 0
    assert math.isnan(bleu("", "no")) and math.isnan(f_measure([], ["no"]))
    # No common run of two words, and hence 0.1 in its place.
    assert bleu("a b c d", "d c b a") == pytest.approx((1 * 0.1 / 3 * 0.1 / 2 * 0.1 / 1) ** 0.25)


def test_properties_on_random_texts():
    generator = random.Random(3)
    words = ["the", "a", "careful", "nurse", "engineer", "leads", "calmly", "and", ",", ".", "well"]
    texts = [" ".join(generator.choices(words, k=generator.randrange(1, 30))) for _ in range(80)]
    pairs = list(zip(texts, reversed(texts), strict=True))
    scores, swapped = Overlap().score(pairs), Overlap().score([(b, a) for a, b in pairs])
    assert scores == swapped
    for feature, values in scores.items():
        low, high = Overlap.features[feature]
        assert all(low <= value <= high or math.isnan(value) for value in values)
    for text in texts:
        words = tokens(text)
        if len(words) > 3:
            assert bleu(text, text) == pytest.approx(1)
        assert sum(grams(words)[0].values()) == len(words) and Counter(words) == Counter(
            {gram[0]: n for gram, n in grams(words)[0].items()}
        )
