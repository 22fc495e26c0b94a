"""What a record of a response file means: the suite's `columns:`, labels and categories applied to it."""

import json
import math
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from decimal import Decimal
from typing import Any, NamedTuple

from ingest.asking.answer_status import STATUSES, finish_status
from ingest.backends.reasoning import split_reasoning
from ingest.errors import PlumblineError, shorten
from ingest.loading.files import Record, RowProblem, check_text, named
from ingest.loading.readers.documents import mapping
from ingest.loading.separators import DecimalCommas
from ingest.redaction import without_secrets
from ingest.suite import Column, Extract, Suite, normalise_label
from ingest.suite.conversations import conversation, turns_before
from ingest.suite.fields import LARGEST_INTEGER
from ingest.suite.sources import Columns, compiled

CACHE_SIZE = 20_000
MAX_LABEL = 200
MAX_REPEAT = MOST_TOKENS = LARGEST_INTEGER
MAX_OPTIONS = 2_000  # characters
# What was asked and said is taken as it stands; anything else names something.
TEXTS = ("response", "prompt", "messages", "baseline")
TRUTHS = {"true": "1", "false": "0"}
WHOLE_NUMBER = re.compile(r"([0-9]{1,10})(?:\.0+)?")


def declared_labels(suite: Suite, attribute: str) -> dict[str, str]:
    """Return what each label of an attribute stands for: its values and their aliases, normalised."""
    return {
        normalise_label(label): value
        for value, spec in suite.attributes[attribute].items()
        for label in (value, *spec.aliases)
    }


def _spellings(suite: Suite, code: str, column: Column) -> dict[str, str]:
    """Return what each spelling in a column of labels stands for: a label's name, or what a rule lists.

    Several outcome sets can be compared with one column: what one of them spells out holds for all.
    """
    sets = {name for name, one in suite.columns.labels.items() if one == column} if suite.columns else set()
    rules = [rule for of, rule in suite.rules() if of == code and rule.set in sets]
    return {
        normalise_label(one): label
        for rule in rules
        for label, phrases in rule.labels.items()
        for one in (label, *(phrases if rule.kind == "given" else []))
    }


class Fields(NamedTuple):
    """One record, checked. `repeat` and `root` are None where no column says them.

    `attributes` are declared values; `labels` say of outcome sets of the category what the answer says;
    `scores` are features with their number and its status. `options` is JSON, '' where no column says them.
    `text` is the answer, `whole` with the reasoning that a model wrote before it (`<think>…</think>`).
    `messages` are the turns of a conversation as JSON, the prompt the last of them; then `prompt` is all of
    it as text.
    """

    category: str
    prompt: str
    model: str
    role: str
    repeat: int | None
    attributes: tuple[tuple[str, str], ...]
    name: str | None
    source_id: str | None
    status: str
    text: str
    whole: str
    root: str | None = None
    labels: tuple[tuple[str, str | None], ...] = ()
    baseline: str | None = None
    options: str = ""
    scores: tuple[tuple[str, float | None, str], ...] = ()
    messages: str | None = None
    finish_reason: str | None = None
    served_model: str | None = None
    prompt_tokens: int | None = None
    output_tokens: int | None = None


class _Field:
    """Reads one field out of a record's cells, as the suite's `columns:` says."""

    def __init__(self, column: Column, positions: Mapping[str, int], is_name: bool = True) -> None:
        self.is_name = is_name
        extract = Extract(column=column) if isinstance(column, str) else column
        self.column = extract.column or ""
        self.value = extract.value
        self.position = positions.get(self.column, 0)
        self.pattern = compiled(extract.pattern) if extract.pattern is not None else None
        self.replace = extract.replace

    def read(self, cells: list[Any]) -> str:
        """Return the field's text, '' where the pattern finds nothing."""
        if self.value is not None:
            return self.value
        cell = cells[self.position]
        text = check_text(named(cell) if self.is_name and not isinstance(cell, str) else cell, self.column)
        if self.pattern is not None:
            match = self.pattern.search(text)
            text = (match.group(1) or "") if match else ""
        for old, new in self.replace.items():
            text = text.replace(old, new)
        return text

    def read_score(self, cells: list[Any]) -> str:
        """Return what is written of a number; a cell may also hold the number itself.

        A list or an object is no number, and leaves the rest of its record as it is.
        """
        if self.value is None and isinstance(cells[self.position], float | bool | Decimal | list | dict):
            return str(cells[self.position])
        return self.read(cells).strip()

    def read_label(self, cells: list[Any]) -> str:
        """Return the field's text without surrounding space; refuse one too long to be a label."""
        label = self.read(cells).strip()
        if len(label) > MAX_LABEL:
            raise RowProblem("too_long", f"{self.column}: {len(label):,} characters, at most {MAX_LABEL:,}")
        return label


def _number(said: str) -> tuple[float | None, str]:
    """Return what a score says as a number, and its status; true and false are 1 and 0."""
    if not said:
        return None, "missing"
    try:
        value = float(TRUTHS.get(said.lower(), said))
    except ValueError:
        return None, "not_a_number"
    return (value, "ok") if math.isfinite(value) else (None, "not_finite")


class RecordReader:
    """Turns a record's cells into checked `Fields`, as a suite says; or as `own` columns do in its place."""

    def __init__(self, suite: Suite, own: Columns | None = None, decimal_commas: bool = False) -> None:
        columns = own or suite.columns
        if columns is None:
            raise PlumblineError(
                f"Suite {suite.suite} has no `columns:`, so nobody knows what a response file holds where.",
                "Add `columns:` to the suite; suites/fair_sea.yml is an example.",
            )
        single = {
            name: column
            for name in type(columns).model_fields
            if (column := getattr(columns, name)) is not None
        }
        attributes, labels, scores = single.pop("attributes"), single.pop("labels"), single.pop("scores")
        single.pop("candidates", None)
        listed = [*single.values(), *attributes.values(), *labels.values(), *scores.values()]
        named = (c if isinstance(c, str) else c.column for c in listed)
        self.columns = list(dict.fromkeys(column for column in named if column is not None))
        positions = {column: i for i, column in enumerate(self.columns)}
        self.fields = {
            name: _Field(column, positions, is_name=name not in TEXTS) for name, column in single.items()
        }
        self.attributes = {a: _Field(attributes[a], positions) for a in suite.attributes if a in attributes}
        self.given = {name: _Field(column, positions) for name, column in labels.items()}
        self.scores = {name: _Field(column, positions) for name, column in scores.items()}
        self.spellings = {
            (code, rule.set): _spellings(suite, code, labels[rule.set])
            for code, rule in suite.rules()
            if rule.set in labels
        }
        self.categories = suite.categories
        self.labels = {attribute: declared_labels(suite, attribute) for attribute in self.attributes}
        self.known: dict[tuple[str, str], str] = {}
        self.commas = DecimalCommas(decimal_commas)
        self.no_number = ""  # the first score that is none, as it is written
        shows = suite.names.shows if suite.names else []
        self.shown_by_name = [a for a in shows if a in self.attributes] if "name" in self.fields else []

    def read(self, cells: list[Any]) -> Fields:
        """Return a record's fields. Raises RowProblem."""
        fields = self.fields
        whole = fields["response"].read(cells)
        prompt = fields["prompt"].read(cells)
        if not prompt.strip():
            raise RowProblem("missing_prompt", f"{fields['prompt'].column} is blank")
        category = fields["category"].read(cells).strip()
        if category not in self.categories:
            raise RowProblem("unknown_category", f"{fields['category'].column}: {shorten(category)!r}")
        model = fields["model"].read_label(cells)
        if not model:
            raise RowProblem("missing_model", f"{fields['model'].column} is blank")
        turns = self.turns(cells, prompt) if "messages" in fields else []
        return Fields(
            category=category,
            prompt=conversation(turns, prompt),
            model=model,
            role=fields["role"].read_label(cells) if "role" in fields else "",
            repeat=self.repeat(cells) if "repeat" in fields else None,
            attributes=tuple((a, self.value(a, cells)) for a in self.attributes),
            name=(fields["name"].read_label(cells) or None) if "name" in fields else None,
            source_id=(fields["source_id"].read(cells) or None) if "source_id" in fields else None,
            status=self.status(cells),
            text=split_reasoning(whole)[0],
            whole=whole,
            root=(fields["root"].read(cells).strip() or None) if "root" in fields else None,
            labels=tuple(self.labels_of(category, cells)) if self.given else (),
            baseline=(fields["baseline"].read(cells).strip() or None) if "baseline" in fields else None,
            options=self.options(cells) if "options" in fields else "",
            scores=tuple((name, *self.score(field, cells)) for name, field in self.scores.items()),
            messages=json.dumps([*turns, {"role": "user", "content": prompt}]) if turns else None,
            finish_reason=self.said("finish_reason", cells),
            served_model=self.said("served_model", cells),
            prompt_tokens=self.tokens("prompt_tokens", cells),
            output_tokens=self.tokens("output_tokens", cells),
        )

    def response(self, record: Mapping[str, Any]) -> str:
        """Return the answer of a record that has a cell for each of its columns."""
        whole = self.fields["response"].read([record.get(column) for column in self.columns])
        return split_reasoning(whole)[0]

    def score(self, field: _Field, cells: list[Any]) -> tuple[float | None, str]:
        """Return a score's number and its status."""
        said = self.commas.read(field.read_score(cells))
        value, status = _number(said)
        if status not in ("ok", "missing") and not self.no_number:
            self.no_number = f"{shorten(without_secrets(said), 40)!r} in {shorten(field.column)!r}"
        return value, status

    def options(self, cells: list[Any]) -> str:
        """Return the options of a record's request as JSON, its keys in order."""
        field = self.fields["options"]
        cell = field.value if field.value is not None else cells[field.position]
        said = mapping(cell)
        if not said and cell not in (None, "", "{}", {}):
            raise RowProblem("wrong_type", f"{field.column}: no object of JSON")
        said = without_secrets(said)  # it is recorded, and names the config
        written = json.dumps(said, sort_keys=True, ensure_ascii=False) if said else ""
        if len(written) > MAX_OPTIONS:
            raise RowProblem(
                "too_long", f"{field.column}: {len(written):,} characters, at most {MAX_OPTIONS:,}"
            )
        return check_text(written, field.column)

    def said(self, name: str, cells: list[Any]) -> str | None:
        """Return a field that a record may have, None where it is blank."""
        return (self.fields[name].read_label(cells) or None) if name in self.fields else None

    def tokens(self, name: str, cells: list[Any]) -> int | None:
        """Return a number of tokens, None where nothing says it."""
        text = self.fields[name].read_score(cells) if name in self.fields else ""
        if text in ("", "nan"):
            return None
        if (match := WHOLE_NUMBER.fullmatch(text)) is None or int(match.group(1)) > MOST_TOKENS:
            raise RowProblem("bad_tokens", f"{self.fields[name].column}: {shorten(text)!r}")
        return int(match.group(1))

    def turns(self, cells: list[Any], prompt: str) -> list[dict[str, str]]:
        """Return what stood before a record's prompt. Raises RowProblem."""
        field = self.fields["messages"]
        cell = field.value if field.value is not None else cells[field.position]
        said = json.dumps(cell, default=str) if isinstance(cell, list) else field.read(cells)
        if not said.strip():
            return []
        try:
            return turns_before(said, prompt)
        except ValueError as error:
            raise RowProblem("bad_messages", f"{field.column}: {error}") from None

    def labels_of(self, category: str, cells: list[Any]) -> Iterator[tuple[str, str | None]]:
        """Yield the outcome sets of a category with what a record says of them, None where it says nothing.

        What is no label of the rule stays as it is written.
        """
        for name, field in self.given.items():
            spellings = self.spellings.get((category, name))
            if spellings is not None:
                said = field.read_label(cells)
                yield name, spellings.get(normalise_label(said), said) or None

    def value(self, attribute: str, cells: list[Any]) -> str:
        """Return the declared value that a record's label stands for."""
        label = self.attributes[attribute].read(cells)
        value = self.known.get((attribute, label))
        if value is not None:
            return value
        normal = normalise_label(label)
        if not normal:
            raise RowProblem("missing_label", f"{attribute} is blank")
        if normal not in self.labels[attribute]:
            raise RowProblem("unknown_label", f"{attribute}: {shorten(label)!r} is not declared")
        value = self.labels[attribute][normal]
        if len(self.known) < CACHE_SIZE and len(label) <= MAX_LABEL:
            self.known[attribute, label] = value
        return value

    def repeat(self, cells: list[Any]) -> int:
        """Return the repeat; 3.0 is 3, as a table program may have written it."""
        repeat = self.fields["repeat"]
        text = repeat.read(cells).strip()
        match = WHOLE_NUMBER.fullmatch(text)
        if match is None or int(match.group(1)) > MAX_REPEAT:
            raise RowProblem("bad_repeat", f"{repeat.column}: {shorten(text)!r}")
        return int(match.group(1))

    def status(self, cells: list[Any]) -> str:
        """Return the status that a record gives.

        Where it is blank, the reason says it for which the answer ended; else an answer came.
        """
        status = self.fields["status"].read(cells).strip().lower() if "status" in self.fields else ""
        if not status:
            return finish_status(self.said("finish_reason", cells))
        if status not in STATUSES:
            column = shorten(self.fields["status"].column, 20)
            known = ", ".join(STATUSES)
            raise RowProblem("unknown_status", f"{column}: {shorten(status, 20)!r} is none of {known}")
        return status

    def person(self, cells: list[Any]) -> tuple[str, dict[str, str]]:
        """Return a record's name ('' for none) and its values of the attributes that names show."""
        name = self.fields["name"].read_label(cells)
        return name, {a: self.value(a, cells) for a in self.shown_by_name} if name else {}


def ambiguous_names(reader: RecordReader, records: Iterator[Record]) -> tuple[int, set[tuple[str, str]]]:
    """Return how many records there are, and each (name, attribute) that has two values among them."""
    n_records = 0
    values: dict[tuple[str, str], str] = {}
    ambiguous = set()
    for _, cells in records:
        n_records += 1
        if not reader.shown_by_name or isinstance(cells, RowProblem):
            continue
        # A record that has a problem is rejected when it is loaded; here it says nothing about a name.
        with suppress(RowProblem):
            name, attributes = reader.person(cells)
            for attribute, value in attributes.items():
                if values.setdefault((name, attribute), value) != value:
                    ambiguous.add((name, attribute))
    return n_records, ambiguous
