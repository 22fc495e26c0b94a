"""Malformed files: one clear line or a rejected record with its reason, and the raw tables as they were."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from click.testing import CliRunner
from tiny import COLUMNS, TINY_SUITE, Record, all_rows, csv_text, json_lines, record

from ingest.errors import printable
from ingest.load import command
from ingest.loading.files import MAX_CELL, REASONS
from ingest.store import RAW_NAME, Store

STORED = [record(1), record(2)]
GOOD = record(10)
HOSTILE = [
    "'; drop table responses; --",
    '=cmd|"/c calc"!A1',
    "@SUM(1+1)*cmd",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "{{ config(materialized='table') }}",
    "${jndi:ldap://localhost/a}",
    "\x1b[31mred\x1b[0m \x07",
    "\u202eright to left \u200b\u2028",
    "../../etc/passwd",
]


class Stored(NamedTuple):
    """The database after a good load, as bytes and as rows."""

    content: bytes
    rows: dict[str, list[str]]


@pytest.fixture(scope="module")
def stored(tmp_path_factory) -> Stored:
    folder = tmp_path_factory.mktemp("stored")
    file = folder / "first.csv"
    file.write_text(csv_text(STORED))
    result = CliRunner().invoke(command, [str(file), "--suite", str(TINY_SUITE)], obj=folder)
    assert result.exit_code == 0, result.output
    content = (folder / RAW_NAME).read_bytes()
    with Store(folder, read_only=True) as store:
        return Stored(content, all_rows(store))


@pytest.fixture
def warehouse(stored: Stored, data: Path) -> Path:
    data.mkdir()
    path = data / RAW_NAME
    path.write_bytes(stored.content)
    return path


class Sifted(NamedTuple):
    """What a load said and added to the raw tables: source ids and (record, reason, detail)."""

    stderr: str
    added: list[str]
    rejects: list[tuple[int, str, str]]


@pytest.fixture
def refused(load, warehouse, stored, fingerprint) -> Callable[..., str]:
    """Load what cannot be loaded: exit status 1, at most two lines, nothing changed. Return the message."""

    def run(path: Path, **options: Any) -> str:
        result = load(path, **options)
        assert result.exit_code == 1, result.output
        assert isinstance(result.exception, SystemExit), result.exception
        assert result.stdout == ""
        assert "Traceback" not in result.stderr
        (line,) = result.stderr.splitlines()
        assert line.startswith("Error: ") and line == printable(line) and len(line) <= 300
        assert warehouse.read_bytes() == stored.content or fingerprint() == stored.rows
        return result.stderr

    return run


@pytest.fixture
def sifted(stored, warehouse, data) -> Callable[..., Sifted]:
    """Load a file of which something is good (see `sift`)."""
    return lambda path, suite=TINY_SUITE: sift(stored, data, path, suite)


def sift(stored: Stored, data: Path, path: Path, suite: Path = TINY_SUITE) -> Sifted:
    """Load a file of which something is good: the stored rows stay, the counts add up."""
    result = CliRunner().invoke(command, [str(path), "--suite", str(suite)], obj=data)
    assert result.exit_code == 0, (result.output, result.exception)
    assert "Traceback" not in result.stderr
    with Store(data, read_only=True) as store:
        after = all_rows(store)
        added = store.rows(
            "select source_id from responses where source_file != 'first.csv' order by source_row"
        )
        rejects = store.rows("select source_row, reason, detail from rejects order by source_row")
        loads = store.rows(
            """
            select n_records, n_loaded, n_already_there, n_rejected
            from loads
            where source_file != 'first.csv'
            """
        )
        texts = store.rows("select text_key from texts order by 1")
        used = store.rows("select distinct text_key from responses where text_key is not null order by 1")
    assert loads == [(len(added) + len(rejects), len(added), 0, len(rejects))]
    assert all(set(rows) <= set(after[table]) for table, rows in stored.rows.items())
    assert texts == used
    assert {reason for _, reason, _ in rejects} <= set(REASONS)
    assert all(len(detail) <= 200 for _, _, detail in rejects)
    return Sifted(result.stderr, [source_id for (source_id,) in added], rejects)


def without(column: str) -> str:
    columns = [c for c in COLUMNS if c != column]
    return csv_text([{c: GOOD[c] for c in columns}], columns)


def parquet(records: list[Record], tmp_path: Path) -> bytes:
    path = tmp_path / "made.parquet"
    pq.write_table(pa.Table.from_pylist(records), path)
    return path.read_bytes()


HEADER = ",".join(COLUMNS)
WHOLE_FILES: dict[str, tuple[str, str | bytes, str]] = {
    "no bytes": ("a.csv", b"", "a.csv is empty"),
    "only blank lines": ("a.csv", b"\n\n\r\n", "has no records"),
    "only a header": ("a.csv", HEADER + "\n", "has no records"),
    "only a byte order mark": ("a.csv", b"\xef\xbb\xbf", "has no records"),
    "a column is missing": ("a.csv", without("answer"), "no column 'answer'; it has 'id', 'task', 'gender'"),
    "a column is misspelt": ("a.csv", csv_text([GOOD]).replace("gender", "Gnder", 1), "'Gnder' for 'gender'"),
    "other case of a column": ("a.csv", csv_text([GOOD]).replace("model", "Model", 1), "'Model' for 'model'"),
    "a column twice": ("a.csv", csv_text([GOOD]).replace("outcome", "model", 1), "two columns 'model'"),
    "semicolons and tabs": (
        "a.csv",
        csv_text([GOOD]).replace(",", ";", 5).replace(",", "\t"),
        "than commas? Save it as CSV with commas",
    ),
    "hostile column names": ("a.csv", f'"{"<script>" * 50}",=cmd()\n1,2\n', "'=cmd()'"),
    "300 columns": ("a.csv", ",".join(f"c{i}" for i in range(300)) + "\n", "and 280 more"),
    "UTF-16": ("a.csv", csv_text([GOOD]).encode("utf-16"), "a.csv is UTF-16, not UTF-8"),
    "UTF-16 without a mark": ("a.csv", csv_text([GOOD]).encode("utf-16-le"), "NUL bytes in its header"),
    "UTF-16 without a mark, as JSON": (
        "a.jsonl",
        json_lines([GOOD]).encode("utf-16-le"),
        "NUL bytes in its first line. Is it UTF-16?",
    ),
    "UTF-32": ("a.csv", b"\x00\x00\xfe\xff" + csv_text([GOOD]).encode("utf-32-be"), "UTF-32"),
    "Latin-1 header": ("a.csv", ("é" + csv_text([GOOD])).encode("latin-1"), "not UTF-8: its header"),
    "Latin-1 everywhere": (
        "a.csv",
        csv_text([record(answer="Bäckerin")]).encode("latin-1"),
        "1 bad_encoding",
    ),
    "an Excel workbook": ("a.csv", b"PK\x03\x04" + bytes(50), "an Excel workbook"),
    "gzip": ("a.csv", gzip.compress(csv_text([GOOD]).encode()), "compressed with gzip"),
    "random bytes": ("a.csv", bytes(range(128, 256)) * 9, "not UTF-8"),
    "a quote left open": (
        "a.csv",
        csv_text([GOOD]) + 'r-11,A1,F,N,"Lim',
        "line 3: the record that starts there",
    ),
    "a quote inside a cell": ("a.csv", csv_text([GOOD]) + 'r-11,A1,"F"x,N\n', "line 3"),
    "a quote left open early": ("a.csv", HEADER + '\nr-11,"A1,F\n' + "x,y\n" * 9, "line 2"),
    "only unknown labels": (
        "a.csv",
        csv_text([record(gender="?")]),
        "1 unknown_label, first record 1: gender: '?'",
    ),
    "only ragged rows": ("a.csv", HEADER + "\na,b\nc\n", "2 ragged_row, first record 1: line 2: 2 cells"),
    "a name that says nothing": ("a.txt", csv_text([GOOD]), "does not say what it is"),
    "CSV under another name": ("a.parquet", csv_text([GOOD]), "not a Parquet file"),
    "JSON under another name": ("a.csv", json_lines([GOOD]), "has no column"),
    "a JSON array": ("a.json", json.dumps([GOOD]), "one JSON array, not JSON Lines"),
    "JSON over many lines": (
        "a.json",
        json.dumps(GOOD, indent=1),
        "is one JSON document, and no log of a tool",
    ),
    "a JSON key never there": (
        "a.jsonl",
        json_lines([{**GOOD}]).replace('"model"', '"modle"'),
        "'modle' for 'model'",
    ),
    "blank JSON Lines": ("a.jsonl", "\n \n", "has no records"),
    "nested JSON": ("a.jsonl", "[" * 100_000, "one JSON array"),
    "deep JSON": ("a.jsonl", '{"a":' * 100_000, "1 invalid_json"),
    "only the Parquet mark": ("a.parquet", b"PAR1", "cannot be read as Parquet"),
    "Parquet mark in a CSV": ("a.csv", b"PAR1,id\n1,2\n", "cannot be read as Parquet"),
}


@pytest.mark.parametrize("name", WHOLE_FILES)
def test_a_file_that_is_spoilt(name, refused, tmp_path):
    file_name, content, expected = WHOLE_FILES[name]
    path = tmp_path / file_name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert expected in refused(path)


@pytest.mark.parametrize("cut", [0.1, 0.5, 0.99])
def test_a_parquet_file_that_is_cut_off(cut, refused, tmp_path):
    content = parquet([record(n) for n in range(10, 99)], tmp_path)
    path = tmp_path / "a.parquet"
    path.write_bytes(content[: int(len(content) * cut)])
    assert "cannot be read as Parquet" in refused(path)


def test_a_parquet_file_with_a_broken_page(refused, tmp_path):
    content = bytearray(parquet([record(n) for n in range(10, 99)], tmp_path))
    content[4:400] = bytes(396)
    path = tmp_path / "a.parquet"
    path.write_bytes(content)
    assert "cannot be read as Parquet" in refused(path)


def test_a_parquet_column_of_lists(refused, tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.Table.from_pylist([{**GOOD, "answer": ["a", "b"]}]), path)
    assert "1 wrong_type, first record 1: answer: a list, not text" in refused(path)
    pq.write_table(pa.Table.from_pylist([{c: v for c, v in GOOD.items() if c != "task"}]), path)
    assert "no column 'task'" in refused(path)


@pytest.mark.parametrize("make", [Path.mkdir, lambda path: None], ids=["a folder", "nothing"])
def test_no_file_at_all(make, refused, tmp_path):
    path = tmp_path / "a.csv"
    make(path)
    refused(path)


RECORDS: dict[str, tuple[Record, str, str]] = {
    "unknown category": (record(11, task="Z9"), "unknown_category", "'Z9'"),
    "category in another case": (record(11, task="a1"), "unknown_category", "'a1'"),
    "blank category": (record(11, task=""), "unknown_category", "''"),
    "unknown label": (record(11, gender="Femal"), "unknown_label", "gender: 'Femal' is not declared"),
    "label that looks alike": (record(11, gender="Мale"), "unknown_label", "'Мale'"),
    "blank label": (record(11, place=" "), "missing_label", "place is blank"),
    "blank prompt": (record(11, question="\n "), "missing_prompt", "question is blank"),
    "blank model": (record(11, model="\t"), "missing_model", "model is blank"),
    "long model": (record(11, model="m" * 201), "too_long", "model: 201 characters"),
    "long role": (record(11, role="r" * 999), "too_long", "role: 999 characters"),
    "long label": (record(11, gender="F" * 99_999), "unknown_label", "…"),
    "blank repeat": (record(11, round=""), "bad_repeat", "''"),
    "repeat in words": (record(11, round="twice"), "bad_repeat", "'twice'"),
    "negative repeat": (record(11, round="-1"), "bad_repeat", "'-1'"),
    "half a repeat": (record(11, round="1.5"), "bad_repeat", "'1.5'"),
    "other digits": (record(11, round="١١"), "bad_repeat", "'١١'"),
    "huge repeat": (record(11, round="99999999999999999999"), "bad_repeat", "'9999"),
    "unknown status": (record(11, outcome="maybe"), "unknown_status", "'maybe' is none of ok, refused"),
    "long status": (record(11, outcome="x" * 99), "unknown_status", ", other_model"),
    "a NUL in the text": (record(11, answer="a\0b"), "nul_byte", "answer: at character 2"),
    "a NUL in a label": (record(11, gender="F\0"), "nul_byte", "gender"),
    "too long a text": (record(11, answer="x" * (MAX_CELL + 1)), "too_long", "1,000,001 characters"),
    "a key twice": ({**GOOD, "answer": "She is a driver."}, "duplicate_key", "record 1 of a."),
    "a stored key": ({**STORED[0], "answer": "She is a driver."}, "duplicate_key", "record 1 of first.csv"),
}


CSV_ROWS: dict[str, tuple[bytes, str]] = {
    "too few cells": (b"r-11,A1,F,N\n", "ragged_row"),
    "too many cells": (csv_text([record(11)]).split("\n")[1].encode() + b",more\n", "ragged_row"),
    "Latin-1": (
        csv_text([record(11, answer="Bäckerin")]).split("\n")[1].encode("latin-1") + b"\n",
        "bad_encoding",
    ),
    "half a character": (csv_text([record(11)]).split("\n")[1].encode() + b"\xe4\xb8\n", "bad_encoding"),
    "an encoded surrogate": (
        csv_text([record(11)]).split("\n")[1].encode() + b"\xed\xa0\x80\n",
        "bad_encoding",
    ),
    "binary": (b"\xff\x00\xfe,\x01\n", "ragged_row"),
}


JSON_ROWS: dict[str, tuple[str, str]] = {
    "no JSON": ("id: r-11", "invalid_json"),
    "cut off": (json_lines([record(11)])[:-20], "invalid_json"),
    "no object": ("7", "invalid_json"),
    "an array": ("[1]", "invalid_json"),
    "a key twice": ('{"id": "r-11", "id": "r-12"}', "invalid_json"),
    "nested too deep": ('{"a":' * 50_000 + "1" + "}" * 50_000, "invalid_json"),
    "a number of 5,000 digits": ('{"id": ' + "9" * 5_000 + "}", "invalid_json"),
    "a key is missing": (json_lines([{"id": "r-11"}]), "ragged_row"),
    "a list": (json_lines([record(11, answer=["a"])]), "wrong_type"),
    "an object": (json_lines([record(11, gender={"a": 1})]), "wrong_type"),
    "a truth value": (json_lines([record(11, question=True)]), "wrong_type"),
    "a decimal number": (json_lines([record(11, answer=0.1)]), "wrong_type"),
    "half a surrogate": (json_lines([record(11)]).replace("baker", "\\ud83d"), "bad_encoding"),
    "half a repeat": (json_lines([record(11, round=1.5)]), "wrong_type"),
    "not a number": (json_lines([record(11, round=float("nan"))]), "bad_repeat"),
    "null": (json_lines([record(11, question=None)]), "missing_prompt"),
}


BAD = {
    "csv": {**RECORDS, **{name: (row, reason, "") for name, (row, reason) in CSV_ROWS.items()}},
    "jsonl": {**RECORDS, **{name: (row, reason, "") for name, (row, reason) in JSON_ROWS.items()}},
    "parquet": RECORDS,
}


def content_with_bad_records(kind: str, folder: Path) -> bytes:
    """A good record, then each bad one."""
    bad = [content for content, _, _ in BAD[kind].values()]
    if kind == "parquet":
        return parquet([GOOD, *bad], folder)
    if kind == "jsonl":
        lines = [json_lines([content]) if isinstance(content, dict) else content for content in [GOOD, *bad]]
        return b"".join(line.rstrip("\n").encode() + b"\n" for line in lines)
    rows = [csv_text([content]).encode() if isinstance(content, dict) else content for content in bad]
    return csv_text([GOOD]).encode() + b"".join(row.removeprefix(HEADER.encode() + b"\n") for row in rows)


@pytest.fixture(scope="module")
def sifted_records(stored, tmp_path_factory) -> dict[str, Sifted]:
    """For each format, what came of one file that holds every bad record of it."""
    found = {}
    for kind in BAD:
        folder = tmp_path_factory.mktemp(kind)
        (folder / RAW_NAME).write_bytes(stored.content)
        path = folder / f"a.{kind}"
        path.write_bytes(content_with_bad_records(kind, folder))
        found[kind] = sift(stored, folder, path)
    return found


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, bad in BAD.items() for name in bad])
def test_a_record_that_cannot_be_used(kind, name, sifted_records):
    found = sifted_records[kind]
    assert found.added == [GOOD["id"]]
    assert len(found.rejects) == len(BAD[kind])
    position = list(BAD[kind]).index(name)
    _, reason, detail = BAD[kind][name]
    number, found_reason, found_detail = found.rejects[position]
    assert (number, found_reason) == (position + 2, reason)
    assert detail in found_detail
    assert f" {reason}, first record " in found.stderr


def test_parquet_text_that_is_no_unicode(sifted, tmp_path):
    table = pa.Table.from_pylist([GOOD, record(11)])
    raw = pa.array([GOOD["answer"].encode(), b"B\xe4ckerin"], pa.binary())
    answers = pa.Array.from_buffers(pa.string(), 2, raw.buffers())
    table = table.set_column(table.schema.get_field_index("answer"), "answer", answers)
    path = tmp_path / "a.parquet"
    pq.write_table(table, path)
    found = sifted(path)
    assert found.added == [GOOD["id"]]
    assert [(number, reason) for number, reason, _ in found.rejects] == [(2, "bad_encoding")]


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("length", [100_000, MAX_CELL])
def test_a_long_text_is_taken_whole(length, kind, sifted, query, tmp_path):
    long = record(11, answer="word " * (length // 5), question="q" * 100_000)
    path = tmp_path / f"a.{kind}"
    content = {"csv": csv_text, "jsonl": json_lines, "parquet": lambda r: parquet(r, tmp_path)}[kind]([long])
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert sifted(path).added == ["r-11"]
    assert query("select max(n_characters), max(length(text)) from texts") == [(length, length)]


def test_a_line_without_end(refused, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(csv_text([GOOD]) + "x" * 16_000_001)
    assert "has a line of over 16,000,000 characters" in refused(path)


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_text_is_text(hostile, sifted, query, tmp_path):
    """In every text field it is kept exactly; as a label or a category it is refused."""
    text = {f: hostile for f in ("id", "person", "role", "model", "question", "answer")}
    labels = [record(20, gender=hostile), record(21, task=hostile), record(22, outcome=hostile)]
    path = tmp_path / (hostile.replace("/", "_") + ".csv")
    path.write_text(csv_text([{**GOOD, **text}, *labels]), encoding="utf-8", newline="")
    found = sifted(path)
    assert found.added == [hostile]
    assert [reason for _, reason, _ in found.rejects] == [
        "unknown_label",
        "unknown_category",
        "unknown_status",
    ]
    rows = query(
        """
        select source_file, source_id, keyword, role, model, prompt, text
        from responses
        join prompts using (prompt_key)
        join configs using (config_key)
        join texts using (text_key)
        where source_id = ?
        """,
        hostile,
    )
    kept = hostile.strip()
    assert rows == [(path.name, hostile, kept, kept, kept, hostile, hostile)]
    assert "\x1b" not in found.stderr


def test_a_message_cannot_steer_the_terminal(refused, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("\x1b[2J\x07,b\n1,2\n")
    assert "\x1b" not in refused(path)


SUITE = TINY_SUITE.read_text()


def replaced(old: str, new: str) -> str:
    assert old in SUITE
    return SUITE.replace(old, new, 1)


BOMB = "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n"
SUITES: dict[str, tuple[str | bytes, str]] = {
    "no bytes": (b"", "a suite is a mapping"),
    "a list": ("- suite: tiny\n", "a suite is a mapping"),
    "a word": ("tiny\n", "a suite is a mapping"),
    "null": ("~\n", "a suite is a mapping"),
    "two documents": (SUITE + "---\n" + SUITE, "found another document"),
    "an alias bomb": (BOMB + SUITE, "line 2: aliases (*name) are not allowed"),
    "a merge key": (replaced("axes: all", "axes: all\nx: &x {}\n<<: *x"), "aliases"),
    "nested too deep": ("a: " + "[" * 5_000 + "]" * 5_000, "nested deeper than 40 levels"),
    "a Python object": (
        "suite: !!python/object/apply:os.system ['true']\n",
        "could not determine a constructor",
    ),
    "a tab": (replaced("version: 1", "version:\t- 1\n\tx: 2"), "line "),
    "a quote left open": (replaced("title: A tiny suite", 'title: "A tiny'), "line "),
    "Latin-1": (replaced("A tiny suite", "Bäckerei").encode("latin-1"), "is not UTF-8 (byte "),
    "UTF-16": (SUITE.encode("utf-16"), "is not UTF-8"),
    "a NUL": (replaced("A tiny", "A\0tiny"), "control characters are not allowed"),
    "a key twice": (replaced("version: 1", "version: 1\nversion: 2"), "the key 'version' stands here twice"),
    "an unknown key": (replaced("version: 1", "version: 1\nverison: 2"), "verison"),
    "text for a number": (replaced("version: 1", "version: one"), "line 4: version"),
    "a list for a text": (replaced("title: A tiny suite", "title: [a, b]"), "line 3: title"),
    "a text for a list": (replaced("  shows: [gender]", "  shows: gender"), "names.shows"),
    "a number for a mapping": (SUITE[: SUITE.index("attributes:")] + "attributes: 7\n", "attributes"),
    "a version of 5,000 digits": (replaced("version: 1", "version: " + "9" * 5_000), "version"),
    "a version below 1": (replaced("version: 1", "version: 0"), "version: a number of at least 1"),
    "a truth value as a label": (replaced("baker: [baker, bakes]", "yes: [baker]"), "labels"),
    "a date as a label": (replaced("North:", "2020-01-01:"), "attributes.place"),
    "a list as a key": (replaced("version: 1", "version: 1\n? [a, b]\n: 2"), "stands here twice"),
    "languages of what a scorer reads": (
        replaced(
            "- set: job\n        kind: pattern", "- set: job\n        languages: [ms]\n        kind: anchor"
        ),
        "here the scorer says what it reads",
    ),
    "no language": (
        replaced("- set: job\n", "- set: job\n        languages: [Malay]\n"),
        "outcomes.0.languages",
    ),
    "infinity": (replaced("version: 1", "version: 1\nminimum: {coverage: .inf}"), "minimum.coverage"),
    "no suite key": (replaced("suite: tiny\n", ""), "suite"),
    "a hostile suite name": (replaced("suite: tiny", 'suite: "\'; drop table runs"'), "line 2: suite"),
    "a path as a suite name": (replaced("suite: tiny", "suite: ../../tiny"), "line 2: suite"),
    "a hostile attribute": (replaced("  gender:\n    F", "  '\"; drop':\n    F"), "attributes"),
    "one value": (
        replaced("    South: {aliases: [S]}\n", ""),
        "attributes.place: an attribute needs at least two values",
    ),
    "an alias of two values": (
        replaced("aliases: [S]", "aliases: [N]"),
        "'N' stands for 'North' already",
    ),
    "an unknown axis": (replaced("axes: all", "axes: [age]"), "'age' is no attribute"),
    "an unknown attribute": (
        replaced("shows: [gender]", "shows: [age]"),
        "names.shows: 'age' is no attribute",
    ),
    "a column of no attribute": (
        replaced("{gender: gender,", "{age: gender,"),
        "columns.attributes.age: 'age' is no attribute",
    ),
    "a law's table of no attribute": (
        replaced("axes: all", "axes: all\nlocal_law_144: {sex: age}"),
        "local_law_144: 'age' is no attribute",
    ),
    "a law's table of nothing": (
        replaced("axes: all", "axes: all\nlocal_law_144: {minimum_share: 0.1}"),
        "local_law_144: name the attribute that is `sex`, or `race`, or both",
    ),
    "a law's table of one attribute twice": (
        replaced("axes: all", "axes: all\nlocal_law_144: {sex: gender, race: gender}"),
        "sex and race are two attributes",
    ),
    "no category": (SUITE[: SUITE.index("categories:")] + "categories: {}\n", "categories"),
    "no columns": (
        SUITE[: SUITE.index("columns:")] + SUITE[SUITE.index("categories:") :],
        "has no `columns:`",
    ),
    "a pattern that is none": (
        replaced("round", "{column: round, pattern: '('}"),
        "line 25: columns.repeat",
    ),
    "a pattern of no group": (replaced("round", "{column: round, pattern: 'a'}"), "line 25: columns.repeat"),
    "three megabytes": (SUITE + "# " + "x" * 3_000_000, "has more than 2,000,000 bytes"),
}


@pytest.mark.parametrize("name", SUITES)
def test_a_suite_that_is_malformed(name, refused, tmp_path):
    content, expected = SUITES[name]
    suite = tmp_path / "suite.yml"
    suite.write_bytes(content if isinstance(content, bytes) else content.encode())
    path = tmp_path / "a.csv"
    path.write_text(csv_text([GOOD]))
    assert expected in refused(path, suite=suite)


@pytest.mark.parametrize("make", [Path.mkdir, lambda path: None], ids=["a folder", "nothing"])
def test_no_suite_at_all(make, refused, tmp_path):
    suite = tmp_path / "suite.yml"
    make(suite)
    path = tmp_path / "a.csv"
    path.write_text(csv_text([GOOD]))
    assert str(suite) in refused(path, suite=suite)


# One for each kind of sign that a reader cannot see, or that steers a terminal.
HIDDEN = [
    "\x1b[31mred\x1b[0m \x07",
    "a\u202eb",
    "No\u200brth",
    "\u2028",
    "North\ufeff",
    "\u3164",
    "\x85",
    "\u00ad",
]


@pytest.mark.parametrize("hidden", HIDDEN)
@pytest.mark.parametrize("place", ["title", "value", "label"])
def test_a_name_whose_signs_cannot_be_seen_is_refused(hidden, place, refused, tmp_path):
    content = yaml.safe_load(SUITE)
    if place == "title":
        content["title"] = hidden
    elif place == "value":
        content["attributes"]["place"][hidden] = {}
    else:
        content["categories"]["A1"]["outcomes"][0]["labels"][hidden] = ["x"]
    suite = tmp_path / "suite.yml"
    suite.write_text(yaml.safe_dump(content, allow_unicode=False), encoding="utf-8")
    path = tmp_path / "a.csv"
    path.write_text(csv_text([GOOD]))
    assert "holds the invisible character U+" in refused(path, suite=suite)


@pytest.mark.parametrize("other", ["NORTH", " north ", "Ｎorth", "No\u200crth", "ﬁne"])
def test_values_that_look_alike_are_refused(other, refused, tmp_path):
    content = yaml.safe_load(SUITE)
    content["attributes"]["place"] |= {other: {}, "fine": {}}
    suite = tmp_path / "suite.yml"
    suite.write_text(yaml.safe_dump(content), encoding="utf-8")
    path = tmp_path / "a.csv"
    path.write_text(csv_text([GOOD]))
    assert "already: case, spaces and what is invisible are one" in refused(path, suite=suite)


@pytest.mark.parametrize("hostile", [text for text in HOSTILE if not text.startswith(("\x1b", "\u202e"))])
def test_hostile_text_in_a_suite_is_text(hostile, sifted, query, tmp_path):
    """As a title, a value, a label and a column's name it is kept, and found as it is written."""
    content = yaml.safe_load(SUITE) | {"suite": "hostile", "title": hostile}
    content["attributes"]["place"] = {hostile: {"words": [hostile]}, "South": {}}
    content["columns"]["response"] = hostile
    content["categories"]["A1"]["outcomes"][0]["labels"] = {hostile: [hostile], "other": ["other"]}
    suite = tmp_path / "suite.yml"
    suite.write_text(yaml.safe_dump(content, allow_unicode=True), encoding="utf-8")
    renamed = {hostile if c == "answer" else c: v for c, v in record(11, place=hostile).items()}
    path = tmp_path / "a.csv"
    path.write_text(csv_text([renamed], renamed), encoding="utf-8", newline="")
    assert sifted(path, suite=suite).added == ["r-11"]
    [(definition,)] = query("select definition from suites where suite = 'hostile'")
    assert json.loads(definition)["title"] == hostile
    assert query("select attributes['place'] from prompts where suite = 'hostile'") == [(hostile,)]
    phrases = json.loads(definition)["categories"]["A1"]["outcomes"][0]["phrases"]
    [pattern] = [phrase["pattern"] for phrase in phrases if phrase["phrase"] == hostile]
    matches = duckdb.connect().execute("select regexp_matches(?, ?)", [f"x {hostile} y", pattern]).fetchall()
    assert matches == [(True,)]


LARGE = 10**20
CONFIG = {"backend": "simulated", "model": "simulated"}
SIZES: dict[str, tuple[dict[str, Any], str]] = {
    "a version": ({"version": 2**40}, "version: a number of at most 2147483647"),
    "beyond 64 bits": ({"version": LARGE}, "version: a whole number is at most 9,223,372,036,854,775,807"),
    "a seed": ({"sample": {"seed": 2**64}}, "sample.seed: a whole number is at most"),
    "an option": ({"options": {"top_k": -LARGE}}, "options.top_k: a whole number is at most"),
    "a number without end": ({"minimum": {"coverage": float("inf")}}, "coverage: a number of at most 1"),
    "roots": ({"sample": {"roots": 2**31}}, "sample.roots: a number of at most"),
    "rates": ({"configs": [CONFIG | {"requests_per_minute": float("inf")}]}, "requests_per_minute"),
}  # fmt: skip


@pytest.mark.parametrize("name", SIZES)
def test_a_number_that_no_column_holds(name, refused, tmp_path):
    changes, expected = SIZES[name]
    suite = tmp_path / "suite.yml"
    suite.write_text(yaml.safe_dump(yaml.safe_load(SUITE) | changes), encoding="utf-8")
    path = tmp_path / "a.csv"
    path.write_text(csv_text([GOOD]))
    assert expected in refused(path, suite=suite)


def attributes(n: int, n_values: int = 2) -> dict[str, Any]:
    return {f"a{i:02}": {f"v{j}": {} for j in range(n_values)} for i in range(n)}


CROSSED: dict[str, tuple[dict[str, Any], str]] = {
    "all of 26 attributes": ({"attributes": attributes(26), "axes": "all"}, "67,108,863 axes"),
    "26 attributes crossed": (
        {"attributes": attributes(26), "axes": [" & ".join(attributes(26))]},
        "67,108,864 groups",
    ),
    "many axes": ({"attributes": attributes(3, 60), "axes": "all"}, "226,980 groups"),
}


@pytest.mark.parametrize("name", CROSSED)
def test_how_many_groups_there_would_be_is_said_before_they_are_made(name, refused, tmp_path):
    changes, expected = CROSSED[name]
    content = yaml.safe_load(SUITE) | changes | {"names": None, "columns": None, "configs": []}
    suite = tmp_path / "suite.yml"
    suite.write_text(yaml.safe_dump(content), encoding="utf-8")
    path = tmp_path / "a.csv"
    path.write_text(csv_text([GOOD]))
    assert expected in refused(path, suite=suite)


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("{" + "}{".join("abcdefghij") + "}", f"{101 * 100**9:,} roots"),
        ("{a}{b}{c} {gender}", "1,010,000 roots"),
        ("{" + "}{".join("abcd") + "} {gender}", "101,000,000 roots"),
    ],
)
def test_how_many_roots_there_would_be_is_said_before_they_are_made(prompt, expected, refused, tmp_path):
    content = yaml.safe_load(SUITE)
    slots = {slot: [str(i) for i in range(100 + (slot == "c"))] for slot in "abcdefghij"}
    content["categories"]["A1"] |= {"slots": slots, "prompts": [prompt]}
    suite = tmp_path / "suite.yml"
    suite.write_text(yaml.safe_dump(content), encoding="utf-8")
    path = tmp_path / "a.csv"
    path.write_text(csv_text([GOOD]))
    assert expected in refused(path, suite=suite)
