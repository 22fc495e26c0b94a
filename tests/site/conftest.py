"""The built site, and the tables that it was built from."""

import os
from pathlib import Path

import pytest
from in_browser import REPORTS


@pytest.fixture(scope="session")
def site() -> Path:
    folder = Path(os.environ.get("PLUMBLINE_SITE", REPORTS / "build"))
    assert (folder / "index.html").is_file(), f"No site in {folder}: run `plumbline report` first."
    return folder


@pytest.fixture(scope="session")
def tables() -> Path:
    file = Path(os.environ.get("PLUMBLINE_SITE_TABLES", REPORTS / "report.duckdb"))
    assert file.is_file(), f"No report tables at {file}: run `plumbline report` first."
    return file
