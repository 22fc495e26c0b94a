"""Another dbt project imports this one: its models, macros, tests and raw tables are found.

dbt reads the project once, in schemas of its own; test_wheel.py reads it as a package without them.
"""

import shutil
from pathlib import Path

import dbt_common.tests
import duckdb
import pytest
from click.testing import CliRunner
from dbt.adapters.duckdb.connections import DuckDBConnectionManager
from dbt.cli.main import dbtRunner

from ingest import assemble, extract, generate
from ingest.init import starter_suite
from ingest.paths import PROJECT, PROJECT_VARIABLE


@pytest.fixture(scope="module")
def staff(tmp_path_factory):
    """The project of tests/package/project in a folder of its own, with simulated answers to build from."""
    folder = shutil.copytree(Path(__file__).parent / "project", tmp_path_factory.mktemp("staff") / "staff")
    with (folder / "dbt_project.yml").open("a", encoding="utf-8") as project:
        project.write("models: {plumbline: {+schema: audit}}\nseeds: {plumbline: {+schema: definitions}}\n")
    suite = folder.parent / "hiring.yml"
    drawn = "permutations: 2000, bootstrap: 1000"
    text = starter_suite("hiring", None)
    assert drawn in text
    suite.write_text(text.replace(drawn, "permutations: 100, bootstrap: 100"))
    for stage in (assemble, generate, extract):
        result = CliRunner().invoke(stage.command, ["--suite", str(suite)], obj=folder / "data")
        assert result.exit_code == 0, result.output
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv(PROJECT_VARIABLE, str(PROJECT))
        patch.delenv("AUDIT_GATE", raising=False)
        patch.setattr(dbt_common.tests, "_TEST_CACHING_ENABLED", True)  # a macro's text is parsed once
        assert dbt("deps").success
        yield folder


def dbt(*arguments):
    try:
        return dbtRunner().invoke(
            ["--quiet", "--no-write-json", *arguments, "--project-dir", ".", "--profiles-dir", "."]
        )
    finally:
        DuckDBConnectionManager.close_all_connections()


def test_its_models_are_built_in_schemas_of_their_own_and_read_by_a_model_of_the_project(staff):
    # What is generated from seeds and from a model is among them.
    chosen = ["--select", "+findings", "+int_feature_values_summed", "--indirect-selection", "cautious"]
    result = dbt("build", *chosen, "--exclude", "test_type:unit", "package:plumbline,test_type:generic")
    assert result.success, result.exception
    with duckdb.connect(str(staff / "data" / "staff.duckdb"), read_only=True) as connection:
        n, most = connection.execute("select sum(n), max(share) from findings").fetchall()[0]
        (n_tables,) = connection.execute("select count(*) from main_audit.fct_associations").fetchall()[0]
        assert connection.execute("from main_audit.int_feature_values_summed").description
    assert n == n_tables > 0
    assert 0 <= most <= 1


def test_the_gate_of_a_package_follows_its_variable_from_one_parse_to_the_next(staff, monkeypatch):
    """dbt keeps what it parsed; `AUDIT_GATE` comes after a build without it."""
    gates = "test.plumbline.no_failing_verdicts", "test.plumbline.marts_match_the_answers"
    for said, severity in {"warn": "warn", "error": "error", "": "warn"}.items():
        monkeypatch.setenv("AUDIT_GATE", said)
        nodes = dbt("parse").result.nodes
        assert [nodes[gate].config.severity.lower() for gate in gates] == [severity] * 2
