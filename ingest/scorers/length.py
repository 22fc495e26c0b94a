"""How long a text is, in words and in characters."""

import re
from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from ingest.scorers import About, Where
from ingest.unspaced import UNSPACED

# A script without spaces shows no words: there each letter is one.
LETTER_ALONE = re.compile(rf"(?=\w)[{UNSPACED}]")


class Length:
    """Words and characters of a text; a long one is counted whole."""

    name, model, revision, version = "length", "count of words and characters", "", "1"
    languages: tuple[str, ...] = ()
    parameters: MappingProxyType[str, Any] = MappingProxyType({})
    batch_size = 1_000
    max_characters = 1_000_000
    features = MappingProxyType(
        {"length_words": (0.0, float(max_characters)), "length_characters": (0.0, float(max_characters))}
    )

    def score(self, texts: Sequence[str]) -> dict[str, np.ndarray]:
        """Return how many words and characters each text has. See `Scorer.score`."""
        words = [sum(map(_words, text.split())) for text in texts]
        return {
            "length_words": np.array(words, dtype=np.float64),
            "length_characters": np.array([len(text) for text in texts], dtype=np.float64),
        }


def _words(between_spaces: str) -> int:
    others, n_alone = LETTER_ALONE.subn("", between_spaces)
    return n_alone + any(map(str.isalnum, others))


def load(name: str, where: Where) -> Length:
    """Return the scorer; it needs no model."""
    return Length()


SCORERS = {"length": load}
ABOUT = {"length": About(Length.model, None, "none needed", Length.features, "words; characters")}
