"""A site drawn anew from what was compiled before has the same files as by the whole build."""

import gzip
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from ingest.paths import PROJECT

# What is drawn by lot each time: the names by which a menu and its button know each other.
BY_LOT = re.compile(rb'(id|aria-controls)="[\w-]{10}"')


def rows_of(packed: bytes) -> dict[str, pa.Table]:
    """The rows of each query of a page (see `packRows` of build.mjs); below a null bytes are as they come."""
    places, streams = gzip.decompress(packed).split(b"\n", 1)
    return {
        query: pa.ipc.open_stream(streams[start:end]).read_all()
        for query, (start, end) in json.loads(places).items()
    }


def read(folder: Path) -> dict[str, Any]:
    """The files of a site, by path."""
    found: dict[str, Any] = {}
    for path in (path for path in folder.rglob("*") if path.is_file()):
        content = path.read_bytes()
        if path.name == "rows.bin":
            found[str(path.relative_to(folder))] = rows_of(content)
        else:
            found[str(path.relative_to(folder))] = (
                BY_LOT.sub(b"", content) if path.suffix == ".html" else content
            )
    return found


def test_the_files_are_the_same(site):
    if site != PROJECT / "reports" / "build":
        pytest.skip(f"{site} was not built here: there is nothing to draw it from")
    before = read(site)
    command = ["npm", "run", "build"]
    done = subprocess.run(command, cwd=site.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "vite" not in done.stdout + done.stderr  # which compiles
    after = read(site)
    assert sorted(before.keys() ^ after.keys()) == []
    for name, content in before.items():
        assert content == after[name], name
    assert len(before) > 500
