"""Known texts: order is all that counts, in the languages that both the suite and the scorer read."""

import numpy as np
import pytest

from ingest.errors import PlumblineError
from ingest.scorers.classifier import CLASSIFIERS
from ingest.scorers.known_texts import PAIRS, told_apart


class Stub:
    """A scorer that reads a number for each text from a table."""

    name, model, languages = "mood", "somebody/mood", ("en", "fr", "ms")
    known = {"mood_score": "sentiment"}  # noqa: RUF012

    def __init__(self, **by_language):
        self.values = {
            text: value
            for language, pair in by_language.items()
            for text, value in zip(PAIRS["sentiment"][language], pair, strict=True)
        }
        self.n_passed = 0

    def score(self, texts):
        return {"mood_score": np.array([self.values[text] for text in texts])}

    def passed(self):
        self.n_passed += 1


def test_texts_in_the_right_order_pass():
    scorer = Stub(en=(0.1, 0.9), ms=(0.4, 0.41))
    reads = told_apart(scorer, ["en", "ms", "th"])  # it does not read Thai
    assert [str(read) for read in reads] == ["mood_score (en) 0.10 < 0.90", "mood_score (ms) 0.40 < 0.41"]
    assert scorer.n_passed == 1


@pytest.mark.parametrize("pair", [(0.9, 0.1), (0.5, 0.5), (0.1, float("nan")), (float("nan"), 0.1)])
def test_other_orders_equal_numbers_and_none_are_named(pair):
    scorer = Stub(en=(0.1, 0.9), fr=pair)
    with pytest.raises(PlumblineError, match=r"`mood` reads .*\(mood_score, fr\): the wrong order") as error:
        told_apart(scorer, ["en", "fr"])
    assert "somebody/mood" in error.value.what_to_do and scorer.n_passed == 0


def test_a_language_that_it_does_not_read_asks_nothing():
    scorer = Stub()
    assert told_apart(scorer, ["th"]) == [] and scorer.n_passed == 0


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_every_classifier_has_two_texts_in_each_language_that_it_reads(name):
    row = CLASSIFIERS[name]
    assert set(row.known) == {feature for feature, spec in row.features.items() if not spec.if_top}
    for what in row.known.values():
        assert set(row.languages) <= set(PAIRS[what])


def test_texts_are_as_texts_are_measured():
    """In lower case, and the two of a pair are different."""
    for by_language in PAIRS.values():
        for low, high in by_language.values():
            assert low != high and (low, high) == (low.lower(), high.lower())
