"""The wheel holds all that an audit outside a clone needs, and an audit writes nothing beside it."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import duckdb
import pytest

from ingest import report
from ingest.paths import PROJECT

FOLDERS = ("macros", "models", "seeds", "suites", "tests/generic", "tests/data_quality", "tests/fairness")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    uv = shutil.which("uv", path=str(Path(sys.executable).parent))
    assert uv, "`make setup` installs uv into the environment"
    subprocess.run([uv, "build", "--wheel", "--out-dir", str(folder), str(PROJECT)], check=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The wheel's files in a folder of their own; what it needs comes from this environment."""
    folder = tmp_path_factory.mktemp("site-packages")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def plumbline(installed, folder, *arguments):
    """Run `plumbline` of the wheel in a folder; return its output."""
    # -P keeps the folder out, and what is inserted here goes before the clone.
    code = f"import sys; sys.path.insert(0, {str(installed)!r}); from ingest.cli import cli; cli()"
    command = [sys.executable, "-P", "-c", code, *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def files(folder):
    found = (path.relative_to(folder) for path in folder.rglob("*"))
    return {path.as_posix() for path in found if "__pycache__" not in path.parts}


def test_the_wheel_holds_every_folder_that_is_read(wheel):
    listed = subprocess.run(
        ["git", "-C", str(PROJECT), "ls-files", *FOLDERS, "reports/pages", "reports/components", "ingest"],
        capture_output=True,
        text=True,
        check=True,
    )
    there = [name for name in listed.stdout.splitlines() if (PROJECT / name).exists()]
    wanted = {name if name.startswith("ingest/") else f"ingest/_project/{name}" for name in there}
    wanted = {name.removeprefix("ingest/spark/plugin/") for name in wanted}  # a module of the first level
    held = set(zipfile.ZipFile(wheel).namelist())
    assert len(wanted) > 500
    assert sorted(wanted - held) == []
    assert not [name for name in held if "node_modules" in name or name.endswith(".duckdb")]
    assert "ingest/_project/reports/package-lock.json" in held


def test_what_a_report_writes_meanwhile_stays_out(tmp_path, monkeypatch):
    duckdb.connect(str(tmp_path / "audit.duckdb")).close()
    drafts = []
    monkeypatch.setattr(report.os, "replace", lambda draft, target: drafts.append(draft.name))
    report.write_report_tables(tmp_path, tmp_path / "report.duckdb")
    names = [f"{name}{suffix}" for name in (*drafts, "report.duckdb") for suffix in ("", ".wal")]
    paths = [f"reports/{name}" for name in names]
    ignored = subprocess.run(
        ["git", "-C", str(PROJECT), "check-ignore", *paths], capture_output=True, text=True, check=False
    )
    assert len(paths) == 4 and ignored.stdout.split() == paths


def test_a_folder_is_made_and_audited_outside_a_clone(installed, tmp_path):
    before = files(installed)
    plumbline(installed, tmp_path, "init", "hiring")
    folder = tmp_path / "hiring"
    (folder / "models").mkdir()
    own = "select count(*) as n from {{ ref('plumbline', 'fct_outcomes') }}"
    (folder / "models" / "answers_counted.sql").write_text(own)
    printed = plumbline(installed, folder, "audit", "--mart", "fct_outcomes", "--mart", "answers_counted")
    assert "data/audit.duckdb" in printed
    with duckdb.connect(str(folder / "data" / "audit.duckdb"), read_only=True) as connection:
        assert connection.execute("select n from answers_counted").fetchall() == [(432,)]
    printed = plumbline(installed, folder, "labels", "sample", "suites/hiring.yml", "--n", "40")
    assert "40 of " in printed and len(list((folder / "data" / "labels").glob("*.html"))) == 1
    assert (folder / "dbt_packages" / "plumbline" / "dbt_project.yml").exists()
    assert files(installed) == before
