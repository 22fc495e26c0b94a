"""What a run leaves: files for this user alone, no texts of killed runs, no formulas, no keys, no escapes."""

import csv
import os
import stat
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import duckdb
import pyarrow.parquet as pq
import pytest
import yaml
from click.testing import CliRunner
from tiny import TINY_SUITE, csv_text, record

from ingest import report
from ingest.cli import cli
from ingest.errors import PlumblineError
from ingest.paths import alone
from ingest.store import RAW_NAME
from ingest.store.private import SCRATCH, scratch
from ingest.warehouse import Warehouse, describe_finding, print_verdicts, run_dbt

ESCAPES = ["\x1b[2J\x1b[31mred", "\x08\x08", "\u202ebackwards", "\x9b31m", "two\nlines", "\x07"]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o027])
def test_the_databases_are_for_this_user_alone(mask, load_records, data):
    before = os.umask(mask)
    try:
        assert load_records([record(1)]).exit_code == 0
    finally:
        assert os.umask(before) == mask
    assert mode(data / RAW_NAME) == 0o600 and mode(data) == 0o700


def test_a_folder_that_was_there_keeps_its_rights(load_records, data):
    data.mkdir(mode=0o755)
    assert load_records([record(1)]).exit_code == 0
    assert mode(data) == 0o755 and mode(data / RAW_NAME) == 0o600


# ------------------------------------------------------------------------------------- leftovers


@pytest.fixture
def temporary(tmp_path, monkeypatch) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


def test_folders_of_killed_runs_go_and_those_of_others_stay(temporary):
    ended = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True
    )
    kept = [f"{SCRATCH}{os.getppid()}-x", "plumbline-mine", "other-1-x", f"{SCRATCH}x-1"]
    for name in (f"{SCRATCH}{int(ended.stdout)}-x", f"{SCRATCH}999999999-y", *kept):
        (temporary / name).mkdir()
    with scratch() as folder:
        assert mode(folder) == 0o700 and folder.parent == temporary
        assert {path.name for path in temporary.iterdir()} == {*kept, folder.name}
    assert {path.name for path in temporary.iterdir()} == set(kept)


def test_a_killed_dry_run_leaves_nothing_to_the_next(tmp_path, temporary, data, load):
    path = tmp_path / "answers.csv"
    path.write_text(csv_text([record(n) for n in range(1, 9)]))
    script = (
        "import os, signal, sys; from ingest import load; from ingest.cli import cli;"
        "load.ResponseLoad.stage = lambda *_: os.kill(os.getpid(), signal.SIGKILL); cli(sys.argv[1:])"
    )
    arguments = ["--data", data, "load", path, "--suite", TINY_SUITE, "--dry-run"]
    environment = {**os.environ, "TMPDIR": str(temporary)}
    done = subprocess.run([sys.executable, "-c", script, *map(str, arguments)], env=environment, check=False)
    assert done.returncode < 0 and len(list(temporary.glob(f"{SCRATCH}*"))) == 1
    assert load(path, "--dry-run").exit_code == 0
    assert list(temporary.glob(f"{SCRATCH}*")) == [] and not data.exists()


def test_what_duckdb_left_beside_the_database_goes(load_records, data):
    assert load_records([record(1)]).exit_code == 0
    left = data / f"{RAW_NAME}.tmp" / "duckdb_temp_storage-0.tmp"
    left.parent.mkdir(exist_ok=True)
    left.write_text("a text")
    assert load_records([record(2)]).exit_code == 0
    assert not left.exists()


# ----------------------------------------------------------------------------------------- report


def test_two_reports_do_not_share_a_folder(tmp_path):
    script = "import sys; from pathlib import Path; from ingest.paths import alone\n"
    script += "with alone(Path(sys.argv[1]), 'x'): print('inside')"
    command = [sys.executable, "-c", script, str(tmp_path)]
    with alone(tmp_path, "One is"):
        other = subprocess.run(command, capture_output=True, text=True, check=False)
        assert other.returncode == 1 and "Wait for its end." in other.stderr and not other.stdout
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "inside\n"


@pytest.mark.parametrize(
    ("name", "value"),
    [("OPENAI_API_KEY", "x"), ("DATABASE_PASSWORD", "x"), ("GREETING", "sk-proj-" + "A1b2C3d4" * 5)],
)
def test_npm_gets_no_keys(name, value, tmp_path, monkeypatch):
    seen = []

    def run(command, env, **_):
        seen.append(env)
        return SimpleNamespace(returncode=1, stdout=f"it failed at {value}", stderr="")

    monkeypatch.setenv(name, value)
    monkeypatch.setattr(report.shutil, "which", lambda command: command)
    monkeypatch.setattr(report.subprocess, "run", run)
    (tmp_path / "package-lock.json").write_text("{}")
    with pytest.raises(PlumblineError, match="`npm ci"):
        report.build_site(tmp_path, tmp_path)
    assert name not in seen[0] and seen[0]["PATH"] == os.environ["PATH"]


def test_npm_empties_no_folder_of_another_checkout(tmp_path, monkeypatch):
    mine, theirs = tmp_path / "mine", tmp_path / "theirs"
    mine.mkdir(), theirs.mkdir()
    (mine / "package-lock.json").write_text("{}")
    (mine / "node_modules").symlink_to(theirs)
    monkeypatch.setattr(report.shutil, "which", lambda command: command)
    failed = SimpleNamespace(returncode=1, stdout="", stderr="")
    monkeypatch.setattr(report.subprocess, "run", lambda *_, **__: failed)
    with pytest.raises(PlumblineError, match="`npm ci"):
        report.build_site(mine, tmp_path)
    assert theirs.is_dir() and not (mine / "node_modules").is_symlink()


# ----------------------------------------------------------------------------- what others wrote

FORMULAS = ["=cmd|' /C calc'!A0", "@SUM(1+1)", "+1+cmd", "-2+3", " =1+1", "\t=1", "＝1+1", "\r\n=1"]
PLAIN = ["-5", "+1.5", "a=b", "Lim Bee", "", "—", "'=1"]


def test_no_cell_of_a_csv_file_is_a_formula(tmp_path):
    connection = duckdb.connect(str(tmp_path / "audit.duckdb"))
    connection.execute('create table fct_texts (n integer, "the ""text""" varchar, many varchar[], x double)')
    for i, text in enumerate([*FORMULAS, *PLAIN, None]):
        connection.execute("insert into fct_texts values (?, ?, ?, -1.5)", [i, text, [text]])
    connection.close()
    with Warehouse(tmp_path) as marts:
        marts.export(tmp_path / "out")
    with (tmp_path / "out" / "fct_texts.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    found = [row['the "text"'] for row in rows]
    assert found == ["'" + text for text in FORMULAS] + PLAIN + [""]
    assert all(row["many"].startswith("[") and row["x"] == "-1.5" for row in rows)
    exact = pq.read_table(tmp_path / "out" / "fct_texts.parquet").column('the "text"').to_pylist()
    assert exact == [*FORMULAS, *PLAIN, None]


@pytest.mark.parametrize("name", ESCAPES)
def test_nothing_that_steers_a_terminal_is_printed(name, data, load_records, capsys):
    assert load_records([record(1, model=name)]).exit_code == 0
    shown = CliRunner().invoke(cli, ["--data", str(data), "status"]).stdout
    assert all(line.isprintable() for line in shown.splitlines()) and name not in shown.replace("\n", " ")
    row = {
        "suite": "s", "config": name, "profile": "p", "verdict": "fail", "n": 1, "is_simulated": False,
        "ci_low": None, "ci_high": None, "group_value": name, "p_family": None, "value": 0.5, "unit": "share",
        "red_limit": 0.2, "category": "C", "measure": "m", "axis": name, "metric": "max_gap",
        "has_suites": False, "outcome": name, "group_high": name, "value_high": 0.7, "n_group_high": 2,
        "group_low": "", "value_low": 0.2, "n_group_low": 2, "combination": name,
    }  # fmt: skip
    print_verdicts(SimpleNamespace(rows=lambda *_: [row]))  # type: ignore[arg-type]
    assert all(line.isprintable() for line in capsys.readouterr().out.removesuffix("\n").split("\n"))
    assert describe_finding(row)


# ----------------------------------------------------------------------------- what is refused

REFUSED: dict[str, dict[str, object]] = {
    "an unknown key": {"verison": 1},
    "an axis of nothing": {"axes": ["age"]},
    "an unknown scorer": {"scorers": ["nosuch"]},
    "an unknown profile": {"profiles": ["nosuch"]},
    "an unknown backend": {"configs": [{"backend": "nosuch", "model": "m"}]},
}


@pytest.mark.parametrize("stage", ["load", "assemble", "generate", "extract", "scrape", "branch"])
@pytest.mark.parametrize("name", REFUSED)
def test_a_refused_suite_is_not_registered(name, stage, tmp_path, data, load_records, query):
    assert load_records([record(1)]).exit_code == 0
    before = query("from suites")
    suite = tmp_path / "suite.yml"
    suite.write_text(yaml.safe_dump(yaml.safe_load(TINY_SUITE.read_text("utf-8")) | REFUSED[name]), "utf-8")
    file = tmp_path / "answers.csv"
    arguments = [stage, *([str(file)] if stage == "load" else []), "--suite", str(suite)]
    result = CliRunner().invoke(cli, ["--data", str(data), *arguments])
    assert result.exit_code == 1 and query("from suites") == before


@pytest.mark.parametrize("free", [0, 1 << 20, (64 << 20) - 1])
def test_a_disk_that_is_nearly_full_is_said_before_duckdb_meets_it(free, monkeypatch, load_records, query):
    assert load_records([record(1)]).exit_code == 0
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=free))
    result = load_records([record(2)])
    assert (
        result.exit_code == 1 and "is full" in result.stderr and "the same command goes on" in result.stderr
    )
    assert query("select count(*) from responses") == [(1,)]


@pytest.mark.parametrize("free", [70, 200, 255])
def test_a_build_that_would_not_fit_does_not_start(free, monkeypatch, load_records, data):
    assert load_records([record(1)]).exit_code == 0
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=free << 20))
    with pytest.raises(PlumblineError, match=rf"{free} MB are left, 2\d\d are needed"):
        run_dbt(data, ["build"])
    assert not (data / "audit.duckdb").exists()
