"""Prompts of one's own file: what spoils it is said, and long ones are asked."""

import pytest
from click.testing import CliRunner

from ingest.cli import cli
from ingest.store import Store

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
    def run(content, suite=SUITE):
        (tmp_path / "suite.yml").write_text(suite, "utf-8")
        (tmp_path / "prompts.csv").write_text(content, "utf-8")
        said = ["--data", tmp_path / "data", "assemble", "--suite", tmp_path / "suite.yml"]
        return CliRunner().invoke(cli, list(map(str, said)))

    return run


def test_a_prompt_may_be_as_long_as_that_of_a_loaded_answer(assembled):
    result = assembled(ROWS.format(" of whom we know" * 20_000))
    assert result.exit_code == 0 and "2 prompts (2 new)" in result.output, result.output


@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_prompts_of_a_spreadsheet_with_other_separators_are_read(separator, assembled):
    result = assembled(ROWS.format("").replace(",", separator))
    assert result.exit_code == 0 and "2 prompts (2 new)" in result.output, result.output


def test_a_row_that_repeats_another_is_said(assembled):
    result = assembled(ROWS.format("") + "2,Is a woman?,Female\n2,Is a woman?,Male\n")
    assert "A1: 1 dropped: same prompt as another" in result.output
    assert "A1: 3 prompts (3 new)" in result.output


def test_what_a_suite_says_of_a_prompt_is_said_again_when_it_has_changed(assembled, tmp_path):
    told = "select domain, source_tag, shown_by from prompts order by prompt"
    without_word = SUITE.replace("words: [man]", "words: [gentleman]")
    with_tag = SUITE.replace("root: case", "root: case, source_tag: case")
    in_domain = with_tag.replace("title: Whom", "title: Whom\n    domain: work")
    man, woman = {"gender": "word: man"}, {"gender": "word: woman"}
    for suite, expected in (
        (without_word, [("default", None, {}), ("default", None, woman)]),
        (SUITE, [("default", None, man), ("default", None, woman)]),
        (in_domain, [("work", "1", man), ("work", "1", woman)]),
    ):
        result = assembled(ROWS.format(""), suite)
        assert result.exit_code == 0, result.output
        with Store(tmp_path / "data", read_only=True) as store:
            assert store.rows(told) == expected
    assert "2 prompts (0 new)" in result.output


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            ROWS.replace("e,", "e;").replace(",", "|"),
            "it has 'case;prompt|gender'. Is it separated by something",
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
