"""What the models of a suite file are made of: kinds of text, strict mappings, mistakes with a place."""

import csv
import re
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema

from ingest.paths import PROJECT

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,62}$")]
Label = Annotated[str, Field(min_length=1, max_length=200)]
Phrase = Annotated[str, Field(min_length=1, max_length=2_000)]
Function = Annotated[str, Field(pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$")]
Range = tuple[float, float]

AXIS_SEPARATOR = " & "
PROMPT_COLUMNS = ("source_tag", "keyword")  # of prompts made from texts; they group as attributes do
FIELD = re.compile(r"\{([^{}]*)\}")
LARGEST_INTEGER = 2**31 - 1  # of a column of type integer


def declarations(seed: str) -> list[dict[str, str]]:
    """Return the rows of one of the project's seeds."""
    path = PROJECT / "seeds" / f"{seed}.csv"
    with path.open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def declared(seed: str, column: str) -> list[str]:
    """Return the distinct names that one of the project's seeds declares, in its order."""
    return list(dict.fromkeys(row[column] for row in declarations(seed)))


def _known_kind(kind: str) -> str:
    if kind not in (known := declared("outcome_rules", "kind")):
        raise ValueError(f"{kind!r} is no kind of rule; known: {', '.join(known)}")
    return kind


RuleKind = Annotated[
    str,
    AfterValidator(_known_kind),
    WithJsonSchema({"type": "string", "enum": declared("outcome_rules", "kind")}),
]


class Misplaced(ValueError):
    """A mistake that a check of the whole suite finds, and where in the file it stands."""

    def __init__(self, problem: str, *place: str | int) -> None:
        super().__init__(problem)
        self.place = place


@contextmanager
def placed(*place: str | int) -> Iterator[None]:
    """Say of a mistake found inside where in the file it stands."""
    try:
        yield
    except ValueError as error:
        raise Misplaced(str(error), *place) from error


class Strict(BaseModel):
    """A mapping in which a misspelt key is an error, not silence."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def all_intersections(attributes: list[str]) -> list[str]:
    """Return every axis over the attributes, single ones first."""
    return [
        AXIS_SEPARATOR.join(subset)
        for size in range(1, len(attributes) + 1)
        for subset in combinations(attributes, size)
    ]


def normalise_label(label: str) -> str:
    """Fold what does not distinguish labels: case, Unicode form, surrounding and repeated spaces."""
    return " ".join(unicodedata.normalize("NFKC", label).casefold().split())
