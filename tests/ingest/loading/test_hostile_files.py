"""Files that are damaged, bombs, or wide and deep beyond all use: one line, and nothing is loaded."""

import json
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tiny import COLUMNS, record, write_parquet

from ingest.apart.process import Child, Limits
from ingest.errors import PlumblineError
from ingest.loading import parquet_check
from ingest.loading.files import REASONS, RowProblem, read_records
from ingest.prompts.replacements import read_csv
from ingest.scorers.own import OwnFile
from ingest.suite import OwnScorer

N_FLIPPED = 150  # bytes of each file that are flipped, evenly spread


@pytest.fixture
def refused(load, data):
    """Load a file, which is refused as a whole; return the message."""

    def run(path: Path) -> str:
        result = load(path)
        message = result.stderr.partition("Error: ")[2]
        assert result.exit_code == 1 and "Traceback" not in result.output
        assert path.name in message and message.count("\n") == 1 and len(message) <= 300
        assert not (data / "raw.duckdb").exists()
        return message

    return run


def parquet(folder: Path, name: str = "answers.parquet", **options) -> Path:
    path = folder / name
    pq.write_table(pa.Table.from_pylist([record(i, answer="é" * i) for i in range(60)]), path, **options)
    return path


@pytest.fixture
def one_reader(monkeypatch):
    """Ask one child about all files, in the place of one each."""
    children = []

    def ask(path, question, size):
        child = children.pop() if children else Child(parquet_check.READER, Limits(30, 1 << 30))
        try:
            found = child.ask(question)
        except parquet_check.Stopped as stopped:
            return {"error": str(stopped)}
        children.append(child)
        return found

    monkeypatch.setattr(parquet_check, "_ask", ask)
    yield
    for child in children:
        child.close()


@pytest.mark.parametrize(
    "options",
    [
        {"write_page_checksum": True, "compression": "zstd"},
        {"write_page_checksum": True, "use_dictionary": False, "data_page_version": "2.0"},
        {"compression": "none"},
    ],
    ids=["checksums", "second version", "no checksums"],
)
def test_a_flipped_byte_ends_in_one_line_or_changes_nothing_that_a_checksum_tells(
    one_reader, tmp_path, options
):
    path = parquet(tmp_path, **options)
    right, good = [cells for _, cells in read_records(path, COLUMNS)], path.read_bytes()
    footer = len(good) - 8 - int.from_bytes(good[-8:-4], "little")
    n_refused = 0
    for start, end in ((0, footer), (footer, len(good))):
        for position in range(start, end, max(1, (end - start) // N_FLIPPED)):
            path.write_bytes(good[:position] + bytes([good[position] ^ 0xFF]) + good[position + 1 :])
            try:
                found = [cells for _, cells in read_records(path, COLUMNS)]
            except PlumblineError as error:
                n_refused += 1
                assert len(error.format_message()) <= 293
                continue
            if position < footer and "write_page_checksum" in options:
                assert found == right, position
            assert all(not isinstance(c, RowProblem) or c.reason in REASONS for c in found)
    assert n_refused > N_FLIPPED / 2


@pytest.mark.parametrize(
    ("reader", "seconds", "said"),
    [
        ("os:abort", 60, "it was ended by SIGABRT"),
        ("builtins:exit", 60, "it ended with exit code 0"),
        ("threading:Event().wait", 60, "it ended with exit code 1"),
        ("ingest.apart.parquet:Reading", 0.01, "it took over 0.01"),
    ],
)
def test_a_file_that_takes_its_reader_down_is_refused(monkeypatch, refused, tmp_path, reader, seconds, said):
    monkeypatch.setattr(parquet_check, "READER", reader)
    monkeypatch.setattr(parquet_check, "SECONDS", seconds)
    assert said in refused(parquet(tmp_path))


def nested(depth: int) -> bytes:
    """Return a Parquet file without rows whose only column lies that many groups deep (Thrift, by hand)."""

    def number(n: int) -> bytes:
        return bytes([n & 0x7F | 0x80]) + number(n >> 7) if n > 0x7F else bytes([n])

    group, leaf = b"\x35\x02\x18\x01g\x15\x02\x00", b"\x15\x0c\x25\x02\x18\x01a\x00"
    schema = b"\x48\x01r\x15\x02\x00" + group * depth + leaf
    footer = b"\x15\x02\x19\xfc" + number(depth + 2) + schema + b"\x16\x00\x19\x0c\x00"
    return b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1"


@pytest.mark.parametrize("depth", [1_000, 100_000, 1_000_000])
def test_a_schema_that_is_nested_deep_is_refused(refused, tmp_path, depth):
    path = tmp_path / "deep.parquet"
    path.write_bytes(nested(depth))
    assert "cannot be read as Parquet" in refused(path)


def equal_texts(path: Path) -> None:
    texts = pa.DictionaryArray.from_arrays(pa.repeat(pa.scalar(0, pa.int32()), 200_000), ["x" * 1_000])
    nothing = pa.nulls(200_000, pa.string())
    pq.write_table(pa.table({**dict.fromkeys(COLUMNS, nothing), "answer": texts}), path, compression="zstd")


def blanks(path: Path) -> None:
    pq.write_table(pa.table(dict.fromkeys(COLUMNS, pa.nulls(500_000, pa.string()))), path)


def one_text(path: Path) -> None:
    texts = {**record(1), "answer": "x" * (70 << 20)}
    pq.write_table(pa.Table.from_pylist([texts]), path, compression="zstd", use_dictionary=False)


@pytest.mark.parametrize("bomb", [equal_texts, blanks, one_text])
def test_a_parquet_bomb_is_refused_before_it_goes_off(monkeypatch, refused, tmp_path, bomb):
    monkeypatch.setattr(parquet_check, "MAX_UNFOLDED", 1 << 26)
    path = tmp_path / "bomb.parquet"
    bomb(path)
    assert path.stat().st_size < 64_000
    assert "bytes and unfolds to over 67,108,864." in refused(path)


def test_records_too_large_to_be_held_at_once_are_refused(monkeypatch, refused, tmp_path):
    path = tmp_path / "large.parquet"
    write_parquet(path, [record(i, answer="x" * 20_000) for i in range(200)])
    monkeypatch.setattr(parquet_check, "MAX_AT_ONCE", 1 << 20)
    assert "100 of its records take over 1 MB" in refused(path)
    path.touch()
    monkeypatch.setattr(parquet_check, "MAX_AT_ONCE", 1 << 30)
    monkeypatch.setattr(parquet_check, "MEMORY", 200 << 20)
    assert "cannot be read as Parquet" in refused(path)


def test_a_footer_of_millions_of_columns_is_not_read(monkeypatch, refused, tmp_path):
    path = tmp_path / "wide.parquet"
    pq.write_table(pa.table({f"c{i}": pa.nulls(1) for i in range(1_000)}), path)
    monkeypatch.setattr(parquet_check, "MAX_FOOTER", 50_000)
    assert re.search(r"its footer has [\d,]+ bytes; at most 50,000", refused(path))


def test_the_child_that_waits_is_asked_and_one_that_nobody_asks_is_ended(tmp_path):
    path = tmp_path / "fine.parquet"
    pq.write_table(pa.table({"a": ["yes"]}), path)
    with parquet_check.child_waiting(path):
        (child,) = parquet_check._waiting
        assert [cells for _, cells in read_records(path, "a")] == [["yes"]]
        assert parquet_check._waiting == [] and child._process.poll() is not None
    with pytest.raises(PlumblineError), parquet_check.child_waiting(path):
        (child,) = parquet_check._waiting
        raise PlumblineError("Nothing was read.", "")
    assert parquet_check._waiting == [] and child._process.poll() is not None
    with parquet_check.child_waiting(tmp_path / "none.parquet"):
        assert parquet_check._waiting == []


def test_what_is_fine_is_read_as_it_was_written(tmp_path):
    rows = [[f"text {i}" * i, i, None] for i in range(500)]
    table = pa.table(dict(zip("abc", map(list, zip(*rows, strict=True)), strict=True)))
    pq.write_table(table, tmp_path / "fine.parquet", write_page_checksum=True)
    assert [cells for _, cells in read_records(tmp_path / "fine.parquet", "abc")] == rows


@pytest.mark.parametrize(
    "written",
    [
        lambda: ",".join(map("c{}".format, range(1_500_000))) + "\n" + "," * 1_499_999 + "\n",
        lambda: "," * 4_000_000 + "\n1\n",
        lambda: "x" * 15_999_990 + "\n1\n",
        lambda: "x" * 16_000_001 + "\n1\n",
    ],
    ids=["1.5 million columns", "columns without names", "a long name", "a line too long"],
)
def test_a_csv_header_of_megabytes_ends_in_one_line(refused, tmp_path, written):
    path = tmp_path / "wide.csv"
    path.write_text(written(), encoding="utf-8")
    assert "has no column" in (said := refused(path)) or "has a line of over 16,000,000" in said


def test_rows_of_millions_of_cells_are_refused_one_by_one(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,b\n" + "," * 3_000_000 + "\n1,2\n", encoding="utf-8")
    first, second = (cells for _, cells in read_records(path, ["a", "b"]))
    assert (first.reason, second) == ("ragged_row", ["1", "2"])


@pytest.mark.parametrize(
    ("line", "detail"),
    [
        (lambda: '{"a": ' + "[" * 7_000_000, "nested too deep"),
        (lambda: '{"a": ' + "9" * 5_000 + "}", "a number of too many digits"),
        (lambda: '{"a": ' + '{"a": ' * 2_000_000, "nested too deep"),
        (lambda: json.dumps(dict.fromkeys(map(str, range(500_000)), 1)), "no 'a' in the object"),
    ],
    ids=["lists", "digits", "objects", "keys"],
)
def test_lines_of_json_that_nobody_writes_are_refused_one_by_one(tmp_path, line, detail):
    path = tmp_path / "odd.jsonl"
    path.write_text(f'{line()}\n{{"a": 1}}\n', encoding="utf-8")
    first, second = (cells for _, cells in read_records(path, ["a"]))
    assert first.detail == f"line 1: {detail}" and second == [1]


@pytest.mark.parametrize("suffix", ["jsonl", "parquet", "csv"])
def test_a_scorer_s_file_is_read_as_carefully(tmp_path, suffix):
    path = tmp_path / f"warmth.{suffix}"
    path.write_text(
        {
            "jsonl": '{"text": "a", "value": 1' + "0" * 400 + "}\n",
            "parquet": "PAR1" + "x" * 100 + "PAR1",
            "csv": "," * 1_500_000 + "\n",
        }[suffix],
        encoding="utf-8",
    )
    with pytest.raises(PlumblineError) as error:
        OwnFile("w", OwnScorer(file=path.name, range=(0, 1)), tmp_path).score(["a"])
    assert path.name in error.value.what and len(error.value.format_message()) <= 293


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (
            lambda: ",".join(map("c{}".format, range(300_000))) + "\n" + "x\n" * 300_000,
            "has 1 cells, the header 300,000",
        ),
        (lambda: "target,from\na,b,c\n", "line 2 has 3 cells, the header 2"),
        (lambda: 'target,from\na,"b\n', "unexpected end of data"),
        (lambda: "x" * 5_000_001, "has more than 5,000,000 bytes"),
    ],
    ids=["cells", "more cells", "quote", "bytes"],
)
def test_a_table_that_a_suite_names_is_read_as_carefully(tmp_path, written, said):
    path = tmp_path / "replacements.csv"
    path.write_text(written(), encoding="utf-8")
    with pytest.raises(PlumblineError, match=said):
        read_csv(path)
