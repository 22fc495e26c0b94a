"""Scorers: text in, numbers or vectors out. A new one is a file beside this and a row in SCORERS."""

import json
import pkgutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np

from ingest.errors import PlumblineError
from ingest.keys import key

# Each row names `module:function`; the function takes the model folder (or None) and returns a Scorer
# or an Embedder. Modules are imported when their scorer is used, so heavy ones cost nothing before.
SCORERS: dict[str, str] = {
    "vader": "ingest.scorers.vader:load",
    "minilm": "ingest.scorers.minilm:load",
}

DEFAULT_EMBEDDER = "minilm"  # for rules and distances that name no scorer
MAX_CHARACTERS = 2_000  # SPEC GEN-10: what is measured of a longer text


class Identity(Protocol):
    """Everything that can change a scorer's number; together, its key."""

    name: str
    model: str
    revision: str
    version: str
    parameters: Mapping[str, Any]
    batch_size: int  # texts a call, hence what an interruption can lose


@runtime_checkable
class Scorer(Identity, Protocol):
    """Gives numbers; `features` maps the name of each to its lowest and highest value."""

    features: Mapping[str, tuple[float, float]]

    def score(self, texts: Sequence[str]) -> Mapping[str, np.ndarray]:
        """Return for each feature one float a text, in the order given, NaN where it has none.

        May raise one of SCORER_ERRORS (`ingest.extract`) for a text that it cannot measure; the other
        texts are then asked for again without it. No text is empty.
        """
        ...


@runtime_checkable
class Embedder(Identity, Protocol):
    """Gives vectors."""

    dimensions: int

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Return float32 of shape (len(texts), dimensions). Errors are as for `Scorer.score`."""
        ...


def load_scorer(name: str, model_dir: Path | None = None) -> Scorer | Embedder:
    """Load a scorer by its name in SCORERS. Raises PlumblineError when there is none."""
    if name not in SCORERS:
        raise PlumblineError(
            f"There is no scorer {name!r}.", f"Known scorers: {', '.join(sorted(SCORERS))}. Name one of them."
        )
    return pkgutil.resolve_name(SCORERS[name])(model_dir)


def scorer_row(scorer: Scorer | Embedder) -> dict[str, str]:
    """Return the scorer's row of the raw table `scorers`."""
    parameters = {**scorer.parameters, "max_characters": MAX_CHARACTERS}
    identity = (scorer.name, scorer.model, scorer.revision, scorer.version, parameters)
    return {
        "scorer_key": key("scorer", *identity),
        "scorer": scorer.name,
        "model": scorer.model,
        "revision": scorer.revision,
        "version": scorer.version,
        "parameters": json.dumps(parameters, sort_keys=True, ensure_ascii=False),
    }
