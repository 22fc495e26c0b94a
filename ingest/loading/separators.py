"""What separates the cells of a table: commas, or what its header says."""

import csv
import re
from collections.abc import Iterator
from typing import TextIO

from ingest.loading.readers.documents import MAX_LINE

COMMA, SEMICOLON, TAB = ",", ";", "\t"
OTHERS = (SEMICOLON, TAB, "|")
# Excel's own first line, which says what separates and is no row; a program may have filled it up.
SAID = re.compile(r'\ufeff?"?sep=([,;|\t])"?[,;|\t]*\s*', re.IGNORECASE)
DECIMAL_COMMA = re.compile(r"\s*([+-]?[0-9]+),([0-9]+(?:[eE][+-]?[0-9]+)?)\s*")

# There a dot before three digits may mark thousands: 1.000 is read as 1.
DOT_BEFORE_THREE = re.compile(r"\s*[+-]?[1-9][0-9]{0,2}\.[0-9]{3}\s*")


def skip_separator(handle: TextIO, name: str = "") -> tuple[str, int]:
    """Return what separates the cells of an open table, and how many lines stand before its header.

    The table then stands at its first row. Commas separate it, or tabs where the file's `name` ends with
    .tsv, unless the header has one cell so, and several with exactly one of semicolon, tab and bar.
    """
    said = SAID.fullmatch(handle.readline(MAX_LINE))
    if said is not None:
        return said.group(1), 1
    usual = TAB if name.lower().endswith(".tsv") else COMMA
    wide = [one for one in (usual, COMMA, *OTHERS) if _cells(handle, one) > 1]
    handle.seek(0)
    return (wide[0] if usual in wide or len(set(wide)) == 1 else usual), 0


class DecimalCommas:
    """Numbers as spreadsheets write them where semicolons separate: 0,5 is a half, in no other file."""

    def __init__(self, are_read: bool = False) -> None:
        self.are_read = are_read
        self.n = 0
        self.first = ("", "")
        self.n_doubtful = 0
        self.doubtful = ""

    def read(self, text: str) -> str:
        """Return a number that has a decimal comma with a point, any other text as it is."""
        found = DECIMAL_COMMA.fullmatch(text) if self.are_read else None
        if found is None:
            if self.are_read and DOT_BEFORE_THREE.fullmatch(text):
                self.doubtful = self.doubtful or text.strip()
                self.n_doubtful += 1
            return text
        number = f"{found.group(1)}.{found.group(2)}"
        self.first = self.first if self.n else (text.strip(), number)
        self.n += 1
        return number

    def lines(self) -> Iterator[str]:
        """Yield how many numbers had one, and how many have a dot that may mark thousands, if any do."""
        if self.n:
            yield "  numbers with a decimal comma: {:,}, such as {} read as {}".format(self.n, *self.first)
        if self.n_doubtful:
            yield (
                f"  numbers with a dot before three digits: {self.n_doubtful:,}, such as {self.doubtful} read"
                f" as {float(self.doubtful):g}; if it marks thousands, write them without it, or give a score"
                ' `replace: {".": "", ",": "."}`'
            )


def _cells(handle: TextIO, separator: str) -> int:
    """Return how many cells the header has, 0 where it is no row."""
    handle.seek(0)
    try:
        return len(next(filter(None, csv.reader(_lines(handle), delimiter=separator, strict=True)), []))
    except csv.Error:
        return 0


def _lines(handle: TextIO) -> Iterator[str]:
    while line := handle.readline(MAX_LINE):
        yield line
