"""A field of a file of answers, as a draft of its suite looks at it."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ingest.loading.files import named
from ingest.suite import normalise_label
from ingest.suite.fields import AXIS_SEPARATOR, Label

MOST_VALUES, MOST_LETTERS = 20, 60  # of an attribute
MOST_OF_PEOPLE = 50  # values of one that says whom an answer is about, such as nationality
MOST_LABELS = 6  # of a score that is a word
EACH = 5  # records to a value of an attribute, on average
ENOUGH = 0.9  # of the records have it
# Words in the names of fields that say whom an answer is about or who asks.
ABOUT_PEOPLE = frozenset({
    "age", "ancestry", "caste", "citizenship", "class", "community", "country", "demographic",
    "disability", "dialect", "education", "ethnicity", "faith", "gender", "group", "heritage",
    "immigration", "income", "language", "marital", "nationality", "origin", "orientation",
    "people", "pregnancy", "pronoun", "pronouns", "race", "region", "religion", "sex", "sexuality",
    "subgroup", "tribe", "veteran",
})  # fmt: skip
OF_NAMES = frozenset({"name", "nombre", "nom", "nome"})
OF_THINGS = frozenset({
    "brand", "category", "city", "company", "course", "department", "domain", "employer", "event", "field",
    "file", "firm", "industry", "item", "job", "occupation", "organisation", "organization", "place",
    "position", "product", "profession", "project", "role", "scenario", "school", "skill", "subject", "task",
    "template", "topic", "trait", "vacancy",
})  # fmt: skip
LABEL = TypeAdapter(Label)
DATE = re.compile(r"\d{4}-\d\d-\d\d(?![^\sT])")


class FileField:
    """What a field holds, over the records that were looked at."""

    def __init__(self, name: str, cells: Iterable[Any], n_records: int) -> None:
        self.name = name
        self.texts = [_text(cell) for cell in cells]
        self.n = sum(text != "" for text in self.texts)
        self.values = Counter(text for text in self.texts if text)
        self.n_characters = sum(map(len, self.texts))
        self.is_full = self.n >= ENOUGH * n_records

    @property
    def last(self) -> str:
        """Return the name without what it is a part of: `gender` of `metadata.gender`."""
        return self.name.rpartition(".")[2]

    @property
    def is_number(self) -> bool:
        """Whether all its values are numbers, or true and false."""
        return bool(self.values) and all(map(_is_number, self.values))

    @property
    def is_date(self) -> bool:
        """Whether all its values are days or times: 2026-11-01, 2026-11-01T10:00:00Z."""
        return bool(self.values) and all(map(DATE.match, self.values))

    @property
    def words(self) -> list[str]:
        """Return the words of its name, in small letters."""
        return re.split(r"[^a-z]+", self.last.lower())

    @property
    def may_be_score(self) -> bool:
        """Whether its numbers are as many as a measurement has."""
        return self.is_number and len(self.values) >= MOST_VALUES / 2

    @property
    def may_be_labels(self) -> bool:
        """Whether its values are few words."""
        return not self.is_number and 2 <= len(self.values) <= MOST_LABELS and self.has_labels

    @property
    def is_about_people(self) -> bool:
        """Whether its name says whom an answer is about or who asks."""
        return not ABOUT_PEOPLE.isdisjoint(self.words)

    @property
    def has_people(self) -> bool:
        """Whether it is called a name, and not that of a group or a thing: `country_name`, `job_name`."""
        words = set(self.words)
        return not OF_NAMES.isdisjoint(words) and words.isdisjoint(ABOUT_PEOPLE | OF_THINGS)

    @property
    def can_be_groups(self) -> bool:
        """Whether nearly all records have one of a few values, each of them often enough."""
        most = MOST_OF_PEOPLE if self.is_about_people else MOST_VALUES
        if not (self.is_full and 2 <= len(self.values) <= most and self.n >= EACH * len(self.values)):
            return False
        if (self.is_number or self.is_date) and not self.is_about_people:
            return False
        return self.has_labels and not any(AXIS_SEPARATOR in value for value in self.values)

    @property
    def has_labels(self) -> bool:
        """Whether its values are short enough to be names of groups."""
        return all(len(value) <= MOST_LETTERS and is_label(value) for value in self.values)

    def as_spelt_most(self) -> list[str]:
        """Return each record's value in the spelling that it has most often."""
        first = {other: value for value, others in self.spellings().items() for other in (value, *others)}
        return [first.get(text, "") for text in self.texts]

    def spellings(self) -> dict[str, list[str]]:
        """Return each value as it is written most often, with its other spellings."""
        found: dict[str, list[str]] = {}
        for value, _ in sorted(self.values.items(), key=lambda one: (-one[1], one[0])):
            found.setdefault(normalise_label(value), []).append(value)
        return {first: others for first, *others in sorted(found.values())}


def _text(cell: Any) -> str:
    if cell is None or cell != cell or isinstance(cell, (list, dict)):
        return ""
    return str(named(cell)).strip()


def is_label(text: str) -> bool:
    """Whether a suite may call something so."""
    try:
        LABEL.validate_python(text)
    except ValidationError:
        return False
    return True


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return text.lower() in ("true", "false")
    return True
