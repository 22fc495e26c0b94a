"""What a profile says of the databases, as far as nodes are made without dbt."""

import pytest
import yaml
from places import ROOT

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


def test_a_profile_is_read_with_what_the_environment_says(written, monkeypatch):
    monkeypatch.delenv("PLUMBLINE_MEMORY", raising=False)
    found = written()
    assert found.threads == 2
    assert found.config == {"ieee_floating_point_ops": False, "threads": 1, "memory_limit": "2GB"}
    monkeypatch.setenv("PLUMBLINE_MEMORY", "5GB")
    monkeypatch.setenv("PLUMBLINE_DUCKDB_THREADS", "3")
    assert written(threads=4) == running.Profile(4, found.config | {"threads": 3, "memory_limit": "5GB"})


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
