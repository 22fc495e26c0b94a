"""plumbline export: the marts as files, or a suite's prompts for Inspect."""

from pathlib import Path

import click

from ingest import warehouse
from ingest.asking.inspect_task import TASK, write_task
from ingest.errors import say
from ingest.options import stale_option
from ingest.store import Store
from ingest.suite import load_suite


@click.command("export")
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--inspect",
    "suite_path",
    metavar="SUITE",
    type=click.Path(path_type=Path),
    help="Write this suite's prompts as a task of Inspect instead.",
)
@stale_option()
@click.pass_obj
def command(data: Path, directory: Path, suite_path: Path | None, is_stale_ok: bool) -> None:
    """Write the marts as Parquet and CSV into DIRECTORY; or a suite, for Inspect to ask.

    \b
    plumbline export out/                                 # out/fct_verdicts.parquet, out/fct_verdicts.csv, …
    plumbline export task/ --inspect suites/mine.yml      # then inspect eval task/task.py --model NAME
    """
    if suite_path is not None:
        with Store(data, read_only=True) as store:
            n = write_task(store, load_suite(suite_path), directory)
        say(f"{n:,} prompts in {directory}: inspect eval {directory / TASK} --model NAME")
        say(f"Then: plumbline load logs/*.eval --suite {suite_path}")
        return
    warehouse.check_inputs(data, is_stale_ok)
    with warehouse.Warehouse(data) as opened:
        written = opened.export(directory)
    n_tables = len({file.mart for file in written})
    say(f"{n_tables} tables, each as .parquet and .csv, in {directory}")
