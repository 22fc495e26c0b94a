"""A suite drafted from a file of answers: which of its fields is what, guessed from names and from values."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from ingest.asking.answer_status import STATUSES, is_refusal
from ingest.backends.reasoning import split_reasoning
from ingest.corpus.sentences import keyword_pattern
from ingest.errors import PlumblineError, shorten, shown
from ingest.loading.drafted_fields import (
    EACH,
    ENOUGH,
    MOST_LETTERS,
    MOST_VALUES,
    FileField,
    is_label,
)
from ingest.loading.drafted_rules import drafted_rules, given_score, slugs
from ingest.loading.files import other_separator, some_records
from ingest.loading.readers import main_files, reader_of
from ingest.loading.shown_words import GAP, differ_in_words_alone, replacements, shown_words, without
from ingest.measuring.languages import language_of_most
from ingest.suite.fields import CATEGORY_PATTERN, alike, composed
from ingest.suite.lookups import made_features
from ingest.suite.written import Line, written

LOOKED_AT = 10_000  # records of a file
READ = 50  # texts whose language is told
MOST_QUESTIONS = 100
MOST_ATTRIBUTES = 4
MOST_NAMES = 100  # of people, to be listed
NAMED = 3  # fields that could be no groups
VARIES = 0.1  # of the prompts with several answers: their values differ
SOME = 0.2  # of a value's prompts say it; others may show it by a name
GUIDE = "docs/guide/own-answers.md"
NO_ROOT = "# No field says which prompts differ in the group only: `root:` would name it."
ROOT_OF_PROMPTS = (
    "# Prompts that are alike without the words of their groups, and people's names, are one root."
)
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
# group_a, group_2, first_gender, gender of candidate B
OF_A_PERSON = re.compile(
    r"(.*?)(?:(?<![a-z])(?:[a-h]|[1-8]|first|second|third|left|right))(?![a-z])(.*)", re.I
)
TEXTS = ("prompt", "response")
KNOWN = {name for names in NAMES.values() for name in names}
# Words in the names of fields that hold people's names, and beside them those of what else has a name.
OF_SCORES, OF_LABELS = frozenset({"score", "scores"}), frozenset({"label", "labels"})
Declared = dict[str, dict[str, dict[str, list[str]]]]  # attribute, value, its `words` and `aliases`
RIGHT = ("C", "1", "1.0", "true", "True", "yes", "Yes", "pass", "correct")


class Drafted(NamedTuple):
    """A suite's text, and what it says of the file: attributes and scores, each with what is read of it."""

    text: str
    n_records: int
    attributes: dict[str, list[str]]
    scores: list[str]


def draft_suite(paths: Sequence[Path], name: str) -> Drafted:
    """Return a suite for files of answers: tables, or logs of other tools.

    Raises PlumblineError for a file that cannot be read, and where no field looks like a prompt, an answer or
    a group.
    """
    records: list[Mapping[str, Any]] = []
    for path in main_files(paths):
        records += some_records(path, LOOKED_AT, [p for p in paths if p != path])
    present = list(dict.fromkeys(field for record in records for field in record))
    if question := other_separator(present):
        raise PlumblineError(
            f"{shown(paths[0])} has one column, {shorten(present[0])!r}.", f"{question}Save it with commas."
        )
    names = [*filter(is_label, present)]
    fields = {n: FileField(n, (record.get(n) for record in records), len(records)) for n in names}
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
    of_answers = _of_answers(fields, columns, known | people)
    known |= set(of_answers)
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
    scores, labels = _scores(fields, of_answers)
    attributes = dict(zip(slugs([g.last for g in groups]), groups, strict=True))
    prompts = fields[columns["prompt"]].texts
    declared = {slug: _values(prompts, field) for slug, field in attributes.items()}
    named_in = [fields[n] for n in said_in_prompts if fields[n] not in groups]
    if person := _name(named_in, people, declared, attributes):
        columns["name"] = person
    guessed = _add_words(prompts, attributes, declared, fields.get(person or ""))
    of_people = [*fields[person].values] if person else []
    replaced = replacements(
        prompts, [*of_people, *_words_of(declared)] if len(of_people) <= MOST_NAMES else []
    )
    alike = FileField(columns["prompt"], (without(text, replaced) for text in prompts), len(prompts))
    taken = known | people | {person or "", questions or ""}
    root = _root(fields, groups, taken, alike, fields.get(questions or ""), has_people=person is not None)
    if root:
        columns["root"] = {"column": root, "replace": Line(replaced)} if root == columns["prompt"] else root
    if questions:
        columns["category"] = questions
    unsure = [fields[name] for name in of_answers if name not in (*scores.values(), *labels.values())]
    text = _suite(name, fields, columns, attributes, declared, scores, labels, left_out, unsure, guessed)
    found = {slug: list(field.spellings()) for slug, field in attributes.items()}
    return Drafted(text, len(records), found, [*scores, *labels])


def _spelt(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.lower())


def _columns(fields: Mapping[str, FileField]) -> dict[str, Any]:
    """Return which field holds what Plumbline asks for, by the names of fields."""
    spelt = {_spelt(name): name for name in reversed(list(fields))}
    found: dict[str, Any] = {}
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


def _groups(fields: Mapping[str, FileField], taken: set[str]) -> tuple[list[FileField], list[str]]:
    """Return the fields whose values are groups, and the names of others that could be."""
    can_be = [
        field
        for name, field in fields.items()
        if name not in taken and not name.startswith("score.") and field.can_be_groups
    ]
    chosen = [field for field in can_be if field.is_about_people] or can_be
    chosen = chosen[:MOST_ATTRIBUTES]
    return chosen, [field.name for field in can_be if field not in chosen]


def _questions(fields: Mapping[str, FileField]) -> str | None:
    """Return the field that says to which question an answer is, if all its values can be categories."""
    field = next((fields[name] for name in fields if _spelt(name) == "category"), None)
    if field is None or not field.is_full or len(field.values) > MOST_QUESTIONS:
        return None
    return field.name if all(re.fullmatch(CATEGORY_PATTERN, value) for value in field.values) else None


def _of_answers(fields: Mapping[str, FileField], columns: Mapping[str, Any], taken: set[str]) -> list[str]:
    """Return the fields that say something of an answer: they differ between answers to one prompt.

    Those of groups of people are none, nor those that a model decides, such as its maker. Where no prompt has
    two answers, only names tell: `label`, `fit_score`.
    """
    prompts = fields[columns["prompt"]].texts
    models = fields[columns["model"]].texts if "model" in columns else [""] * len(prompts)
    found = []
    for name, field in fields.items():
        if name in taken or name.startswith("score.") or not (field.may_be_score or field.may_be_labels):
            continue
        if field.is_about_people or (len(set(models)) > 1 and not _varies(field, models)):
            continue
        if _varies(field, prompts) or not (OF_SCORES | OF_LABELS).isdisjoint(field.words):
            found.append(name)
    return found


def _varies(field: FileField, within: Sequence[str]) -> bool:
    """Whether at least some texts that several records have stand beside several values of the field."""
    n = Counter(within)
    beside: dict[str, set[str]] = {}
    for text, value in zip(within, field.texts, strict=True):
        if n[text] > 1 and value:
            beside.setdefault(text, set()).add(value)
    n_several = sum(len(values) > 1 for values in beside.values())
    return bool(beside) and n_several >= VARIES * len(beside)


def _scores(
    fields: Mapping[str, FileField], of_answers: Sequence[str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Return scores that are numbers, and those that are one of a few words, each as name -> field."""
    said = [fields[name] for name in of_answers]
    scored = [f for name, f in fields.items() if name.startswith("score.") and f.values]
    words = [f for f in scored if f.may_be_labels]
    # A score that is a letter has its number beside it.
    beside = {f"{f.name}.number" for f in words}
    numbers = [f for f in scored if f.is_number and f.name not in beside]
    numbers += [f for f in said if f.may_be_score and not OF_SCORES.isdisjoint(f.words)]
    words += [f for f in said if f.may_be_labels and not OF_LABELS.isdisjoint(f.words)]
    named = slugs([f.name.removeprefix("score.") for f in (*numbers, *words)])
    # What a scorer measures has its own name.
    named = slugs([f"{name}_given" if name in made_features() else name for name in named])
    found = dict(zip(named, (f.name for f in (*numbers, *words)), strict=True))
    n = len(numbers)
    return dict(list(found.items())[:n]), dict(list(found.items())[n:])


def _root(
    fields: Mapping[str, FileField],
    groups: Sequence[FileField],
    taken: set[str],
    prompts: FileField,
    questions: FileField | None,
    has_people: bool,
) -> str | None:
    """Return the field that prompts share which differ in the group only, if there is one.

    It is the one with the most values of which at least half stand beside several groups. `prompts` are
    without the words of their groups and people's names; where they tell more roots apart than any field,
    they are the root. Where people are named, a field goes before them.
    """
    if not groups:
        return None
    of = list(zip(*(group.texts for group in groups), strict=True))
    asked = questions.texts if questions else [""] * len(of)
    best, most = None, 1
    for name, field in [*fields.items(), (prompts.name, prompts)]:
        if field is not prompts and (name in taken or field in groups or name.startswith("score.")):
            continue
        if not field.is_full or (field is prompts and has_people and best):
            continue
        beside: dict[tuple[str, str], set[tuple[str, ...]]] = {}
        for *root, group in zip(asked, field.texts, of, strict=True):
            beside.setdefault((root[0], root[1]), set()).add(group)
        shared = sum(len(some) > 1 for some in beside.values())
        if shared > most and 2 * shared >= len(beside):
            best, most = name, shared
    return best


def _values(prompts: Sequence[str], field: FileField) -> dict[str, dict[str, list[str]]]:
    """Return each value with the word that shows it in prompts, if they say it, and its other spellings."""
    found: dict[str, dict[str, list[str]]] = {}
    for value, others in field.spellings().items():
        said = keyword_pattern(value)
        of = [p for p, text in zip(prompts, field.texts, strict=True) if text in (value, *others)]
        shows = sum(said.search(composed(prompt)) is not None for prompt in of) >= SOME * len(of)
        found[value] = ({"words": [value]} if shows else {}) | ({"aliases": others} if others else {})
    return found


def _add_words(
    prompts: Sequence[str],
    attributes: Mapping[str, FileField],
    declared: Declared,
    person: FileField | None,
) -> dict[str, dict[str, list[str]]]:
    """Give groups that prompts do not name the words that show them, where prompts differ in these alone.

    Return the words of other attributes: they may belong to what a group is asked, and are for a comment.
    """
    if person:
        pairs = zip(prompts, person.texts, strict=True)
        prompts = [prompt.replace(name, GAP) if name else prompt for prompt, name in pairs]
    unseen = [slug for slug in _unseen(declared) if not (person and _decides(person, attributes[slug]))]
    groups = {slug: attributes[slug].as_spelt_most() for slug in unseen}
    found = {slug: words for slug in unseen if (words := shown_words(prompts, groups[slug]))}
    said = _words_of(declared) + [word for values in found.values() for of in values.values() for word in of]
    sure = [
        slug for slug, words in found.items() if differ_in_words_alone(prompts, groups[slug], words, said)
    ]
    for slug in sure:
        for value, said_of in found[slug].items():
            declared[slug][value]["words"] = said_of
    return {slug: words for slug, words in found.items() if slug not in sure}


def _words_of(declared: Declared) -> list[str]:
    return [word for values in declared.values() for of in values.values() for word in of.get("words", [])]


def _said(fields: Mapping[str, FileField], columns: Mapping[str, Any]) -> list[str]:
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
    said: Sequence[FileField],
    people: set[str],
    declared: Declared,
    attributes: Mapping[str, FileField],
) -> str | None:
    """Return the field of people's names: it is called so, or it decides of which group a person is."""
    unseen = [attributes[slug] for slug in _unseen(declared)]
    for field in sorted(said, key=lambda one: one.name not in people):
        if field.name in people or any(_decides(field, group) for group in unseen):
            return field.name
    return None


def _unseen(declared: Declared) -> list[str]:
    return [
        slug for slug, values in declared.items() if not all("words" in value for value in values.values())
    ]


def _decides(field: FileField, group: FileField) -> bool:
    """Whether all records with a value of the field are of one group, and groups have several values."""
    of = {(text, value) for text, value in zip(field.texts, group.texts, strict=True) if text}
    return len(of) == len(field.values) > len(group.values)


def _of_several(attributes: Mapping[str, FileField]) -> str:
    """Return fields that look like one attribute of several people, group_a and group_b; '' for none."""
    alike: dict[str, list[FileField]] = {}
    for field in attributes.values():
        if match := OF_A_PERSON.fullmatch(field.name):
            alike.setdefault("…".join(match.groups("")).lower(), []).append(field)
    for fields in alike.values():
        if len(fields) > 1 and set.intersection(*(set(field.values) for field in fields)):
            return " and ".join(repr(shorten(field.name)) for field in fields[:2])
    return ""


def _language(prompts: Iterable[str], answers: Iterable[str]) -> str:
    """Return the language of the first prompts, else of the first answers; English where nobody can tell."""
    for texts in (prompts, answers):
        if language := language_of_most(islice(dict.fromkeys(texts), READ)):
            return language
    return "en"


def _in_short(outcomes: Mapping[str, Sequence[dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    """Return each category's rules; those that several categories have take a line each."""
    n = Counter(repr(rule) for rules in outcomes.values() for rule in rules)
    return {
        code: [Line(rule) if n[repr(rule)] > 1 else rule for rule in rules]
        for code, rules in outcomes.items()
    }


def _suite(
    name: str,
    fields: Mapping[str, FileField],
    columns: Mapping[str, Any],
    attributes: Mapping[str, FileField],
    declared: Declared,
    scores: Mapping[str, str],
    labels: Mapping[str, str],
    left_out: Sequence[str],
    of_answers: Sequence[FileField],
    guessed: Mapping[str, Mapping[str, list[str]]],
) -> str:
    code = name.upper()
    prompts = fields[columns["prompt"]].texts
    person = columns.get("name")
    decided = [slug for slug in attributes if person and _decides(fields[person], attributes[slug])]
    unseen = _unseen(declared)
    by_name = [slug for slug in unseen if slug in decided]
    unseen = [slug for slug in unseen if slug not in by_name]
    answers = [split_reasoning(text)[0] for text in fields[columns["response"]].texts]
    language = _language(prompts, answers)
    is_english = alike(language) == {"en"}
    title = name.replace("_", " ").capitalize()
    said: dict[str, Any] = dict(columns)
    said.setdefault("model", {"value": "model"})
    codes = fields[columns["category"]].texts if "category" in columns else [code] * len(answers)
    models = fields[columns["model"]].texts if "model" in columns else [""] * len(answers)
    asked: dict[str, list[tuple[str, str, str]]] = {one: [] for one in dict.fromkeys(codes) if one}
    for one, *record in zip(codes, prompts, answers, models, strict=True):
        if one:
            asked[one].append((record[0], record[1], record[2]))
    # `load` counts refusals apart: they are no reading of an answer.
    asked = {one: [each for each in of if not is_refusal(each[1])] or of for one, of in asked.items()}
    said["category"] = columns.get("category", {"value": code})
    said["attributes"] = {slug: field.name for slug, field in attributes.items()}
    said |= {"scores": dict(scores)} if scores else {}
    said |= {"labels": dict(labels)} if labels else {}
    given = [_given(slug, fields[field]) for slug, field in labels.items()]
    # Where answers have labels, these are what is compared.
    unread = {} if given else asked
    read = drafted_rules(
        unread, [value for values in declared.values() for value in values], is_english, scores
    )
    # Answers about one name resemble each other: where a name has one group, whole names are compared.
    block = {"block": "name"} if decided else {}
    titles = {code: title if len(asked) == 1 else code.replace("_", " ") for code in asked}
    rules = [*map(given_score, scores), *given]
    outcomes = _in_short({code: rules if given else read.outcomes[code] for code in titles})
    categories = {
        code: {"title": title, "domain": "answers"} | block | {"outcomes": outcomes[code]}
        for code, title in titles.items()
    }
    left_out = [field for field in left_out if field != person]
    others = ", ".join(repr(shorten(field)) for field in left_out)
    parts = [
        "# yaml-language-server: $schema=suite.schema.json",
        "# Drafted from a file of answers. Look at each part: all of it is guessed.",
        written({"suite": name, "title": title, "version": 1, "language": language}).rstrip()
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
        *(
            f"# Of {slug}, words of one group's prompts alone. Do they show it, and no other question?\n"
            f"#   {slug}: {_flow({value: {'words': words} for value, words in values.items()})}"
            for slug, values in guessed.items()
        ),
        None
        if len(declared) < 3
        else "# Nothing compares combinations, such as "
        f"{' & '.join(list(declared)[:2])}: add those that you ask about to `axes:`.",
        written({"attributes": declared, "axes": "all" if len(declared) < 3 else list(declared)}),
        "# The attributes that a person's name shows." if by_name else None,
        written({"names": {"shows": by_name}}) if by_name else None,
        "# Left: Plumbline's words. Right: the file's fields.",
        None if "model" in columns else "# No field names the model: write its name here.",
        ROOT_OF_PROMPTS if isinstance(columns.get("root"), dict) else None if "root" in columns else NO_ROOT,
        None if "category" in columns else ONE_QUESTION,
        *_told_of_answers(of_answers),
        written({"columns": said}),
        "# How an answer is read. Add rules, such as phrases: docs/guide/own-questions.md.",
        *(
            f"# {rule['set']}: say in `favourable:` which labels count as selected."
            for rule in given
            if "favourable" not in rule
        ),
        *read.comments,
        written({"categories": categories, "scorers": ["vader" if is_english else "length"]}),
        "# `beside:` lists words that stand beside the number: docs/guide/scorers.md."
        if read.own_scorers
        else None,
        written({"own_scorers": read.own_scorers}) if read.own_scorers else None,
        "# Lists: docs/guide/words-pairs-lists.md." if read.recommendations else None,
        written({"recommendations": read.recommendations}) if read.recommendations else None,
        "# The limits that numbers are held against; docs/metrics.md has all.",
        written({"profiles": ["plumbline"]}),
    ]
    return "\n".join(part.rstrip("\n") for part in parts if part) + "\n"


def _told_of_answers(of_answers: Sequence[FileField]) -> list[str]:
    """Return comments on fields that may be scores or labels of answers, with what to write if they are."""
    found = []
    for field in of_answers:
        (slug,) = slugs([field.last])
        if field.may_be_score:
            found.append(
                f"# Does {field.name!r} measure the answers? Then write under `columns:`\n"
                f"#   scores: {_flow({slug: field.name})}\n"
                f"# and under `outcomes:`\n#   - {_flow(given_score(slug))}"
            )
            continue
        rule = _flow(_given(slug, field))
        found.append(
            f"# Does {field.name!r} judge the answers? Then write under `columns:`\n"
            f"#   labels: {_flow({slug: field.name})}\n"
            f"# and under `outcomes:`, with the good labels as `favourable: [...]`,\n#   - {rule}"
        )
    return found


def _flow(content: Any) -> str:
    return written(content, width=10_000, is_one_line=True).strip()


def _given(slug: str, field: FileField) -> dict[str, Any]:
    rule: dict[str, Any] = {"set": slug, "kind": "given", "labels": field.spellings()}
    right = [label for label in rule["labels"] if label in RIGHT]
    return rule | ({"favourable": right} if right else {})
