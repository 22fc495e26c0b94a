"""Stage load: responses that somebody already has -> `prompts`, `configs`, `responses`, `texts`.

Records are checked one by one and staged in Parquet files; then one transaction compares them with what
is stored and writes what is new. So memory stays bounded and a load that is killed leaves nothing.
"""

import hashlib
import os
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import click
import pyarrow as pa
import pyarrow.parquet as pq

from ingest.asking.answer_status import EVIDENCE, PATTERNS_PATH, REFUSAL_RULE_VERSION, response_status
from ingest.errors import PlumblineError
from ingest.keys import key, request_key, text_key
from ingest.loading.columns import Fields, RecordReader, ambiguous_names
from ingest.loading.files import Record, RowProblem, read_records, shorten, shown
from ingest.loading.measurements import Measured, load_measurements
from ingest.loading.tally import Tally, recorded_config
from ingest.options import dry_run_option, limit_option, suite_option, variant_option
from ingest.prompts import PromptBuilder
from ingest.store import RAW_NAME, Store
from ingest.suite import Suite, load_suite
from ingest.suite.tables import register_suite

METHOD = "loaded"
BATCH_ROWS = 10_000
BATCH_CHARACTERS = 16_000_000
PROMPT_CACHE = 20_000
SHOW_PROGRESS_FROM = 20_000
CHECKED_EVERY = 200_000
STAGED = ("responses", "prompts", "rejects")


class Response(NamedTuple):
    """What is staged of one record: the columns of `responses` that a load fills, and the text."""

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
    text: str | None
    n_characters: int | None


COLUMNS = Response._fields[:-2]


@dataclass
class Loaded(Tally):
    """What a load of responses found and did."""

    ambiguous: set[tuple[str, str]] = field(default_factory=set)

    def lines(self) -> Iterator[str]:
        """Yield what a person should know, most important first."""
        yield self.headline()
        if not self.n_loaded and not self.n_rejected:
            yield "Nothing new: every record was there already."
        for reason in self.reasons():
            yield f"  rejected: {reason}"
        if failed := self.other_statuses():
            yield f"  without a usable answer: {failed}"
        if self.ambiguous:
            name, attribute = min(self.ambiguous)
            n_names = len({n for n, _ in self.ambiguous})
            yield (
                f"  names with two values of an attribute, which they therefore do not show: {n_names:,}, "
                f"such as {shorten(name)!r} ({attribute})"
            )

    def check(self, n_expected: int) -> None:
        """Raise where the file changed, the counts do not add up, or nothing of it could be used."""
        if self.n_records != n_expected:
            raise PlumblineError(
                f"{shown(Path(self.source_file))} changed while it was read.", "Load it again."
            )
        self.check_sums("columns")


class Stage:
    """Takes checked records and puts what they become into Parquet files of a folder."""

    def __init__(
        self,
        folder: Path,
        store: Store,
        suite: Suite,
        loaded: Loaded,
        file_sha256: str,
        run_id: str,
    ) -> None:
        self.suite = suite
        self.loaded = loaded
        self.file_sha256 = file_sha256
        self.run_id = run_id
        self.builder = PromptBuilder(suite, loaded.ambiguous)
        self.configs: dict[tuple[str, str], dict[str, Any]] = {}
        self.prompts: dict[tuple[Any, ...], str] = {}
        self.repeats: Counter[tuple[str, str]] = Counter()
        self.responses: list[Response] = []
        self.new_prompts: list[dict[str, Any]] = []
        self.rejects: list[dict[str, Any]] = []
        self.n_prompts = 0
        self.n_characters = 0
        self.paths = {table: str(folder / f"{table}.parquet") for table in STAGED}
        texts = store.arrow_schema("texts")
        responses = store.arrow_schema("responses")
        prompts = store.arrow_schema("prompts")
        self.schemas = {
            "responses": pa.schema(
                [*map(responses.field, COLUMNS), texts.field("text"), texts.field("n_characters")]
            ),
            "prompts": prompts.append(pa.field("position", pa.int64())),
            "rejects": store.arrow_schema("rejects"),
        }
        self.files = ExitStack()
        self.writers: dict[str, pq.ParquetWriter] = {}

    def __enter__(self) -> "Stage":
        for table in STAGED:
            writer = pq.ParquetWriter(self.paths[table], self.schemas[table])
            self.writers[table] = self.files.enter_context(writer)
        return self

    def __exit__(self, *_: object) -> None:
        self.files.close()

    def take(self, number: int, fields: Fields) -> None:
        """Stage a record."""
        config = self._config_key(fields.model, fields.role)
        prompt = self._prompt_key(fields)
        repeat = fields.repeat
        if repeat is None:
            repeat = self.repeats[config, prompt]
            self.repeats[config, prompt] += 1
        status = response_status(fields.text) if fields.status == "ok" else fields.status
        is_answer = status == "ok"
        self.responses.append(
            Response(
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
                text=fields.text if is_answer else None,
                n_characters=len(fields.text) if is_answer else None,
            )
        )
        self.n_characters += len(fields.text)
        self._flush_if_full()

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
        self._flush_if_full()

    def flush(self) -> None:
        """Write what is in memory."""
        if self.responses:
            columns = map(list, zip(*self.responses, strict=True))
            table = pa.table(dict(zip(Response._fields, columns, strict=True)), self.schemas["responses"])
            self.writers["responses"].write_table(table)
        for name, rows in (("prompts", self.new_prompts), ("rejects", self.rejects)):
            if rows:
                self.writers[name].write_table(pa.Table.from_pylist(rows, self.schemas[name]))
        for part in (self.responses, self.new_prompts, self.rejects):
            part.clear()
        self.n_characters = 0

    def _flush_if_full(self) -> None:
        n_rows = max(len(self.responses), len(self.new_prompts), len(self.rejects))
        if n_rows >= BATCH_ROWS or self.n_characters >= BATCH_CHARACTERS:
            self.flush()

    def _config_key(self, model: str, role: str) -> str:
        found = self.configs.get((model, role))
        if found is None:
            found = self.configs[model, role] = recorded_config(model, role, self.suite.options)
        return found["config_key"]

    def _prompt_key(self, fields: Fields) -> str:
        identity = (fields.category, fields.prompt, fields.attributes, fields.name)
        found = self.prompts.get(identity)
        if found is not None:
            return found
        row = self.builder.row(
            fields.category,
            fields.prompt,
            dict(fields.attributes),
            method=METHOD,
            name=fields.name,
            root=fields.root,
        )
        if len(self.prompts) >= PROMPT_CACHE:
            self.prompts.clear()
        self.prompts[identity] = row["prompt_key"]
        self.n_prompts += 1
        self.new_prompts.append({**row, "position": self.n_prompts})
        self.n_characters += len(fields.prompt)
        return row["prompt_key"]


def load_file(
    data: Path,
    path: Path,
    suite_path: Path,
    *,
    variant: str | None = None,
    limit: int | None = None,
    dry_run: bool = False,
) -> Loaded | Measured:
    """Bring a file of responses, or of ready measurements, into the raw tables, whole or not at all.

    The file is read twice: once to find what spoils it and names that stand for two values, once to load.
    Raises PlumblineError; the raw tables are then as they were, but for the row of the failed run.
    """
    suite = load_suite(suite_path, variant)
    if suite.measurements is not None:
        return load_measurements(data, path, suite, suite_path, limit=limit, dry_run=dry_run)
    reader = RecordReader(suite)
    n_records, ambiguous = ambiguous_names(reader, _announced(read_records(path, reader.columns, limit)))
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

    def staged(store: Store, folder: Path, run_id: str) -> Stage:
        loaded = Loaded(source_file, ambiguous=ambiguous)
        with Stage(folder, store, suite, loaded, file_sha256, run_id) as stage:
            _fill(stage, reader, read_records(path, reader.columns, limit), n_records)
            _decide(store, stage)
            stage.flush()
        loaded.check(n_records)
        return stage

    with TemporaryDirectory(prefix="plumbline-") as temporary:
        folder = Path(temporary)
        if dry_run:
            if not (data / RAW_NAME).exists():
                data = folder
                with Store(data):
                    pass
            with Store(data, read_only=True) as store:
                return staged(store, folder, "dry-run").loaded
        with Store(data) as store, store.run("load", detail) as run_id:
            stage = staged(store, folder, run_id)
            with store.transaction():
                register_suite(store, suite, suite_path, run_id)
                _write(store, stage)
            return stage.loaded


def _announced(records: Iterator[Record]) -> Iterator[Record]:
    for number, cells in records:
        if number % CHECKED_EVERY == 0:
            click.echo(f"Checking: {number:,} records read", err=True)
        yield number, cells


def _fill(stage: Stage, reader: RecordReader, records: Iterator[Record], n_records: int) -> None:
    """Stage each record, or its rejection; then close the staged responses."""
    with click.progressbar(
        length=n_records, label="Loading", file=sys.stderr, hidden=n_records < SHOW_PROGRESS_FROM
    ) as bar:
        for number, cells in records:
            stage.loaded.n_records = number
            try:
                if isinstance(cells, RowProblem):
                    raise cells
                stage.take(number, reader.read(cells))
            except RowProblem as problem:
                stage.reject(number, problem)
            if number % 1_000 == 0:
                bar.update(1_000)
    stage.flush()
    stage.writers["responses"].close()


def _decide(store: Store, stage: Stage) -> None:
    """Decide what becomes of each staged response: the temporary table `decided`, and the counts.

    The first response of a key is loaded unless the key is stored. A later one is there already if it
    is the same, and refused if it is not: what is stored is never overwritten.
    """
    store.connection.execute(
        """
        create or replace temp table decided as
        with staged as (
            select response_key, text_key, response_status, error, source_file, source_row
            from read_parquet($path)
        ),

        firsts as (
            select response_key, min(source_row) as first_row, count(*) as n
            from staged
            group by response_key
        ),

        stored as (
            select response_key, text_key, response_status, error, source_file, source_row
            from responses
            where response_key in (select response_key from firsts)
        ),

        origins as (
            select *, true as is_stored from stored
            union all
            select staged.*, false
            from staged
            inner join firsts on staged.response_key = firsts.response_key and staged.source_row = first_row
            where n > 1 and staged.response_key not in (select response_key from stored)
        )

        select
            staged.response_key,
            staged.source_row,
            staged.response_status,
            origins.source_file as origin_file,
            origins.source_row as origin_row,
            case
                when
                    origins.response_key is null
                    or (not origins.is_stored and origins.source_row = staged.source_row)
                    then 'loaded'
                when
                    origins.text_key is not distinct from staged.text_key
                    and origins.response_status = staged.response_status
                    and origins.error is not distinct from staged.error
                    then 'already_there'
                else 'duplicate_key'
            end as decision
        from staged
        left join origins on staged.response_key = origins.response_key
        """,
        {"path": stage.paths["responses"]},
    )
    loaded = stage.loaded
    counts = dict(store.rows("select decision, count(*) from decided group by decision"))
    loaded.n_loaded = counts.get("loaded", 0)
    loaded.n_already_there = counts.get("already_there", 0)
    statuses = store.rows(
        """
        select response_status, count(*)
        from decided
        where decision = 'loaded'
        group by response_status
        order by response_status
        """
    )
    loaded.statuses.update(dict(statuses))
    refused = store.connection.execute(
        "select source_row, origin_file, origin_row from decided where decision = 'duplicate_key' order by 1"
    )
    while rows := refused.fetchmany(BATCH_ROWS):
        for source_row, origin_file, origin_row in rows:
            where = (
                "a generated answer"
                if origin_row is None
                else f"record {origin_row:,} of {shown(Path(origin_file))}"
            )
            stage.reject(
                source_row,
                RowProblem(
                    "duplicate_key", f"not the response of {where}, of the same model, prompt and repeat"
                ),
            )


def _write(store: Store, stage: Stage) -> None:
    """Write what is new; the caller holds the transaction.

    Each insert is one statement over a staged file, with an anti-join in the place of `or ignore`: that
    is what DuckDB does in bounded memory.
    """
    execute, loaded = store.connection.execute, stage.loaded
    names = ", ".join(COLUMNS)
    n_new = execute(
        f"""
        insert into responses ({names})
        select {names}
        from read_parquet($path)
        where source_row in (select source_row from decided where decision = 'loaded')
        """,
        {"path": stage.paths["responses"]},
    ).fetchall()[0][0]
    if n_new != loaded.n_loaded:
        raise RuntimeError(f"{n_new} responses were written, not {loaded.n_loaded}")
    execute(
        """
        insert into texts
        with firsts as (
            select text_key, min(source_row) as source_row
            from read_parquet($path)
            where
                text_key is not null
                and source_row in (select source_row from decided where decision = 'loaded')
                and text_key not in (select text_key from texts)
            group by text_key
        )

        select text_key, text, n_characters
        from read_parquet($path)
        where source_row in (select source_row from firsts)
        """,
        {"path": stage.paths["responses"]},
    )
    store.append("configs", list(stage.configs.values()))
    execute(
        """
        insert into prompts
        with firsts as (
            select prompt_key, min(position) as position
            from read_parquet($path)
            where prompt_key not in (select prompt_key from prompts)
            group by prompt_key
        )

        select * exclude (position)
        from read_parquet($path)
        where position in (select position from firsts)
        """,
        {"path": stage.paths["prompts"]},
    )
    suite, sha = stage.suite.suite, stage.file_sha256
    # What earlier loads of the same content refused, this load says anew.
    execute(
        """
        delete from rejects
        where
            suite = $suite
            and source_row <= $n_records
            and run_id in (select run_id from loads where suite = $suite and file_sha256 = $sha)
        """,
        {"suite": suite, "n_records": loaded.n_records, "sha": sha},
    )
    execute("insert into rejects select * from read_parquet($path)", {"path": stage.paths["rejects"]})
    store.append(
        "loads",
        [
            {
                "run_id": stage.run_id,
                "suite": suite,
                "source_file": loaded.source_file,
                "file_sha256": sha,
                "n_records": loaded.n_records,
                "n_loaded": loaded.n_loaded,
                "n_already_there": loaded.n_already_there,
                "n_rejected": loaded.n_rejected,
            }
        ],
    )


@click.command("load")
@click.argument("file", type=click.Path(path_type=Path))
@suite_option()
@variant_option()
@limit_option(help="Load at most this many records, from the top.")
@dry_run_option(help="Say what would be loaded, then stop.")
@click.pass_obj
def command(
    data: Path, file: Path, suite_path: Path, variant: str | None, limit: int | None, dry_run: bool
) -> None:
    """Bring in responses that you already have: CSV, Parquet or JSON Lines.

    The suite's `columns:` says which column holds what, or `measurements:` where the file holds
    numbers that something else has measured. A record that cannot be
    used is kept apart with its reason; a file that cannot be read changes nothing.
    Loading the same file again adds nothing. Without a `repeat` column, repeats are
    counted in the file's order, so that order must stay the same.
    """
    loaded = load_file(data, file, suite_path, variant=variant, limit=limit, dry_run=dry_run)
    for line in loaded.lines():
        click.echo(line, err=True)
    if dry_run:
        click.echo("Dry run: nothing was written.", err=True)
