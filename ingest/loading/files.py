"""Response files, record by record: CSV, JSON Lines and Parquet, in bounded memory."""

import csv
import difflib
import random
from collections.abc import Container, Iterable, Iterator, Sequence
from datetime import date
from decimal import Decimal
from itertools import count, islice
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple, TextIO, TypeVar

import pyarrow as pa

from ingest.errors import PlumblineError, shorten
from ingest.loading.parquet_check import ROWS, open_parquet, unreadable
from ingest.loading.problems import REASONS, RowProblem, kind_of, shown
from ingest.loading.readers import Reader, reader_of
from ingest.loading.readers.documents import MAX_LINE, parsed
from ingest.loading.separators import SEMICOLON, skip_separator
from ingest.paths import reading

__all__ = [
    "REASONS",
    "Record",
    "RowProblem",
    "check_text",
    "file_format",
    "named",
    "read_records",
    "require_columns",
    "shown",
]

MAX_CELL = 1_000_000
LARGEST_WHOLE = 1e15  # beyond it, floats leave whole numbers out
# Of a file whose fields are guessed: how much of it is read, and in runs of how many some of it is looked at.
MOST_READ, MOST_OF_A_LOG, RUN = 2_000_000, 100_000, 100
FIRST = 10  # one in so many runs is from the top
MAX_NAMES_SHOWN = 20
MAX_NAMES_COMPARED = 1_000
MEND_COLUMNS = "Correct `columns:` or `measurements:` in the suite, or the file."
FORMATS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
}
SIGNATURES = (
    (b"PK\x03\x04", "a zip archive or an Excel workbook", "Export it as CSV in UTF-8, then load that."),
    (b"\x1f\x8b", "compressed with gzip", "Unpack it, then load what comes out."),
    (b"\xff\xfe", "UTF-16, not UTF-8", "Save it as UTF-8 (in Excel: CSV UTF-8), then load that."),
    (b"\xfe\xff", "UTF-16, not UTF-8", "Save it as UTF-8 (in Excel: CSV UTF-8), then load that."),
    (b"\x00\x00\xfe\xff", "UTF-32, not UTF-8", "Save it as UTF-8, then load that."),
)

Record = tuple[int, "list[Any] | RowProblem"]
T = TypeVar("T")


class Block(NamedTuple):
    """Some records by column: the number of the first, cells or numbers of each column, and what is wrong.

    `problems` are those of records that cannot be read, by their place; their cells are None.
    """

    first: int
    columns: "list[Sequence[Any] | pa.Array]"
    problems: dict[int, RowProblem]


def file_format(path: Path) -> str:
    """Return `csv`, `jsonl` or `parquet`, by the file's beginning and its name.

    Raises PlumblineError for a file that is missing, empty or none of these.
    """
    with reading(path, "Name a file of responses; it is read twice, so save it to disk first.") as handle:
        head = handle.read(4)
    if not head:
        raise PlumblineError(f"{shown(path)} is empty.", "Name a file that holds responses.")
    if head == b"PAR1":
        return "parquet"
    for signature, what, what_to_do in SIGNATURES:
        if head.startswith(signature):
            raise PlumblineError(f"{shown(path)} is {what}.", what_to_do)
    found = FORMATS.get(path.suffix.lower())
    if path.suffix.lower() == ".eval":
        raise PlumblineError(f"{shown(path)} is no log of Inspect, or a damaged one.", "Copy it again.")
    if found is None:
        raise PlumblineError(
            f"{shown(path)}: the name does not say what it is.",
            f"Name it by its format: {', '.join(FORMATS)}.",
        )
    if found == "parquet":
        raise PlumblineError(
            f"{shown(path)} is not a Parquet file.", "Write it again, or name it .csv or .jsonl."
        )
    return found


def read_records(
    path: Path,
    columns: Sequence[str],
    limit: int | None = None,
    remedy: str = MEND_COLUMNS,
    beside: Sequence[Path] = (),
) -> Iterator[Record]:
    """Yield (number, cells) of each record, at most `limit`; numbers start at 1, a header does not count.

    Cells stand in the order of `columns`, as the file types them. A record that cannot be read comes as a
    RowProblem. A blank line is no record. A log of another tool is read by its reader, with the files that
    were named `beside` it.
    Raises PlumblineError for what spoils the whole file: a column that is missing, no records, a quote
    that is left open, a Parquet file that is cut off.
    """
    readers = {"csv": _csv_records, "jsonl": _json_records, "parquet": _parquet_records}
    if log := reader_of(path):
        records = _log_records(path, log, beside, columns, remedy)
    else:
        records = readers[file_format(path)](path, columns, remedy)
    number = 0
    for cells in islice(records, limit):
        number += 1
        yield number, cells
    if not number:
        raise _without_records(path)


def read_columns(
    path: Path, columns: Sequence[str], numbers: Container[str], n: int, limit: int | None = None
) -> Iterator[Block]:
    """Yield a file's records `n` at a time, by column. Raises what `read_records` does.

    A column of `numbers` that a Parquet file types as floats comes as float64, any other as cells.
    """
    if reader_of(path) is None and file_format(path) == "parquet":
        yield from _parquet_blocks(path, columns, numbers, n, limit)
        return
    records, nothing = read_records(path, columns, limit), [None] * len(columns)
    while some := list(islice(records, n)):
        problems = {i: cells for i, (_, cells) in enumerate(some) if isinstance(cells, RowProblem)}
        rows = (nothing if i in problems else cells for i, (_, cells) in enumerate(some))
        yield Block(some[0][0], [*zip(*rows, strict=True)], problems)


def some_records(path: Path, limit: int, beside: Sequence[Path] = ()) -> list[dict[str, Any]]:
    """Return records of a file by the names of its columns; those that cannot be read are left out.

    Of a file with more than `limit` they are what `spread` chooses. Raises PlumblineError as `read_records`
    does.
    """
    if log := reader_of(path):
        found = islice(log.read(path, beside), MOST_OF_A_LOG)
        return spread((record for record in found if not isinstance(record, RowProblem)), limit)
    kind = file_format(path)
    for _ in read_records(path, [], 1):  # says what spoils the file
        pass
    if kind == "jsonl":
        with _open_text(path) as handle:
            lines = (parsed(line) for line in islice(_lines(path, handle), MOST_READ) if line.strip())
            objects = spread((content for content in lines if isinstance(content, dict)), limit)
        if not objects:
            raise PlumblineError(
                f"{shown(path)}: none of its first lines is a JSON object.",
                'Write one object on each line, such as {"prompt": …, "response": …}.',
            )
        return objects
    if kind == "csv":
        with _open_text(path) as handle:
            names = next(_csv_rows(path, handle))[1]
    else:
        with open_parquet(path, []) as file:
            names = file.schema_arrow.names
    records = (r for _, r in read_records(path, names, MOST_READ) if not isinstance(r, RowProblem))
    return [dict(zip(names, record, strict=True)) for record in spread(records, limit)]


def spread(records: Iterable[T], limit: int) -> list[T]:
    """Return at most `limit` of these, in their order: the first, and from anywhere else runs of neighbours.

    A file may be sorted by group or by model, and prompts that belong together mostly stand together.
    """
    chosen, n_runs = random.Random(0), max(1, limit // RUN)
    n_first = n_runs // FIRST
    kept: list[tuple[int, list[T]]] = []
    rest = iter(records)
    for number in count():
        run = list(islice(rest, RUN))
        if not run:
            break
        if len(kept) < n_runs:
            kept.append((number, run))
        elif (place := chosen.randrange(n_first, number + 1)) < n_runs:  # each run is as likely as another
            kept[place] = (number, run)
    return [record for _, run in sorted(kept, key=itemgetter(0)) for record in run]


def has_decimal_commas(path: Path) -> bool:
    """Say whether numbers of a file may have decimal commas: semicolons separate its cells."""
    if reader_of(path) or file_format(path) != "csv":
        return False
    with _open_text(path) as handle:
        return skip_separator(handle, path.name)[0] == SEMICOLON


def require_columns(
    path: Path, columns: Sequence[str], present: Sequence[str], remedy: str = MEND_COLUMNS
) -> None:
    """Raise PlumblineError that names the columns that are missing, those the file has and the nearest."""
    twice = sorted({c for c in columns if present.count(c) > 1})
    if twice:
        raise PlumblineError(
            f"{shown(path)} has two columns {shorten(twice[0])!r}.", "Name its columns apart."
        )
    missing = [c for c in columns if c not in present]
    if not missing:
        return
    spelt = {p.lower(): p for p in present[:MAX_NAMES_COMPARED] if len(p) <= MAX_NAMES_COMPARED}
    near = {c: difflib.get_close_matches(c.lower(), spelt, 1, 0.6) for c in missing}
    hints = [f"{shorten(spelt[n[0]])!r} for {shorten(c)!r}" for c, n in near.items() if n]
    listed = ", ".join(repr(shorten(p)) for p in present[:MAX_NAMES_SHOWN]) or "none"
    more = f" and {len(present) - MAX_NAMES_SHOWN:,} more" if len(present) > MAX_NAMES_SHOWN else ""
    did_you_mean = f"Did you mean {', '.join(hints)}? " if hints else ""
    if question := other_separator(present):
        did_you_mean, remedy = question, "Save it as CSV with commas, in UTF-8."
    raise PlumblineError(
        f"{shown(path)} has no column {', '.join(repr(shorten(c)) for c in missing)}; it has {listed}{more}.",
        f"{did_you_mean}{remedy}",
    )


def other_separator(present: Sequence[str]) -> str:
    """Return a question where the one column of a file is a row that something else than commas separates."""
    is_likely = len(present) == 1 and any(separator in present[0] for separator in ";\t|")
    return "Is it separated by something else than commas? " if is_likely else ""


def _open_text(path: Path) -> TextIO:
    # Bytes that are not UTF-8 become surrogates, so that a record is refused and not the file.
    return path.open(encoding="utf-8-sig", errors="surrogateescape", newline="")


def _lines(path: Path, handle: TextIO) -> Iterator[str]:
    while line := handle.readline(MAX_LINE):
        if len(line) == MAX_LINE and line[-1] not in "\r\n":
            raise PlumblineError(
                f"{shown(path)} has a line of over {MAX_LINE:,} characters.",
                f"A cell has at most {MAX_CELL:,}; is it a file of responses?",
            )
        yield line


def _csv_records(path: Path, columns: Sequence[str], remedy: str) -> Iterator["list[Any] | RowProblem"]:
    previous_limit = csv.field_size_limit(MAX_LINE)
    try:
        with _open_text(path) as handle:
            rows = _csv_rows(path, handle)
            _, header = next(rows, (0, []))
            if not header:
                raise _without_records(path)
            _check_header(path, header)
            require_columns(path, columns, header, remedy)
            positions = [header.index(column) for column in columns]
            width = len(header)
            for line, cells in rows:
                if len(cells) == width:
                    yield [cells[position] for position in positions]
                else:
                    yield RowProblem(
                        "ragged_row", f"line {line:,}: {len(cells):,} cells, the header has {width:,}"
                    )
    finally:
        csv.field_size_limit(previous_limit)


def _csv_rows(path: Path, handle: TextIO) -> Iterator[tuple[int, list[str]]]:
    """Yield (line at which it starts, cells) of each row that is not blank."""
    separator, skipped = skip_separator(handle, path.name)
    reader = csv.reader(_lines(path, handle), delimiter=separator, strict=True)
    while True:
        line = skipped + reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            # Where a quote is wrong, nobody knows where the next record starts.
            raise PlumblineError(
                f"{shown(path)}, line {line:,}: the record that starts there is not CSV: {error}.",
                "Is a quote left open, or not doubled inside a quoted cell? Nothing was loaded.",
            ) from error
        if cells:
            yield line, cells


def _check_header(path: Path, header: Sequence[str]) -> None:
    names = "".join(header)
    if "\0" in names:
        raise PlumblineError(
            f"{shown(path)} holds NUL bytes in its header.", "Is it UTF-16? Save it as UTF-8."
        )
    if not _is_encodable(names):
        raise PlumblineError(f"{shown(path)} is not UTF-8: its header has other bytes.", "Save it as UTF-8.")


def _json_records(path: Path, columns: Sequence[str], remedy: str) -> Iterator["list[Any] | RowProblem"]:
    never_seen = set(columns)
    names: dict[str, None] = {}
    read_any = False
    with _open_text(path) as handle:
        for number, line in enumerate(_lines(path, handle), start=1):
            if not line.strip():
                continue
            if not read_any and line.lstrip().startswith("["):
                raise PlumblineError(
                    f"{shown(path)} is one JSON array, not JSON Lines.",
                    "Write one object on each line, for example with `jq -c '.[]'`.",
                )
            if not read_any and "\0" in line:
                raise PlumblineError(
                    f"{shown(path)} holds NUL bytes in its first line.", "Is it UTF-16? Save it as UTF-8."
                )
            read_any = True
            # Files that were put together each bring their mark.
            content = parsed(line.removeprefix("\ufeff"), f"line {number:,}: ")
            if isinstance(content, RowProblem):
                yield content
                continue
            if not isinstance(content, dict):
                yield RowProblem("invalid_json", f"line {number:,}: {kind_of(content)}, not an object")
                continue
            never_seen.difference_update(content)
            if len(names) < MAX_NAMES_SHOWN:
                names.update(dict.fromkeys(content))
            absent = [column for column in columns if column not in content]
            if absent:
                yield RowProblem("ragged_row", f"line {number:,}: no {shorten(absent[0])!r} in the object")
            else:
                yield [content[column] for column in columns]
    if names and never_seen:
        seen = [column for column in columns if column not in never_seen]
        require_columns(path, columns, [*(name for name in names if name not in seen), *seen], remedy)


def _log_records(
    path: Path, log: Reader, beside: Sequence[Path], columns: Sequence[str], remedy: str
) -> Iterator["list[Any] | RowProblem"]:
    """Yield the cells of a tool's log. What one record lacks and another has is blank."""
    names: dict[str, None] = {}
    never_seen = set(columns)
    for record in log.read(path, beside):
        if isinstance(record, RowProblem):
            yield record
            continue
        never_seen.difference_update(record)
        if len(names) < MAX_NAMES_COMPARED:
            names.update(dict.fromkeys(record))
        yield [record.get(column) for column in columns]
    if names and never_seen:
        seen = [column for column in columns if column not in never_seen]
        require_columns(path, columns, [*(name for name in names if name not in seen), *seen], remedy)


def _without_records(path: Path) -> PlumblineError:
    return PlumblineError(f"{shown(path)} has no records.", "Name a file that holds responses.")


def _parquet_records(path: Path, columns: Sequence[str], remedy: str) -> Iterator["list[Any] | RowProblem"]:
    try:
        with open_parquet(path, columns) as file:
            require_columns(path, columns, file.schema_arrow.names, remedy)
            for batch in file.iter_batches(ROWS, columns=list(columns), use_threads=False):
                if not columns:
                    yield from ([] for _ in range(batch.num_rows))
                    continue
                values = [_parquet_values(batch.column(column)) for column in columns]
                yield from (list(cells) for cells in zip(*values, strict=True))
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        raise unreadable(path, str(error)) from error


def _parquet_blocks(
    path: Path, columns: Sequence[str], numbers: Container[str], n: int, limit: int | None
) -> Iterator[Block]:
    first = 1
    try:
        with open_parquet(path, columns) as file:
            require_columns(path, columns, file.schema_arrow.names, MEND_COLUMNS)
            batches = file.iter_batches(ROWS, columns=list(columns), use_threads=False)
            while (some := [*islice(batches, n // ROWS)]) and (limit is None or first <= limit):
                table = pa.Table.from_batches(some)
                table = table if limit is None else table.slice(0, limit - first + 1)
                if len(table):
                    found = [_parquet_column(table.column(name), name in numbers) for name in columns]
                    yield Block(first, found, {})
                first += len(table)
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        raise unreadable(path, str(error)) from error
    if first == 1:
        raise _without_records(path)


def _parquet_column(column: pa.ChunkedArray, is_number: bool) -> "Sequence[Any] | pa.Array":
    if is_number and pa.types.is_floating(column.type):
        return column.cast(pa.float64()).combine_chunks()
    return [cell for chunk in column.chunks for cell in _parquet_values(chunk)]


def _parquet_values(column: pa.Array) -> list[Any]:
    try:
        values: list[Any] = column.to_pylist()
    except UnicodeDecodeError:
        if isinstance(column, pa.DictionaryArray):
            column = column.dictionary_decode()
        raw = column.cast(pa.large_binary()).to_pylist()
        values = [None if cell is None else cell.decode("utf-8", "surrogateescape") for cell in raw]
    return values


def named(cell: Any) -> Any:
    """Return a cell that names something as a text, where it is a number, a truth or a date of one spelling.

    Table programs make 7.0 of a 7 where another cell of the column is blank. Anything else comes back as it
    is.

    >>> named(7.0), named(True), named(date(2030, 1, 2)), named(0.1)
    ('7', 'true', '2030-01-02', 0.1)
    """
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float | Decimal):
        return str(int(cell)) if abs(float(cell)) < LARGEST_WHOLE and cell == int(cell) else cell
    return cell.isoformat() if isinstance(cell, date) else cell


def check_text(cell: Any, column: str) -> str:
    """Return a cell as text, exactly; nothing (null, not a number) is an empty text.

    Raises RowProblem for text that is too long, no valid Unicode or holds NUL, and for anything that has
    no single way of being written.
    """
    if not isinstance(cell, str):
        if cell is None or cell != cell:
            return ""
        if isinstance(cell, int) and not isinstance(cell, bool):
            return str(cell)
        mend = "name a column that holds the text" if isinstance(cell, list | dict) else "write it as text"
        raise RowProblem("wrong_type", f"{column}: {kind_of(cell)}, not text; {mend}")
    if len(cell) > MAX_CELL:
        raise RowProblem("too_long", f"{column}: {len(cell):,} characters, at most {MAX_CELL:,}")
    if "\0" in cell:
        raise RowProblem("nul_byte", f"{column}: at character {cell.index(chr(0)) + 1:,}")
    if not cell.isascii() and not _is_encodable(cell):
        raise RowProblem("bad_encoding", f"{column}: bytes that are not UTF-8")
    return cell


def _is_encodable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
