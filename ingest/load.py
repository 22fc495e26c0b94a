"""Stage load: responses or measurements that somebody already has, whole or not at all."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

import click

from ingest.asking.answer_status import PATTERNS_PATH, REFUSAL_RULE_VERSION
from ingest.asking.inspect_task import MARK, exported_columns
from ingest.errors import say
from ingest.loading.candidates import CandidateRecords
from ingest.loading.columns import RecordReader, ambiguous_names
from ingest.loading.files import Record, has_decimal_commas
from ingest.loading.known import key_of_load, said_before, what_it_says_again
from ingest.loading.measurements import Measured, MeasurementLoad
from ingest.loading.parquet_check import child_waiting
from ingest.loading.readers import main_files, reader_of
from ingest.loading.readers.documents import forget
from ingest.loading.readers.inspect import INSPECT
from ingest.loading.responses import Loaded, ResponseLoad
from ingest.loading.taken_back import TakenBack, find_what_goes, take_back
from ingest.loading.tally import Load, Source
from ingest.options import dry_run_option, limit_option, suite_option, variant_option
from ingest.store import NothingYet, Store, opened
from ingest.suite import Suite, load_suite
from ingest.suite.definition import register_suite
from ingest.suite.sources import Columns

CHECKED_EVERY = 200_000


def load_file(
    data: Path,
    path: Path,
    suite_path: Path,
    *,
    variant: str | None = None,
    limit: int | None = None,
    dry_run: bool = False,
    beside: Sequence[Path] = (),
) -> Loaded | Measured:
    """Bring a file of responses, or of ready measurements, into the raw tables, whole or not at all.

    `beside` are other files that were named: a log may need one of them.
    A file of responses is read twice: once to find what spoils it and names that stand for two values, once
    to load. Raises PlumblineError; the raw tables are then as they were, but for the row of the failed run.
    """
    suite = load_suite(suite_path, variant)
    detail = {"suite": suite.suite, "suite_key": suite.suite_key, "limit": limit}
    start: Callable[..., Load[Loaded] | Load[Measured]]
    if suite.measurements is not None:
        start = MeasurementLoad
    else:
        reader = RecordReader(suite, _columns_of_log(path, suite, beside), has_decimal_commas(path))
        records = CandidateRecords(path, suite, reader, beside)
        n_records, ambiguous = ambiguous_names(reader, _announced(records.read(limit)))
        start = partial(ResponseLoad, records=records, n_records=n_records, ambiguous=ambiguous)
        detail["refusal_rule"] = REFUSAL_RULE_VERSION
        detail["refusal_patterns_sha256"] = hashlib.sha256(PATTERNS_PATH.read_bytes()).hexdigest()
    source = Source.of(path)
    with opened(data, dry_run) as store:
        if dry_run:
            load = start(store, suite, source, "dry-run")
            load.stage(limit)
            return load.loaded
        detail |= {"source_file": source.source_file, "file_sha256": source.file_sha256}
        with store.run("load", detail) as run_id:
            load = start(store, suite, source, run_id)
            load.stage(limit)
            with store.transaction():
                register_suite(store, suite, suite_path, run_id)
                load.write()
                load_key = key_of_load(suite, source, beside, limit)
                store.note(run_id, what_it_says_again(load_key, load.loaded, store))
            return load.loaded


def load_known(
    data: Path,
    path: Path,
    suite_path: Path,
    *,
    variant: str | None,
    limit: int | None,
    beside: Sequence[Path],
) -> list[str] | None:
    """Bring in the suite of a file that is loaded as it is now, and return what a load says; else None."""
    suite, source = load_suite(suite_path, variant), Source.of(path)
    said = None
    with suppress(NothingYet), Store(data, read_only=True) as store:
        said = said_before(store, suite, source, key_of_load(suite, source, beside, limit))
    if said is None:
        return None
    nothing = {"is_idle": True, "n_answers_changed": 0, "n_prompts_changed": 0}
    detail = {**said, "suite_key": suite.suite_key, **nothing}
    row = {"suite": suite.suite, "source_file": source.source_file, "file_sha256": source.file_sha256}
    with opened(data, False) as store, store.run("load", detail) as run_id, store.transaction():
        register_suite(store, suite, suite_path, run_id)
        store.append("loads", [{**row, "run_id": run_id, **said["counts_again"]}])
    return list(said["says_again"])


def forget_file(
    data: Path, path: Path, suite_path: Path, *, variant: str | None = None, dry_run: bool = False
) -> TakenBack:
    """Take back what a file brought into the raw tables, whole or not at all. Raises PlumblineError."""
    suite, source = load_suite(suite_path, variant), Source.of(path)
    detail = {"suite": suite.suite, "suite_key": suite.suite_key, "is_forgotten": True}
    detail |= {"source_file": source.source_file, "file_sha256": source.file_sha256}
    with opened(data, dry_run) as store:
        found = find_what_goes(store, suite, source)
        if not dry_run:
            with store.run("load", detail), store.transaction():
                take_back(store, suite)
        return found


def _columns_of_log(path: Path, suite: Suite, beside: Sequence[Path]) -> Columns | None:
    """Return the columns of a log where they are not the suite's, None for any other file.

    Those of a log in which Inspect asked this suite's prompts are known. Every log says which of its records
    are failures, also to a suite that does not ask: what a failure said is no answer.
    """
    log = reader_of(path)
    first = next(iter(log.read(path, beside)), None) if log and log.tool == INSPECT else None
    if isinstance(first, dict) and first.get(f"metadata.{MARK}") == suite.suite:
        return exported_columns(suite)
    if log and suite.columns and suite.columns.status is None:
        return suite.columns.model_copy(update={"status": "status"})
    return None


def _announced(records: Iterator[Record]) -> Iterator[Record]:
    for number, cells in records:
        if number % CHECKED_EVERY == 0:
            say(f"Checking: {number:,} records read", err=True)
        yield number, cells


@click.command("load")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@suite_option()
@variant_option()
@limit_option(help="Load at most this many records, from the top.")
@click.option("--forget", "is_forgotten", is_flag=True, help="Take back what these files brought.")
@dry_run_option(help="Say what would be loaded, then stop.")
@click.pass_obj
def command(
    data: Path,
    files: tuple[Path, ...],
    suite_path: Path,
    variant: str | None,
    limit: int | None,
    is_forgotten: bool,
    dry_run: bool,
) -> None:
    """Bring in answers that you already have: CSV, Parquet, JSON Lines, or logs of other tools.

    The suite's `columns:` says which column holds what, or `measurements:` where the file holds
    numbers that something else has measured. A record that cannot be
    used is kept apart with its reason; a file that cannot be read changes nothing.
    Loading the same file again adds nothing. Without a `repeat` column, repeats are
    counted in the file's order, so that order must stay the same.

    Logs of Inspect, HELM, lm-evaluation-harness, promptfoo, batches of OpenAI and Anthropic, Langfuse,
    OpenTelemetry and LangFair are recognised by their content; docs/guide/logs.md says what their
    columns are called.

    \b
    plumbline load answers.csv --suite suites/mine.yml --dry-run
    plumbline load logs/*.eval --suite suites/mine.yml
    plumbline load input.jsonl output.jsonl --suite suites/mine.yml   # both files of a batch
    plumbline load wrong.csv --suite suites/mine.yml --forget         # as if it had not been loaded
    """
    if is_forgotten and limit is not None:
        raise click.UsageError("--forget takes back all of a file: leave --limit out.")
    try:
        for file in main_files(files):
            lines: Iterable[str] | None = None
            if is_forgotten:
                lines = forget_file(data, file, suite_path, variant=variant, dry_run=dry_run).lines()
            elif not dry_run:
                lines = load_known(data, file, suite_path, variant=variant, limit=limit, beside=files)
            if lines is None:
                with child_waiting(file):
                    loaded = load_file(
                        data, file, suite_path, variant=variant, limit=limit, dry_run=dry_run, beside=files
                    )
                lines = loaded.lines()
            for line in lines:
                say(line, err=True)
    finally:
        forget()
    if dry_run:
        say("Dry run: nothing was written.", err=True)
