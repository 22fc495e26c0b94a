"""How a session of this machine's own starts, and what is refused before it does."""

import pytest

from ingest.errors import PlumblineError
from ingest.spark.session import options, own_options


def test_options_are_read_as_a_shell_would():
    given = "spark.executor.memory=4g  'spark.driver.extraJavaOptions=-Da=b -Dc=d'"
    assert options(given) == {
        "spark.executor.memory": "4g",
        "spark.driver.extraJavaOptions": "-Da=b -Dc=d",
    }
    assert options("") == {}


@pytest.mark.parametrize("given", ["executor.memory=4g", "spark.sql.ansi.enabled", "--conf"])
def test_what_is_no_option_is_named(given):
    with pytest.raises(PlumblineError, match="no option of Spark"):
        options(given)


@pytest.mark.parametrize(
    ("limit", "memory"), [("2GB", "2g"), ("512MiB", "512m"), ("8 GB", "8g"), ("3g", "3g"), ("", "2g")]
)
def test_memory_is_said_as_java_wants_it(monkeypatch, tmp_path, limit, memory):
    monkeypatch.setenv("PLUMBLINE_MEMORY", limit)
    assert own_options(tmp_path)["spark.driver.memory"] == memory


def test_one_machine_listens_to_itself_and_a_cluster_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("SPARK_MASTER", "local[2]")
    assert own_options(tmp_path)["spark.driver.bindAddress"] == "127.0.0.1"
    monkeypatch.setenv("SPARK_MASTER", "spark://host:7077")
    chosen = own_options(tmp_path)
    assert chosen["spark.master"] == "spark://host:7077" and "spark.driver.bindAddress" not in chosen
