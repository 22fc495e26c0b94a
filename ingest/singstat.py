"""Singapore's employed residents by sex: what the seeds hold, and newer figures from data.gov.sg.

Of an answer only figures and one date are taken, after every check has passed; then the seed is replaced in
one step. dbt tests what its tables must have in common (tests/data_quality/assert_census_tables_agree.sql).
"""

import glob
import json
import os
import re
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click
import duckdb

from ingest import __version__
from ingest.corpus.fetch import Fetcher, FetchError
from ingest.errors import PlumblineError, say
from ingest.paths import PROJECT

BASE_VARIABLE = "PLUMBLINE_DATA_GOV_SG"  # a mirror, in the place of both addresses
BASES = ("https://data.gov.sg", "https://api-production.data.gov.sg")
ROWS = "{}/api/action/datastore_search?resource_id={}&limit=5000"
METADATA = "{}/v2/public/api/datasets/{}/metadata"
FIGURES_FILE, CROSSWALK_FILE = "singstat_employed_residents.csv", "singstat_crosswalk.csv"
TOTALS = {
    "occupation": "All Occupation Groups, (Total Employed {} Residents)",
    "industry": "All Industries (Employed {} Residents)",
}
SUBTOTALS = {"Services"}
NOT_PUBLISHED = {"", "-", "na", "none"}  # the publisher's marks: not available, nil or negligible
ROUNDING = Decimal("0.05")  # figures are rounded to 0.1 thousand
FIGURE = re.compile(r"[0-9]{1,5}(\.[0-9]{1,3})?")

HELD = """
    create table held as
    from read_csv($path, header = true, types = {'employed_thousands': 'varchar', 'last_updated': 'date'})
"""
LABELS = """
    create table labels as select dimension, published_label, min(position) as position
    from (select *, row_number() over () as position from read_csv($path, header = true)) group by all
"""
TAKE = "insert into fetched select unnest(?), ?, ?, unnest(?), unnest(?), ?, ?, ?"
# A year is taken where both sexes have it in full; what is held and is published no longer stays.
UPDATED = """
    create table fetched as from held limit 0;
    create view updated as
    with usable as (
        from fetched where year >= (select min(year) from held)
        qualify count(distinct sex) over (partition by dimension, year) = 2
    )
    from usable union all from held anti join usable using (data_gov_sg_id, year, published_label)
"""
CHANGES = """
    select format('{}: {} figures of {} are new or revised', dimension, count(*),
        string_agg(distinct year, ', ' order by year))
    from (from updated anti join held using (dimension, sex, published_label, year, employed_thousands))
    group by dimension order by dimension desc
"""
WRITE = """
    copy (
        select updated.* from updated inner join labels using (dimension, published_label)
        order by dimension desc, year, sex, position
    ) to '{}' (header)
"""
DATASETS = """
    select dimension, sex, source_table, data_gov_sg_id, max(last_updated),
        list(distinct published_label order by published_label)
    from held inner join labels using (dimension, published_label) group by all order by all
"""
VINTAGE = """
    select format('{}: {} to {}, {} years, {} groups; tables {}, last updated {}', dimension, min(year),
        max(year), count(distinct year), count(distinct published_label),
        string_agg(distinct source_table, ' and ' order by source_table), max(last_updated))
    from held group by dimension order by dimension desc
"""


def read_seeds(seeds: Path) -> duckdb.DuckDBPyConnection:
    """Return a database with the seeds as `held` and `labels`. Raises PlumblineError for a damaged one."""
    tables = duckdb.connect()
    for name, sql in ((FIGURES_FILE, HELD), (CROSSWALK_FILE, LABELS)):
        try:
            tables.execute(sql, {"path": glob.escape(str(seeds / name))})
        except duckdb.Error as error:
            raise PlumblineError(
                f"{seeds / name} cannot be read: {str(error).splitlines()[0]}.",
                "Restore it from the repository, or name the folder that holds it with --seeds.",
            ) from error
    return tables


def figures_of(answer: Any, dimension: str, sex: str, labels: list[str]) -> Iterator[tuple[int, str, str]]:
    """Yield (year, label, figure) of a table's block for all ages, for each year that it has in full.

    `answer` is a datastore answer: rows with `DataSeries` and one column a year. Raises ValueError unless the
    block between the total and the first age group has each of `labels` (in order of the alphabet) once, each
    cell is a figure or a mark for none, and each year's groups add up to its total within rounding.
    """
    rows = sorted(answer["result"]["records"], key=lambda row: int(row["_id"]))
    if answer["result"]["total"] != len(rows):
        raise ValueError(f"only {len(rows)} rows came")
    names = [row["DataSeries"].strip() for row in rows]
    start = names.index(TOTALS[dimension].format(sex))
    stop = names.index(f"Employed {sex} Residents Aged 15 - 19 Years")
    block = dict(zip(names[start:stop], rows[start:stop], strict=True))
    groups = [name for name in names[start + 1 : stop] if name not in SUBTOTALS]
    if sorted(groups) != labels:
        raise ValueError(f"its groups are not those of the crosswalk: {sorted({*groups} ^ {*labels})}")
    for year in sorted({name for row in block.values() for name in row if re.fullmatch("[0-9]{4}", name)}):
        cells = [str(block[name].get(year)).strip() for name in (names[start], *groups)]
        if any(cell.lower() in NOT_PUBLISHED for cell in cells):
            continue
        if wrong := [cell for cell in cells if not FIGURE.fullmatch(cell)]:
            raise ValueError(f"in {year} this is not a figure: {wrong[0][:80]!r}")
        total, *figures = map(Decimal, cells)
        if abs(sum(figures) - total) > ROUNDING * len(cells):
            raise ValueError(f"in {year} the groups add up to {sum(figures)}, the total says {total}")
        yield from ((int(year), name, cell) for name, cell in zip(groups, cells[1:], strict=True))


def fetch(tables: duckdb.DuckDBPyConnection, timeout: float) -> None:
    """Make the view `updated`: what is held, with the figures of data.gov.sg in its place.

    `timeout` is in seconds, for each answer. Raises PlumblineError where there is no network, or where an
    answer is not valid or older than what is held.
    """
    base = os.environ.get(BASE_VARIABLE)
    rows_base, metadata_base = BASES if base is None else (base, base)
    hosts = [urlsplit(rows_base).netloc, urlsplit(metadata_base).netloc]
    tables.execute(UPDATED)
    datasets = tables.execute(DATASETS).fetchall()
    with Fetcher(f"plumbline/{__version__}", hosts, spacing=0.0, timeout=timeout) as fetcher:
        for dimension, sex, table, identity, newest, labels in datasets:
            say(f"Reading {dimension}, {sex}", err=True)
            try:
                metadata = json.loads(fetcher.get(METADATA.format(metadata_base, identity)).content)
                updated = date.fromisoformat(metadata["data"]["lastUpdatedAt"][:10])
                if not newest <= updated <= date.today():
                    raise ValueError(f"it was last updated on {updated}, what is held on {newest}")
                answer = json.loads(fetcher.get(ROWS.format(rows_base, identity)).content)
                if found := list(figures_of(answer, dimension, sex, labels)):
                    years, names, figures = map(list, zip(*found, strict=True))
                    taken = [years, sex, dimension, names, figures, table, identity, updated]
                    tables.execute(TAKE, taken)
            except (FetchError, LookupError, TypeError, ValueError, RecursionError) as error:
                raise PlumblineError(
                    f"{dimension}, {sex} ({identity}): {ascii(str(error))[1:-1]}. Nothing was changed.",
                    "The figures held stay in use; try again later. If the publisher has changed its table, "
                    f"{CROSSWALK_FILE} has to follow first.",
                ) from error


@click.command("singstat")
@click.option("--refresh", is_flag=True, help="Bring newer figures from data.gov.sg.")
@click.option(
    "--seeds",
    type=click.Path(file_okay=False, path_type=Path),
    default=PROJECT / "seeds",
    show_default="the project's seeds folder",
    metavar="DIR",
    help="Where the seeds are.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True, max=600),
    default=30.0,
    show_default=True,
    help="Seconds to wait for each answer.",
)
def command(refresh: bool, seeds: Path, timeout: float) -> None:
    """Say which labour statistics of Singapore are stored; --refresh brings newer ones.

    A refresh changes the seed in one step, or, where there is no network or an answer is not valid, not
    at all.
    """
    tables = read_seeds(seeds)
    if not refresh:
        say("Employed residents of Singapore aged 15 and over, by sex; thousands, June of each year")
        say("\n".join(line for (line,) in tables.execute(VINTAGE).fetchall()))
        say("Source: Ministry of Manpower, through the Singapore Department of Statistics.")
        say(f"`plumbline singstat --refresh` brings newer figures into {seeds / FIGURES_FILE}.")
        return
    fetch(tables, timeout)
    changes = [line for (line,) in tables.execute(CHANGES).fetchall()]
    say("\n".join(changes) or "Nothing was changed.")
    if not changes:
        return
    partial = (seeds / FIGURES_FILE).with_suffix(".partial")  # a stop on the way leaves the old file
    tables.execute(WRITE.format(str(partial).replace("'", "''")))
    partial.replace(seeds / FIGURES_FILE)
    say(f"{FIGURES_FILE} is rewritten. Run `dbt build`: comparisons with these figures change.")
    say(
        f"Attribution: Contains information from data.gov.sg accessed on {date.today()} from the Ministry of "
        "Manpower which is made available under the terms of the Singapore Open Data Licence version 1.0 "
        "(https://data.gov.sg/open-data-licence)."
    )
