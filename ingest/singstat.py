"""Singapore's employed residents by sex: what the seeds hold, and newer figures from data.gov.sg.

What comes back from the network is not trusted. Labels, dates and file layout are this project's own;
from a response only figures and one date are taken, after every check has passed, and the seed is
replaced in one step or not at all.
"""

import csv
import http.client
import json
import os
import re
import shutil
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import urlsplit

import click

from ingest import __version__
from ingest.errors import PlumblineError
from ingest.paths import PROJECT

BASE_VARIABLE = "PLUMBLINE_DATA_GOV_SG"
ROWS_BASE = "https://data.gov.sg"
METADATA_BASE = "https://api-production.data.gov.sg"
USER_AGENT = f"plumbline/{__version__}"

FIGURES_FILE = "singstat_employed_residents.csv"
CROSSWALK_FILE = "singstat_crosswalk.csv"
FIGURES_COLUMNS = [
    "year", "sex", "dimension", "published_label", "employed_thousands", "source_table", "data_gov_sg_id",
    "last_updated",
]  # fmt: skip
CROSSWALK_COLUMNS = ["dimension", "audit_label", "published_label", "relation", "note"]

MAX_ROWS = 5000
MAX_BYTES = 5 * 1024 * 1024  # such a table is about 0.1 MB
MAX_ATTEMPTS = 3
MAX_WAIT_S = 60
ROUNDING = Decimal("0.05")  # figures are rounded to 0.1 thousand
MAX_TOTAL_RATIO = Decimal("1.25")  # 2000 to 2024: never more than 1.11 from one year to the next
NOT_PUBLISHED = {"", "-", "na"}  # the publisher's notation: not available, nil or negligible
SUBTOTALS = {"Services"}

FIGURE = re.compile(r"[0-9]{1,5}(\.[0-9]{1,3})?")
YEAR = re.compile(r"[0-9]{4}")

Figures = dict[int, dict[str, Decimal]]  # year -> published label -> thousand persons


@dataclass(frozen=True)
class Dataset:
    """One published table: a dimension for one sex (ids: SPEC FS-14; tables: SingStat Table Builder)."""

    dimension: str
    sex: str
    source_table: str
    data_gov_sg_id: str

    @property
    def total_row(self) -> str:
        """Title of the row that opens the all-ages block."""
        if self.dimension == "occupation":
            return f"All Occupation Groups, (Total Employed {self.sex} Residents)"
        return f"All Industries (Employed {self.sex} Residents)"

    @property
    def next_block_row(self) -> str:
        """Title of the first row after the all-ages block."""
        return f"Employed {self.sex} Residents Aged 15 - 19 Years"

    def __str__(self) -> str:
        return f"{self.dimension}, {self.sex} ({self.data_gov_sg_id})"


DATASETS = (
    Dataset("occupation", "Female", "M182191", "d_8edfaa8f0eb39484897594b631b9b3db"),
    Dataset("occupation", "Male", "M182181", "d_0ffa357488160f26f108be7969fc1ac0"),
    Dataset("industry", "Female", "M182151", "d_a31f7f149ba860506c127ab0e0f62985"),
    Dataset("industry", "Male", "M182141", "d_5854d81fe22ed46e8e365214b52f4f27"),
)
DIMENSIONS = tuple(dict.fromkeys(dataset.dimension for dataset in DATASETS))


@dataclass(frozen=True)
class Row:
    """One figure of the seed."""

    employed_thousands: Decimal
    last_updated: date


Seed = dict[tuple[Dataset, int, str], Row]  # (data set, year, published label) -> figure


class _Invalid(ValueError):
    """A response or a file is not what it should be; the message completes "<name>: …"."""


def _shown(text: object) -> str:
    """Return foreign text fit for a terminal: escaped, and no longer than a line."""
    escaped = ascii(text)
    return escaped if len(escaped) <= 80 else f"{escaped[:77]}..."


# ---------------------------------------------------------------- the seeds


def default_seeds() -> Path:
    """Return the project's seeds folder."""
    return PROJECT / "seeds"


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as error:
        raise PlumblineError(f"{path} is missing.", "Name the folder that holds it with --seeds.") from error
    except (OSError, UnicodeDecodeError, csv.Error, _Invalid) as error:
        raise PlumblineError(
            f"{path} cannot be read: {error}.", "Restore it from the repository, then run the command again."
        ) from error


def _read_csv(path: Path, columns: list[str]) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file, strict=True)
        if reader.fieldnames != columns:
            raise _Invalid(f"its columns are not {', '.join(columns)}")
        rows = list(reader)
    if any(None in row or None in row.values() for row in rows):
        raise _Invalid("a line has too few or too many columns")
    return rows


def read_labels(seeds: Path) -> dict[str, list[str]]:
    """Return the published labels of each dimension, in the crosswalk's order.

    Raises `PlumblineError` where the crosswalk is missing, damaged or lacks a dimension.
    """
    path = seeds / CROSSWALK_FILE
    with _reading(path):
        labels: dict[str, dict[str, None]] = {}
        for row in _read_csv(path, CROSSWALK_COLUMNS):
            labels.setdefault(row["dimension"], {})[row["published_label"]] = None
        if set(labels) != set(DIMENSIONS):
            raise _Invalid(f"its dimensions are not {' and '.join(DIMENSIONS)}")
    return {dimension: list(labels[dimension]) for dimension in DIMENSIONS}


def read_seed(seeds: Path, labels: Mapping[str, list[str]]) -> Seed:
    """Return the figures held, thousand persons, under the published `labels` of each dimension.

    Raises `PlumblineError` where the file is missing or damaged, or a table is not in it.
    """
    path = seeds / FIGURES_FILE
    datasets = {
        (dataset.dimension, dataset.sex, dataset.source_table, dataset.data_gov_sg_id): dataset
        for dataset in DATASETS
    }
    with _reading(path):
        seed: Seed = {}
        for line, row in enumerate(_read_csv(path, FIGURES_COLUMNS), start=2):
            named = (row["dimension"], row["sex"], row["source_table"], row["data_gov_sg_id"])
            if named not in datasets or not YEAR.fullmatch(row["year"]):
                raise _Invalid(f"row {line} belongs to no known table and year")
            if row["published_label"] not in labels[row["dimension"]]:
                raise _Invalid(f"row {line} has a label that {CROSSWALK_FILE} lacks")
            if not FIGURE.fullmatch(row["employed_thousands"]):
                raise _Invalid(f"row {line} has no figure")
            try:
                last_updated = date.fromisoformat(row["last_updated"])
            except ValueError as error:
                raise _Invalid(f"row {line} has no date") from error
            key = (datasets[named], int(row["year"]), row["published_label"])
            if key in seed:
                raise _Invalid(f"row {line} occurs twice")
            seed[key] = Row(Decimal(row["employed_thousands"]), last_updated)
        for dataset in DATASETS:
            if not _years(seed, dataset):
                raise _Invalid(f"it has no rows for {dataset}")
    return seed


def _years(seed: Seed, dataset: Dataset) -> list[int]:
    return sorted({year for held, year, _ in seed if held == dataset})


def _write_seed(seeds: Path, seed: Seed, labels: Mapping[str, list[str]]) -> None:
    """Replace the seed in one step; on an error the old one stays."""
    path = seeds / FIGURES_FILE

    def order(key: tuple[Dataset, int, str]) -> tuple[int, int, str, int]:
        dataset, year, label = key
        return DIMENSIONS.index(dataset.dimension), year, dataset.sex, labels[dataset.dimension].index(label)

    temporary: Path | None = None
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", newline="", dir=seeds, prefix=f".{FIGURES_FILE}.", delete=False
        ) as file:
            temporary = Path(file.name)
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(FIGURES_COLUMNS)
            for key in sorted(seed, key=order):
                dataset, year, label = key
                writer.writerow([
                    year, dataset.sex, dataset.dimension, label, f"{seed[key].employed_thousands:f}",
                    dataset.source_table, dataset.data_gov_sg_id, seed[key].last_updated.isoformat(),
                ])  # fmt: skip
            file.flush()
            os.fsync(file.fileno())
        shutil.copymode(path, temporary)
        temporary.replace(path)
        temporary = None
    except OSError as error:
        raise PlumblineError(
            f"{path} could not be written: {error.strerror}. Nothing was changed.",
            "Make the folder writable, or name another with --seeds.",
        ) from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


# ---------------------------------------------------------------- the network


def _is_fit_base(address: str) -> bool:
    """Whether an address may be asked: https, or this machine's loopback; no user, query or fragment."""
    try:
        scheme, host, _ = _origin(address)
    except ValueError:
        return False
    is_safe = (scheme == "https" and bool(host)) or (scheme == "http" and host == "127.0.0.1")
    return is_safe and not set("@?#") & set(address)


def _bases() -> tuple[str, str]:
    """Return where rows and metadata are asked for; one variable replaces both (a mirror, a test)."""
    override = os.environ.get(BASE_VARIABLE)
    if override is None:
        return ROWS_BASE, METADATA_BASE
    if not _is_fit_base(override):
        raise PlumblineError(
            f"{BASE_VARIABLE} is not an address to ask: {_shown(override)}.",
            "Give it an https:// address (or http://127.0.0.1:PORT), or unset it.",
        )
    return override.rstrip("/"), override.rstrip("/")


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port


def _is_data_gov_sg(host: str | None) -> bool:
    return host == "data.gov.sg" or (host is not None and host.endswith(".data.gov.sg"))


class _RedirectWithinPublisher(urllib.request.HTTPRedirectHandler):
    """Follow a redirect within one origin, or over https within data.gov.sg; refuse any other."""

    def redirect_request(
        self, req: urllib.request.Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        """Return the next request, or raise `_Invalid` before anything is sent to another host."""
        try:
            old, new = _origin(req.full_url), _origin(newurl)
        except ValueError:
            raise _Invalid("it redirects to an address that is none") from None
        https_within = old[0] == new[0] == "https" and new[2] in (None, 443)
        if new != old and not (https_within and _is_data_gov_sg(old[1]) and _is_data_gov_sg(new[1])):
            raise _Invalid(f"it redirects to another host, {_shown(new[1])}")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _opener(base: str) -> urllib.request.OpenerDirector:
    handlers: list[urllib.request.BaseHandler] = [_RedirectWithinPublisher()]
    if urlsplit(base).hostname == "127.0.0.1":
        handlers.append(urllib.request.ProxyHandler({}))  # a proxy cannot reach this machine's loopback
    return urllib.request.build_opener(*handlers)


def _read_bounded(response: http.client.HTTPResponse, deadline: float) -> bytes:
    chunks: list[bytes] = []
    n_bytes = 0
    while chunk := response.read1(65536):
        n_bytes += len(chunk)
        if n_bytes > MAX_BYTES:
            raise _Invalid(f"the answer is larger than {MAX_BYTES // 1024**2} MB")
        if time.monotonic() > deadline:
            raise TimeoutError("timed out")
        chunks.append(chunk)
    if response.length:
        raise _Invalid("the answer is broken off")
    return b"".join(chunks)


def _wait_s(error: urllib.error.HTTPError) -> int:
    asked = error.headers.get("Retry-After", "")
    return min(int(asked), MAX_WAIT_S) if re.fullmatch(r"[0-9]{1,4}", asked) else 15


def _get(base: str, path: str, timeout: float) -> bytes:
    """Return the body at `path`; waits and asks again where the publisher limits the rate (HTTP 429).

    Raises `_Invalid` for an answer that is none, `PlumblineError` where there is no network.
    """
    opener = _opener(base)
    request = urllib.request.Request(
        f"{base}{path}",
        headers={"User-Agent": USER_AGENT, "Accept": "application/json", "Accept-Encoding": "identity"},
    )
    for attempt in range(1, MAX_ATTEMPTS + 1):
        try:
            with opener.open(request, timeout=timeout) as response:
                return _read_bounded(response, time.monotonic() + timeout)
        except urllib.error.HTTPError as error:
            error.close()
            if error.code != 429 or attempt == MAX_ATTEMPTS:
                raise _Invalid(f"it answers with HTTP status {error.code}") from error
            wait = _wait_s(error)
            click.echo(f"data.gov.sg limits the rate of requests: asking again in {wait} s", err=True)
            time.sleep(wait)
        except _Invalid:
            raise
        except (http.client.HTTPException, ValueError) as error:
            raise _Invalid(f"its answer is broken off or no HTTP ({type(error).__name__})") from error
        except OSError as error:
            # URLError, a time-out, a connection that breaks: whichever it is, there is no way through.
            host, reason = urlsplit(base).hostname, _shown(str(getattr(error, "reason", error)))
            raise PlumblineError(
                f"{host} could not be reached ({reason}); nothing was changed.",
                "The figures held stay in use. Try again where there is a network.",
            ) from error
    raise AssertionError("the last attempt returns or raises")


def _unique_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) != len(pairs):
        raise _Invalid("a JSON object names a field twice")
    return content


def _not_a_number(text: str) -> NoReturn:
    raise _Invalid(f"a figure is {text}")


def _get_object(base: str, path: str, timeout: float) -> dict[str, Any]:
    body = _get(base, path, timeout)
    try:
        content = json.loads(
            body.decode("utf-8"),
            parse_float=Decimal,
            parse_constant=_not_a_number,
            object_pairs_hook=_unique_object,
        )
    except _Invalid:
        raise
    except (ValueError, RecursionError) as error:
        raise _Invalid("the answer is not JSON that can be read") from error
    if not isinstance(content, dict):
        raise _Invalid("the answer is not a JSON object")
    return content


# ---------------------------------------------------------------- from a response to figures


def _figure(cell: object, where: str) -> Decimal | None:
    """Return a cell as thousand persons; None where the publisher says that there is no figure."""
    if cell is None or (isinstance(cell, str) and cell.strip().lower() in NOT_PUBLISHED):
        return None
    text = str(cell).strip() if isinstance(cell, str | int | Decimal) and not isinstance(cell, bool) else ""
    if not FIGURE.fullmatch(text):
        raise _Invalid(f"{where} is not a figure: {_shown(cell)}")
    value = Decimal(text)
    return value.quantize(Decimal(1)) if value == value.to_integral_value() else value.normalize()


def _records(content: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of a datastore answer in the publisher's order (`_id`)."""
    result = content.get("result")
    if content.get("success") is not True or not isinstance(result, dict):
        raise _Invalid("the answer does not say that it succeeded")
    records = result.get("records")
    if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
        raise _Invalid("the answer has no rows")
    if result.get("total") != len(records):
        raise _Invalid(f"{len(records)} rows came, {_shown(result.get('total'))} were announced")
    positions = [record.get("_id") for record in records]
    if not all(type(position) is int for position in positions) or len(set(positions)) != len(positions):
        raise _Invalid("its rows are not numbered")
    if not all(isinstance(record.get("DataSeries"), str) for record in records):
        raise _Invalid("a row has no DataSeries")
    return sorted(records, key=lambda record: record["_id"])


def parse_table(content: Mapping[str, Any], dataset: Dataset, labels: list[str]) -> tuple[Figures, list[int]]:
    """Return the all-ages figures of a wide table, and the years that it does not publish in full.

    `content` is a datastore answer: rows with `DataSeries` and one column a year. The block between the
    total row and the first age group is taken; totals and subtotals are left out of the result. Raises
    `ValueError` unless the block has exactly `labels`, every cell is a figure or the publisher's mark for
    none, and each year's groups add up to its total within rounding.
    """
    records = _records(content)
    series = [record["DataSeries"].strip() for record in records]
    if series.count(dataset.total_row) != 1 or dataset.next_block_row not in series:
        raise _Invalid(f"it lacks the row {dataset.total_row!r} or {dataset.next_block_row!r}")
    start, stop = series.index(dataset.total_row), series.index(dataset.next_block_row)
    block = {
        name: record
        for name, record in zip(series[start + 1 : stop], records[start + 1 : stop], strict=True)
        if name not in SUBTOTALS
    }
    if missing := [label for label in labels if label not in block]:
        raise _Invalid(f"it lacks {', '.join(map(repr, missing))}")
    if unknown := [name for name in block if name not in labels]:
        raise _Invalid(f"it has groups that the crosswalk lacks: {', '.join(map(_shown, unknown[:3]))}")
    if sum(name not in SUBTOTALS for name in series[start + 1 : stop]) != len(block):
        raise _Invalid("a group occurs twice")

    total = records[start]
    columns = {name for record in (total, *block.values()) for name in record if YEAR.fullmatch(name)}
    this_year = datetime.now(UTC).year
    figures: Figures = {}
    incomplete: list[int] = []
    for year in sorted(map(int, columns)):
        if not 1900 <= year <= this_year:
            raise _Invalid(f"it has figures of {year}")
        sum_published = _figure(total.get(str(year)), f"{dataset.total_row!r} in {year}")
        cells = {label: _figure(block[label].get(str(year)), f"{label!r} in {year}") for label in labels}
        groups = {label: cell for label, cell in cells.items() if cell is not None}
        if sum_published is None or len(groups) != len(labels):
            incomplete.append(year)
            continue
        if abs(sum(groups.values()) - sum_published) > ROUNDING * (len(labels) + 1):
            raise _Invalid(
                f"in {year} the groups add up to {sum(groups.values())}, the total says {sum_published}"
            )
        figures[year] = groups
    if not figures:
        raise _Invalid("it has no year in full")
    return figures, incomplete


def parse_last_updated(content: Mapping[str, Any]) -> date:
    """Return the date of a metadata answer's `lastUpdatedAt`; raises `ValueError` where it has none."""
    data = content.get("data")
    text = data.get("lastUpdatedAt") if isinstance(data, dict) else None
    try:
        updated = datetime.fromisoformat(text).date() if isinstance(text, str) else None
    except ValueError:
        updated = None
    if updated is None or updated > datetime.now(UTC).date() + timedelta(days=1):
        raise _Invalid(f"its date of last update is {_shown(text)}")
    return updated


def _check_against_held(dataset: Dataset, figures: Figures, incomplete: list[int], seed: Seed) -> None:
    """Raise `_Invalid` where a table is older than what is held, or of another size altogether."""
    held = _years(seed, dataset)
    if max(figures) < held[-1]:
        raise _Invalid(f"its newest year is {max(figures)}, {held[-1]} is held")
    if gone := sorted(set(held) & set(incomplete)):
        raise _Invalid(f"it no longer publishes {', '.join(map(str, gone))} in full")
    for year, groups in figures.items():
        if year < held[0]:
            continue
        nearest = min(held, key=lambda other: abs(other - year))
        ratio = sum(groups.values()) / sum(
            row.employed_thousands for (of, at, _), row in seed.items() if of == dataset and at == nearest
        )
        if not 1 / MAX_TOTAL_RATIO <= ratio <= MAX_TOTAL_RATIO:
            raise _Invalid(f"its total of {year} is {ratio:.2f} times the total held for {nearest}")


def _check_totals_agree(tables: Mapping[Dataset, Figures], labels: Mapping[str, list[str]]) -> None:
    """Raise `_Invalid` where one sex has two totals: occupations and industries count the same persons."""
    tolerance = ROUNDING * (sum(map(len, labels.values())) + 2)
    for sex in ("Female", "Male"):
        first, second = (figures for dataset, figures in tables.items() if dataset.sex == sex)
        for year in sorted(set(first) & set(second)):
            one, other = sum(first[year].values()), sum(second[year].values())
            if abs(one - other) > tolerance:
                raise _Invalid(f"{sex}, {year}: {one} by occupation, {other} by industry")


# ---------------------------------------------------------------- refresh


@contextmanager
def _checking(subject: object) -> Iterator[None]:
    """Turn what is invalid about `subject` into an error that a user can act on."""
    try:
        yield
    except _Invalid as error:
        raise PlumblineError(
            f"{subject}: {error}. Nothing was changed.",
            "The figures held stay in use; try again later. If the publisher has changed its table, "
            f"{CROSSWALK_FILE} has to follow first.",
        ) from error


def refresh(seeds: Path, timeout: float) -> list[str]:
    """Bring the seed up to date from data.gov.sg and return, line by line, what changed.

    All four tables are read and checked before the seed is replaced; `timeout` (seconds) holds for each
    answer. Years before the first one held are left alone, and years held that are no longer published
    are kept with the date they have. Raises `PlumblineError`, with nothing changed, where there is no
    network, or where an answer is not valid, not plausible or older than what is held.
    """
    labels = read_labels(seeds)
    seed = read_seed(seeds, labels)
    rows_base, metadata_base = _bases()
    tables, partial = _fetch_tables(rows_base, timeout, seed, labels)
    for dimension in DIMENSIONS:
        with _checking(dimension):
            partial[dimension] |= _drop_years_of_one_sex(dimension, tables, seed)
    with _checking("The tables do not agree"):
        _check_totals_agree(tables, labels)

    updated = dict(seed)
    for dataset, figures in tables.items():
        cells = {(dataset, year, label): value for year in figures for label, value in figures[year].items()}
        if all(key in seed and seed[key].employed_thousands == value for key, value in cells.items()):
            continue
        with _checking(dataset):
            last_updated = _fetch_last_updated(metadata_base, timeout, dataset)
            newest_held = max(row.last_updated for (held, _, _), row in seed.items() if held == dataset)
            if last_updated < newest_held:
                raise _Invalid(f"it was last updated on {last_updated}, what is held on {newest_held}")
        updated.update({key: Row(value, last_updated) for key, value in cells.items()})
    if updated != seed:
        _write_seed(seeds, updated, labels)
    return _changes(seed, updated, tables, partial)


def _fetch_tables(
    base: str, timeout: float, seed: Seed, labels: Mapping[str, list[str]]
) -> tuple[dict[Dataset, Figures], dict[str, set[int]]]:
    """Return each table from the first year held on, and by dimension the years not published in full."""
    tables: dict[Dataset, Figures] = {}
    partial: dict[str, set[int]] = {dimension: set() for dimension in DIMENSIONS}
    for dataset in DATASETS:
        click.echo(f"Reading {dataset}", err=True)
        path = f"/api/action/datastore_search?resource_id={dataset.data_gov_sg_id}&limit={MAX_ROWS}"
        with _checking(dataset):
            content = _get_object(base, path, timeout)
            figures, incomplete = parse_table(content, dataset, labels[dataset.dimension])
            _check_against_held(dataset, figures, incomplete, seed)
        first = _years(seed, dataset)[0]
        tables[dataset] = {year: groups for year, groups in figures.items() if year >= first}
        partial[dataset.dimension] |= {year for year in incomplete if year >= first}
    return tables, partial


def _fetch_last_updated(base: str, timeout: float, dataset: Dataset) -> date:
    path = f"/v2/public/api/datasets/{dataset.data_gov_sg_id}/metadata"
    return parse_last_updated(_get_object(base, path, timeout))


def _drop_years_of_one_sex(dimension: str, tables: dict[Dataset, Figures], seed: Seed) -> set[int]:
    """Remove, and return, the years that one sex lacks; raise `_Invalid` where such a year is held."""
    pair = [dataset for dataset in tables if dataset.dimension == dimension]
    alone = set.symmetric_difference(*(set(tables[dataset]) for dataset in pair))
    for dataset in pair:
        if lost := alone.intersection(_years(seed, dataset)):
            raise _Invalid(f"{_listed(lost)} is there for one sex only")
        tables[dataset] = {year: groups for year, groups in tables[dataset].items() if year not in alone}
    return alone


def _listed(years: set[int]) -> str:
    return ", ".join(map(str, sorted(years)))


def _changes(
    old: Seed, new: Seed, tables: Mapping[Dataset, Figures], partial: Mapping[str, set[int]]
) -> list[str]:
    lines = []
    for dimension in DIMENSIONS:
        of = {key for key in new if key[0].dimension == dimension}
        years = {year for _, year, _ in of}
        added = years - {year for _, year, _ in old.keys() & of}
        revised = [
            key for key in old.keys() & of if old[key].employed_thousands != new[key].employed_thousands
        ]
        kept = years.difference(*(tables[dataset] for dataset in tables if dataset.dimension == dimension))
        said = []
        if added:
            said.append(f"{_listed(added)} added")
        if revised:
            said.append(f"{len(revised)} figures of {_listed({year for _, year, _ in revised})} revised")
        if kept:
            said.append(f"{_listed(kept)} kept, though no longer published")
        if partial[dimension]:
            said.append(f"{_listed(partial[dimension])} left out, not published in full")
        lines.append(f"{dimension}: {'; '.join(said) if said else 'nothing newer'}")
    if new == old:
        lines.append("Nothing was changed.")
        return lines
    names = ", ".join(dataset.data_gov_sg_id for dataset in DATASETS)
    lines += [
        f"{FIGURES_FILE} is rewritten. Run `dbt build`; every comparison with these figures changes.",
        f"Attribution: Contains information from {names} accessed on {datetime.now(UTC).date().isoformat()} "
        "from the Ministry of Manpower which is made available under the terms of the Singapore Open Data "
        "Licence version 1.0 (https://data.gov.sg/open-data-licence).",
    ]
    return lines


def vintage(seeds: Path) -> list[str]:
    """Return, line by line, which figures are held: years, groups, tables and the publisher's dates."""
    labels = read_labels(seeds)
    seed = read_seed(seeds, labels)
    lines = ["Singapore's employed residents aged 15 and over, by sex; thousand persons, June of each year"]
    for dimension in DIMENSIONS:
        years = {year for dataset, year, _ in seed if dataset.dimension == dimension}
        gaps = set(range(min(years), max(years) + 1)) - years
        pair = [dataset for dataset in DATASETS if dataset.dimension == dimension]
        tables = ", ".join(f"{dataset.source_table} ({dataset.sex.lower()})" for dataset in pair)
        updates = {row.last_updated for (dataset, year, _), row in seed.items()
                   if dataset in pair and year == max(years)}  # fmt: skip
        lines.append(
            f"{dimension}: {min(years)} to {max(years)}{f' without {_listed(gaps)}' if gaps else ''}, "
            f"{len(labels[dimension])} groups; tables {tables}, "
            f"last updated {' and '.join(sorted(map(str, updates)))}"
        )
    lines += [
        "Source: Ministry of Manpower, through the Singapore Department of Statistics.",
        "`plumbline singstat --refresh` reads the four tables from data.gov.sg, checks them, and replaces "
        f"{seeds / FIGURES_FILE} only if all are valid and none is older.",
    ]
    return lines


@click.command("singstat")
@click.option("--refresh", "is_refresh", is_flag=True, help="Bring newer figures from data.gov.sg.")
@click.option(
    "--seeds",
    type=click.Path(file_okay=False, path_type=Path),
    default=default_seeds,
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
def command(is_refresh: bool, seeds: Path, timeout: float) -> None:
    """Say which labour statistics of Singapore are stored; --refresh brings newer ones.

    A refresh changes the seed in one step, or, where there is no network or
    an answer is not valid, not at all.
    """
    for line in refresh(seeds, timeout) if is_refresh else vintage(seeds):
        click.echo(line)
