"""What the models of a suite file are made of: kinds of text, strict mappings, mistakes with a place."""

import csv
import re
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import combinations
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema

from ingest.paths import PROJECT

NAME_PATTERN = r"^[a-z][a-z0-9_]{0,62}$"
CATEGORY_PATTERN = r"^[A-Za-z][A-Za-z0-9_]{0,62}$"
Name = Annotated[str, Field(pattern=NAME_PATTERN)]


def _visible(label: str) -> str:
    """Refuse a name in which a reader cannot see what a machine tells apart, or that steers a terminal."""
    for character in label:
        if _is_hidden(character):
            raise ValueError(
                f"{label!r:.80} holds the invisible character U+{ord(character):04X}: take it out"
            )
    if not label.strip():
        raise ValueError("a name is blank")
    return label


def _is_hidden(character: str) -> bool:
    kind = unicodedata.category(character)
    return (kind in HIDDEN_KINDS and character not in JOINERS) or character in FILLERS


Label = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_visible)]
Phrase = Annotated[str, Field(min_length=1, max_length=2_000)]
FUNCTION_PATTERN = r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$"
Function = Annotated[str, Field(pattern=FUNCTION_PATTERN)]
Range = tuple[float, float]
# Languages that no detector tells apart in a sentence, nor most of their readers.
CLOSE = (frozenset({"id", "ms"}), frozenset({"bs", "hr", "sr"}), frozenset({"nb", "nn", "no"}))
LANGUAGE_PATTERN = r"^[a-z]{2,3}(-[A-Za-z0-9]+)*$"
Language = Annotated[str, Field(pattern=LANGUAGE_PATTERN)]

HIDDEN_KINDS = ("Cc", "Cf", "Cs", "Zl", "Zp")
JOINERS = "\u200c\u200d"  # scripts of South Asia and Persian write with them
FILLERS = "\u115f\u1160\u3164\uffa0\u2800"  # letters and signs that are blank
AXIS_SEPARATOR = " & "
LANGUAGE_SEPARATOR = ","
LANGUAGE_ATTRIBUTE = "language"  # of prompts, in a suite that asks in several
# What a person should look at in a prompt; the flags of its baseline begin with `baseline_`.
Flag = Literal[
    "keyword_lost", "mentions_root", "mentions_target", "same_text", "ambiguous_pronoun", "article",
    "compound", "proper_name", "baseline_mentions_target", "baseline_ambiguous_pronoun", "baseline_article",
    "baseline_compound", "baseline_proper_name",
]  # fmt: skip
PROMPT_COLUMNS = ("source_tag", "keyword")  # of prompts made from texts; they group as attributes do
FIELD = re.compile(r"\{([^{}]*)\}")
LARGEST_INTEGER = 2**31 - 1  # of a column of type integer
MOST_AXES = 1_023  # ten attributes and all their intersections


def fill(template: str, values: Mapping[str, str]) -> str:
    """Put values in the place of `{field}`, in one pass: braces inside a value stay what they are.

    >>> fill("{a} is 100 % {b}", {"a": "{b}", "b": "{a}"})
    '{b} is 100 % {a}'
    """
    return FIELD.sub(lambda match: values.get(match[1], match[0]), template)


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
    """Return every axis over the attributes, single ones first. Raises ValueError above MOST_AXES."""
    n_axes = 2 ** len(attributes) - 1
    if n_axes > MOST_AXES:
        raise Misplaced(
            f"`all` of {len(attributes):,} attributes is {n_axes:,} axes, and at most {MOST_AXES:,} are "
            "compared: name those that matter",
            "axes",
        )
    return [
        AXIS_SEPARATOR.join(subset)
        for size in range(1, len(attributes) + 1)
        for subset in combinations(attributes, size)
    ]


def normalise_label(label: str) -> str:
    """Fold what does not distinguish labels: case, Unicode form, what is invisible, repeated spaces."""
    folded = unicodedata.normalize("NFKC", label).casefold()
    if not folded.isascii():
        folded = "".join(c for c in folded if c.isspace() or (c not in JOINERS and not _is_hidden(c)))
    return " ".join(folded.split())


def composed(text: str) -> str:
    """Return a text in which an accent is part of its letter, however it was typed (NFC)."""
    return unicodedata.normalize("NFC", text)


def typed_like(text: str, original: str) -> str:
    """Return a text with its accents as an original has them: as marks of their own (NFD), or not."""
    if unicodedata.is_normalized("NFC", original):
        return composed(text)
    return unicodedata.normalize("NFD", text) if unicodedata.is_normalized("NFD", original) else text


def alike(language: str) -> frozenset[str]:
    """Return the code of a language (such as `en` or `en-SG`), and those that nobody tells from it."""
    code = language.split("-")[0].lower()
    return next((group for group in CLOSE if code in group), frozenset({code}))
