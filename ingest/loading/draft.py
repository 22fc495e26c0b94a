"""A suite drafted from a file of answers: which of its fields is what, guessed from names and from values."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from pydantic import TypeAdapter, ValidationError

from ingest.asking.answer_status import STATUSES
from ingest.backends.reasoning import split_reasoning
from ingest.corpus.sentences import keyword_pattern
from ingest.errors import PlumblineError, shorten, shown
from ingest.loading.files import first_records, named, other_separator
from ingest.loading.readers import main_files, reader_of
from ingest.measuring.languages import language_of_most
from ingest.scorers.number_in_text import NumberReader
from ingest.suite import normalise_label
from ingest.suite.fields import AXIS_SEPARATOR, CATEGORY_PATTERN, Label, alike, composed

LOOKED_AT = 10_000  # records of a file
READ = 50  # texts whose language is told
MOST_VALUES, MOST_LETTERS = 20, 60  # of an attribute
MOST_LABELS = 6  # of a score that is a word
MOST_ATTRIBUTES = 4
NAMED = 3  # fields that could be no groups
EACH = 5  # records to a value of an attribute, on average
ENOUGH = 0.9  # of the records have it
MANY = 0.6  # of the answers give a number
MOST_SCALES = 3  # a prompt may name others beside the one it asks for: `aged 30 to 40`
SOME = 0.2  # of a value's prompts say it; others may show it by a name
GUIDE = "docs/guide/own-answers.md"
NO_ROOT = "# No field says which prompts differ in the group only: `root:` would name it."
ONE_QUESTION = "# All answers count as answers to one question: `category:` would name a column of several."
UNLISTED = f"{GUIDE}#groups-without-a-column"
# What columns are often called; the name itself comes first, as logs of tools have it.
NAMES = {
    "prompt": ("prompt", "question", "input", "instruction", "query", "request"),
    "response": ("response", "answer", "output", "completion", "reply", "generation"),
    "model": ("model", "model_name", "model_id", "llm"),
    "role": ("role", "persona"),
    "repeat": ("repeat", "epoch", "repeat_index", "trial"),
    "source_id": ("id", "source_id", "custom_id"),
    "status": ("status",),
    "options": ("options",),
    "finish_reason": ("finish_reason",),
    "served_model": ("served_model",),
    "prompt_tokens": ("prompt_tokens",),
    "output_tokens": ("output_tokens",),
}
TONE = {"set": "tone", "kind": "score", "scorer": "vader", "feature": "vader_compound"}
LENGTH = {"set": "length", "kind": "score", "scorer": "length", "feature": "length_words"}
RATING = {"set": "rating", "kind": "score", "scorer": "rating", "feature": "rating_score"}
# group_a, group_2, first_gender, gender of candidate B
OF_A_PERSON = re.compile(
    r"(.*?)(?:(?<![a-z])(?:[a-h]|[1-8]|first|second|third|left|right))(?![a-z])(.*)", re.I
)
_TO = "to|a|al|à|bis|hanggang|hingga|sampai|đến|ถึง|से|முதல்"
SCALE = re.compile(
    r"(?<![-−–.])(?<![0-9A-Za-z_])(\d{1,3})(?: ?[-–~至到] ?|(?:から|부터 ?|점?에서 ?)"
    rf"|(?: \([^()]*\))? (?:{_TO}) )(\d{{1,4}})(?![0-9A-Za-z_])"
)  # 1-10, 1 (bad) to 10
TEXTS = ("prompt", "response")
KNOWN = {name for names in NAMES.values() for name in names}
# Words in the names of fields that say whom an answer is about or who asks.
ABOUT_PEOPLE = frozenset({
    "age", "ancestry", "caste", "citizenship", "class", "community", "country", "demographic",
    "disability", "dialect", "education", "ethnicity", "faith", "gender", "group", "heritage",
    "immigration", "income", "language", "marital", "nationality", "origin", "orientation",
    "people", "pregnancy", "pronoun", "pronouns", "race", "region", "religion", "sex", "sexuality",
    "subgroup", "tribe", "veteran",
})  # fmt: skip
# Words in the names of fields that hold people's names, and beside them those of what else has a name.
OF_NAMES = frozenset({"name", "nombre", "nom", "nome"})
OF_THINGS = frozenset({
    "brand", "category", "city", "company", "course", "department", "domain", "employer", "event", "field",
    "file", "firm", "industry", "item", "job", "occupation", "organisation", "organization", "place",
    "position", "product", "profession", "project", "role", "scenario", "school", "skill", "subject", "task",
    "template", "topic", "trait", "vacancy",
})  # fmt: skip
LABEL = TypeAdapter(Label)
RIGHT = ("C", "1", "1.0", "true", "True", "yes", "Yes", "pass", "correct")


class Drafted(NamedTuple):
    """A suite's text, and what it says of the file: attributes and scores, each with what is read of it."""

    text: str
    n_records: int
    attributes: dict[str, list[str]]
    scores: list[str]


class _Field:
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
        return self.name.rpartition(".")[2]

    @property
    def is_number(self) -> bool:
        return bool(self.values) and all(map(_is_number, self.values))

    @property
    def words(self) -> list[str]:
        return re.split(r"[^a-z]+", self.last.lower())

    @property
    def is_about_people(self) -> bool:
        return not ABOUT_PEOPLE.isdisjoint(self.words)

    @property
    def has_people(self) -> bool:
        """Whether it is called a name, and not that of a group or a thing: `country_name`, `job_name`."""
        words = set(self.words)
        return not OF_NAMES.isdisjoint(words) and words.isdisjoint(ABOUT_PEOPLE | OF_THINGS)

    @property
    def can_be_groups(self) -> bool:
        if not (self.is_full and 2 <= len(self.values) <= MOST_VALUES and self.n >= EACH * len(self.values)):
            return False
        if self.is_number and not self.is_about_people:
            return False
        return self.has_labels and not any(AXIS_SEPARATOR in value for value in self.values)

    @property
    def has_labels(self) -> bool:
        return all(len(value) <= MOST_LETTERS and _is_label(value) for value in self.values)

    def spellings(self) -> dict[str, list[str]]:
        """Return each value as it is written most often, with its other spellings."""
        found: dict[str, list[str]] = {}
        for value, _ in sorted(self.values.items(), key=lambda one: (-one[1], one[0])):
            found.setdefault(normalise_label(value), []).append(value)
        return {first: others for first, *others in sorted(found.values())}


def draft_suite(paths: Sequence[Path], name: str) -> Drafted:
    """Return a suite for files of answers: tables, or logs of other tools.

    Raises PlumblineError for a file that cannot be read, and where no field looks like a prompt, an answer or
    a group.
    """
    records: list[Mapping[str, Any]] = []
    for path in main_files(paths):
        records += first_records(path, LOOKED_AT, [p for p in paths if p != path])
    present = list(dict.fromkeys(field for record in records for field in record))
    if question := other_separator(present):
        raise PlumblineError(
            f"{shown(paths[0])} has one column, {shorten(present[0])!r}.", f"{question}Save it with commas."
        )
    names = [*filter(_is_label, present)]
    fields = {n: _Field(n, (record.get(n) for record in records), len(records)) for n in names}
    columns = _columns(fields)
    for needed in ("prompt", "response"):
        if needed not in columns:
            has = ", ".join(repr(shorten(n)) for n in names[:MOST_VALUES]) or "nothing"
            raise PlumblineError(
                f"{shown(paths[0])}: no column is called like a {needed}; it has {has}.",
                f"Rename it to `{needed}`, or write `columns:` by hand: {GUIDE}.",
            )
    known = {name for name in fields if _spelt(name) in KNOWN} | set(columns.values())
    if any(reader_of(path) for path in paths):
        # What a tool itself says of a record stands beside what its user wrote.
        known |= {name for name in fields if "." not in name and name not in ("group", "root")}
    said_in_prompts = _said(fields, columns)
    # A column of people's names is neither a group nor what prompts about several people share.
    people = {n for n in said_in_prompts if fields[n].has_people}
    questions = _questions(fields)
    groups, left_out = _groups(fields, known | people | {questions or ""})
    if not groups:
        questions = None
        groups, left_out = _groups(fields, known | people)
    if not groups:
        others = [repr(shorten(n, MOST_LETTERS // 2)) for n in fields if n not in known]
        more = [f"{len(others) - NAMED} more"] if len(others) > NAMED else []
        has = ", ".join([*others[:NAMED], *more]) or "nothing"
        lack = f"no column could be groups: 2 to {MOST_VALUES} values with {EACH} records to each"
        what, remedy = (
            f"{lack}; it also has {has}.",
            f"Add one, or let names or prompts say it: {UNLISTED}.",
        )
        raise PlumblineError(f"{shown(paths[0], len(f': {what} {remedy}'))}: {what}", remedy)
    scores, labels = _scores(fields)
    attributes = dict(zip(_slugs([g.last for g in groups]), groups, strict=True))
    prompts = fields[columns["prompt"]].texts
    declared = {slug: _values(prompts, field) for slug, field in attributes.items()}
    named_in = [fields[n] for n in said_in_prompts if fields[n] not in groups]
    if person := _name(named_in, people, declared, attributes):
        columns["name"] = person
    if root := _root(fields, groups, known | people | {person or "", questions or ""}):
        columns["root"] = root
    if questions:
        columns["category"] = questions
    text = _suite(name, fields, columns, attributes, declared, scores, labels, left_out)
    found = {slug: list(field.spellings()) for slug, field in attributes.items()}
    return Drafted(text, len(records), found, [*scores, *labels])


def _text(cell: Any) -> str:
    if cell is None or cell != cell or isinstance(cell, (list, dict)):
        return ""
    return str(named(cell)).strip()


def _is_label(text: str) -> bool:
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


def _spelt(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.lower())


def _columns(fields: Mapping[str, _Field]) -> dict[str, str]:
    """Return which field holds what Plumbline asks for, by the names of fields."""
    spelt = {_spelt(name): name for name in reversed(list(fields))}
    found = {}
    for ours, theirs in NAMES.items():
        field = next((spelt[name] for name in theirs if name in spelt), None)
        if field is None and ours in TEXTS:  # prompt_text, and not prompt_id: the longest is the text
            alike = [fields[spelt[name]] for name in spelt if not set(theirs).isdisjoint(name.split("_"))]
            longest = max(alike, key=lambda one: one.n_characters, default=None)
            field = longest.name if longest else None
        if field is None:
            continue
        values = fields[field].values
        if ours == "status" and not all(value.lower() in STATUSES for value in values):
            continue
        if ours == "repeat" and not all(value.isdecimal() for value in values):
            continue
        found[ours] = field
    return found


def _groups(fields: Mapping[str, _Field], taken: set[str]) -> tuple[list[_Field], list[str]]:
    """Return the fields whose values are groups, and the names of others that could be."""
    can_be = [
        field
        for name, field in fields.items()
        if name not in taken and not name.startswith("score.") and field.can_be_groups
    ]
    chosen = [field for field in can_be if field.is_about_people] or can_be
    chosen = chosen[:MOST_ATTRIBUTES]
    return chosen, [field.name for field in can_be if field not in chosen]


def _questions(fields: Mapping[str, _Field]) -> str | None:
    """Return the field that says to which question an answer is, if all its values can be categories."""
    field = next((fields[name] for name in fields if _spelt(name) == "category"), None)
    if field is None or not field.is_full or len(field.values) > MOST_VALUES:
        return None
    return field.name if all(re.fullmatch(CATEGORY_PATTERN, value) for value in field.values) else None


def _slugs(names: Sequence[str]) -> list[str]:
    """Return names as a suite may have them, each once: `Race/Ethnicity` -> race_ethnicity."""
    found: list[str] = []
    for name in names:
        slug = re.sub(r"[^a-z0-9]+", "_", name.casefold()).strip("_")[:50]
        slug = slug if re.match(r"[a-z]", slug) else f"field_{slug}".rstrip("_")
        same = found.count(slug) and sum(re.fullmatch(rf"{slug}(_\d+)?", f) is not None for f in found)
        found.append(f"{slug}_{same + 1}" if same else slug)
    return found


def _scores(fields: Mapping[str, _Field]) -> tuple[dict[str, str], dict[str, str]]:
    """Return scores that are numbers, and those that are one of a few words, each as name -> field."""
    scored = [f for name, f in fields.items() if name.startswith("score.") and f.values]
    words = [f for f in scored if not f.is_number and 2 <= len(f.values) <= MOST_LABELS and f.has_labels]
    # A score that is a letter has its number beside it.
    beside = {f"{f.name}.number" for f in words}
    numbers = [f for f in scored if f.is_number and f.name not in beside]
    named = _slugs([f.name.removeprefix("score.") for f in (*numbers, *words)])
    found = dict(zip(named, (f.name for f in (*numbers, *words)), strict=True))
    n = len(numbers)
    return dict(list(found.items())[:n]), dict(list(found.items())[n:])


def _root(fields: Mapping[str, _Field], groups: Sequence[_Field], taken: set[str]) -> str | None:
    """Return the field that prompts share which differ in the group only, if there is one.

    It is the one with the most values of which at least half stand beside several groups.
    """
    if not groups:
        return None
    of = list(zip(*(group.texts for group in groups), strict=True))
    best, most = None, 1
    for name, field in fields.items():
        if name in taken or field in groups or name.startswith("score.") or not field.is_full:
            continue
        beside: dict[str, set[tuple[str, ...]]] = {}
        for value, group in zip(field.texts, of, strict=True):
            beside.setdefault(value, set()).add(group)
        shared = sum(len(some) > 1 for some in beside.values())
        if shared > most and 2 * shared >= len(beside):
            best, most = name, shared
    return best


def _values(prompts: Sequence[str], field: _Field) -> dict[str, dict[str, list[str]]]:
    """Return each value with the word that shows it in prompts, if they say it, and its other spellings."""
    found: dict[str, dict[str, list[str]]] = {}
    for value, others in field.spellings().items():
        said = keyword_pattern(value)
        of = [p for p, text in zip(prompts, field.texts, strict=True) if text in (value, *others)]
        shows = sum(said.search(composed(prompt)) is not None for prompt in of) >= SOME * len(of)
        found[value] = ({"words": [value]} if shows else {}) | ({"aliases": others} if others else {})
    return found


def _said(fields: Mapping[str, _Field], columns: Mapping[str, str]) -> list[str]:
    """Return the fields whose values stand in their records' prompts, as a person's name does."""
    prompts = [composed(text) for text in fields[columns["prompt"]].texts]
    found = []
    for name, field in fields.items():
        if name in columns.values() or not field.is_full or field.is_number or len(field.values) < 2:
            continue
        n_said = sum(
            bool(text) and composed(text) in prompt for text, prompt in zip(field.texts, prompts, strict=True)
        )
        if n_said >= ENOUGH * len(prompts):
            found.append(name)
    return found


def _name(
    said: Sequence[_Field],
    people: set[str],
    declared: Mapping[str, Mapping[str, Mapping[str, list[str]]]],
    attributes: Mapping[str, _Field],
) -> str | None:
    """Return the field of people's names: it is called so, or it decides of which group a person is."""
    unseen = [attributes[slug] for slug in _unseen(declared)]
    for field in sorted(said, key=lambda one: one.name not in people):
        if field.name in people or any(_decides(field, group) for group in unseen):
            return field.name
    return None


def _unseen(declared: Mapping[str, Mapping[str, Mapping[str, list[str]]]]) -> list[str]:
    return [
        slug for slug, values in declared.items() if not all("words" in value for value in values.values())
    ]


def _decides(field: _Field, group: _Field) -> bool:
    """Whether all records with a value of the field are of one group, and groups have several values."""
    of = {(text, value) for text, value in zip(field.texts, group.texts, strict=True) if text}
    return len(of) == len(field.values) > len(group.values)


def _of_several(attributes: Mapping[str, _Field]) -> str:
    """Return fields that look like one attribute of several people, group_a and group_b; '' for none."""
    alike: dict[str, list[_Field]] = {}
    for field in attributes.values():
        if match := OF_A_PERSON.fullmatch(field.name):
            alike.setdefault("…".join(match.groups("")).lower(), []).append(field)
    for fields in alike.values():
        if len(fields) > 1 and set.intersection(*(set(field.values) for field in fields)):
            return " and ".join(repr(shorten(field.name)) for field in fields[:2])
    return ""


def _rated(prompts: Sequence[str], answers: Sequence[str]) -> tuple[int, int] | None:
    """Return the scale that prompts ask for a number on, where answers give one."""
    named_in = [{(int(low), int(high)) for low, high in SCALE.findall(prompt)} for prompt in prompts]
    for (low, high), n in Counter(scale for scales in named_in for scale in scales).most_common(MOST_SCALES):
        if n < ENOUGH * len(prompts) or low >= high:
            continue
        read = NumberReader(low, high)
        if sum(read(answer) is not None for answer in answers) >= MANY * len(answers):
            return low, high
    return None


def _language(prompts: Iterable[str], answers: Iterable[str]) -> str:
    """Return the language of the first prompts, else of the first answers; English where nobody can tell."""
    for texts in (prompts, answers):
        if language := language_of_most(islice(dict.fromkeys(texts), READ)):
            return language
    return "en"


def _yaml(content: Any) -> str:
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=110)


def _suite(
    name: str,
    fields: Mapping[str, _Field],
    columns: Mapping[str, str],
    attributes: Mapping[str, _Field],
    declared: Mapping[str, Mapping[str, Mapping[str, list[str]]]],
    scores: Mapping[str, str],
    labels: Mapping[str, str],
    left_out: Sequence[str],
) -> str:
    code = name.upper()
    prompts = fields[columns["prompt"]].texts
    person = columns.get("name")
    decided = [slug for slug in attributes if person and _decides(fields[person], attributes[slug])]
    unseen = _unseen(declared)
    by_name = [slug for slug in unseen if slug in decided]
    unseen = [slug for slug in unseen if slug not in by_name]
    answers = [split_reasoning(text)[0] for text in fields[columns["response"]].texts]
    scale = _rated(prompts, answers)
    language = _language(prompts, answers)
    is_english = alike(language) == {"en"}
    title = name.replace("_", " ").capitalize()
    said: dict[str, Any] = dict(columns)
    said.setdefault("model", {"value": "model"})
    asked = list(fields[columns["category"]].values) if "category" in columns else [code]
    said["category"] = columns.get("category", {"value": code})
    said["attributes"] = {slug: field.name for slug, field in attributes.items()}
    said |= {"scores": dict(scores)} if scores else {}
    said |= {"labels": dict(labels)} if labels else {}
    rules = [_given(slug, fields[field]) for slug, field in labels.items()] or [
        RATING if scale else TONE if is_english else LENGTH
    ]
    # Answers about one name resemble each other: where a name has one group, whole names are compared.
    block = {"block": "name"} if decided else {}
    titles = {code: title if len(asked) == 1 else code.replace("_", " ") for code in asked}
    categories = {
        code: {"title": title, "domain": "answers"} | block | {"outcomes": deepcopy(rules)}
        for code, title in titles.items()
    }
    left_out = [field for field in left_out if field != person]
    others = ", ".join(repr(shorten(field)) for field in left_out)
    parts = [
        "# yaml-language-server: $schema=suite.schema.json",
        "# Drafted from a file of answers. Look at each part: all of it is guessed.",
        _yaml({"suite": name, "title": title, "version": 1, "language": language}).rstrip()
        + "  # of prompts and answers; the scorer vader reads English only",
        "# The groups whose answers are compared."
        + (f" Other fields that could be groups: {others}." if left_out else ""),
        f"# Does a record ask about several people, as {several} look? Then `candidates:` makes a record\n"
        "# of each: docs/guide/own-answers.md, several candidates in one prompt."
        if (several := _of_several(attributes))
        else None,
        f"# No prompt says the values of {', '.join(unseen)}. Give the `words` that show each value in\n"
        "# prompts. Without them the attribute is a control, on which no answer can depend."
        if unseen
        else None,
        _yaml({"attributes": declared, "axes": "all" if len(declared) < 3 else list(declared)}),
        "# The attributes that a person's name shows." if by_name else None,
        _yaml({"names": {"shows": by_name}}) if by_name else None,
        "# Left: Plumbline's words. Right: the file's fields.",
        None if "model" in columns else "# No field names the model: write its name here.",
        None if "root" in columns else NO_ROOT,
        None if "category" in columns else ONE_QUESTION,
        _yaml({"columns": said}),
        "# How an answer is read. Add rules, such as phrases: docs/guide/own-questions.md.",
        *(
            f"# {rule['set']}: say in `favourable:` which labels count as selected."
            for rule in rules
            if rule["kind"] == "given" and "favourable" not in rule
        ),
        _yaml({"categories": categories, "scorers": ["vader" if is_english else "length"]}),
        "# Prompts ask for a number. `beside:` would list words that stand beside it: docs/guide/scorers.md."
        if scale
        else None,
        _yaml({"own_scorers": {"rating": {"reads": "number", "range": list(scale)}}}) if scale else None,
    ]
    return "\n".join(part.rstrip("\n") for part in parts if part) + "\n"


def _given(slug: str, field: _Field) -> dict[str, Any]:
    rule: dict[str, Any] = {"set": slug, "kind": "given", "labels": field.spellings()}
    right = [label for label in rule["labels"] if label in RIGHT]
    return rule | ({"favourable": right} if right else {})
