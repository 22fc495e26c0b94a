"""VADER: sentiment from a lexicon and rules (Hutto & Gilbert 2014), English only."""

import hashlib
from collections.abc import Sequence
from importlib.metadata import version
from types import MappingProxyType
from typing import Any

import numpy as np
from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

from ingest.scorers import About, Where

SHARE = (0.0, 1.0)


class Vader:
    """Compound score in -1..1, and the negative, neutral and positive shares in 0..1."""

    name = "vader"
    model = "vader_lexicon"
    languages = ("en",)
    parameters: MappingProxyType[str, Any] = MappingProxyType({})
    batch_size = 1_000
    features = MappingProxyType(
        {"vader_compound": (-1.0, 1.0), "vader_neg": SHARE, "vader_neu": SHARE, "vader_pos": SHARE}
    )

    def __init__(self) -> None:
        self._analyzer = SentimentIntensityAnalyzer()
        self.version = version("vaderSentiment")
        # Despite their names, these two attributes hold the files' contents.
        lexicons = self._analyzer.lexicon_full_filepath + "\0" + self._analyzer.emoji_full_filepath
        self.revision = f"sha256:{hashlib.sha256(lexicons.encode()).hexdigest()}"

    def score(self, texts: Sequence[str]) -> dict[str, np.ndarray]:
        """Return the four features of each text. See `Scorer.score`."""
        scores = [self._analyzer.polarity_scores(text) for text in texts]
        return {
            feature: np.array([score[feature.removeprefix("vader_")] for score in scores], dtype=np.float64)
            for feature in self.features
        }


def load(name: str, where: Where) -> Vader:
    """Return the scorer; its lexicon is in its package, so there is nothing to find."""
    return Vader()


SCORERS = {"vader": load}
ABOUT = {"vader": About(Vader.model, Vader.languages, "MIT", Vader.features, "score; shares of words")}
