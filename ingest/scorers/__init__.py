"""Scorers: text in, numbers or vectors out. A new one is a file beside this, or of another package.

The file lists what it has in `SCORERS`: a name -> a function that takes the name and a `Where`, and returns a
Scorer or an Embedder. Importing it must be cheap: torch and weights wait until a scorer is made.
A file beside this one also has `ABOUT`, a name -> About: the guide's table is made of it.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np

from ingest.keys import key
from ingest.plugins import create
from ingest.scorers.model_files import LOCK_NAME, WEIGHTS
from ingest.store import data_dir

DEFAULT_EMBEDDER = "minilm"  # for rules and distances that name no scorer
MAX_CHARACTERS = 2_000  # SPEC GEN-10: what is measured of a longer text
LANGUAGE_RULE = 2  # of ingest.measuring.languages.is_in_another: a higher one has texts measured anew
TRUNCATED = "truncated"  # beside the features, where a scorer says which texts it read only in part


@dataclass(frozen=True)
class Where:
    """Where models lie and run: a folder of offline copies, a device of torch, the data folder (its lock)."""

    model_dir: Path | None = None
    device: str = "auto"
    data: Path | None = None

    def folder(self, name: str, model: str) -> Path | None:
        """Return the offline copy of a scorer's model: a folder of its or its model's name, or model_dir.

        None where there is no model_dir, or where it is a folder of copies and holds none of this model.
        """
        directory = self.model_dir
        if directory is None:
            return None
        for folder in (directory / name, directory / model):
            if folder.is_dir():
                return folder
        if not directory.is_dir() or any((directory / name).is_file() for name in ("config.json", *WEIGHTS)):
            return directory
        return None if any(path.is_dir() for path in directory.iterdir()) else directory

    @property
    def lock(self) -> Path:
        """File that keeps which revision and files each model had when it was first used."""
        return data_dir(self.data) / LOCK_NAME


@dataclass(frozen=True)
class About:
    """What the guide says of a scorer; one that gives vectors has no features and no unit.

    `languages` are those that it reads (ISO 639-1), as its maker trained it, or None for any; `licence` is
    what its page says.
    """

    model: str
    languages: tuple[str, ...] | None
    licence: str
    features: Mapping[str, tuple[float, float]]
    unit: str


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
    """Gives numbers; `features` maps the name of each to its lowest and highest value.

    One that reads some languages only names them as `languages` (ISO 639-1), and is not asked for texts in
    others. One that holds much memory has a method `close()`, which is called after its last text. One that
    runs code of the suite names it as `code`. One that reads more or less of a long text than others says
    how much as `max_characters`.
    """

    features: Mapping[str, tuple[float, float]]

    def score(self, texts: Sequence[str]) -> Mapping[str, np.ndarray]:
        """Return for each feature one float a text, in the order given, NaN where it has none.

        It may say beside them, under TRUNCATED, of which texts it read only the beginning (booleans).
        May raise one of SCORER_ERRORS (`ingest.measuring.texts`) for a text that it cannot measure; the other
        texts are then asked for again without it. No text is empty.
        """
        ...


@runtime_checkable
class Embedder(Identity, Protocol):
    """Gives vectors; it may name `languages`, as a Scorer may."""

    dimensions: int

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Return float32 of shape (len(texts), dimensions). Errors are as for `Scorer.score`."""
        ...


def load_scorer(name: str, where: Where | None = None) -> Scorer | Embedder:
    """Load a scorer by its name. Raises PlumblineError where no package has it (`ingest.plugins`)."""
    protocols = (Scorer, Embedder)
    scorer: Scorer | Embedder = create(
        "scorer", name, name, where or Where(), protocols=protocols, wrong=wrong_member
    )
    return scorer


def wrong_member(scorer: Any) -> str | None:
    """Return which member of somebody's scorer is not what it has to be, None where all are."""

    def is_count(value: Any) -> bool:
        return isinstance(value, int | np.integer) and not isinstance(value, bool) and bool(value > 0)

    def is_range(value: Any) -> bool:
        try:
            low, high = map(float, value)
        except (TypeError, ValueError):
            return False
        return low < high

    try:
        has_json = isinstance(scorer.parameters, Mapping) and bool(json.dumps(dict(scorer.parameters)))
    except (TypeError, ValueError):
        has_json = False
    features, languages = getattr(scorer, "features", None), getattr(scorer, "languages", None)
    most = getattr(scorer, "max_characters", MAX_CHARACTERS)
    has_languages = isinstance(languages, Collection) and all(isinstance(one, str) for one in languages)
    checks = {
        "model": (isinstance(scorer.model, str), "a text"),
        "revision": (isinstance(scorer.revision, str), "a text"),
        "version": (isinstance(scorer.version, str), "a text"),
        "parameters": (has_json, "a dict that JSON can hold"),
        "batch_size": (is_count(scorer.batch_size), "a whole number above 0"),
        "max_characters": (is_count(most), "a whole number above 0"),
        "languages": (
            languages is None or (has_languages and not isinstance(languages, str)),
            "several texts, such as ('en', 'de')",
        ),
    }
    if isinstance(scorer, Embedder):
        checks["dimensions"] = (is_count(scorer.dimensions), "a whole number above 0")
    else:
        has_ranges = (
            isinstance(features, Mapping)
            and bool(features)
            and all(isinstance(feature, str) and is_range(limits) for feature, limits in features.items())
        )
        checks["features"] = (has_ranges, "a dict of names, each with its lowest and its highest value")
    for name, (is_right, what) in checks.items():
        if not is_right:
            return f"{name}={getattr(scorer, name)!r:.60}, which should be {what}"
    return None


def characters_read(scorer: Identity) -> int:
    """Return how much of a text a scorer is given."""
    return int(getattr(scorer, "max_characters", MAX_CHARACTERS))


def scorer_row(scorer: Identity) -> dict[str, str]:
    """Return the scorer's row of the raw table `scorers`."""
    parameters = {**scorer.parameters, "max_characters": characters_read(scorer)}
    if languages := getattr(scorer, "languages", None):
        detector = f"py3langid {version('py3langid')}, rule {LANGUAGE_RULE}"
        parameters |= {"languages": sorted(languages), "language_detector": detector}
    identity = (scorer.name, scorer.model, scorer.revision, scorer.version, parameters)
    return {
        "scorer_key": key("scorer", *identity),
        "scorer": scorer.name,
        "model": scorer.model,
        "revision": scorer.revision,
        "version": scorer.version,
        "parameters": json.dumps(parameters, sort_keys=True, ensure_ascii=False),
    }
