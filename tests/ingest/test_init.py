"""`plumbline init` writes a suite that is right as it stands."""

from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from dbt.cli.main import dbtRunner

from ingest.cli import cli
from ingest.errors import PlumblineError
from ingest.init import command, suite_name
from ingest.paths import PROJECT, PROJECT_VARIABLE, dbt_project
from ingest.prompts.templates import n_combinations
from ingest.suite import json_schema, load_suite


def invoke(*arguments):
    return CliRunner().invoke(command, list(map(str, arguments)))


def test_it_is_a_suite(tmp_path):
    path = tmp_path / "My first.yml"
    result = invoke(path, "--model", "qwen2:7b-instruct")
    assert result.exit_code == 0, result.output
    suite = load_suite(path)
    assert (suite.suite, suite.configs[0].model) == ("my_first", "qwen2:7b-instruct")
    assert n_combinations(suite, "HIRING") == 12 * 3 * 4
    first, *_ = path.read_text().splitlines()
    assert path.with_name(first.rpartition("=")[2]).read_text() == json_schema()


def test_every_key_is_explained(tmp_path):
    invoke(tmp_path / "x.yml")
    lines = (tmp_path / "x.yml").read_text().splitlines()
    explained = sum("#" in line for line in lines)
    assert explained >= 10


def test_nothing_is_overwritten(tmp_path):
    path = tmp_path / "suite.yml"
    path.write_text("mine")
    result = invoke(path)
    assert result.exit_code == 1
    assert "--force" in result.output
    assert path.read_text() == "mine"
    assert invoke(path, "--force").exit_code == 0
    assert path.read_text() != "mine"


@pytest.mark.parametrize("model", ["a b", 'x"\nsuite: y', "", "$(rm)"])
def test_a_model_s_name_is_one(tmp_path, model):
    assert invoke(tmp_path / "x.yml", "--model", model).exit_code == 1
    assert not (tmp_path / "x.yml").exists()


@pytest.mark.parametrize(
    ("file", "name"), [("Hiring.yml", "hiring"), ("2026 audit.yml", "suite_2026_audit"), ("…", "suite")]
)
def test_names_of_suites(file, name):
    assert suite_name(Path(file)) == name


def test_a_folder_holds_a_suite_and_imports_the_project(tmp_path, monkeypatch):
    result = invoke(tmp_path / "My hiring")
    assert result.exit_code == 0, result.output
    monkeypatch.chdir(tmp_path / "My hiring")
    assert dbt_project() == Path.cwd()
    assert str(PROJECT) in Path("packages.yml").read_text()
    suite = load_suite(Path("suites/my_hiring.yml"))
    assert [config.backend for config in suite.configs] == ["simulated"]
    selectors = {one["name"] for one in yaml.safe_load(Path("selectors.yml").read_text())["selectors"]}
    assert selectors == {"build", "gate"}  # `dbt test --selector gate`
    Path("packages.yml").unlink()
    assert dbt_project() == PROJECT
    Path("packages.yml").write_bytes("packages: []  # caf\xe9".encode("latin-1"))
    assert dbt_project() == PROJECT  # another tool's, in whatever encoding


def test_plain_dbt_runs_unit_tests_of_the_folder_s_own_alone(tmp_path, monkeypatch):
    assert invoke(tmp_path / "own").exit_code == 0
    for folder, model in (("own", "mine"), ("ours", "theirs")):
        models = tmp_path / folder / "models"
        models.mkdir(parents=True)
        (models / f"{model}.sql").write_text("select 1 as n")
        test = {"name": f"{model}_is_one", "model": model, "given": [], "expect": {"rows": [{"n": 1}]}}
        (models / "tests.yml").write_text(yaml.safe_dump({"unit_tests": [test]}))
    (tmp_path / "ours" / "dbt_project.yml").write_text("name: plumbline\nprofile: plumbline\n")
    monkeypatch.chdir(tmp_path / "own")
    monkeypatch.setenv(PROJECT_VARIABLE, str(tmp_path / "ours"))
    assert dbtRunner().invoke(["--quiet", "deps"]).success
    listed = dbtRunner().invoke(["--quiet", "ls", "--output", "name"]).result
    assert sorted(listed) == ["mine", "mine_is_one", "theirs"]


def test_a_folder_s_model_is_asked_where_it_is_named(tmp_path):
    assert invoke(tmp_path / "hiring", "--model", "qwen2:7b").exit_code == 0
    (config,) = load_suite(tmp_path / "hiring" / "suites" / "hiring.yml").configs
    assert (config.backend, config.model, config.options) == ("ollama", "qwen2:7b", {"temperature": 0.7})


def test_a_folder_with_one_of_the_files_is_left_as_it_is(tmp_path):
    (tmp_path / "profiles.yml").write_text("mine")
    result = invoke(tmp_path)
    assert result.exit_code == 1
    assert "profiles.yml is there already" in result.output
    assert [path.name for path in tmp_path.iterdir()] == ["profiles.yml"]


@pytest.mark.parametrize(("names", "there"), [([], "none"), (["a.yml", "b.yml"], "a.yml, b.yml")])
def test_an_audit_without_a_suite_takes_the_only_one(tmp_path, monkeypatch, names, there):
    (tmp_path / "suites").mkdir()
    for name in names:
        (tmp_path / "suites" / name).write_text("")
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(cli, ["audit"])
    assert result.exit_code == 2
    assert f"suites/ holds {there}." in result.output


def test_a_suite_that_is_not_there_is_told_by_one_that_is(tmp_path, monkeypatch):
    """A folder that `init` made has none of the suites that a clone has."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PlumblineError, match=r"; `plumbline init hiring\.yml` writes one"):
        load_suite(Path("suites/fair_sea.yml"))
    (tmp_path / "suites").mkdir()
    (tmp_path / "suites/hiring.yml").touch()
    with pytest.raises(PlumblineError, match=r"does not exist.*, such as suites/hiring\.yml"):
        load_suite(Path("suites/fair_sea.yml"))
