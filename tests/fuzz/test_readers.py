"""Whatever bytes a file holds, each record is yielded once or rejected with a reason, or one line says why.

PLUMBLINE_FUZZ_EXAMPLES says how many files each test tries; what ever failed is an @example.
"""

import csv
import io
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fuzzing import fuzzed
from hypothesis import example, given
from hypothesis import strategies as st
from tiny import TINY_SUITE, csv_text, json_lines, record

from ingest.apart.process import Child, Limits, Stopped
from ingest.errors import LONGEST, PlumblineError
from ingest.loading import parquet_check
from ingest.loading.columns import RecordReader
from ingest.loading.files import REASONS, RowProblem, read_records
from ingest.suite import load_suite

RECORDS = [
    record(1),
    record(2, answer='She said "no",\r\nor so. 👩', gender="ＦＥＭＡＬＥ "),
    record(3, round=3),
]

# What spoils files, beside what chance makes: of CSV, of JSON, of Parquet, of Unicode.
PIECES = [
    b'"',
    b"'",
    b",",
    b"\r",
    b"\n",
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\xed\xa0\x80",
    b"{",
    b"[",
    b"]}",
    b"\\ud800",
]
PIECES += [
    b"NaN",
    b"1e999",
    b"-0",
    b"9" * 5_000,
    b"[" * 3_000,
    b"PAR1",
    b"\x80" * 5,
    b"\xff\xff\xff\x7f",
    b"\x1f\x8b",
]
pieces = st.one_of(st.sampled_from(PIECES), st.binary(max_size=6))
changes = st.lists(st.tuples(st.integers(0, 2**16), st.integers(0, 40), pieces), min_size=1, max_size=4)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
tables = st.lists(st.tuples(texts, texts, texts), min_size=1, max_size=6)


@cache
def parquet_bytes() -> bytes:
    out = io.BytesIO()
    rows = [{**one, "round": str(one["round"])} for one in RECORDS]
    pq.write_table(pa.Table.from_pylist(rows), out, write_page_checksum=True)
    return out.getvalue()


def changed(content: bytes, some: list[tuple[int, int, bytes]]) -> bytes:
    """Put each piece in the place of so many bytes at its place, counted from the end for Parquet's sake."""
    for place, n_replaced, piece in some:
        start = max(0, len(content) - place % (len(content) + 1))
        content = content[:start] + piece + content[start + n_replaced :]
    return content


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Iterator[Path]:
    """A folder for files; one child reads all that are Parquet."""
    children: list[Child] = []

    def ask(path, question, size):
        child = children.pop() if children else Child(parquet_check.READER, Limits(30, 1 << 30))
        try:
            found = child.ask(question)
        except Stopped as stopped:
            return {"error": str(stopped)}
        children.append(child)
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parquet_check, "_ask", ask)
        yield tmp_path_factory.mktemp("fuzz")
    for child in children:
        child.close()


@cache
def reader() -> RecordReader:
    return RecordReader(load_suite(TINY_SUITE))


def check(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    parquet_check._check.cache_clear()
    found = []
    try:
        found.extend(read_records(path, reader().columns))
    except PlumblineError as error:
        assert path.name in error.what and len(error.format_message()) <= LONGEST
    assert [number for number, _ in found] == list(range(1, len(found) + 1))
    for _, cells in found:
        problem = cells if isinstance(cells, RowProblem) else None
        if problem is None:
            assert len(cells) == len(reader().columns)
            try:
                fields = reader().read(cells)
            except RowProblem as refused:
                problem = refused
            else:
                (fields.prompt + fields.text + fields.model).encode("utf-8")
                assert "\0" not in fields.prompt + fields.text
        if problem is not None:
            assert problem.reason in REASONS and problem.detail.isprintable() and len(problem.detail) <= 200


@fuzzed(40)
@given(changes)
@example([(0, 0, b'"')])
@example([(40, 0, b"\0"), (10, 0, b"\xed\xa0\x80")])
def test_csv_that_is_spoilt(folder, some):
    check(folder / "a.csv", changed(csv_text(RECORDS).encode(), some))


@fuzzed(40)
@given(changes)
@example([(3, 0, b"9" * 5_000)])
@example([(3, 1, b"[" * 100_000)])
def test_json_that_is_spoilt(folder, some):
    check(folder / "a.jsonl", changed(json_lines(RECORDS).encode(), some))


@fuzzed(40)
@given(changes)
@example([(1_000, 40, b"\x80" * 5)])
def test_parquet_that_is_spoilt(folder, some):
    check(folder / "a.parquet", changed(parquet_bytes(), some))


@fuzzed(40)
@given(
    st.sampled_from(["csv", "jsonl", "parquet"]),
    st.one_of(st.binary(max_size=200), st.lists(pieces).map(b"".join)),
)
@example("parquet", b"PAR1" + b"\xff\xff\xff\x7f" + b"PAR1")
@example("csv", b"\xef\xbb\xbf")
def test_bytes_that_are_no_file(folder, suffix, content):
    check(folder / f"b.{suffix}", content)


@fuzzed(40)
@given(tables)
@example([("\r", "\x85\u2028", "\ufeff"), ("", "", "")])
@example([('"', ",", "\0")])
def test_what_is_written_comes_back(folder, table):
    names, rows = ["a", "b", "c"], [list(row) for row in table]
    with (folder / "c.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([names, *rows])
    lines = "".join(json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False) + "\n" for row in rows)
    (folder / "c.jsonl").write_text(lines, "utf-8", newline="")
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    pq.write_table(pa.table(columns), folder / "c.parquet")
    for suffix in ("csv", "jsonl", "parquet"):
        parquet_check._check.cache_clear()
        assert [cells for _, cells in read_records(folder / f"c.{suffix}", names)] == rows, suffix
