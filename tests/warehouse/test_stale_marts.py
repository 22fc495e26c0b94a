"""Marts carry what they were made of: commands refuse those that are older than the answers, or not whole."""

import shutil
import signal
import subprocess
import sys

import duckdb
import pytest
from click.testing import CliRunner
from dbt.adapters.duckdb.connections import DuckDBConnectionManager
from dbt.cli.main import dbtRunner, dbtRunnerResult
from places import ROOT
from tiny import TINY_SUITE, all_rows, csv_text, record

from ingest.cli import cli
from ingest.errors import PlumblineError
from ingest.store import AUDIT_NAME, RAW_NAME, Store
from ingest.warehouse import build, read_project, room, run_dbt
from ingest.warehouse import dbt as driver

READERS = {"gate": (), "export": ("out",), "card": (), "report": ("--tables-only",), "compare": ("--forget",)}
BUILD = ["run", "--select", "+dim_responses", "+dim_runs", "+stg_extract__scorers", "+stg_load__rejects"]
TESTED = [
    "build",
    "--exclude-resource-type",
    "unit_test",
    "--select",
    "stg_pipeline__runs",
    "secret_patterns",
    "assert_no_secrets",
]
KILLED = """
import os, signal, sys
from pathlib import Path
from dbt.task.run import ModelRunner
from ingest.warehouse import parse, run_dbt
ModelRunner.execute = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
run_dbt(Path(sys.argv[1]), ["run", "--select", "dim_runs"])
"""


def run(data, *arguments):
    return CliRunner().invoke(cli, ["--data", str(data), *map(str, arguments)])


def load(data, *numbers):
    path = data.parent / "answers.csv"
    path.write_text(csv_text(record(number) for number in numbers), "utf-8")
    result = run(data, "load", path, "--suite", TINY_SUITE)
    assert result.exit_code == 0, result.output


def refused(data, command="export"):
    """Return the line with which a command refuses the marts; '' where it takes them."""
    with Store(data, read_only=True) as store:
        before = all_rows(store)
    result = run(data, command, *(data.parent / part if part == "out" else part for part in READERS[command]))
    with Store(data, read_only=True) as store:
        assert all_rows(store) == before
    if result.exit_code == 0:
        return ""
    assert result.exit_code == 1 and "Traceback" not in result.output
    (line,) = result.output.splitlines()
    what, audit, _ = line.partition(" Run `plumbline audit")
    assert len(line) <= 300 and AUDIT_NAME in what and audit
    return what.partition(AUDIT_NAME)[2]


@pytest.fixture(scope="module", autouse=True)
def manifest(tmp_path_factory):
    """The project, which dbt reads once for all these builds: as in one audit."""
    manifest = read_project(tmp_path_factory.mktemp("read"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(driver, "parse", lambda data: manifest)
        yield manifest


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    data = tmp_path_factory.mktemp("built") / "data"
    load(data, *range(1, 5))
    assert run_dbt(data, BUILD)
    return data


@pytest.fixture
def data(built, tmp_path):
    shutil.copytree(built, tmp_path / "data")
    return tmp_path / "data"


def test_marts_of_these_answers_are_taken(data):
    assert refused(data) == ""
    load(data, 1, 2)  # nothing new: a run more, the same answers
    assert refused(data) == ""


@pytest.mark.parametrize("command", READERS)
def test_marts_that_are_older_than_the_answers_are_refused(data, command):
    load(data, 5)
    assert refused(data, command) == f": the marts are older than the answers in {RAW_NAME}."


@pytest.mark.parametrize(
    "change",
    [
        "update responses set response_status = 'refused' where source_row = 2",
        "update prompts set attributes = map {'gender': 'Male'}",
        "delete from responses where source_row = 2",
        "insert into measurements values ('t', 's', 'f', 1, 'ok')",
        "update suites set definition = '{}'",
        "insert into labels values ('s', 'C', 'o', 'k', 'A', 'annotator', 'x', 0, 's', 1, '', now(), 'r')",
    ],
)
def test_every_change_of_the_answers_counts(data, change):
    with Store(data) as store:
        store.connection.execute(change)
    assert "older than the answers" in refused(data)


def test_older_marts_are_read_where_one_asks_for_it(data):
    load(data, 5)
    result = run(data, "export", data.parent / "out", "--stale")
    assert result.exit_code == 0 and "the marts are older than the answers" in result.stderr
    assert (data.parent / "out" / "dim_responses.csv").exists()
    # `status` says it and goes on to the marts, which are parts only here.
    assert "the marts are older than the answers" in run(data, "status").stderr


def test_dbt_alone_makes_the_marts_of_an_audit_current_again(data):
    """An audit writes down tests and seeds, too; dbt alone says only which models it made."""
    with duckdb.connect(str(data / AUDIT_NAME)) as audit:
        audit.execute(
            "insert into built_from select unnest(['test.plumbline.assert_no_secrets', "
            "'seed.plumbline.metrics']), any_value(answers), any_value(earlier), 'i', null from built_from"
        )
    load(data, 5)
    assert "older than the answers" in refused(data)
    assert run_dbt(data, BUILD)
    assert refused(data) == ""


def test_a_killed_build_leaves_marts_that_are_refused(data):
    done = subprocess.run([sys.executable, "-c", KILLED, str(data)], cwd=ROOT, capture_output=True)
    assert done.returncode == -signal.SIGKILL
    assert "is not whole" in refused(data)
    # Building something else does not make up for it, building the same does.
    assert run_dbt(data, ["run", "--select", "stg_load__loads"])
    assert "is not whole" in refused(data)
    assert run_dbt(data, ["run", "--select", "dim_runs"])
    assert refused(data) == ""


def test_what_a_killed_build_left_and_nobody_can_read_stops_no_later_build(data):
    path, log = data / AUDIT_NAME, data / f"{AUDIT_NAME}.wal"
    with duckdb.connect(str(path)) as audit:
        audit.execute("pragma disable_checkpoint_on_shutdown")
        audit.execute("create view v as select 1")
        n_bytes = log.stat().st_size
        audit.execute("drop view v")
    with log.open("rb") as file:
        file.seek(n_bytes)
        dropped = file.read()
    with log.open("ab") as file:
        file.write(dropped)  # twice, as where two threads drop
    assert "is not whole" in refused(data)
    build(data, ["dim_runs"])
    assert refused(data) == ""


def test_a_build_that_runs_out_of_memory_says_so_and_leaves_marts_that_are_refused(data, monkeypatch, capfd):
    monkeypatch.setenv("PLUMBLINE_MEMORY", "10MB")
    with pytest.raises(PlumblineError, match=r"^The build stopped at \w+: .*PLUMBLINE_MEMORY=10MB") as error:
        run_dbt(data, ["run", "--select", "dim_responses"])
    assert len(error.value.format_message()) <= 300 and capfd.readouterr() == ("", "")
    monkeypatch.delenv("PLUMBLINE_MEMORY")
    assert "is not whole" in refused(data)


@pytest.mark.parametrize(
    ("said", "remedy"),
    [
        ("Out of Memory Error: failed to allocate", "Set it to twice as much or more."),
        ("numpy._core._exceptions._ArrayMemoryError: Unable to allocate 149. GiB", "draw less: `resampling:"),
    ],
)
def test_a_model_that_has_not_the_memory_says_what_to_do(said, remedy):
    pairs = "pairs: {against: reference}"
    words = room.stopped_by_memory("int_pairs_averaged", said).format_message()
    assert remedy in words and pairs in words
    assert pairs not in room.stopped_by_memory("dim_responses", said).format_message()
    assert room.stopped_by_memory("dim_responses", "Binder Error") is None


@pytest.mark.parametrize(
    ("allowed", "free", "said"),
    [("50MB", 10_000, "PLUMBLINE_MEMORY=50MB is too little"), ("2GB", 300, "300 MB are free, at least 550")],
)
def test_a_build_that_would_not_fit_in_memory_does_not_start(data, monkeypatch, allowed, free, said):
    monkeypatch.setenv("PLUMBLINE_MEMORY", allowed)
    monkeypatch.setattr(room, "free_memory", lambda: free)
    with pytest.raises(PlumblineError) as error:
        run_dbt(data, ["build"])
    assert said in error.value.what and "4 answers" in error.value.what
    assert refused(data) == ""


def test_a_failed_test_leaves_marts_that_are_refused(data):
    with Store(data) as store:
        store.connection.execute("""update runs set detail = '{"password": "canary-canary"}'""")
    assert not run_dbt(data, TESTED)
    assert "is not whole" in refused(data)


def test_a_part_that_is_built_anew_does_not_vouch_for_the_rest(data):
    load(data, 5)
    assert run_dbt(data, ["run", "--select", "dim_runs"])
    assert "older than the answers" in refused(data)
    assert run_dbt(data, BUILD)
    assert refused(data) == ""


def test_an_older_versions_marts_and_missing_answers_are_refused(data):
    with duckdb.connect(str(data / AUDIT_NAME)) as audit:
        audit.execute("drop table built_from")
    assert "is not whole" in refused(data)
    assert run_dbt(data, BUILD)
    (data / RAW_NAME).rename(data / "elsewhere")
    result = run(data, "export", data.parent / "out")
    assert result.exit_code == 1 and "older than the answers" in result.output


def test_what_a_model_of_an_older_version_left_is_taken_along_by_nothing(data):
    with duckdb.connect(str(data / AUDIT_NAME)) as audit:
        audit.execute("create table fct_of_old as select 1 as one")
    assert refused(data) == ""
    written = {file.stem for file in (data.parent / "out").iterdir()}
    assert "dim_responses" in written and "fct_of_old" not in written


def test_a_comparison_is_of_the_run_that_is_kept(data):
    with duckdb.connect(str(data / AUDIT_NAME)) as audit:
        row = "select 'model.plumbline.fct_config_differences', answers, earlier from built_from limit 1"
        audit.execute(f"insert into built_from (model, answers, earlier) {row}")
    assert refused(data) == ""
    with Store(data) as store:
        store.connection.execute("insert into earlier_runs values ('tiny', 'last', 3, null, 'r')")
    assert "older than the answers" in refused(data)


def test_a_database_that_another_process_takes_meanwhile_is_named_in_one_line(data, manifest, capsys):
    hold = "import duckdb, sys; raw = duckdb.connect(sys.argv[1]); print(flush=True); sys.stdin.read()"
    started = []

    def taken():
        if not started:
            command = [sys.executable, "-c", hold, str(data / RAW_NAME)]
            started.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE))
            started[0].stdout.readline()
        return manifest

    with pytest.raises(PlumblineError, match="is open in another process"):
        run_dbt(data, BUILD, taken)
    started[0].communicate()
    assert "Traceback" not in capsys.readouterr().err


def test_a_disk_that_is_full_is_said_in_one_line(data, monkeypatch):
    ended = dbtRunnerResult(success=False, exception=RuntimeError("[Errno 28] No space left on device"))
    monkeypatch.setattr(dbtRunner, "invoke", lambda *_, **__: ended)
    with pytest.raises(OSError, match="No space left on device") as raised:
        run_dbt(data, BUILD)
    assert raised.value.filename == str(data)


def test_dbt_alone_does_the_same_and_its_gate_says_so(data, manifest, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_DATA", str(data))
    monkeypatch.setenv("AUDIT_GATE", "warn")  # what a finding of the gate does; `error` stops dbt
    places = ["--project-dir", str(ROOT), "--profiles-dir", str(ROOT), "--log-path", str(data / "logs")]
    places += ["--target-path", str(data / "target"), "--quiet", "--no-write-json"]

    def statuses(*arguments):
        try:
            found = dbtRunner(manifest=manifest).invoke([*arguments, *places])
        finally:
            DuckDBConnectionManager.close_all_connections()
        return {str(one.status) for one in found.result if one.node.resource_type != "operation"}

    gate = ("test", "--select", "marts_match_the_answers")
    assert statuses(*gate) == {"pass"}
    load(data, 5)
    assert statuses(*gate) == {"warn"}
    assert statuses(*BUILD) == {"success"}
    assert statuses(*gate) == {"pass"}


def test_status_says_that_verdicts_are_missing_and_is_no_failure(tmp_path):
    data = tmp_path / "data"
    load(data, 1)
    duckdb.connect(str(data / AUDIT_NAME)).close()
    result = run(data, "status")
    assert result.exit_code == 0 and "is not whole" in result.stderr
    assert result.stdout.endswith(
        "The verdicts are not built yet: run `dbt build` or `plumbline audit SUITE`.\n"
    )
