"""The same models on Spark, in a session of two threads. `scripts/test.sh` runs it beside the other tests."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import duckdb
import pytest
from click.testing import CliRunner
from places import FIXTURES, ORACLES, ROOT

from ingest.cli import cli
from ingest.spark.build import after
from ingest.store import AUDIT_NAME, Store
from ingest.store.raw_files import RawFiles
from ingest.store.tables import SCHEMA

TEXTS = ["it's", 'say "no"', "C:\\new\\", "50 % of {{ x }}", "two\nlines", "हाँ", "", "None", "%s ${env:HOME}"]


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    """A session with the raw tables of a suite's questions."""
    data = tmp_path_factory.mktemp("session")
    plumbline = [str(Path(sys.executable).with_name("plumbline")), "--data", str(data)]
    for arguments in (
        ["assemble", "--suite", str(FIXTURES / "warehouse_suite.yml")],
        ["raw", "export", str(data / "spark" / "raw")],
    ):
        subprocess.run([*plumbline, *arguments], check=True, capture_output=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PLUMBLINE_DATA", str(data))
        patch.setenv("SPARK_MASTER", "local[2]")
        from ingest.spark.session import prepared_session

        session = prepared_session()
        yield session
        session.stop()


@pytest.fixture
def ask(spark):
    """Ask as dbt does."""
    from dbt.adapters.spark.session import Cursor

    from ingest.spark.adapter import install

    install()

    def run(sql, *parameters):
        cursor = Cursor()  # as a context it would swallow what goes wrong
        cursor.execute(sql, *parameters)
        return [tuple(row) for row in cursor.fetchall()]

    return run


def test_a_cast_that_fails_stops_the_build(ask):
    from dbt_common.exceptions import DbtRuntimeError

    assert ask("select cast('7' as int)") == [(7,)]
    with pytest.raises(DbtRuntimeError, match="CAST_INVALID_INPUT"):
        ask("create table default.made as select cast('seven' as int) as n")


def test_seeds_keep_their_texts(ask):
    from dbt.adapters.spark.session import SessionConnectionWrapper

    literals = [SessionConnectionWrapper._fix_binding(text) for text in TEXTS]
    assert ask(f"select {', '.join(['%s'] * len(TEXTS))}", *literals) == [tuple(TEXTS)]
    nothing = SessionConnectionWrapper._fix_binding(None)
    assert ask("select cast(%s as double), cast(%s as boolean)", nothing, 1) == [(None, True)]


def test_raw_tables_are_there_as_they_are(spark):
    data = Path(os.environ["PLUMBLINE_DATA"])
    with Store(data, read_only=True) as store:
        counts = {table: store.value(f"select count(*) from {table}") for table in SCHEMA}
        prompts = store.rows("select prompt_key, prompt from prompts order by prompt_key")
    assert {table: spark.table(f"raw.{table}").count() for table in SCHEMA} == counts
    found = spark.sql("select prompt_key, prompt from raw.prompts order by prompt_key").collect()
    assert [tuple(row) for row in found] == prompts
    assert counts["prompts"] == len(prompts) > 0


def test_nobody_else_has_a_part_in_a_session_of_our_own(spark):
    assert spark.conf.get("spark.driver.host") in ("127.0.0.1", "localhost")


def test_a_second_session_on_the_same_data_is_refused(spark):
    code = "from ingest.spark.session import session; session()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode != 0 and "Another session of Spark is at work" in done.stderr


def test_marts_come_back_with_the_columns_of_their_contract(spark):
    data = Path(os.environ["PLUMBLINE_DATA"])
    spark.sql("create schema audit")
    spark.sql(
        "create table audit.fct_made as select 1 as n, 'it''s' as word, 2 as extra union all select 2, 'b', 3"
    )
    spark.sql("create view audit.dim_made as select n + 0 as n, word, extra from audit.fct_made where n = 2")

    def node(name, materialized):
        of = {"constraints": [], "description": ""}
        columns = {
            "word": SimpleNamespace(name="word", data_type="varchar", **of),
            "n": SimpleNamespace(name="n", data_type="bigint", **of),
        }
        return SimpleNamespace(
            resource_type="model", alias=name, schema="audit", columns=columns, unique_id=f"model.x.{name}",
            description="It's made.", config=SimpleNamespace(materialized=materialized),
        )  # fmt: skip

    nodes = {"a": node("fct_made", "table"), "b": node("dim_made", "view")}
    assert after(data, SimpleNamespace(nodes=nodes)) == 2
    with duckdb.connect(str(data / AUDIT_NAME), read_only=True) as connection:
        assert connection.execute("select * from fct_made order by n").fetchall() == [("it's", 1), ("b", 2)]
        assert connection.execute("from dim_made").fetchall() == [("b", 2)]
        assert connection.execute("select count(answers) from built_from").fetchone() == (2,)


def test_texts_are_measured_by_workers_as_they_are_here(spark, tmp_path):
    suite = str(FIXTURES / "warehouse_suite.yml")
    found = {}
    for engine in ("local", "spark"):
        data = tmp_path / engine
        for stage in (["assemble"], ["generate"], ["extract", "--engine", engine]):
            done = CliRunner().invoke(cli, ["--data", str(data), *stage, "--suite", suite])
            assert done.exit_code == 0, done.output
        with Store(data, read_only=True) as store:
            found[engine] = [
                store.rows(f"select * from {table} order by all") for table in ("measurements", "scorers")
            ]
    assert len(found["local"][0]) > 10
    assert found["spark"] == found["local"]


def test_every_mart_equals_duckdbs(tmp_path):
    """Of the tests' suite, the demo, and FAIR-SEA's real answers where they lie beside the repository."""
    suites = [FIXTURES / "warehouse_suite.yml", ROOT / "suites" / "fair_sea.yml"]
    real = ORACLES / "fair_sea" / "responses.csv"
    given = ["--responses", str(real)] if real.exists() else []
    command = [sys.executable, ROOT / "scripts" / "spark_parity.py", tmp_path, *suites, *given]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert done.stdout.count("equal\n") == 1
    assert RawFiles(str(tmp_path / "spark" / "spark" / "raw")).manifest()["tables"]
