"""The labour statistics held, and their refresh against a server on this machine's loopback."""

import csv
import json
import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from click.testing import CliRunner, Result
from places import SEEDS

from ingest import singstat
from ingest.corpus.fetch import MAX_BYTES, Fetcher

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
            identity: wide_table(seeds, identity)
            for identity in sorted({row["data_gov_sg_id"] for row in read(FIGURES, seeds)})
        }
        self.last_updated = "2026-01-30T16:00:00+08:00"
        self.total: int | None = None
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
            return 200, {}, self.rows(records, self.total)
        if parts.path.startswith("/v2/public/api/datasets/") and parts.path.endswith("/metadata"):
            return 200, {}, json.dumps({"code": 0, "data": {"lastUpdatedAt": self.last_updated}}).encode()
        return 404, {}, b""

    @staticmethod
    def rows(records: list[dict[str, Any]], total: int | None = None) -> bytes:
        # The publisher's order of rows is in _id, not in the array.
        result = {"records": records[::-1], "total": total or len(records)}
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


@pytest.mark.parametrize("name", ["seeds[1]", "seeds*", "seeds?"])
def test_a_folders_name_is_no_pattern(tmp_path, name):
    for folder in (name, "seeds1"):
        shutil.copytree(SEEDS, tmp_path / folder)
    (tmp_path / "seeds1" / FIGURES).write_text("nothing of the kind\n")
    n_figures = len(read(FIGURES, SEEDS))
    assert singstat.read_seeds(tmp_path / name).execute("select count(*) from held").fetchone() == (
        n_figures,
    )


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
        assert len(error) == 1
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
    assert "occupation: 2000 to 2024, 24 years, 9 groups; tables M182181 and M182191" in result.stdout
    assert "industry: 2000 to 2024, 25 years, 15 groups" in result.stdout
    assert result.stdout.count("last updated 2025-01-28") == 2
    assert "Ministry of Manpower" in result.stdout
    assert "--refresh" in result.stdout
    assert publisher.requests == []
    assert files(seeds) == before


def test_the_projects_own_seeds_are_the_default() -> None:
    result = CliRunner().invoke(singstat.command, [])
    assert result.exit_code == 0, result.output
    assert str(SEEDS / FIGURES) in result.stdout


@pytest.mark.parametrize("name", [FIGURES, CROSSWALK])
@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_text("nothing\n")])
def test_a_damaged_seed_is_an_error_to_mend(
    seeds: Path, run: Callable[..., Result], name: str, damage: Callable[[Path], object]
) -> None:
    damage(seeds / name)
    result = run()
    assert result.exit_code == 1
    assert isinstance(result.exception, SystemExit)
    assert name in result.stderr
    assert "--seeds" in result.stderr


# ---------------------------------------------------------------- refresh: what is good


def test_the_same_figures_change_nothing(
    publisher: Publisher, run: Callable[..., Result], seeds: Path
) -> None:
    before = files(seeds)
    result = run("--refresh")
    assert result.exit_code == 0, result.output
    assert result.stdout == "Nothing was changed.\n"
    assert files(seeds) == before
    asked = [path for path, _ in publisher.requests]
    assert len(asked) == 8
    assert f"/api/action/datastore_search?resource_id={FEMALE_OCCUPATION}&limit=5000" in asked
    assert all(agent and agent.startswith("plumbline/") for _, agent in publisher.requests)


def test_a_new_year_and_a_revision_are_taken_and_said(
    publisher: Publisher, run: Callable[..., Result], seeds: Path
) -> None:
    publisher.add_year("2025")
    women = publisher.records[FEMALE_OCCUPATION]
    row_of(women, CRAFTSMEN)["2024"] = "8.9"
    publisher.add_up(women, "2024")
    old = read(FIGURES)

    result = run("--refresh")

    assert result.exit_code == 0, result.output
    assert "occupation: 19 figures of 2024, 2025 are new or revised" in result.stdout
    assert "industry: 30 figures of 2025 are new or revised" in result.stdout
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
    assert sorted(path.name for path in seeds.iterdir()) == sorted([FIGURES, CROSSWALK])
    assert "to 2025" in run().stdout


def test_the_order_and_form_of_rows_stay(
    publisher: Publisher, run: Callable[..., Result], seeds: Path
) -> None:
    publisher.last_updated = "2025-01-28T09:00:00+08:00"
    women = publisher.records[FEMALE_OCCUPATION]
    row_of(women, CRAFTSMEN)["2024"] = "8.4"
    publisher.add_up(women, "2024")
    assert run("--refresh").exit_code == 0
    old = (SEEDS / FIGURES).read_text(encoding="utf-8").splitlines()
    new = (seeds / FIGURES).read_text(encoding="utf-8").splitlines()
    changed = [(a, b) for a, b in zip(old, new, strict=True) if a != b]
    assert [b for _, b in changed] == [
        f"2024,Female,occupation,{CRAFTSMEN},8.4,M182191,{FEMALE_OCCUPATION},2025-01-28"
    ]


def test_years_no_longer_published_are_kept(
    publisher: Publisher, run: Callable[..., Result], seeds: Path
) -> None:
    for records in publisher.records.values():
        for record in records:
            record.pop("2000", None)
    publisher.add_year("2025")
    result = run("--refresh")
    assert result.exit_code == 0, result.output
    assert {row["last_updated"] for row in read(FIGURES, seeds) if row["year"] == "2000"} == {"2025-01-28"}


def one_cell(publisher: Publisher) -> None:
    row_of(publisher.records[MALE_INDUSTRY], "Construction")["2025"] = "na"


def one_sex(publisher: Publisher) -> None:
    for record in publisher.records[MALE_INDUSTRY]:
        record.pop("2025", None)


@pytest.mark.parametrize("lose", [one_cell, one_sex])
def test_a_year_that_is_not_whole_is_left_out(
    publisher: Publisher, run: Callable[..., Result], seeds: Path, lose: Callable[[Publisher], None]
) -> None:
    publisher.add_year("2025")
    lose(publisher)
    result = run("--refresh")
    assert result.exit_code == 0, result.output
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
    assert result.stdout == "Nothing was changed.\n"
    assert files(seeds) == before


# ---------------------------------------------------------------- refresh: what is refused


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


def another_unit(publisher: Publisher) -> None:
    publisher.add_year("2025", scale="1000")


def older_update(publisher: Publisher) -> None:
    publisher.last_updated = "2025-01-27T09:00:00+08:00"


def future_update(publisher: Publisher) -> None:
    publisher.last_updated = "9999-01-01T00:00:00+08:00"


def no_update_date(publisher: Publisher) -> None:
    publisher.last_updated = "yesterday"


def untitled(publisher: Publisher) -> None:
    del publisher.records[FEMALE_OCCUPATION][3]["DataSeries"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param(older_update, "last updated on 2025-01-27, what is held on 2025-01-28", id="older"),
        pytest.param(future_update, "last updated on 9999-01-01", id="future update"),
        pytest.param(no_update_date, "yesterday", id="no update date"),
        pytest.param(rename(CRAFTSMEN, "Crafts Workers"), "are not those of the crosswalk", id="other label"),
        pytest.param(
            rename("Employed Female Residents Aged 15 - 19 Years", "x"), "is not in list", id="no end"
        ),
        pytest.param(repeat_group, "are not those of the crosswalk", id="repeated label"),
        pytest.param(untitled, "DataSeries", id="row without title"),
        pytest.param(set_cell("many"), "is not a figure: 'many'", id="a word"),
        pytest.param(set_cell("-8.3"), "is not a figure: '-8.3'", id="negative"),
        pytest.param(set_cell(float("nan")), "is not a figure: 'nan'", id="NaN"),
        pytest.param(set_cell("1e3"), "is not a figure", id="exponent"),
        pytest.param(set_cell(True), "is not a figure: 'True'", id="boolean"),
        pytest.param(set_cell({"a": 1}), 'is not a figure: "{', id="object"),
        pytest.param(set_cell("18.3"), "the groups add up to 1137.7, the total says 1127.7", id="sum"),
        pytest.param(another_unit, "is not a figure", id="other unit"),
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


def test_nothing_of_an_answer_steers_a_terminal(
    publisher: Publisher, refused: Callable[[str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    set_cell("\x1b[2J8.3")(publisher)
    refused(r"x1b[2J8.3")


@pytest.mark.parametrize(
    ("status", "headers", "body", "message"),
    [
        pytest.param(403, {}, b"\x1b[2Jno", "the server answers 403", id="403"),
        pytest.param(206, {}, b"{}", "the server answers 206", id="part"),
        pytest.param(200, {}, b"<html>", "Expecting value", id="no JSON"),
        pytest.param(200, {}, b"[" * 1_000_000, "recursion", id="deep nesting"),
        pytest.param(200, {}, b"[]", "must be integers or slices", id="array"),
        pytest.param(200, {}, b'{"success": false}', "'data'", id="no success"),
        pytest.param(200, {}, b" " * (MAX_BYTES + 1), "has more than 5,000,000 bytes", id="oversized"),
        pytest.param(
            302, {"Location": "http://localhost:9/x"}, b"", "does not allow the host", id="other host"
        ),
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


def test_a_page_of_a_larger_table_is_refused(publisher: Publisher, refused: Callable[[str], None]) -> None:
    publisher.total = 9000
    refused("only ")


def test_a_spoilt_last_table_changes_nothing_of_the_first(
    publisher: Publisher, refused: Callable[[str], None]
) -> None:
    publisher.add_year("2025")
    row_of(publisher.records[MALE_OCCUPATION], CRAFTSMEN)["2025"] = "?"
    refused(f"occupation, Male ({MALE_OCCUPATION}): in 2025 this is not a figure: '?'")
    assert len(publisher.requests) == 8


def test_without_a_network_it_says_so(
    refused: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Fetcher, "_pause", lambda *_: None)
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # bound and not listening: connections are refused
        monkeypatch.setenv(singstat.BASE_VARIABLE, f"http://127.0.0.1:{closed.getsockname()[1]}")
        refused("ConnectError")


def test_a_publisher_that_does_not_answer_is_given_up(
    run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Fetcher, "_pause", lambda *_: None)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv(singstat.BASE_VARIABLE, f"http://127.0.0.1:{silent.getsockname()[1]}")
        result = run("--refresh", "--timeout", "0.1")
    assert result.exit_code == 1
    assert "ReadTimeout" in result.stderr


@pytest.mark.parametrize(
    "address", ["", "http://data.gov.sg", "file:///etc", "https://user:word@data.gov.sg"]
)
def test_only_https_or_the_loopback_may_be_asked(
    refused: Callable[[str], None], monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setenv(singstat.BASE_VARIABLE, address)
    refused("")


def test_a_failed_write_leaves_the_old_seed(
    publisher: Publisher, seeds: Path, run: Callable[..., Result]
) -> None:
    publisher.add_year("2025")
    before = (seeds / FIGURES).read_bytes()
    (seeds / FIGURES).with_suffix(".partial").mkdir()
    assert run("--refresh").exit_code != 0
    assert (seeds / FIGURES).read_bytes() == before
