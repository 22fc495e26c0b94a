"""Zip archives packed with zstd, as Inspect writes its logs: Python's zipfile cannot before 3.14."""

import json
import struct
import zlib
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

import pyarrow as pa


def packed(content: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(content)
    return sink.getvalue().to_pybytes()


def write_zip(path: Path, files: Mapping[str, object], method: int = 93, claimed: int | None = None) -> Path:
    """Write files of JSON, or of bytes packed already; `claimed` is the size that is said of each."""
    body, directory = BytesIO(), BytesIO()
    for name, content in files.items():
        raw = content if isinstance(content, bytes) else json.dumps(content).encode()
        data = raw if isinstance(content, bytes) or method == 0 else packed(raw)
        sizes = (zlib.crc32(raw), len(data), len(raw) if claimed is None else claimed)
        entry, offset = name.encode(), body.tell()
        shared = struct.pack("<HHHHHIIIHH", 20, 0, method, 0, 0, *sizes, len(entry), 0)
        body.write(b"PK\x03\x04" + shared + entry + data)
        directory.write(b"PK\x01\x02" + struct.pack("<H", 20) + shared)
        directory.write(struct.pack("<HHHII", 0, 0, 0, 0, offset) + entry)
    tail = struct.pack("<HHHHIIH", 0, 0, len(files), len(files), directory.tell(), body.tell(), 0)
    path.write_bytes(body.getvalue() + directory.getvalue() + b"PK\x05\x06" + tail)
    return path
