"""dbt driven from this process."""

import pytest
from click.testing import CliRunner

from ingest.cli import cli
from ingest.errors import PlumblineError
from ingest.store import Store
from ingest.warehouse import dbt


def test_raw_tables_that_old_data_lacks_are_added(tmp_path):
    with Store(tmp_path) as store:
        store.connection.execute("drop table ready_measurements")
    assert dbt(tmp_path, ["parse"])
    with Store(tmp_path, read_only=True) as store:
        assert store.value("select count(*) from ready_measurements") == 0


def test_without_data_nothing_is_made(tmp_path):
    with pytest.raises(PlumblineError, match="nothing has been brought in yet"):
        dbt(tmp_path, ["parse"])
    assert not list(tmp_path.iterdir())


def test_a_mart_that_does_not_exist_is_refused(tmp_path):
    command = ["--data", str(tmp_path), "audit", "suites/fair_sea.yml", "--mart", "fct_guesses"]
    result = CliRunner().invoke(cli, command)
    assert result.exit_code == 2
    assert "--mart fct_guesses: there is no such mart" in result.output
