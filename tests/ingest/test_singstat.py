"""The labour statistics held, and their refresh against a server on this machine's loopback."""

import csv
import json
import os
import shutil
import socket
import stat
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from click.testing import CliRunner, Result
from places import SEEDS

from ingest import singstat
from ingest.errors import PlumblineError

FIGURES = "singstat_employed_residents.csv"
CROSSWALK = "singstat_crosswalk.csv"
FEMALE_OCCUPATION = "d_8edfaa8f0eb39484897594b631b9b3db"
MALE_OCCUPATION = "d_0ffa357488160f26f108be7969fc1ac0"
MALE_INDUSTRY = "d_5854d81fe22ed46e8e365214b52f4f27"
CRAFTSMEN = "Craftsmen & Related Trade Workers"

# As published (thousand; SingStat M182171): year -> men, women, both.
PUBLISHED_TOTALS = {
    2020: ("1198.1", "1024.6", "2222.6"),
    2021: ("1220.3", "1066.2", "2286.5"),
    2022: ("1256.2", "1094.2", "2350.4"),
    2023: ("1244", "1108.3", "2352.3"),
    2024: ("1238", "1127.6", "2365.6"),
}


def read(name: str, seeds: Path = SEEDS) -> list[dict[str, str]]:
    with (seeds / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


# ---------------------------------------------------------------- the seeds


@pytest.mark.parametrize("dimension", ["occupation", "industry"])
@pytest.mark.parametrize("year", PUBLISHED_TOTALS)
def test_groups_add_up_to_the_published_totals(dimension: str, year: int) -> None:
    total = {"Male": Decimal(0), "Female": Decimal(0)}
    n_groups = 0
    for row in read(FIGURES):
        if row["dimension"] == dimension and row["year"] == str(year):
            total[row["sex"]] += Decimal(row["employed_thousands"])
            n_groups += row["sex"] == "Male"
    men, women, both = map(Decimal, PUBLISHED_TOTALS[year])
    rounding = Decimal("0.05") * (n_groups + 1)
    assert n_groups == {"occupation": 9, "industry": 15}[dimension]
    assert abs(total["Male"] - men) <= rounding
    assert abs(total["Female"] - women) <= rounding
    assert abs(total["Male"] + total["Female"] - both) <= 2 * rounding


def test_every_year_has_every_group_of_both_sexes() -> None:
    groups: dict[tuple[str, str, str], set[str]] = {}
    rows = read(FIGURES)
    for row in rows:
        groups.setdefault((row["dimension"], row["sex"], row["year"]), set()).add(row["published_label"])
    assert len(rows) == 9 * 2 * 24 + 15 * 2 * 25
    for dimension, years in (
        ("occupation", set(range(2000, 2025)) - {2006}),
        ("industry", set(range(2000, 2025))),
    ):
        labels = {row["published_label"] for row in read(CROSSWALK) if row["dimension"] == dimension}
        for sex in ("Female", "Male"):
            found = {int(year): held for (d, s, year), held in groups.items() if (d, s) == (dimension, sex)}
            assert set(found) == years
            assert all(held == labels for held in found.values())


@pytest.mark.parametrize(
    ("sex", "label", "figure", "table"),
    [
        ("Female", CRAFTSMEN, "8.3", "M182191"),
        ("Male", "Managers & Administrators (Including Working Proprietors)", "242.6", "M182181"),
        ("Female", "Health & Social Services", "135.7", "M182151"),
        ("Male", "Transportation & Storage", "151.7", "M182141"),
    ],
)
def test_figures_of_2024_are_as_published(sex: str, label: str, figure: str, table: str) -> None:
    found = [
        (row["employed_thousands"], row["source_table"], row["last_updated"])
        for row in read(FIGURES)
        if (row["year"], row["sex"], row["published_label"]) == ("2024", sex, label)
    ]
    assert found == [(figure, table, "2025-01-28")]


def test_crosswalk_covers_the_labels_that_the_prompts_offer() -> None:
    rows = read(CROSSWALK)
    audit = {
        d: [row["audit_label"] for row in rows if row["dimension"] == d] for d in ("occupation", "industry")
    }
    assert len(audit["occupation"]) == 8 + 1
    assert len(audit["industry"]) == 17 + 1
    assert all(label == label.lower() for labels in audit.values() for label in labels)
    merged: dict[str, list[str]] = {}
    for row in rows:
        if row["relation"] == "merged":
            merged.setdefault(row["published_label"], []).append(row["audit_label"])
        if row["relation"] == "exact":
            assert row["published_label"].lower() == row["audit_label"]
    assert merged == {
        "Wholesale & Retail Trade": ["wholesale trade", "retail trade"],
        "Accommodation & Food Services": ["accommodation", "food & beverages services"],
        "Public Administration & Education": ["public administration & defence", "education"],
    }
    assert [row["audit_label"] for row in rows if row["relation"] == "not_an_occupation"] == ["others"]


# ---------------------------------------------------------------- a publisher on the loopback


def wide_table(seeds: Path, dataset_id: str) -> list[dict[str, Any]]:
    """The held figures laid out as data.gov.sg does: text cells, indented names, age groups below."""
    rows = [row for row in read(FIGURES, seeds) if row["data_gov_sg_id"] == dataset_id]
    sex, dimension = rows[0]["sex"], rows[0]["dimension"]
    title = {
        "occupation": f"All Occupation Groups, (Total Employed {sex} Residents)",
        "industry": f"All Industries (Employed {sex} Residents)",
    }[dimension]
    cells: dict[str, dict[str, str]] = {}
    for row in rows:
        cells.setdefault(row["published_label"], {})[row["year"]] = row["employed_thousands"]
    years = sorted({row["year"] for row in rows}, reverse=True)
    table: list[dict[str, Any]] = [
        {"DataSeries": title}
        | {year: str(sum(Decimal(label[year]) for label in cells.values())) for year in years}
    ]
    if dimension == "industry":
        table.append({"DataSeries": "  Services"} | dict.fromkeys(years, "999.9"))
    table += [{"DataSeries": f"    {label}"} | values for label, values in cells.items()]
    for age in ("15 - 19", "20 - 24"):
        table.append({"DataSeries": f"Employed {sex} Residents Aged {age} Years"} | dict.fromkeys(years, "9"))
        table += [{"DataSeries": f"    {label}"} | dict.fromkeys(years, "na") for label in cells]
    return [record | {"_id": position} for position, record in enumerate(table, start=1)]


def row_of(records: list[dict[str, Any]], name: str) -> dict[str, Any]:
    return next(record for record in records if record["DataSeries"].strip() == name)


class Publisher:
    """A loopback server that answers as data.gov.sg does, until a test spoils an answer."""

    def __init__(self, seeds: Path) -> None:
        self.records = {
            dataset.data_gov_sg_id: wide_table(seeds, dataset.data_gov_sg_id) for dataset in singstat.DATASETS
        }
        self.last_updated = "2026-01-30T16:00:00+08:00"
        self.answers: list[tuple[int, dict[str, str], bytes]] = []  # given out first, one a request
        self.requests: list[tuple[str, str | None]] = []
        publisher = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                publisher.requests.append((self.path, self.headers.get("User-Agent")))
                status, headers, body = publisher.answer(self.path)
                try:
                    self.send_response(status)
                    for name, value in {"Content-Length": str(len(body)), **headers}.items():
                        self.send_header(name, value)
                    self.end_headers()
                    self.wfile.write(body)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True  # the client stops reading what is too large

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.base = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        self.thread.start()

    def answer(self, path: str) -> tuple[int, dict[str, str], bytes]:
        if self.answers:
            return self.answers.pop(0)
        parts = urlsplit(path)
        if parts.path == "/api/action/datastore_search":
            records = self.records[parse_qs(parts.query)["resource_id"][0]]
            return 200, {}, self.rows(records)
        if parts.path.startswith("/v2/public/api/datasets/") and parts.path.endswith("/metadata"):
            return 200, {}, json.dumps({"code": 0, "data": {"lastUpdatedAt": self.last_updated}}).encode()
        return 404, {}, b""

    @staticmethod
    def rows(records: list[dict[str, Any]]) -> bytes:
        # The publisher's order of rows is in _id, not in the array.
        result = {"records": records[::-1], "total": len(records)}
        return json.dumps({"success": True, "result": result}).encode()

    def add_year(self, year: str, like: str = "2024", scale: str = "1.02") -> None:
        for records in self.records.values():
            for record in records:
                if like in record and record[like] != "na":
                    record[year] = str(round(Decimal(record[like]) * Decimal(scale), 1))
            self.add_up(records, year)

    @staticmethod
    def add_up(records: list[dict[str, Any]], year: str) -> None:
        """Make the total row the sum of its groups."""
        end = next(i for i, record in enumerate(records) if "Aged 15 - 19" in record["DataSeries"])
        groups = [record for record in records[1:end] if record["DataSeries"].strip() != "Services"]
        records[0][year] = str(sum(Decimal(record[year]) for record in groups))

    def close(self) -> None:
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


@pytest.fixture
def seeds(tmp_path: Path) -> Path:
    folder = tmp_path / "seeds"
    folder.mkdir()
    for name in (FIGURES, CROSSWALK):
        shutil.copyfile(SEEDS / name, folder / name)
    return folder


@pytest.fixture
def publisher(seeds: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Publisher]:
    running = Publisher(seeds)
    monkeypatch.setenv(singstat.BASE_VARIABLE, running.base)
    yield running
    running.close()


@pytest.fixture
def run(seeds: Path) -> Callable[..., Result]:
    def invoke(*options: str) -> Result:
        return CliRunner().invoke(singstat.command, ["--seeds", str(seeds), "--timeout", "5", *options])

    return invoke


def files(seeds: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in seeds.iterdir()}


@pytest.fixture
def refused(seeds: Path, run: Callable[..., Result]) -> Callable[[str], None]:
    """Refresh; it must fail with a message that says so, and leave every file as it was."""

    def check(message: str) -> None:
        before = files(seeds)
        result = run("--refresh")
        assert result.exit_code == 1, result.output
        assert isinstance(result.exception, SystemExit)  # an error for the user, no traceback
        error = [line for line in result.stderr.splitlines() if not line.startswith("Reading ")]
        assert message in error[0]
        assert "othing was changed" in error[0]
        assert len(error) == 2
        assert result.stdout == ""
        assert files(seeds) == before

    return check


# ---------------------------------------------------------------- what is held


def test_without_refresh_the_vintage_is_printed_and_nobody_is_asked(
    publisher: Publisher, run: Callable[..., Result], seeds: Path
) -> None:
    before = files(seeds)
    result = run()
    assert result.exit_code == 0, result.output
    assert "occupation: 2000 to 2024 without 2006, 9 groups" in result.stdout
    assert "industry: 2000 to 2024, 15 groups" in result.stdout
    assert result.stdout.count("last updated 2025-01-28") == 2
    assert "Ministry of Manpower" in result.stdout
    assert "--refresh" in result.stdout
    assert publisher.requests == []
    assert files(seeds) == before


def test_the_projects_own_seeds_are_the_default() -> None:
    result = CliRunner().invoke(singstat.command, [])
    assert result.exit_code == 0, result.output
    assert str(SEEDS / FIGURES) in result.stdout


def spoil(seeds: Path, name: str, old: str, new: str) -> None:
    path = seeds / name
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        (FIGURES, "employed_thousands", "employed", "its columns are not"),
        (
            FIGURES,
            "2000,Female,occupation,Professionals,89.6",
            "2000,Female,occupation,Professionals,x",
            "figure",
        ),
        (
            FIGURES,
            "2000,Female,occupation,Professionals,89.6",
            "2000,Female,trade,Professionals,89.6",
            "table",
        ),
        (FIGURES, "2000,Female,occupation,Professionals", "2000,Female,occupation,Wizards", "label"),
        (FIGURES, "2000,Female,occupation,Professionals", "2001,Female,occupation,Professionals", "twice"),
        (FIGURES, "2025-01-28", "28/01/2025", "date"),
        (FIGURES, ",2025-01-28", "", "columns"),
        (CROSSWALK, "relation", "kind", "its columns are not"),
        (CROSSWALK, "occupation,others", "trade,others", "its dimensions are not"),
    ],
)
def test_a_damaged_seed_is_an_error_to_mend(
    seeds: Path, run: Callable[..., Result], name: str, old: str, new: str, message: str
) -> None:
    spoil(seeds, name, old, new)
    result = run()
    assert result.exit_code == 1
    assert isinstance(result.exception, SystemExit)
    assert name in result.stderr
    assert message in result.stderr


def test_a_table_missing_from_the_seed_is_an_error_to_mend(seeds: Path, run: Callable[..., Result]) -> None:
    lines = (seeds / FIGURES).read_text(encoding="utf-8").splitlines(keepends=True)
    rest = [line for line in lines if ",M182141," not in line]
    (seeds / FIGURES).write_text("".join(rest), encoding="utf-8")
    result = run()
    assert result.exit_code == 1
    assert f"it has no rows for industry, Male ({MALE_INDUSTRY})" in result.stderr


def test_a_missing_seed_is_an_error_to_mend(seeds: Path, run: Callable[..., Result]) -> None:
    (seeds / FIGURES).unlink()
    result = run()
    assert result.exit_code == 1
    assert "is missing" in result.stderr
    assert "--seeds" in result.stderr


# ---------------------------------------------------------------- refresh: what is good


def test_the_same_figures_change_nothing(
    publisher: Publisher, run: Callable[..., Result], seeds: Path
) -> None:
    before = files(seeds)
    result = run("--refresh")
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines() == [
        "occupation: nothing newer",
        "industry: nothing newer",
        "Nothing was changed.",
    ]
    assert files(seeds) == before
    assert [path for path, _ in publisher.requests] == [
        f"/api/action/datastore_search?resource_id={dataset.data_gov_sg_id}&limit=5000"
        for dataset in singstat.DATASETS
    ]
    assert {agent for _, agent in publisher.requests} == {singstat.USER_AGENT}
    assert singstat.USER_AGENT.startswith("plumbline/")


def test_a_new_year_and_a_revision_are_taken_and_said(
    publisher: Publisher, run: Callable[..., Result], seeds: Path
) -> None:
    publisher.add_year("2025")
    women = publisher.records[FEMALE_OCCUPATION]
    row_of(women, CRAFTSMEN)["2024"] = "8.9"
    publisher.add_up(women, "2024")
    os.chmod(seeds / FIGURES, 0o640)
    old = read(FIGURES)

    result = run("--refresh")

    assert result.exit_code == 0, result.output
    assert "occupation: 2025 added; 1 figures of 2024 revised" in result.stdout
    assert "industry: 2025 added\n" in result.stdout
    assert "Singapore Open Data Licence version 1.0" in result.stdout
    new = read(FIGURES, seeds)
    assert len(new) == len(old) + 2 * (9 + 15)
    assert {row["last_updated"] for row in new} == {"2026-01-30"}
    key = ("dimension", "sex", "year", "published_label")
    held = {tuple(row[name] for name in key): row["employed_thousands"] for row in old}
    now = {tuple(row[name] for name in key): row["employed_thousands"] for row in new}
    assert {k for k in held if now[k] != held[k]} == {("occupation", "Female", "2024", CRAFTSMEN)}
    assert now["occupation", "Female", "2024", CRAFTSMEN] == "8.9"
    assert now["occupation", "Male", "2025", CRAFTSMEN] == "47.4"  # 46.5 * 1.02
    assert "Services" not in {row["published_label"] for row in new}
    assert stat.S_IMODE((seeds / FIGURES).stat().st_mode) == 0o640
    assert sorted(path.name for path in seeds.iterdir()) == sorted([FIGURES, CROSSWALK])
    assert "to 2025" in run().stdout


def test_a_table_without_news_keeps_its_date(
    publisher: Publisher, run: Callable[..., Result], seeds: Path
) -> None:
    women = publisher.records[FEMALE_OCCUPATION]
    row_of(women, CRAFTSMEN)["2024"] = "8.4"
    publisher.add_up(women, "2024")
    assert run("--refresh").exit_code == 0
    dates = {(row["source_table"], row["last_updated"]) for row in read(FIGURES, seeds)}
    assert dates == {
        ("M182191", "2026-01-30"),
        ("M182181", "2025-01-28"),
        ("M182151", "2025-01-28"),
        ("M182141", "2025-01-28"),
    }
    # The order of rows and the untouched figures are those of the file that was replaced.
    old = (SEEDS / FIGURES).read_text(encoding="utf-8").splitlines()
    new = (seeds / FIGURES).read_text(encoding="utf-8").splitlines()
    changed = [(a, b) for a, b in zip(old, new, strict=True) if a != b]
    assert all(",M182191," in a for a, _ in changed)


def test_years_no_longer_published_are_kept(
    publisher: Publisher, run: Callable[..., Result], seeds: Path
) -> None:
    for records in publisher.records.values():
        for record in records:
            record.pop("2000", None)
    publisher.add_year("2025")
    result = run("--refresh")
    assert result.exit_code == 0, result.output
    assert "2000 kept, though no longer published" in result.stdout
    assert {row["last_updated"] for row in read(FIGURES, seeds) if row["year"] == "2000"} == {"2025-01-28"}


def test_a_year_not_published_in_full_is_left_out_and_said(
    publisher: Publisher, run: Callable[..., Result], seeds: Path
) -> None:
    publisher.add_year("2025")
    row_of(publisher.records[MALE_INDUSTRY], "Construction")["2025"] = "na"
    result = run("--refresh")
    assert result.exit_code == 0, result.output
    assert "industry: 2025 left out, not published in full" in result.stdout
    assert "occupation: 2025 added\n" in result.stdout
    newest = {row["dimension"]: row["year"] for row in read(FIGURES, seeds)}
    assert newest == {"occupation": "2025", "industry": "2024"}


def test_years_before_the_first_one_held_are_of_no_interest(
    publisher: Publisher, run: Callable[..., Result], seeds: Path
) -> None:
    before = files(seeds)
    publisher.add_year("1999", scale="0.2")
    for record in publisher.records[FEMALE_OCCUPATION]:
        record["1998"] = "na"
    result = run("--refresh")
    assert result.exit_code == 0, result.output
    assert "occupation: nothing newer\n" in result.stdout
    assert files(seeds) == before


def test_a_proxy_is_not_asked_for_the_loopback(
    publisher: Publisher, run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert run("--refresh").exit_code == 0
    assert len(publisher.requests) == 4


def test_a_limit_of_requests_is_waited_for(publisher: Publisher, run: Callable[..., Result]) -> None:
    publisher.answers = [(429, {"Retry-After": "0"}, b"")]
    result = run("--refresh")
    assert result.exit_code == 0, result.output
    assert len(publisher.requests) == 5


def test_a_redirect_within_the_same_origin_is_followed(
    publisher: Publisher, run: Callable[..., Result]
) -> None:
    path = f"/api/action/datastore_search?resource_id={FEMALE_OCCUPATION}"
    publisher.answers = [(302, {"Location": path}, b"")]
    result = run("--refresh")
    assert result.exit_code == 0, result.output
    assert publisher.requests[1][0] == path


# ---------------------------------------------------------------- refresh: what is refused


def drop_newest(publisher: Publisher) -> None:
    for records in publisher.records.values():
        for record in records:
            del record["2024"]


def older_update(publisher: Publisher) -> None:
    publisher.add_year("2025")
    publisher.last_updated = "2025-01-27T09:00:00+08:00"


def set_cell(value: object) -> Callable[[Publisher], None]:
    def change(publisher: Publisher) -> None:
        row_of(publisher.records[FEMALE_OCCUPATION], CRAFTSMEN)["2024"] = value

    return change


def rename(old: str, new: str) -> Callable[[Publisher], None]:
    def change(publisher: Publisher) -> None:
        row_of(publisher.records[FEMALE_OCCUPATION], old)["DataSeries"] = new

    return change


def repeat_group(publisher: Publisher) -> None:
    records = publisher.records[FEMALE_OCCUPATION]
    records[1:1] = [dict(records[2])]
    for position, record in enumerate(records):
        record["_id"] = position


def another_size(publisher: Publisher) -> None:
    publisher.add_year("2025", scale="1000")


def twice_as_many(publisher: Publisher) -> None:
    publisher.add_year("2025", scale="2")


def dimensions_apart(publisher: Publisher) -> None:
    publisher.add_year("2025")
    records = publisher.records[MALE_OCCUPATION]
    row_of(records, CRAFTSMEN)["2025"] = "57.4"
    publisher.add_up(records, "2025")


def one_sex_loses_a_year(publisher: Publisher) -> None:
    for record in publisher.records[MALE_OCCUPATION]:
        record.pop("2010", None)


def withdrawn(publisher: Publisher) -> None:
    row_of(publisher.records[FEMALE_OCCUPATION], CRAFTSMEN)["2010"] = "na"


def future(publisher: Publisher) -> None:
    publisher.add_year(str(datetime.now(UTC).year + 1))


def future_update(publisher: Publisher) -> None:
    publisher.add_year("2025")
    publisher.last_updated = "9999-01-01T00:00:00+08:00"


def no_update_date(publisher: Publisher) -> None:
    publisher.add_year("2025")
    publisher.last_updated = "yesterday"


def untitled(publisher: Publisher) -> None:
    del publisher.records[FEMALE_OCCUPATION][3]["DataSeries"]


def new_group(publisher: Publisher) -> None:
    records = publisher.records[FEMALE_OCCUPATION]
    records[1:1] = [dict.fromkeys(records[1], "0") | {"DataSeries": "  Data Workers"}]
    for position, record in enumerate(records):
        record["_id"] = position


def no_figures(publisher: Publisher) -> None:
    for record in publisher.records[FEMALE_OCCUPATION]:
        for year in record.keys() - {"_id", "DataSeries"}:
            record[year] = "na"


def unnumbered(publisher: Publisher) -> None:
    publisher.records[FEMALE_OCCUPATION][3]["_id"] = 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param(drop_newest, "its newest year is 2023, 2024 is held", id="older year"),
        pytest.param(
            older_update, "last updated on 2025-01-27, what is held on 2025-01-28", id="older update"
        ),
        pytest.param(rename(CRAFTSMEN, "Crafts Workers"), f"it lacks '{CRAFTSMEN}'", id="missing label"),
        pytest.param(
            rename("Employed Female Residents Aged 15 - 19 Years", "x"),
            "it lacks the row",
            id="no end of block",
        ),
        pytest.param(repeat_group, "a group occurs twice", id="repeated label"),
        pytest.param(set_cell("many"), "is not a figure: 'many'", id="a word"),
        pytest.param(set_cell("-8.3"), "is not a figure: '-8.3'", id="negative"),
        pytest.param(set_cell("NaN"), "is not a figure: 'NaN'", id="NaN as text"),
        pytest.param(set_cell(float("nan")), "a figure is NaN", id="NaN"),
        pytest.param(set_cell("1e3"), "is not a figure", id="exponent"),
        pytest.param(set_cell(True), "is not a figure: True", id="boolean"),
        pytest.param(set_cell({"a": 1}), "is not a figure: {", id="object"),
        pytest.param(set_cell("\x1b[2J8.3"), r"is not a figure: '\x1b[2J8.3'", id="terminal escape"),
        pytest.param(set_cell("18.3"), "the groups add up to 1137.7, the total says 1127.7", id="sum"),
        pytest.param(withdrawn, "no longer publishes 2010 in full", id="figure withdrawn"),
        pytest.param(another_size, "is not a figure", id="other unit"),
        pytest.param(
            twice_as_many, "its total of 2025 is 2.00 times the total held for 2024", id="implausible"
        ),
        pytest.param(dimensions_apart, "by occupation, ", id="tables disagree"),
        pytest.param(one_sex_loses_a_year, "2010 is there for one sex only", id="one sex"),
        pytest.param(future, "it has figures of ", id="future year"),
        pytest.param(future_update, "its date of last update is '9999-", id="future update"),
        pytest.param(no_update_date, "its date of last update is 'yesterday'", id="no update date"),
        pytest.param(untitled, "a row has no DataSeries", id="row without title"),
        pytest.param(new_group, "groups that the crosswalk lacks: 'Data Workers'", id="new label"),
        pytest.param(no_figures, "it has no year in full", id="no figures"),
        pytest.param(unnumbered, "its rows are not numbered", id="rows without order"),
    ],
)
def test_figures_that_are_not_right_are_refused(
    publisher: Publisher,
    refused: Callable[[str], None],
    change: Callable[[Publisher], None],
    message: str,
) -> None:
    change(publisher)
    refused(message)


def envelope(**result: object) -> bytes:
    return json.dumps({"success": True, "result": result}).encode()


@pytest.mark.parametrize(
    ("status", "headers", "body", "message"),
    [
        pytest.param(500, {}, b"{}", "it answers with HTTP status 500", id="500"),
        pytest.param(403, {}, b"\x1b[2Jno", "it answers with HTTP status 403", id="403"),
        pytest.param(200, {}, b"<html>", "not JSON that can be read", id="no JSON"),
        pytest.param(200, {}, b"\xff\xfe{}", "not JSON that can be read", id="no UTF-8"),
        pytest.param(200, {}, b'{"success": true', "not JSON that can be read", id="cut off"),
        pytest.param(200, {}, b"[" * 1_000_000, "not JSON that can be read", id="deep nesting"),
        pytest.param(
            200, {}, b'{"a": ' + b"9" * 100_000 + b"}", "not JSON that can be read", id="long number"
        ),
        pytest.param(200, {}, b'{"a": 1, "a": 2}', "names a field twice", id="repeated field"),
        pytest.param(200, {}, b"[]", "not a JSON object", id="array"),
        pytest.param(200, {}, b'{"success": false}', "does not say that it succeeded", id="no success"),
        pytest.param(200, {}, b'{"code": 24, "errorMsg": "x"}', "does not say", id="error of the new kind"),
        pytest.param(200, {}, envelope(records=[], total=0), "it lacks the row", id="no rows"),
        pytest.param(200, {}, envelope(records=[1], total=1), "has no rows", id="rows that are none"),
        pytest.param(
            200, {}, envelope(records=[], total=9000), "0 rows came, 9000 were announced", id="page"
        ),
        pytest.param(200, {}, b" " * (singstat.MAX_BYTES + 1), "larger than 5 MB", id="oversized"),
        pytest.param(
            302,
            {"Location": "http://localhost:9/x"},
            b"",
            "redirects to another host, 'localhost'",
            id="other host",
        ),
        pytest.param(
            302, {"Location": "http://127.0.0.1:9/x"}, b"", "redirects to another host", id="other port"
        ),
        pytest.param(302, {"Location": "file:///etc/hosts"}, b"", "HTTP status 302", id="file"),
        pytest.param(302, {"Location": "http://[/"}, b"", "no HTTP (ValueError)", id="no address"),
        pytest.param(
            302, {"Location": "http://127.0.0.1:99999/"}, b"", "an address that is none", id="no port"
        ),
        pytest.param(200, {"Content-Length": "100"}, b"{}", "the answer is broken off", id="broken off"),
    ],
)
def test_an_answer_that_is_none_is_refused(
    publisher: Publisher,
    refused: Callable[[str], None],
    status: int,
    headers: dict[str, str],
    body: bytes,
    message: str,
) -> None:
    publisher.answers = [(status, headers, body)]
    refused(message)
    assert len(publisher.requests) == 1


def test_a_spoilt_last_table_changes_nothing_of_the_first(
    publisher: Publisher, refused: Callable[[str], None]
) -> None:
    publisher.add_year("2025")
    row_of(publisher.records[MALE_INDUSTRY], "Construction")["2025"] = "?"
    refused(f"industry, Male ({MALE_INDUSTRY}): 'Construction' in 2025 is not a figure: '?'")
    assert len(publisher.requests) == 4


def test_a_limit_of_requests_that_stays_is_refused(
    publisher: Publisher, run: Callable[..., Result], seeds: Path
) -> None:
    publisher.answers = [(429, {"Retry-After": "0"}, b"")] * singstat.MAX_ATTEMPTS
    result = run("--refresh")
    assert result.exit_code == 1
    assert "HTTP status 429" in result.stderr
    assert len(publisher.requests) == singstat.MAX_ATTEMPTS


# ---------------------------------------------------------------- no network, no place to write


def test_without_a_network_it_says_so(
    refused: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # bound and not listening: connections are refused
        monkeypatch.setenv(singstat.BASE_VARIABLE, f"http://127.0.0.1:{closed.getsockname()[1]}")
        refused("127.0.0.1 could not be reached")


def test_a_publisher_that_does_not_answer_is_given_up(
    run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv(singstat.BASE_VARIABLE, f"http://127.0.0.1:{silent.getsockname()[1]}")
        result = run("--refresh", "--timeout", "0.2")
    assert result.exit_code == 1
    assert "could not be reached ('timed out')" in result.stderr


def test_a_publisher_that_drips_is_given_up(
    run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    stop = threading.Event()

    def drip(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(65536)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
            while not stop.wait(0.05):
                try:
                    connection.sendall(b" ")
                except OSError:
                    return

    with socket.create_server(("127.0.0.1", 0)) as listener:
        monkeypatch.setenv(singstat.BASE_VARIABLE, f"http://127.0.0.1:{listener.getsockname()[1]}")
        thread = threading.Thread(target=drip, args=(listener,))
        thread.start()
        result = run("--refresh", "--timeout", "0.3")  # no single pause is as long
        stop.set()
        thread.join()
    assert result.exit_code == 1
    assert "could not be reached ('timed out')" in result.stderr


def test_the_publisher_is_asked_over_https(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(singstat.BASE_VARIABLE, raising=False)
    assert singstat._bases() == ("https://data.gov.sg", "https://api-production.data.gov.sg")


@pytest.mark.parametrize(
    "address",
    ["", "http://data.gov.sg", "http://127.0.0.1.example.org", "http://localhost:1", "file:///etc", "https://",
     "https://user:word@data.gov.sg", "https://data.gov.sg?x=", "https://data.gov.sg:no"],
)  # fmt: skip
def test_only_https_or_the_loopback_may_be_asked(
    run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setenv(singstat.BASE_VARIABLE, address)
    result = run("--refresh")
    assert result.exit_code == 1
    assert "is not an address to ask" in result.stderr


@pytest.mark.parametrize(
    ("old", "new", "is_followed"),
    [
        ("https://data.gov.sg/a", "https://data.gov.sg/b", True),
        ("https://data.gov.sg/a", "https://api-production.data.gov.sg/b", True),
        ("https://data.gov.sg/a", "http://data.gov.sg/b", False),
        ("https://data.gov.sg/a", "https://data.gov.sg.example.org/b", False),
        ("https://data.gov.sg/a", "https://notdata.gov.sg/b", False),
        ("https://data.gov.sg/a", "https://api-production.data.gov.sg:8443/b", False),
        ("https://mirror.example.org/a", "https://data.gov.sg/b", False),
    ],
)
def test_redirects_stay_with_the_publisher(old: str, new: str, is_followed: bool) -> None:
    handler = singstat._RedirectWithinPublisher()
    request = singstat.urllib.request.Request(old)
    if is_followed:
        followed = handler.redirect_request(request, None, 302, "Found", {}, new)
        assert followed is not None
        assert followed.full_url == new
    else:
        with pytest.raises(ValueError, match="another host"):
            handler.redirect_request(request, None, 302, "Found", {}, new)


def test_a_failed_write_leaves_the_old_seed_and_no_rest(
    publisher: Publisher, seeds: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publisher.add_year("2025")
    before = files(seeds)

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(singstat.os, "fsync", full)
    with pytest.raises(PlumblineError, match="could not be written: No space left on device"):
        singstat.refresh(seeds, timeout=5)
    assert files(seeds) == before
