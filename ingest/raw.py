"""`plumbline raw`: the raw tables as files that other engines read."""

from pathlib import Path

import click

from ingest.errors import say
from ingest.store import Store
from ingest.store.raw_files import RawFiles


@click.group("raw")
def command() -> None:
    """Bring the raw tables to where other engines read them."""


@command.command("export")
@click.argument("place", metavar="DIR_OR_URL")
@click.pass_obj
def export(data: Path, place: str) -> None:
    """Write the raw tables as Parquet into DIR_OR_URL; a second time, what changed since.

    Answers lie by suite and config, other tables by suite or in parts of a million rows. A part that changed
    is written anew beside the old one; then the manifest names it. So whoever reads by the manifest reads
    whole tables, also while this runs. Credentials are those of the environment.

    \b
    plumbline raw export lake/
    plumbline raw export s3://bucket/audit     # then PLUMBLINE_RAW=s3://bucket/audit on Spark
    """
    # Nothing, from a folder that is not there, takes no place of tables.
    with Store(data, must_exist=True) as store:
        written = RawFiles(place).export(store)
    say(
        f"{written.n_files:,} files with {written.n_rows:,} rows written ({written.n_bytes / 1e6:,.1f} MB), "
        f"{written.n_kept:,} kept: {place}"
    )
