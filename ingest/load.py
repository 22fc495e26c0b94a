"""Stage load: responses that somebody already has -> `prompts`, `configs`, `responses`, `texts`."""

import hashlib
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import click
import pyarrow as pa

from ingest.errors import PlumblineError
from ingest.keys import key, request_key, text_key
from ingest.prompts import PromptBuilder
from ingest.readers import Record, RowProblem, check_text, read_records, shorten
from ingest.register import register_suite
from ingest.statuses import PATTERNS_PATH, REFUSAL_RULE_VERSION, STATUSES, response_status
from ingest.store import RAW_NAME, Store
from ingest.suite import Column, Extract, Suite, load_suite, normalise_label

METHOD = "loaded"
BACKEND = "recorded"
BATCH_ROWS = 20_000
BATCH_CHARACTERS = 16_000_000
CACHE_SIZE = 20_000
MAX_LABEL = 200
MAX_REPEAT = 2**31 - 1
EVIDENCE = 1_000
SHOW_PROGRESS_FROM = 20_000
CHECKED_EVERY = 200_000
WHOLE_NUMBER = re.compile(r"([0-9]{1,10})(?:\.0+)?")


class Fields(NamedTuple):
    """One record, checked. `repeat` is None where no column says it; `attributes` are declared values."""

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


class Response(NamedTuple):
    """The columns of `responses` that a load fills; the others are NULL."""

    response_key: str
    prompt_key: str
    config_key: str
    repeat_index: int
    text_key: str | None
    response_status: str
    n_attempts: int
    error: str | None
    run_id: str
    source_file: str
    source_row: int
    source_id: str | None

    @property
    def content(self) -> tuple[str | None, ...]:
        """What two responses of one key have to share to be the same response."""
        return self.text_key, self.response_status, self.error


@dataclass
class Loaded:
    """What a load found and did."""

    source_file: str
    n_records: int = 0
    n_loaded: int = 0
    n_already_there: int = 0
    rejected: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)
    statuses: Counter[str] = field(default_factory=Counter)
    ambiguous: set[tuple[str, str]] = field(default_factory=set)

    @property
    def n_rejected(self) -> int:
        """Records that were not taken, for whatever reason."""
        return self.rejected.total()

    def reasons(self) -> Iterator[str]:
        """Yield each reason with its count and its first record."""
        for reason, n in self.rejected.most_common():
            yield f"{n:,} {reason}, first {self.examples[reason]}"

    def lines(self) -> Iterator[str]:
        """Yield what a person should know, most important first."""
        yield (
            f"{self.source_file}: {self.n_records:,} records = {self.n_loaded:,} loaded "
            f"+ {self.n_already_there:,} already there + {self.n_rejected:,} rejected"
        )
        if not self.n_loaded and not self.n_rejected:
            yield "Nothing new: every record was there already."
        for reason in self.reasons():
            yield f"  rejected: {reason}"
        failed = [f"{n:,} {status}" for status, n in self.statuses.most_common() if status != "ok"]
        if failed:
            yield f"  without a usable answer: {', '.join(failed)}"
        if self.ambiguous:
            name, attribute = min(self.ambiguous)
            n_names = len({n for n, _ in self.ambiguous})
            yield (
                f"  names with two values of an attribute, which they therefore do not show: {n_names:,}, "
                f"such as {shorten(name)!r} ({attribute})"
            )


class _Field:
    """Reads one field out of a record's cells, as the suite's `columns:` says."""

    def __init__(self, column: Column, positions: Mapping[str, int]) -> None:
        extract = Extract(column=column) if isinstance(column, str) else column
        self.column = extract.column
        self.position = positions[self.column]
        self.pattern = re.compile(extract.pattern) if extract.pattern is not None else None
        self.replace = extract.replace

    def read(self, cells: list[Any]) -> str:
        """Return the field's text, '' where the pattern finds nothing."""
        text = check_text(cells[self.position], self.column)
        if self.pattern is not None:
            match = self.pattern.search(text)
            text = (match.group(1) or "") if match else ""
        for old, new in self.replace.items():
            text = text.replace(old, new)
        return text

    def read_label(self, cells: list[Any]) -> str:
        """Return the field's text without surrounding space; refuse one too long to be a label."""
        label = self.read(cells).strip()
        if len(label) > MAX_LABEL:
            raise RowProblem("too_long", f"{self.column}: {len(label):,} characters, at most {MAX_LABEL:,}")
        return label


class RecordReader:
    """Turns a record's cells into checked `Fields`, as a suite says."""

    def __init__(self, suite: Suite) -> None:
        if suite.columns is None:
            raise PlumblineError(
                f"Suite {suite.suite} has no `columns:`, so nobody knows what a response file holds where.",
                "Add `columns:` to the suite; suites/fair_sea.yml is an example.",
            )
        columns = suite.columns
        single = {
            name: column
            for name in type(columns).model_fields
            if (column := getattr(columns, name)) is not None
        }
        attributes = single.pop("attributes")
        self.columns = list(
            dict.fromkeys(
                c if isinstance(c, str) else c.column for c in [*single.values(), *attributes.values()]
            )
        )
        positions = {column: i for i, column in enumerate(self.columns)}
        self.fields = {name: _Field(column, positions) for name, column in single.items()}
        self.attributes = {a: _Field(attributes[a], positions) for a in suite.attributes if a in attributes}
        self.categories = suite.categories
        self.labels = {
            attribute: {
                normalise_label(label): value
                for value, spec in suite.attributes[attribute].items()
                for label in (value, *spec.aliases)
            }
            for attribute in self.attributes
        }
        self.known: dict[tuple[str, str], str] = {}
        shows = suite.names.shows if suite.names else []
        self.shown_by_name = [a for a in shows if a in self.attributes] if "name" in self.fields else []

    def read(self, cells: list[Any]) -> Fields:
        """Return a record's fields. Raises RowProblem."""
        fields = self.fields
        text = fields["response"].read(cells)
        prompt = fields["prompt"].read(cells)
        if not prompt.strip():
            raise RowProblem("missing_prompt", f"{fields['prompt'].column} is blank")
        category = fields["category"].read(cells).strip()
        if category not in self.categories:
            raise RowProblem("unknown_category", f"{fields['category'].column}: {shorten(category)!r}")
        model = fields["model"].read_label(cells)
        if not model:
            raise RowProblem("missing_model", f"{fields['model'].column} is blank")
        return Fields(
            category=category,
            prompt=prompt,
            model=model,
            role=fields["role"].read_label(cells) if "role" in fields else "",
            repeat=self.repeat(cells) if "repeat" in fields else None,
            attributes=tuple((a, self.value(a, cells)) for a in self.attributes),
            name=(fields["name"].read_label(cells) or None) if "name" in fields else None,
            source_id=(fields["source_id"].read(cells) or None) if "source_id" in fields else None,
            status=self.status(cells) if "status" in fields else "ok",
            text=text,
        )

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
        cell = cells[repeat.position]
        if isinstance(cell, float) and cell.is_integer():
            cells = [*cells]
            cells[repeat.position] = int(cell)
        text = repeat.read(cells).strip()
        match = WHOLE_NUMBER.fullmatch(text)
        if match is None or int(match.group(1)) > MAX_REPEAT:
            raise RowProblem("bad_repeat", f"{repeat.column}: {shorten(text)!r}")
        return int(match.group(1))

    def status(self, cells: list[Any]) -> str:
        """Return the status that a record gives; a blank one says that an answer came."""
        status = self.fields["status"].read(cells).strip().lower() or "ok"
        if status not in STATUSES:
            raise RowProblem("unknown_status", f"{self.fields['status'].column}: {shorten(status)!r}")
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


class Loader:
    """Takes records one by one and writes them in batches; the caller holds the transaction."""

    def __init__(
        self,
        store: Store,
        suite: Suite,
        source_file: str,
        file_sha256: str,
        run_id: str,
        ambiguous: Collection[tuple[str, str]] = (),
    ) -> None:
        self.store = store
        self.suite = suite
        self.file_sha256 = file_sha256
        self.run_id = run_id
        self.loaded = Loaded(source_file, ambiguous=set(ambiguous))
        self.builder = PromptBuilder(suite, ambiguous)
        self.options = json.dumps(suite.options, sort_keys=True, ensure_ascii=False)
        self.configs: dict[tuple[str, str], str] = {}
        self.prompts: dict[tuple[Any, ...], str] = {}
        self.repeats: Counter[tuple[str, str]] = Counter()
        types = store.arrow_schema("responses")
        self.schema = pa.schema([types.field(name) for name in Response._fields])
        self.new_configs: list[dict[str, Any]] = []
        self.new_prompts: dict[str, dict[str, Any]] = {}
        self.batch: dict[str, tuple[Response, str]] = {}
        self.rejects: list[dict[str, Any]] = []
        self.n_characters = 0

    def take(self, number: int, fields: Fields) -> None:
        """Take a record into the batch."""
        config = self.config_key(fields.model, fields.role)
        prompt = self.prompt_key(fields)
        repeat = fields.repeat
        if repeat is None:
            repeat = self.repeats[config, prompt]
            self.repeats[config, prompt] += 1
        status = response_status(fields.text) if fields.status == "ok" else fields.status
        is_answer = status == "ok"
        response = Response(
            response_key=request_key(config, prompt, repeat),
            prompt_key=prompt,
            config_key=config,
            repeat_index=repeat,
            text_key=text_key(fields.text) if is_answer else None,
            response_status=status,
            n_attempts=1,
            # What a failure said is evidence, not an answer: it is kept where nothing scores it.
            error=None if is_answer else fields.text.strip()[:EVIDENCE] or None,
            run_id=self.run_id,
            source_file=self.loaded.source_file,
            source_row=number,
            source_id=fields.source_id,
        )
        first, _ = self.batch.setdefault(response.response_key, (response, fields.text))
        if first is not response:
            self._repeated(response, first.content, first.source_file, first.source_row)
        self.n_characters += len(fields.text) + len(fields.prompt)

    @property
    def is_full(self) -> bool:
        """Whether it is time to flush, so that memory stays bounded."""
        return (
            len(self.batch) >= BATCH_ROWS
            or len(self.rejects) >= BATCH_ROWS
            or self.n_characters >= BATCH_CHARACTERS
        )

    def reject(self, number: int, problem: RowProblem) -> None:
        """Note that a record is not taken, and why."""
        loaded = self.loaded
        loaded.rejected[problem.reason] += 1
        loaded.examples.setdefault(problem.reason, f"record {number:,}: {problem.detail}")
        self.rejects.append(
            {
                "reject_key": key("reject", self.suite.suite, self.file_sha256, number),
                "suite": self.suite.suite,
                "source_file": loaded.source_file,
                "source_row": number,
                "reason": problem.reason,
                "detail": problem.detail,
                "run_id": self.run_id,
            }
        )

    def config_key(self, model: str, role: str) -> str:
        """Return the key of a model in a role, and note its row the first time."""
        found = self.configs.get((model, role))
        if found is not None:
            return found
        row = {
            "backend": BACKEND,
            "model": model,
            "digest": "",
            "quantisation": "",
            "role": role,
            "system_prompt": "",
            "template": "",
            "options": self.options,
            "server_version": "",
        }
        found = self.configs[model, role] = key("config", row)
        self.new_configs.append(
            {"config_key": found, "config": f"{model} ({role})" if role else model, **row}
        )
        return found

    def prompt_key(self, fields: Fields) -> str:
        """Return the key of a record's prompt, and note its row where it is not known yet."""
        identity = (fields.category, fields.prompt, fields.attributes, fields.name)
        found = self.prompts.get(identity)
        if found is not None:
            return found
        row = self.builder.row(
            fields.category, fields.prompt, dict(fields.attributes), method=METHOD, name=fields.name
        )
        if len(self.prompts) >= CACHE_SIZE:
            self.prompts.clear()
        found = self.prompts[identity] = row["prompt_key"]
        self.new_prompts.setdefault(found, row)
        return found

    def flush(self) -> None:
        """Write the batch: rows that are there already stay, and a changed one is refused."""
        store, loaded = self.store, self.loaded
        store.append("configs", self.new_configs)
        store.append("prompts", list(self.new_prompts.values()))
        pending = {k: text for k, (_, text) in self.batch.items()}
        if self.batch:
            responses = [response for response, _ in self.batch.values()]
            columns = dict(zip(Response._fields, map(list, zip(*responses, strict=True)), strict=True))
            incoming = pa.table(columns, schema=self.schema)
            n_new = store.append_arrow("responses", incoming)
            loaded.n_loaded += n_new
            stored = self._stored(incoming) if n_new < len(responses) else []
            for response_key, *content, source_file, source_row in stored:
                self._repeated(self.batch[response_key][0], tuple(content), source_file, source_row)
                del pending[response_key]
        texts = {}
        for response_key, text in pending.items():
            response = self.batch[response_key][0]
            loaded.statuses[response.response_status] += 1
            if response.text_key is not None:
                texts[response.text_key] = text
        if texts:
            lengths = pa.array([len(text) for text in texts.values()], pa.int32())
            names = ["text_key", "text", "n_characters"]
            store.append_arrow("texts", pa.table([list(texts), list(texts.values()), lengths], names=names))
        store.append("rejects", self.rejects)
        for part in (self.new_configs, self.new_prompts, self.batch, self.rejects):
            part.clear()
        self.n_characters = 0

    def _stored(self, incoming: pa.Table) -> list[tuple[Any, ...]]:
        """Return key, content and origin of those responses that an earlier batch or load had stored."""
        connection = self.store.connection
        connection.register("incoming_responses", incoming)
        try:
            return connection.execute(
                """
                select
                    stored.response_key,
                    stored.text_key,
                    stored.response_status,
                    stored.error,
                    stored.source_file,
                    stored.source_row
                from responses as stored
                inner join incoming_responses as incoming on stored.response_key = incoming.response_key
                where stored.run_id != incoming.run_id or stored.source_row != incoming.source_row
                order by incoming.source_row
                """
            ).fetchall()
        finally:
            connection.unregister("incoming_responses")

    def _repeated(
        self,
        response: Response,
        content: tuple[str | None, ...],
        source_file: str | None,
        source_row: int | None,
    ) -> None:
        """Count a response whose key is taken: the same one is there already, another one is refused."""
        if response.content == content:
            self.loaded.n_already_there += 1
            return
        where = (
            "an answer that was generated"
            if source_row is None
            else f"record {source_row:,} of {source_file}"
        )
        detail = (
            f"another response than {where}, for the same model, prompt and repeat {response.repeat_index}"
        )
        self.reject(response.source_row, RowProblem("duplicate_key", detail))

    def finish(self, n_expected: int) -> Loaded:
        """Write what is left and check that the counts add up."""
        self.flush()
        loaded = self.loaded
        if loaded.n_records != n_expected:
            raise PlumblineError(f"{loaded.source_file} changed while it was read.", "Load it again.")
        if loaded.n_records != loaded.n_loaded + loaded.n_already_there + loaded.n_rejected:
            raise RuntimeError(f"counts do not add up: {loaded}")
        if not loaded.n_loaded and not loaded.n_already_there:
            raise PlumblineError(
                f"{loaded.source_file}: none of its {loaded.n_records:,} records can be loaded: "
                f"{'; '.join(self.loaded.reasons())}.",
                "Correct the file, or the suite's `columns:` and `aliases:`. Nothing was loaded.",
            )
        return loaded


class _DryRun(Exception):
    """Leaves the transaction with the counts, so that all else is undone."""

    def __init__(self, loaded: Loaded) -> None:
        super().__init__(loaded)
        self.loaded = loaded


def load_file(
    data: Path,
    path: Path,
    suite_path: Path,
    *,
    variant: str | None = None,
    limit: int | None = None,
    dry_run: bool = False,
) -> Loaded:
    """Bring a file of responses into the raw tables, whole or not at all.

    The file is read twice: once to find what spoils it and names that stand for two values, once to load.
    Raises PlumblineError; the raw tables are then as they were, but for the row of the failed run.
    """
    suite = load_suite(suite_path, variant)
    reader = RecordReader(suite)
    n_records, ambiguous = ambiguous_names(reader, _announced(path, reader, limit))
    with path.open("rb") as handle:
        file_sha256 = hashlib.file_digest(handle, "sha256").hexdigest()
    source_file = os.fsencode(path.name).decode("utf-8", "replace")
    detail = {
        "suite": suite.suite,
        "suite_key": suite.suite_key,
        "source_file": source_file,
        "file_sha256": file_sha256,
        "limit": limit,
        "refusal_rule": REFUSAL_RULE_VERSION,
        "refusal_patterns_sha256": hashlib.sha256(PATTERNS_PATH.read_bytes()).hexdigest(),
    }
    records = read_records(path, reader.columns, limit)

    def write(store: Store, run_id: str) -> Loaded:
        register_suite(store, suite, suite_path, run_id)
        loader = Loader(store, suite, source_file, file_sha256, run_id, ambiguous)
        _forget_rejects(store, suite.suite, file_sha256, n_records)
        with click.progressbar(
            length=n_records, label="Loading", file=sys.stderr, hidden=n_records < SHOW_PROGRESS_FROM
        ) as bar:
            for number, cells in records:
                loader.loaded.n_records = number
                try:
                    if isinstance(cells, RowProblem):
                        raise cells
                    loader.take(number, reader.read(cells))
                except RowProblem as problem:
                    loader.reject(number, problem)
                if loader.is_full:
                    loader.flush()
                if number % 1_000 == 0:
                    bar.update(1_000)
        loaded = loader.finish(n_records)
        store.append("loads", [_load_row(suite.suite, file_sha256, run_id, loaded)])
        return loaded

    if dry_run:
        with TemporaryDirectory() as nowhere:
            directory = data if (data / RAW_NAME).exists() else Path(nowhere)
            with Store(directory) as store:
                try:
                    with store.transaction():
                        raise _DryRun(write(store, "dry-run"))
                except _DryRun as undone:
                    return undone.loaded
    with Store(data) as store, store.run("load", detail) as run_id, store.transaction():
        return write(store, run_id)


def _announced(path: Path, reader: RecordReader, limit: int | None) -> Iterator[Record]:
    for number, cells in read_records(path, reader.columns, limit):
        if number % CHECKED_EVERY == 0:
            click.echo(f"Checking: {number:,} records read", err=True)
        yield number, cells


def _forget_rejects(store: Store, suite: str, file_sha256: str, n_records: int) -> None:
    """Drop what earlier loads of the same content rejected: this load says it anew."""
    store.connection.execute(
        """
        delete from rejects
        where
            suite = ?
            and source_row <= ?
            and run_id in (select run_id from loads where suite = ? and file_sha256 = ?)
        """,
        [suite, n_records, suite, file_sha256],
    )


def _load_row(suite: str, file_sha256: str, run_id: str, loaded: Loaded) -> dict[str, Any]:
    return {
        "run_id": run_id,
        "suite": suite,
        "source_file": loaded.source_file,
        "file_sha256": file_sha256,
        "n_records": loaded.n_records,
        "n_loaded": loaded.n_loaded,
        "n_already_there": loaded.n_already_there,
        "n_rejected": loaded.n_rejected,
    }


@click.command("load")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--suite", "suite_path", type=click.Path(path_type=Path), required=True, help="The suite file.")
@click.option("--variant", help="Named outcome rules to use instead of the suite's own choice.")
@click.option("--limit", type=click.IntRange(min=1), help="Load at most this many records, from the top.")
@click.option("--dry-run", is_flag=True, help="Say what would be loaded, then stop.")
@click.pass_obj
def command(
    data: Path, file: Path, suite_path: Path, variant: str | None, limit: int | None, dry_run: bool
) -> None:
    """Bring in responses that you already have: CSV, Parquet or JSON Lines.

    The suite's `columns:` says which column holds what. A record that cannot be
    used is kept apart with its reason; a file that cannot be read changes nothing.
    Loading the same file again adds nothing. Without a `repeat` column, repeats are
    counted in the file's order, so that order must stay the same.
    """
    loaded = load_file(data, file, suite_path, variant=variant, limit=limit, dry_run=dry_run)
    for line in loaded.lines():
        click.echo(line, err=True)
    if dry_run:
        click.echo("Dry run: nothing was written.", err=True)
