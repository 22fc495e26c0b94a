"""Labels of a file, checked, into the raw table `labels`: all of its rows or none."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from ingest.errors import PlumblineError, printable, shorten
from ingest.labelling.questions import Question, none_of_these
from ingest.labelling.table import CANNOT_TELL, unguarded
from ingest.loading.files import RowProblem, check_text, has_decimal_commas, read_records, shown
from ingest.loading.separators import DecimalCommas
from ingest.redaction import without_secrets
from ingest.store import Store, utc_now
from ingest.suite import Suite, normalise_label

READ = (
    "label",
    "note",
    "annotator",
    "seconds",
    "labelled_at",
    "outcome_set",
    "response_key",
    "sample_key",
)
MAX_NAME, MAX_NOTE = 100, 2_000  # characters
NOT_NAMES = ("rule", "data")  # in the marts these stand beside annotators
MOST_SECONDS = 86_400


class Label(NamedTuple):
    """What somebody read in an answer; neither `label` nor `value` where it cannot be told."""

    category: str
    outcome_set: str
    response_key: str
    annotator: str
    label: str | None
    value: float | None
    sample_key: str
    seconds: float | None
    note: str
    labelled_at: datetime
    source: str  # annotator; or example, which the pages say wherever they show it

    @property
    def key(self) -> tuple[str, str, str]:
        """What makes it the same row."""
        return self.outcome_set, self.response_key, self.annotator

    @property
    def meaning(self) -> str:
        """What it says of the answer, as a cell says it."""
        return self.label or (CANNOT_TELL if self.value is None else f"{self.value:g}")

    @property
    def said(self) -> tuple[str | float | None, ...]:
        """What loading it again must not change."""
        return self.label, self.value, self.note, self.sample_key, self.source


@dataclass
class Reading:
    """How files are read: by the suite's questions, as labels by `annotator` where a file names none."""

    suite: Suite
    asked: Mapping[tuple[str, str], Question]
    annotator: str | None = None
    source: str = "annotator"
    now: datetime = field(default_factory=utc_now)
    names: dict[str, str] = field(default_factory=dict)  # how each annotator's name is spelt

    def know(self, names: Iterable[str]) -> None:
        """Take these spellings for those of names that differ in case alone."""
        spelt = sorted(set(names))
        self.names = {normalise_label(name): name for name in spelt} | {name: name for name in spelt}

    def spelling(self, name: str) -> str:
        """Return the spelling by which a name is known."""
        return self.names.get(name) or self.names.setdefault(normalise_label(name), name)


@dataclass
class Taken:
    """What a load found and did."""

    n_empty: int = 0  # rows without a label
    n_untold: int = 0
    counts: Counter[str] = field(default_factory=Counter)  # new, replaced, older, there
    annotators: set[str] = field(default_factory=set)
    respelt: dict[str, str] = field(default_factory=dict)
    first_replaced: str = ""
    totals: list[tuple[str, str, int, int]] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        """Yield what a person should know, most important first."""
        n = self.counts
        yield (
            f"{n.total() + self.n_empty:,} rows = {n['new']:,} new + {n['replaced']:,} replaced "
            f"+ {n['there']:,} already there + {n['older']:,} older + {self.n_empty:,} without a label"
        )
        yield f"  by {', '.join(sorted(self.annotators))}; {self.n_untold:,} say that it cannot be told"
        for said, name in sorted(self.respelt.items()):
            yield f"  {said} is taken for {name}: names that differ in case alone are one annotator's"
        if self.first_replaced:
            yield f"  first replaced: {self.first_replaced}"
        for code, outcome_set, n_answers, n_annotators in self.totals:
            by = "1 annotator" if n_annotators == 1 else f"{n_annotators:,} annotators"
            yield f"  {code} {outcome_set}: {n_answers:,} answers carry labels, by {by}"


def take_in(
    store: Store, reading: Reading, files: Sequence[Path], run_id: str, is_dry: bool = False
) -> Taken:
    """Bring in the labels of files, one after the other; the caller holds the transaction.

    Raises PlumblineError that names the first row that cannot be used. A dry run writes nothing.
    """
    taken = Taken()
    stored = _stored(store, reading.suite)
    reading.know(label.annotator for label in stored.values())
    changed: dict[tuple[str, str, str], Label] = {}
    for path in files:
        for row, label in _labels(store, reading, path, taken):
            taken.annotators.add(label.annotator)
            taken.n_untold += label.label is None and label.value is None
            known = changed.get(label.key) or stored.get(label.key)
            if known is None:
                outcome = "new"
            elif known.said == label.said:
                outcome = "there"
            else:
                outcome = "replaced" if label.labelled_at >= known.labelled_at else "older"
            taken.counts[outcome] += 1
            if known and outcome == "replaced" and known.meaning != label.meaning:
                taken.first_replaced = taken.first_replaced or (
                    f"{shown(path)}, row {row:,}: {label.annotator} said {known.meaning}, now {label.meaning}"
                )
            if outcome in ("new", "replaced"):
                changed[label.key] = label
    taken.totals = _totals(reading.asked, {**stored, **changed})
    if changed and not is_dry:
        shared = {"suite": reading.suite.suite, "run_id": run_id}
        rows = [{**label._asdict(), **shared} for label in changed.values()]
        with store.registered("read_labels", pa.Table.from_pylist(rows, schema=store.arrow_schema("labels"))):
            store.connection.execute("insert or replace into labels by name from read_labels")
    return taken


def forgotten(store: Store, suite: Suite) -> Iterator[str]:
    """Yield the questions of which people said what the suite has no name for now (int_labels_known)."""
    known = {
        (code, rule.set, label)
        for code, rule in suite.rules()
        for label in (*rule.labels, none_of_these(rule), "unmatched", "unclear")
    }
    sets = {(code, rule.set) for code, rule in suite.rules()}
    totals: Counter[tuple[str, str]] = Counter()
    unknown: dict[tuple[str, str], list[str]] = {}
    for code, outcome_set, label, n in store.rows(
        """
        select category, outcome_set, label, count(*) from labels
        where suite = ? and source <> 'data'
        group by all order by all
        """,
        [suite.suite],
    ):
        totals[code, outcome_set] += n
        if label is not None and (code, outcome_set, label) not in known:
            unknown.setdefault((code, outcome_set), []).append(f"{label} {n:,}")
    for (code, outcome_set), n in totals.items():
        left_out = f"{code} {outcome_set}: all {n:,} labels of people are left out, because the suite has"
        if (code, outcome_set) not in sets:
            yield f"{left_out} no such outcome set now. Write it there again if they are to count"
        elif said := unknown.get((code, outcome_set)):
            yield (
                f"{left_out} no such label now: {shorten(', '.join(said))}. Write it there again, or load "
                "their file with the new name"
            )


def come_since(store: Store, suite: Suite) -> Iterator[str]:
    """Yield the questions whose labels stand for answers that no draw could hit: they came after the last.

    Only of configs that have labels. By when answers came, as draws count it (`ingest.labelling.drawing`).
    """
    sets = {(code, rule.set) for code, rule in suite.rules()}
    for code, outcome_set, n_later, n in store.rows(
        """
        with labelled as (
            select distinct labels.category, labels.outcome_set, responses.config_key
            from labels
            inner join responses using (response_key)
            where labels.suite = $1 and labels.source <> 'data'
        ),
        last_drawn as (
            select category, outcome_set, max(drawn_at) as drawn_at
            from label_samples where suite = $1 group by all
        )
        select
            labelled.category, labelled.outcome_set,
            count(*) filter (runs.started_at > last_drawn.drawn_at) as n_later, count(*)
        from labelled
        inner join last_drawn using (category, outcome_set)
        inner join prompts on prompts.suite = $1 and prompts.category = labelled.category
        inner join responses
            on responses.prompt_key = prompts.prompt_key and responses.config_key = labelled.config_key
        inner join runs on runs.run_id = responses.run_id
        where responses.response_status = 'ok' and responses.text_key is not null
        group by all
        having n_later > 0
        order by all
        """,
        [suite.suite],
    ):
        if (code, outcome_set) in sets:
            yield (
                f"{code} {outcome_set}: {n_later:,} of {n:,} answers came after answers were last drawn for "
                "people to read. Labels of the earlier ones correct them as if they were read alike; "
                "`plumbline labels sample` draws of them, too"
            )


def _stored(store: Store, suite: Suite) -> dict[tuple[str, str, str], Label]:
    rows = store.rows(
        f"select {', '.join(Label._fields)} from labels where suite = ? and source <> 'data'",
        [suite.suite],
    )
    return {label.key: label for label in (Label(*row) for row in rows)}


def _totals(
    asked: Mapping[tuple[str, str], Question], labels: Mapping[tuple[str, str, str], Label]
) -> list[tuple[str, str, int, int]]:
    """Return (category, outcome set, answers with labels, annotators) of each set that has labels."""
    found = []
    for code, outcome_set in asked:
        own = [one for one in labels.values() if (one.category, one.outcome_set) == (code, outcome_set)]
        if own:
            n_annotators = len({one.annotator for one in own})
            found.append((code, outcome_set, len({one.response_key for one in own}), n_annotators))
    return found


def _labels(store: Store, reading: Reading, path: Path, taken: Taken) -> list[tuple[int, Label]]:
    """Return the labels of a file, each with its row. Raises PlumblineError."""
    rows = list(read_records(path, READ, remedy="Leave the columns of the sheet or the table as they are."))
    named = {str(cells[-1]).strip() for _, cells in rows if not isinstance(cells, RowProblem)}
    there = store.rows("select distinct sample_key from label_samples where suite = ?", [reading.suite.suite])
    # A cell may hold what no database takes.
    samples = [sample_key for (sample_key,) in there if sample_key in named]
    drawn = {
        (sample_key, outcome_set, response_key): category
        for sample_key, outcome_set, response_key, category in store.rows(
            """
            select sample_key, outcome_set, response_key, category from label_samples
            where suite = ? and list_contains(?, sample_key)
            """,
            [reading.suite.suite, samples],
        )
    }
    reader = _Reader(reading, drawn, taken, DecimalCommas(has_decimal_commas(path)))
    found: list[tuple[int, Label]] = []
    firsts: dict[tuple[str, str, str], tuple[int, Label]] = {}
    problems: list[str] = []
    for number, cells in rows:
        row = number + 1  # as a spreadsheet counts: the first holds the names of the columns
        try:
            label = reader.read(cells)
        except RowProblem as problem:
            problems.append(f"row {row:,}: {problem.detail}")
            continue
        if label is None:
            taken.n_empty += 1
            continue
        found.append((row, label))
        first, known = firsts.setdefault(label.key, (row, label))
        if (known.label, known.value) != (label.label, label.value):
            problems.append(f"row {row:,}: {label.annotator} gave this answer another label in row {first:,}")
    if problems:
        more = f" {len(problems) - 1:,} more rows cannot be used." if len(problems) > 1 else ""
        remedy = "Correct it there."
        if "not UTF-8" in problems[0]:
            remedy = "Save it as UTF-8 (in Excel: CSV UTF-8), then load that."
        raise PlumblineError(f"{shown(path)}, {problems[0]}.{more}", f"{remedy} Nothing was loaded.")
    if not found:
        raise PlumblineError(
            f"{shown(path)}: none of its {len(rows):,} rows has a label.", "Fill in the column `label`."
        )
    return found


class _Reader:
    """Reads the rows of a file as labels."""

    def __init__(
        self,
        reading: Reading,
        drawn: Mapping[tuple[str, str, str], str],
        taken: Taken,
        commas: DecimalCommas,
    ) -> None:
        self.reading = reading
        self.commas = commas
        self.taken = taken
        self.drawn = drawn
        self.samples = {sample_key for sample_key, _, _ in drawn}

    def read(self, cells: "list[Any] | RowProblem") -> Label | None:
        """Return a row's label, None where nobody looked. Raises RowProblem."""
        if isinstance(cells, RowProblem):
            raise cells
        texts = {name: unguarded(_cell(cell, name)).strip() for name, cell in zip(READ, cells, strict=True)}
        if not texts["label"]:
            return None
        sample_key, outcome_set, response_key = (
            texts[name] for name in ("sample_key", "outcome_set", "response_key")
        )
        if sample_key not in self.samples:
            raise _problem(
                f"sample {sample_key!r} was not drawn here from suite {self.reading.suite.suite}; "
                "was it in another --data folder?"
            )
        category = self.drawn.get((sample_key, outcome_set, response_key))
        if category is None:
            raise _problem(f"answer {response_key!r} under {outcome_set!r} is not in this sample")
        question = self.reading.asked.get((category, outcome_set))
        if question is None:
            raise _problem(f"the suite has no outcome set {outcome_set!r} of {category} now")
        label, value = self._meaning(texts["label"], question)
        return Label(
            category,
            outcome_set,
            response_key,
            self._annotator(texts["annotator"]),
            label,
            value,
            sample_key,
            _seconds(self.commas.read(texts["seconds"])),
            without_secrets(shorten(texts["note"], MAX_NOTE)),
            _time(texts["labelled_at"]) or self.reading.now,
            self.reading.source,
        )

    def _meaning(self, text: str, question: Question) -> tuple[str | None, float | None]:
        """Return the label or the value that a cell means; neither for `?`. Raises RowProblem."""
        if question.low is None or question.high is None:
            label = question.label(text)
            if label is None and text != CANNOT_TELL:
                raise _problem(f"label {shorten(text)!r} is none of: {question.choices}")
            return label, None
        if text == CANNOT_TELL:
            return None, None
        value = _number(self.commas.read(text))
        if value is None:
            raise _problem(f"{shorten(text)!r} is no number, such as 0.5, and not ?")
        if not question.low <= value <= question.high:
            raise _problem(f"{value:g} lies outside {question.low:g} to {question.high:g}")
        return None, value

    def _annotator(self, said: str) -> str:
        name = " ".join(printable(said or self.reading.annotator or "").split())
        if not name:
            raise _problem("nobody is named as annotator: fill in the column, or say --annotator NAME")
        if name.lower() in NOT_NAMES:
            raise _problem(f"an annotator cannot be called {name!r}")
        if len(name) > MAX_NAME:
            raise _problem(f"the annotator's name has {len(name):,} characters, at most {MAX_NAME}")
        if (spelt := self.reading.spelling(name)) != name:
            self.taken.respelt[name] = spelt
        return spelt


def _cell(cell: Any, column: str) -> str:
    # In a table that a program has typed, a score is a number.
    return repr(cell) if isinstance(cell, float) and cell == cell else check_text(cell, column)


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _seconds(text: str) -> float | None:
    if not text:
        return None
    value = _number(text)
    if value is None or not 0 <= value <= MOST_SECONDS:
        raise _problem(f"seconds: {shorten(text)!r} is no number from 0 to {MOST_SECONDS:,}")
    return value


def _time(text: str) -> datetime | None:
    if not text:
        return None
    try:
        time = datetime.fromisoformat(text)
        return time.astimezone(UTC).replace(tzinfo=None) if time.tzinfo else time
    except (ValueError, OverflowError):
        raise _problem(
            f"labelled_at: {shorten(text)!r} is no time, such as 2026-01-31T12:00:00; it may be empty"
        ) from None


def _problem(detail: str) -> RowProblem:
    return RowProblem("label", detail)
