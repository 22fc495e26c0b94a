"""Where the site is built, and what is said where it cannot be."""

import os

import pytest

from ingest import report
from ingest.errors import PlumblineError
from ingest.paths import PROJECT


@pytest.mark.parametrize(
    ("is_packaged", "unwritable", "named"),
    [
        (False, PROJECT / "reports", "reports"),
        (True, PROJECT, "no dbt project"),  # the package's own folder, which nobody should write to
    ],
)
def test_a_folder_that_cannot_be_written_to_is_named(tmp_path, monkeypatch, is_packaged, unwritable, named):
    monkeypatch.chdir(tmp_path)
    assert report.site_folder(tmp_path) == PROJECT / "reports"
    monkeypatch.setattr(report, "IS_PACKAGED", is_packaged)
    access = os.access
    monkeypatch.setattr(report.os, "access", lambda path, mode: path != unwritable and access(path, mode))
    with pytest.raises(PlumblineError, match=rf"The site was not built: .*{named}.*complete without"):
        report.site_folder(tmp_path)
