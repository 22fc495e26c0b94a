"""dbt driven from this process."""

import os
from pathlib import Path
from types import SimpleNamespace

import dbt.cli.main
import duckdb
import numpy as np  # noqa: F401  loads the library that multiplies
import pytest
from click.testing import CliRunner
from places import FIXTURES
from threadpoolctl import threadpool_info
from tiny import TINY_SUITE, csv_text, record

from ingest.audit import _is_known
from ingest.cli import cli
from ingest.errors import PlumblineError
from ingest.store import AUDIT_NAME, RAW_NAME, Store
from ingest.suite import load_suite
from ingest.warehouse import Warehouse, parse, print_lost, print_powerless, run_dbt
from ingest.warehouse import dbt as driver
from ingest.warehouse.changes import forget, is_current
from ingest.warehouse.dbt import BLAS_THREADS, one_thread_a_product
from ingest.warehouse.marts import raw_state

TINY = str(TINY_SUITE)
ASKED = str(FIXTURES / "asked_suite.yml")


def test_raw_tables_that_old_data_lacks_are_added(tmp_path):
    with Store(tmp_path) as store:
        store.connection.execute("drop table ready_measurements")
    assert run_dbt(tmp_path, ["parse"])
    with Store(tmp_path, read_only=True) as store:
        assert store.value("select count(*) from ready_measurements") == 0


def test_without_data_nothing_is_made(tmp_path):
    with pytest.raises(PlumblineError, match="nothing has been brought in yet"):
        run_dbt(tmp_path, ["parse"])
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["extract", "--suite", TINY], "nothing has been brought in yet"),
        (["watch", "--once", TINY], "Run `plumbline audit SUITE` first"),
        (["labels", "load", TINY, "a.csv"], "nothing has been brought in yet"),
    ],
)
def test_a_folder_that_is_not_there_is_not_made(command, said, tmp_path):
    done = CliRunner().invoke(cli, ["--data", str(tmp_path / "dta"), *command])
    assert done.exit_code == 1 and said in done.output
    assert not list(tmp_path.iterdir())


def test_a_first_run_that_was_stopped_before_it_made_tables_leaves_a_folder_like_none(tmp_path):
    duckdb.connect(tmp_path / RAW_NAME).close()
    done = CliRunner().invoke(cli, ["--data", str(tmp_path), "status"])
    assert done.exit_code == 1 and "holds no tables: nothing has been brought in yet" in done.output
    answers = tmp_path / "answers.csv"
    answers.write_text(csv_text([record(1)]), "utf-8")
    for command in (["plan", ASKED], ["load", str(answers), "--suite", TINY, "--dry-run"]):
        done = CliRunner().invoke(cli, ["--data", str(tmp_path), *command])
        assert done.exit_code == 0, done.output
    assert not _is_known(tmp_path, load_suite(Path(TINY))) and raw_state(tmp_path) == {}
    with Store(tmp_path) as store:
        assert store.value("select count(*) from suites") == 0


@pytest.mark.parametrize("command", [["status"], ["extract", "--suite", TINY], ["gate"]])
def test_an_empty_database_is_named_in_plain_words(command, tmp_path):
    for name in (RAW_NAME, AUDIT_NAME):
        (tmp_path / name).touch()
    done = CliRunner().invoke(cli, ["--data", str(tmp_path), *command])
    assert done.exit_code == 1 and "is empty, so it is no database. Delete it" in done.output
    assert "IO Error" not in done.output


@pytest.mark.parametrize("content", [b"", b"no database", None], ids=["empty", "text", "cut"])
def test_marts_that_are_damaged_cost_no_answers(content, tmp_path):
    """The command and the audit that it names say the same, and neither sends to bring answers in again.

    Only what is known to hold nothing may be deleted: anything else may be somebody else's.
    """
    marts = tmp_path / AUDIT_NAME
    with Store(tmp_path), duckdb.connect(str(marts)) as audit:
        audit.execute("create table t as select range as n from range(200000)")
    marts.write_bytes(marts.read_bytes()[:20_000] if content is None else content)
    with pytest.raises(PlumblineError) as told, Warehouse(tmp_path):
        pass
    first = "Move it elsewhere" if content is None or content else "Delete it"
    assert f"{first}, then run `plumbline audit SUITE`, which builds" in str(told.value)
    assert ("something else wrote it" in str(told.value)) == (content == b"no database")
    for touched in (is_current, forget):
        with pytest.raises(PlumblineError) as again:
            touched(tmp_path)
        assert str(again.value) == str(told.value)


def test_a_folder_in_the_place_of_the_marts_is_not_to_be_deleted(tmp_path):
    (tmp_path / AUDIT_NAME).mkdir()
    with pytest.raises(PlumblineError, match="Move it elsewhere, then run"), Warehouse(tmp_path):
        pass


def test_a_view_replaces_itself_and_a_table_of_its_name(tmp_path):
    view = ["run", "--select", "stg_load__loads"]
    with Store(tmp_path):
        pass
    with duckdb.connect(str(tmp_path / AUDIT_NAME)) as audit:
        audit.execute("create table stg_load__loads as select 1 as old")
        audit.execute("create view reader as select * from stg_load__loads")
    for _ in range(2):
        assert run_dbt(tmp_path, view)
        with duckdb.connect(str(tmp_path / AUDIT_NAME), read_only=True) as audit:
            audit.execute(f"attach '{tmp_path / RAW_NAME}' as raw (read_only)")
            views = "select view_name from duckdb_views() where not internal and database_name = 'audit'"
            found = audit.execute(views).fetchall()
            assert sorted(found) == [("reader",), ("stg_load__loads",)]
            assert "old" not in [row[0] for row in audit.execute("describe stg_load__loads").fetchall()]


def test_a_second_folder_is_built_without_reading_the_project_again(tmp_path, monkeypatch):
    from dbt.parser.manifest import ManifestLoader

    monkeypatch.setenv("AUDIT_GATE", "warn")
    monkeypatch.setenv("PLUMBLINE_DATA", str(tmp_path / "first"))
    assert parse(tmp_path / "first") is not None
    # dbt writes what it keeps where it has read something.
    written = []
    monkeypatch.setattr(ManifestLoader, "write_manifest_for_partial_parse", written.append)
    monkeypatch.setenv("PLUMBLINE_DATA", str(tmp_path / "second"))
    assert parse(tmp_path / "second") is not None
    assert written == []


def test_an_export_that_fails_leaves_the_earlier_one_whole(tmp_path):
    out = tmp_path / "out"
    for rows, broken in (("1", "2"), ("3", "error('no more')")):
        with duckdb.connect(str(tmp_path / AUDIT_NAME)) as marts:
            marts.execute(f"create or replace table fct_a as select {rows} as n")
            marts.execute(f"create or replace view fct_b as select {broken} as n")
        with Warehouse(tmp_path) as opened:
            if rows == "1":
                opened.export(out)
                before = {path.name: path.read_bytes() for path in out.iterdir()}
            else:
                with pytest.raises(duckdb.Error, match="no more"):
                    opened.export(out)
    assert len(before) == 4 and {path.name: path.read_bytes() for path in out.iterdir()} == before


def test_a_mart_that_does_not_exist_is_refused(tmp_path):
    command = ["--data", str(tmp_path), "audit", "suites/fair_sea.yml", "--mart", "fct_guesses"]
    result = CliRunner().invoke(cli, command)
    assert result.exit_code == 2
    assert "--mart fct_guesses: there is no such mart" in result.output


def test_only_families_in_which_nothing_can_fail_are_told_with_what_to_change(tmp_path, capsys):
    with duckdb.connect(str(tmp_path / AUDIT_NAME)) as audit:
        audit.execute("""
            create table int_families_weighed as
            select 's' as suite, 'p' as profile, 'config' as family, '' as category, * from (values
                ('few', 1, false, 'ask about more names'), ('none', 2000, null, 'ask about several names'),
                ('enough', 3, true, null)
            ) as t (config, n_tests, can_fail, advice)
        """)
    with Warehouse(tmp_path) as warehouse:
        print_powerless(warehouse)
    assert capsys.readouterr().out.splitlines() == [
        "s  few  p  no difference can fail in 1 test (family config): ask about more names",
        "s  none  p  no difference can fail in 2,000 tests (family config): ask about several names",
    ]


def test_answers_that_count_as_missing_are_told_with_what_most_of_them_are(tmp_path, capsys):
    with duckdb.connect(str(tmp_path / AUDIT_NAME)) as audit:
        audit.execute("""
            create table fct_quality as select 's' as suite, 'm' as config, * from (values
                ('A', 'decision', 'answers_read', 1000, 900, false),
                ('A', '', 'responses_usable', 1200, 200, false),
                ('B', 'decision', 'answers_read', 50, 1, true), ('B', '', 'repeats_complete', 50, 0, false)
            ) as t (category, scope, rule, n_records, n_removed, is_passed);
            create table dim_responses as select 's' as suite, 'm' as config, 'A' as category, unnest(
                ['ok', 'ok', 'ok', 'refused', 'refused', 'timeout']) as response_status;
            create table fct_outcomes as select 's' as suite, 'm' as config, 'A' as category,
                'decision' as outcome_set, * from (values ('ok', true, null), ('unmatched', false, null),
                ('unmatched', false, null), ('tied', false, null), ('failed_response', false, null),
                ('failed_response', false, null), ('failed_response', false, null)
            ) as t (outcome_status, is_counted, score);
            create schema another;
            create table another.fct_quality (n integer);
        """)
    lost = [
        "s  m  A  decision  900 of 1,000 answers count as missing, most of them as unmatched",
        "s  m  A  200 of 1,200 answers count as missing, most of them as refused",
    ]
    with Warehouse(tmp_path) as warehouse:
        for suite, told in (("s", lost), (None, lost), ("other", [])):
            print_lost(warehouse, suite)
            assert capsys.readouterr().out.splitlines() == told
    part = tmp_path / "part"
    part.mkdir()
    duckdb.connect(str(part / AUDIT_NAME)).close()
    with Warehouse(part) as warehouse:
        print_lost(warehouse)
    assert not capsys.readouterr().out
    with duckdb.connect(str(tmp_path / AUDIT_NAME)) as audit:
        audit.execute(
            "insert into fct_quality select 's', 'n' || n, 'A', '', 'responses_usable', 10, 5, false"
            " from range(3) as t (n)"
        )
    with Warehouse(tmp_path) as warehouse:
        print_lost(warehouse)
    assert capsys.readouterr().out.splitlines()[3:] == [
        "… and 2 more: select * from fct_quality where not is_passed"
    ]


def test_an_export_writes_the_same_files_each_time(tmp_path):
    with duckdb.connect(str(tmp_path / AUDIT_NAME)) as audit:
        audit.execute("create table fct_kept as select n from range(300_000) as numbers (n)")
        # Threads that share this work give its rows in another order each time.
        audit.execute("create view fct_seen as select distinct 'x' || n as word from fct_kept")
    written = []
    for folder in (tmp_path / "first", tmp_path / "second"):
        with Warehouse(tmp_path) as marts:
            marts.export(folder)
        written.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert written[0].keys() == {"fct_kept.csv", "fct_kept.parquet", "fct_seen.csv", "fct_seen.parquet"}
    assert written[0] == written[1]


def test_models_multiply_matrices_in_one_thread_and_what_follows_in_as_many_as_before(monkeypatch):
    def threads():
        return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}

    monkeypatch.setenv(BLAS_THREADS, "3")
    before = threads()
    with one_thread_a_product():
        assert threads() == {1} and os.environ[BLAS_THREADS] == "1"
    assert threads() == before and os.environ[BLAS_THREADS] == "3"


def test_marts_of_a_project_are_found_wherever_it_has_models(tmp_path, monkeypatch):
    monkeypatch.setattr(driver, "dbt_project", lambda: tmp_path)
    for name in ("more/counted.sql", "more/deep/drawn.py", "models/elsewhere.sql", "more/counted.yml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert {"elsewhere", "fct_verdicts"} <= driver.mart_names() and "drawn" not in driver.mart_names()
    (tmp_path / "dbt_project.yml").write_text("model-paths: [more]\n")
    assert {"counted", "drawn", "fct_verdicts"} <= driver.mart_names()
    assert "elsewhere" not in driver.mart_names()


def test_packages_are_installed_again_where_one_was_added(tmp_path):
    (tmp_path / "dbt_packages").mkdir()
    (tmp_path / "packages.yml").write_text("packages: [{local: \"{{ env_var('ours') }}\"}]\n")
    assert driver._lacks_packages(tmp_path)
    (tmp_path / "dbt_packages" / "plumbline").symlink_to(driver.PROJECT)
    assert not driver._lacks_packages(tmp_path)
    (tmp_path / "packages.yml").write_text("packages: [{local: ours}, {local: ../shared}]\n")
    assert driver._lacks_packages(tmp_path)
    (tmp_path / "dbt_packages" / "shared").mkdir()
    assert not driver._lacks_packages(tmp_path)


def test_a_project_that_dbt_kept_torn_is_read_anew(tmp_path, monkeypatch):
    class Node(SimpleNamespace):
        depends_on_nodes = ("model.own.gone", "source.own.raw.suites")

    torn, whole = (SimpleNamespace(nodes=nodes) for nodes in ({"test.own.a": Node()}, {}))
    asked = []

    class Runner:
        def invoke(self, arguments):
            asked.append("--no-partial-parse" in arguments)
            return SimpleNamespace(result=whole if asked[-1] else torn)

    monkeypatch.setattr(dbt.cli.main, "dbtRunner", Runner)
    assert driver.parse(tmp_path) is whole and asked == [False, True]
