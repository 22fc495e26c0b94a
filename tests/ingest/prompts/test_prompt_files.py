"""Prompts of one's own file: what spoils it is said, and long ones are asked."""

import pytest
from click.testing import CliRunner

from ingest.cli import cli

SUITE = """
suite: own
title: Own prompts
version: 1
attributes:
  gender: {Female: {words: [woman]}, Male: {words: [man]}}
axes: all
categories:
  A1:
    title: Whom
    prompt_file: {file: prompts.csv, prompt: prompt, root: case, attributes: {gender: gender}}
    outcomes: [{set: job, kind: pattern, labels: {baker: [baker], driver: [driver]}}]
configs: [{backend: simulated, model: m}]
"""
ROWS = "case,prompt,gender\n1,Is a woman{0}?,Female\n1,Is a man{0}?,Male\n"


@pytest.fixture
def assembled(tmp_path):
    def run(content):
        (tmp_path / "suite.yml").write_text(SUITE, "utf-8")
        (tmp_path / "prompts.csv").write_text(content, "utf-8")
        said = ["--data", tmp_path / "data", "assemble", "--suite", tmp_path / "suite.yml"]
        return CliRunner().invoke(cli, list(map(str, said)))

    return run


def test_a_prompt_may_be_as_long_as_that_of_a_loaded_answer(assembled):
    result = assembled(ROWS.format(" of whom we know" * 20_000))
    assert result.exit_code == 0 and "2 prompts (2 new)" in result.output, result.output


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            ROWS.replace(",", ";"),
            "it has 'case;prompt;gender'. Is it separated by something",
        ),
        (ROWS.replace("prompt", "promt"), "Did you mean 'promt' for 'prompt'? Name its columns under"),
        (ROWS.replace("case,", "gender,"), "has two columns 'gender'"),
        ("", "it has none"),
        pytest.param(ROWS.format("x" * 1_000_001), "at most 1,000,000 characters in a cell", id="too long"),
    ],
)
def test_what_spoils_a_file_of_prompts_is_said(content, said, assembled):
    result = assembled(content)
    assert result.exit_code == 1 and said in result.output
