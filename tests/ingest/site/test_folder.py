"""Where the site is built, what is said where it cannot be, and what of it is not made again."""

import os
import subprocess
import sys
from types import SimpleNamespace

import duckdb
import pytest

from ingest import report
from ingest.errors import PlumblineError
from ingest.paths import PROJECT
from ingest.store import AUDIT_NAME


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


def test_what_a_site_writes_is_nothing_that_it_is_made_of(tmp_path):
    duckdb.connect(tmp_path / AUDIT_NAME).close()
    reports = tmp_path / "reports"
    reports.mkdir()
    made_of = report.site_inputs(tmp_path, reports)
    for name in report.WRITTEN:
        (reports / name).write_text("another")
    assert report.site_inputs(tmp_path, reports) == made_of
    (reports / "package.json").write_text("another")
    assert report.site_inputs(tmp_path, reports) != made_of


def test_dbt_describes_a_project_once_for_all_columns(tmp_path, monkeypatch):
    described = []

    def write_dbt_docs(data, page, manifest):
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text("described")
        described.append(data)

    monkeypatch.setattr(report, "read_project", lambda data: SimpleNamespace(nodes={}, exposures={}))
    monkeypatch.setattr(report, "write_dbt_docs", write_dbt_docs)
    monkeypatch.setattr(report, "declare_pages", lambda manifest: None)
    page = ("/", "Overview", "What was found", None, None)
    monkeypatch.setattr(report, "page_sources", lambda manifest: [page])

    with duckdb.connect(tmp_path / AUDIT_NAME) as marts:
        marts.execute("create table fct_answers (n integer)")
    assert report.describe(tmp_path, tmp_path, pages_only=True) == [page]
    assert not described
    for _ in range(2):
        assert report.describe(tmp_path, tmp_path) == [page]
    assert len(described) == 1
    for half in ("", '{"made_of": "', "[]"):
        (tmp_path / report.DESCRIBED).write_text(half)
        assert report.describe(tmp_path, tmp_path) == [page]
    assert len(described) == 4
    with duckdb.connect(tmp_path / AUDIT_NAME) as marts:
        marts.execute("alter table fct_answers add column of varchar")
    report.describe(tmp_path, tmp_path)
    assert len(described) == 5


def test_what_a_killed_report_left_is_no_part_of_the_next(tmp_path):
    duckdb.connect(tmp_path / AUDIT_NAME).close()
    target = tmp_path / report.TABLES
    killed = "import duckdb, os, sys; marts = duckdb.connect(sys.argv[1])\n"
    killed += "marts.execute('create table rpt_downloads (file varchar)'); os.kill(os.getpid(), 9)"
    subprocess.run([sys.executable, "-c", killed, target], check=False)
    assert target.with_name(f"{target.name}.wal").exists()
    report.write_report_tables(tmp_path, target)
    with duckdb.connect(target) as tables:
        assert tables.execute("show tables").fetchall() == []
