"""Tables that semicolons, tabs or bars separate, as spreadsheets of other countries write them."""

import pytest
import yaml
from click.testing import CliRunner
from tiny import COLUMNS, TINY_SUITE, all_rows, record

from ingest.cli import cli
from ingest.loading.separators import DecimalCommas
from ingest.store import Store

RECORDS = [record(n, answer=f'She said "baker, {n}"; and\tsmiled | {n}\nor so.') for n in range(1, 5)]
SCORES = "select value, measurement_status from ready_measurements order by 1 nulls last, 2"


def table(separator, records=RECORDS, columns=COLUMNS, *, all_quoted=False):
    def cell(text):
        quoted = all_quoted or any(mark in text for mark in (separator, '"', "\n"))
        return '"' + text.replace('"', '""') + '"' if quoted else text

    rows = [columns, *([one[column] for column in columns] for one in records)]
    return "".join(separator.join(map(cell, row)) + "\r\n" for row in rows)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", table(";")),
        ("a.csv", table("\t")),
        ("a.csv", table("|")),
        ("a.tsv", table("\t")),
        ("a.tsv", table(",")),
        ("a.csv", "\n\n" + table(";")),
        ("a.csv", table(";", all_quoted=True)),
        ("a.csv", "sep=;\r\n" + table(";")),
        ("a.csv", "\ufeffsep=;\r\n" + table(";")),
        ("a.csv", "SEP=,,,\n" + table(",")),
        ("a.csv", "\ufeff" + table(";")),
        ("a.csv", "".join(table(";")).replace("\r\n", "\r")),
    ],
)
def test_other_separators_give_the_rows_that_commas_give(name, text, load, tmp_path, fingerprint, data):
    (tmp_path / name).write_text(text, "utf-8", newline="")
    (tmp_path / "commas").mkdir()
    commas = tmp_path / "commas" / name
    commas.write_text(table(","), "utf-8", newline="")
    result = load(tmp_path / name)
    assert result.exit_code == 0 and "4 records = 4 loaded" in result.output, result.output
    elsewhere = tmp_path / "elsewhere"
    arguments = ["--data", elsewhere, "load", commas, "--suite", TINY_SUITE]
    assert CliRunner().invoke(cli, list(map(str, arguments))).exit_code == 0
    found, expected = fingerprint(), {}
    with Store(elsewhere, read_only=True) as store:
        expected = all_rows(store)
    for tables in (found, expected):
        del tables["responses"]  # they name their run
    assert found == expected
    assert load(tmp_path / name).output.count("Nothing new") == 1


def test_a_line_is_counted_from_the_top_of_the_file(load, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("sep=;\n" + table(";") + "one;two\n", "utf-8", newline="")
    # The header, and four records of two lines each, stand before it.
    assert "line 11: 2 cells, the header has 11" in _rejects(load(path), tmp_path)


def _rejects(result, tmp_path):
    assert result.exit_code == 0, result.output
    with Store(tmp_path / "data", read_only=True) as store:
        return store.value("select detail from rejects")


@pytest.mark.parametrize("header", ["id;task|answer", "id;task\tanswer", "id"])
def test_a_header_that_two_separators_fit_is_refused(header, load, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(header + "\n" + header + "\n", "utf-8")
    result = load(path)
    assert result.exit_code == 1 and "a.csv has no column" in result.output
    assert ("something else than commas" in result.output) == (header != "id")


@pytest.fixture
def load_scores(load, tmp_path):
    content = yaml.safe_load(TINY_SUITE.read_text("utf-8"))
    content["columns"]["scores"] = {"warmth": "s"}
    suite = tmp_path / "scored.yml"
    suite.write_text(yaml.safe_dump(content, sort_keys=False), "utf-8")

    def run(separator, *scores):
        path = tmp_path / "scored.csv"
        records = [record(n, s=said) for n, said in enumerate(scores)]
        path.write_text(table(separator, records, [*COLUMNS, "s"]), "utf-8")
        return load(path, suite=suite)

    return run


def test_numbers_have_decimal_commas_where_semicolons_separate(load_scores, query):
    result = load_scores(";", "0,25", "-1,5e2", " 7 ", "0.5", "1.234,5", "")
    assert query(SCORES) == [
        (-150.0, "ok"),
        (0.25, "ok"),
        (0.5, "ok"),
        (7.0, "ok"),
        (None, "missing"),
        (None, "not_a_number"),
    ]
    assert "numbers with a decimal comma: 2, such as 0,25 read as 0.25" in result.output
    assert "scores without a number: 1 not_a_number, 1 missing; such as '1.234,5' in 's'" in result.output


def test_a_dot_that_may_mark_thousands_is_said(load_scores, query):
    result = load_scores(";", "2,5", "1.000", "-12.500", "0.125", "1000.125", "1.0")
    assert (1.0, "ok") in query(SCORES)
    said = "numbers with a dot before three digits: 2, such as 1.000 read as 1; if it marks thousands"
    assert said in result.output
    assert "before three digits" not in load_scores(",", "1.000").output


@pytest.mark.parametrize("separator", [",", "\t"])
def test_where_a_comma_may_mark_thousands_it_is_no_number(separator, load_scores, query):
    result = load_scores(separator, "0,250", "1")
    assert query(SCORES) == [(1.0, "ok"), (None, "not_a_number")]
    assert "scores without a number: 1 not_a_number; such as '0,250' in 's'" in result.output
    assert "decimal comma" not in result.output


def test_a_file_of_which_some_records_are_not_utf_8_says_how_to_save_it(load, tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(table(";", [record(1), record(2, answer="Bäckerin")]).encode("cp1252"))
    result = load(path)
    assert "1 loaded" in result.output
    assert (
        "rejected: 1 bad_encoding, first record 2: answer: bytes that are not UTF-8 (save the file as UTF-8)"
        in (result.output)
    )


def test_a_decimal_comma_is_one():
    commas = DecimalCommas(are_read=True)
    for text in ("", ",5", "5,", "1,2,3", "1.0,5", "a,5", "1,5%", "1_0,5", "٣,٥"):
        assert commas.read(text) == text
    assert (commas.n, list(commas.lines())) == (0, [])
