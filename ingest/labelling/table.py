"""The table of answers to label, a CSV file: its columns, and what a cell may hold."""

import csv
import io
import re
from collections.abc import Iterable, Sequence

# What a person reads and fills in stands first, the keys by which a label finds its answer last.
COLUMNS = (
    "question",
    "choices",
    "prompt",
    "answer",
    "label",
    "note",
    "annotator",
    "seconds",
    "labelled_at",
    "category",
    "outcome_set",
    "response_key",
    "sample_key",
)
CANNOT_TELL = "?"  # in `label`
# How a formula begins, in any program that opens tables, and what was guarded before.
FORMULA = re.compile(r"'*\s*[=+@＝＋－＠-]")


def guarded(cell: str) -> str:
    """Return a cell with an apostrophe before what a spreadsheet would compute; a number stays one.

    >>> guarded("=cmd()"), guarded("-0.5")
    ("'=cmd()", '-0.5')
    """
    return f"'{cell}" if FORMULA.match(cell) and not _is_number(cell) else cell


def unguarded(cell: str) -> str:
    """Return what `guarded` was given."""
    return cell[1:] if cell.startswith("'") and FORMULA.match(cell[1:]) else cell


def csv_text(rows: Iterable[Sequence[str]]) -> str:
    """Return rows under COLUMNS as CSV; the mark at its beginning tells spreadsheets that it is UTF-8."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    writer.writerows([guarded(cell) for cell in row] for row in rows)
    return "\ufeff" + out.getvalue()


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
