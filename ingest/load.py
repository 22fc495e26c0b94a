"""Stage load: responses or measurements that somebody already has, whole or not at all."""

import hashlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import click

from ingest.asking.answer_status import PATTERNS_PATH, REFUSAL_RULE_VERSION
from ingest.errors import say
from ingest.loading.columns import RecordReader, ambiguous_names
from ingest.loading.files import Record, read_records
from ingest.loading.measurements import Measured, MeasurementLoad
from ingest.loading.responses import Loaded, ResponseLoad
from ingest.loading.tally import Load, Source
from ingest.options import dry_run_option, limit_option, suite_option, variant_option
from ingest.store import opened
from ingest.suite import load_suite
from ingest.suite.definition import register_suite

CHECKED_EVERY = 200_000


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

    A file of responses is read twice: once to find what spoils it and names that stand for two values, once
    to load. Raises PlumblineError; the raw tables are then as they were, but for the row of the failed run.
    """
    suite = load_suite(suite_path, variant)
    detail = {"suite": suite.suite, "suite_key": suite.suite_key, "limit": limit}
    start: Callable[..., Load[Loaded] | Load[Measured]]
    if suite.measurements is not None:
        start = MeasurementLoad
    else:
        reader = RecordReader(suite)
        n_records, ambiguous = ambiguous_names(reader, _announced(read_records(path, reader.columns, limit)))
        start = partial(ResponseLoad, reader=reader, n_records=n_records, ambiguous=ambiguous)
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
            return load.loaded


def _announced(records: Iterator[Record]) -> Iterator[Record]:
    for number, cells in records:
        if number % CHECKED_EVERY == 0:
            say(f"Checking: {number:,} records read", err=True)
        yield number, cells


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
        say(line, err=True)
    if dry_run:
        say("Dry run: nothing was written.", err=True)
