"""Files in a zip archive, one at a time and within bounds; zstd, too, which `zipfile` lacks."""

import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path

import pyarrow as pa

from ingest.errors import PlumblineError, shorten
from ingest.loading.problems import shown
from ingest.paths import reading

STORED, DEFLATED, ZSTD = 0, 8, 93
MAX_ENTRIES = 1_000_000
MAX_ENTRY = 64 << 20  # bytes that one file unfolds to
MAX_UNFOLDED, MAX_RATIO = (
    1 << 30,
    200,
)  # bytes that all files may unfold to, and how many times the archive's size
LOCAL_HEADER = 30
ENCRYPTED = 1


class TooLarge(Exception):
    """A file of the archive that unfolds to more than MAX_ENTRY bytes."""


class Archive:
    """An open archive: its names, and what stands under each."""

    def __init__(self, path: Path, file: BufferedReader, entries: list[zipfile.ZipInfo], size: int) -> None:
        self._path, self._file = path, file
        self._entries = {entry.filename: entry for entry in entries}
        self._left = max(MAX_UNFOLDED, MAX_RATIO * size)

    def names(self) -> list[str]:
        """The names of its files, in their order."""
        return list(self._entries)

    def read(self, name: str) -> bytes:
        """Return a file's content. Raises TooLarge, OSError where it is damaged, PlumblineError on a bomb."""
        entry = self._entries[name]
        most = min(MAX_ENTRY, self._left)
        if entry.flag_bits & ENCRYPTED:
            raise OSError("it is encrypted")
        if entry.compress_size > MAX_ENTRY or entry.file_size > MAX_ENTRY:
            raise TooLarge
        self._file.seek(entry.header_offset)
        header = self._file.read(LOCAL_HEADER)
        if len(header) < LOCAL_HEADER or not header.startswith(b"PK\x03\x04"):
            raise OSError("its header is damaged")
        self._file.seek(sum(struct.unpack("<HH", header[26:30])), 1)
        content = _unpacked(entry.compress_type, self._file.read(entry.compress_size), most + 1)
        self._left -= len(content)
        if self._left < 0:
            raise PlumblineError(
                f"{shown(self._path)} unfolds to over {MAX_RATIO} times its size: a bomb?",
                "Is it a log? Write it as JSON if you mean it.",
            )
        if len(content) > MAX_ENTRY:
            raise TooLarge
        return content


def _unpacked(method: int, packed: bytes, most: int) -> bytes:
    try:
        if method == STORED:
            return packed[:most]
        if method == DEFLATED:
            return zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, most)
        if method == ZSTD:
            with pa.CompressedInputStream(pa.BufferReader(packed), "zstd") as stream:
                return bytes(stream.read(most))
    except (zlib.error, pa.ArrowException) as error:
        raise OSError(f"it is damaged ({shorten(str(error), 80)})") from error
    raise OSError(f"its packing ({method}) is none that is known")


@contextmanager
def opened(path: Path) -> Iterator[Archive]:
    """Open an archive. Raises PlumblineError where it is none, or a damaged one."""
    with reading(path) as file:
        try:
            with zipfile.ZipFile(file) as found:
                entries = found.infolist()
        except (
            zipfile.BadZipFile,
            OSError,
            ValueError,
            NotImplementedError,
            EOFError,
            struct.error,
        ) as error:
            raise PlumblineError(
                f"{shown(path)} cannot be read as an archive: {shorten(str(error), 80)}.",
                "Is it cut off? Copy it again.",
            ) from error
        if len(entries) > MAX_ENTRIES:
            raise PlumblineError(f"{shown(path)} holds over {MAX_ENTRIES:,} files.", "Is it a log?")
        yield Archive(path, file, entries, path.stat().st_size)
