"""`plumbline init` writes a suite that is right as it stands."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from ingest.init import command, suite_name
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
