"""Sentence vectors of all-MiniLM-L6-v2, for nearest anchors and distances."""

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from ingest.scorers import About, Where
from ingest.scorers.encoder import MODEL, NumpyEncoder, SentenceTransformersEncoder, load_encoder


class MiniLM:
    """The default encoder as an embedder."""

    name = "minilm"
    languages = ("en",)
    parameters: MappingProxyType[str, Any] = MappingProxyType({})
    batch_size = 256

    def __init__(self, encoder: NumpyEncoder | SentenceTransformersEncoder) -> None:
        self._encoder = encoder
        self.model = encoder.name
        self.revision = encoder.revision
        self.version = encoder.version
        self.dimensions = encoder.dimensions

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Return float32 unit vectors, shape (len(texts), dimensions). See `Embedder.embed`."""
        return self._encoder.encode(texts)


def load(name: str, where: Where) -> MiniLM:
    """Load the model. Raises PlumblineError when it is not on this machine."""
    return MiniLM(load_encoder(where.folder(name, MODEL), where.device))


SCORERS = {"minilm": load}
ABOUT = {"minilm": About(MODEL, MiniLM.languages, "Apache-2.0", {}, "")}
