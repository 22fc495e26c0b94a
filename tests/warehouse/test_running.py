"""What a profile says of the databases, as far as nodes are made without dbt."""

import os
import re
from pathlib import Path

import duckdb
import pytest
import yaml
from dbt.config.renderer import ProfileRenderer
from dbt_common.context import set_invocation_context
from places import ROOT

from ingest.errors import PlumblineError
from ingest.store import data_dir
from ingest.warehouse import dbt as driver
from ingest.warehouse import running


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Write a project's profile, changed; return what is read of it for a folder of data."""
    monkeypatch.setattr(running, "dbt_project", lambda: tmp_path)
    monkeypatch.setenv("PLUMBLINE_DATA", str(tmp_path / "data"))

    (tmp_path / "dbt_project.yml").write_text("profile: plumbline", "utf-8")

    def write(**changes):
        profile = yaml.safe_load((ROOT / "profiles.yml").read_text("utf-8"))
        profile["plumbline"]["outputs"]["duckdb"] |= changes
        (tmp_path / "profiles.yml").write_text(yaml.safe_dump(profile), "utf-8")
        return running.profile(tmp_path / "data")

    return write


def test_a_profile_is_read_with_what_the_environment_says(written, monkeypatch, tmp_path):
    monkeypatch.delenv("PLUMBLINE_MEMORY", raising=False)
    monkeypatch.setenv("PLUMBLINE_TARGET", "")
    found = written()
    assert found.threads == 2
    # As the database is made, its file gets the format that takes least time to write.
    form = {"storage_compatibility_version": "v1.5.0"}
    assert found.config == {"ieee_floating_point_ops": False, "threads": 1, "memory_limit": "2GB", **form}
    with duckdb.connect(str(tmp_path / "audit.duckdb"), config=found.config) as marts:
        (told,) = marts.execute(
            "select tags from duckdb_databases() where database_name = 'audit'"
        ).fetchone()
    assert told["storage_version"].startswith("v1.5.0")
    monkeypatch.setenv("PLUMBLINE_MEMORY", "5GB")
    monkeypatch.setenv("PLUMBLINE_DUCKDB_THREADS", "3")
    assert written(threads=4) == running.Profile(4, found.config | {"threads": 3, "memory_limit": "5GB"})


@pytest.mark.parametrize("limit", ["{{ env_var('PLUMBLINE_MEMORY', '2GB') }}", None])
def test_an_empty_variable_says_nothing(written, monkeypatch, limit):
    """Also in a profile that an earlier `plumbline init` wrote."""
    for name in ("PLUMBLINE_MEMORY", "PLUMBLINE_DUCKDB_THREADS", "PLUMBLINE_TARGET"):
        monkeypatch.setenv(name, "")
    running.check_environment()
    config = {"threads": "{{ env_var('PLUMBLINE_DUCKDB_THREADS', '1') | int }}", "memory_limit": limit}
    found = written(**({"config_options": config} if limit else {}))
    assert (found.config["threads"], found.config["memory_limit"]) == (1, "2GB")


@pytest.mark.parametrize(
    ("name", "said", "advice"),
    [
        ("PLUMBLINE_DUCKDB_THREADS", "abc", "whole number"),
        ("PLUMBLINE_DUCKDB_THREADS", "0", "whole number"),
        ("PLUMBLINE_DUCKDB_THREADS", "2.5", "whole number"),
        ("PLUMBLINE_TARGET", "DuckDB", "one of duckdb, spark"),
    ],
)
def test_what_no_profile_can_use_is_named_before_anything_is_done(written, monkeypatch, name, said, advice):
    written()
    running.check_environment()
    monkeypatch.setenv(name, said)
    with pytest.raises(PlumblineError, match=rf"{name}={said} .*{advice}"):
        running.check_environment()


@pytest.mark.parametrize("said", [None, "", "elsewhere"])
def test_an_empty_variable_is_none_to_dbt_alone_too(written, tmp_path, monkeypatch, said):
    monkeypatch.chdir(tmp_path)
    names = set(re.findall(r"PLUMBLINE_\w+", (ROOT / "profiles.yml").read_text("utf-8")))
    for name in names:
        monkeypatch.delenv(name, raising=False) if said is None else monkeypatch.setenv(name, "")
    if said is not None:
        monkeypatch.setenv("PLUMBLINE_DATA", said)
    set_invocation_context(os.environ)
    render = ProfileRenderer({}).render_data
    profile = render(yaml.safe_load((ROOT / "profiles.yml").read_text("utf-8"))["plumbline"])
    folder, duckdb = said or "data", profile["outputs"]["duckdb"]
    assert profile["target"] == "duckdb" and duckdb["path"] == f"{folder}/audit.duckdb"
    assert [one["path"] for one in duckdb["attach"]] == [f"{folder}/raw.duckdb"]
    assert (duckdb["config_options"]["threads"], duckdb["config_options"]["memory_limit"]) == (1, "2GB")
    assert profile["outputs"]["spark"]["schema"] == "audit"


def test_an_empty_variable_is_none_to_a_profile_that_does_not_say_so(monkeypatch, tmp_path):
    for name in ("PLUMBLINE_TARGET", "PLUMBLINE_MEMORY"):
        monkeypatch.setenv(name, "")
        with driver._environment(tmp_path):
            assert name not in os.environ
        assert os.environ[name] == ""


def test_a_target_that_a_project_of_its_own_has_is_left_to_it(written, monkeypatch):
    written()
    monkeypatch.setenv("PLUMBLINE_TARGET", "")
    running.check_environment()
    monkeypatch.setattr(running, "_chosen", lambda: {"target": "dev", "outputs": {"dev": {}}})
    monkeypatch.setenv("PLUMBLINE_TARGET", "prod")
    running.check_environment()
    own = {"target": "{{ env_var('PLUMBLINE_TARGET', 'dev') }}", "outputs": {"dev": {}}}
    monkeypatch.setattr(running, "_chosen", lambda: own)
    monkeypatch.delenv("PLUMBLINE_TARGET")
    running.check_environment()


@pytest.mark.parametrize(
    "change",
    [
        {"type": "spark"},
        {"path": "elsewhere.duckdb"},
        {"attach": []},
        {"extensions": ["httpfs"]},
        {"schema": "own"},
        {"threads": "{{ 1 + 1 }}"},
        {"threads": "{{ env_var('PLUMBLINE_THREADS') }}"},
        {"threads": "two"},
    ],
)
def test_a_profile_that_says_more_is_left_to_dbt(written, change):
    assert written(**change) is None


def test_another_profile_or_target_is_dbts(written, tmp_path):
    project, profiles = tmp_path / "dbt_project.yml", tmp_path / "profiles.yml"
    written()
    project.write_text("profile: own", "utf-8")
    assert running.profile(tmp_path / "data") is None
    project.write_text("profile: plumbline", "utf-8")
    assert running.profile(tmp_path / "data") is not None
    profiles.write_text(profiles.read_text("utf-8").replace("target: ", "target: own #"), "utf-8")
    assert running.profile(tmp_path / "data") is None


def test_a_profile_that_cannot_be_read_is_left_to_dbt(written, tmp_path):
    written()
    for text in ("", "plumbline: [", "plumbline: {outputs: {}}"):
        (tmp_path / "profiles.yml").write_text(text, "utf-8")
        assert running.profile(tmp_path / "data") is None


def test_an_empty_folder_is_none_and_a_tilde_is_the_home_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    for said, folder in (("", Path("data")), ("~/a b", tmp_path / "a b"), ("x/~", Path("x/~"))):
        monkeypatch.setenv("PLUMBLINE_DATA", said)
        assert data_dir() == folder
    assert data_dir(Path("~/given")) == tmp_path / "given"
