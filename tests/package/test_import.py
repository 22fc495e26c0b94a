"""Another dbt project imports this one: its models, macros, tests and raw tables are found."""

import shutil
from pathlib import Path

import duckdb
import pytest
from click.testing import CliRunner
from dbt.adapters.duckdb.connections import DuckDBConnectionManager
from dbt.cli.main import dbtRunner

from ingest import assemble, extract, generate
from ingest.init import starter_suite
from ingest.paths import PROJECT, PROJECT_VARIABLE


@pytest.fixture
def staff(tmp_path, monkeypatch):
    """The project of tests/package/project in a folder of its own, with simulated answers to build from."""
    folder = shutil.copytree(Path(__file__).parent / "project", tmp_path / "staff")
    suite = tmp_path / "hiring.yml"
    drawn = "permutations: 2000, bootstrap: 1000"
    text = starter_suite("hiring", None)
    assert drawn in text
    suite.write_text(text.replace(drawn, "permutations: 100, bootstrap: 100"))
    for stage in (assemble, generate, extract):
        result = CliRunner().invoke(stage.command, ["--suite", str(suite)], obj=folder / "data")
        assert result.exit_code == 0, result.output
    monkeypatch.chdir(folder)
    monkeypatch.setenv(PROJECT_VARIABLE, str(PROJECT))
    return folder


def dbt(*arguments):
    try:
        return dbtRunner().invoke(
            ["--quiet", "--no-write-json", *arguments, "--project-dir", ".", "--profiles-dir", "."]
        )
    finally:
        DuckDBConnectionManager.close_all_connections()


def test_its_models_are_built_and_read_by_a_model_of_the_project(staff):
    assert dbt("deps").success
    chosen = ["--select", "+findings", "--indirect-selection", "cautious"]
    result = dbt("build", *chosen, "--exclude", "test_type:unit", "package:plumbline,test_type:generic")
    assert result.success, result.exception
    with duckdb.connect(str(staff / "data" / "staff.duckdb"), read_only=True) as connection:
        n, most = connection.execute("select sum(n), max(share) from findings").fetchall()[0]
        (n_tables,) = connection.execute("select count(*) from fct_associations").fetchall()[0]
    assert n == n_tables > 0
    assert 0 <= most <= 1


def test_its_tables_may_lie_in_schemas_of_their_own(staff):
    with (staff / "dbt_project.yml").open("a", encoding="utf-8") as project:
        project.write("models: {plumbline: {+schema: audit}}\nseeds: {plumbline: {+schema: definitions}}\n")
    assert dbt("deps").success
    chosen = ["--select", "+int_feature_values_summed"]  # what is generated from seeds and from a model
    result = dbt("build", *chosen, "--exclude-resource-type", "unit_test", "test")
    assert result.success, result.result
    with duckdb.connect(str(staff / "data" / "staff.duckdb"), read_only=True) as connection:
        assert connection.execute("from main_audit.int_feature_values_summed").description


def test_the_gate_of_a_package_follows_its_variable_from_one_parse_to_the_next(staff, monkeypatch):
    """dbt keeps what it parsed; `AUDIT_GATE` comes after a build without it."""
    assert dbt("deps").success
    gates = "test.plumbline.no_failing_verdicts", "test.plumbline.marts_match_the_answers"
    for severity in ("warn", "error", "warn"):
        monkeypatch.setenv("AUDIT_GATE", severity)
        nodes = dbt("parse").result.nodes
        assert [nodes[gate].config.severity.lower() for gate in gates] == [severity] * 2
