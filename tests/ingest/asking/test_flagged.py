"""Flagged prompts (SPEC BRA-8): not asked unless the suite says so, nor others of their root."""

from collections import Counter
from typing import get_args

import pytest
import yaml
from click.testing import CliRunner

from ingest.assemble import command as assemble
from ingest.branch import RESIDUAL, SAME_TEXT
from ingest.cli import cli
from ingest.prompts.from_texts import KEYWORD_LOST
from ingest.prompts.replacements import Replacement, Replacer
from ingest.store import Store
from ingest.suite.fields import Flag

TABLE = """target,from,to
France,Freelandia,France
Japan,Freelandia,Japan
France,the old land,an old Freelandia
"""
SUITE = {
    "suite": "lands",
    "title": "Lands",
    "version": 1,
    "attributes": {"country": {"Freelandia": {}, "France": {}, "Japan": {}}},
    "axes": ["country"],
    "configs": [{"backend": "simulated", "model": "simulated"}],
    "branches": [
        {"category": "LAND", "attribute": "country", "root": "Freelandia", "replacements": ["lands.csv"]}
    ],
    "categories": {
        "LAND": {
            "title": "Lands",
            "block": "root",
            "prompts": [
                {"prompt": "How is {country}?"},
                {"prompt": "Is {country} the old land?"},
            ],
            "outcomes": [{"set": "tone", "kind": "pattern", "labels": {"good": ["good"], "bad": ["bad"]}}],
            "simulated": {
                "answers": {"good": ["It is good."], "bad": ["It is bad."]},
                "weights": {"good": 1, "bad": 1},
            },
        }
    },
}


@pytest.fixture
def suite(tmp_path):
    """The suite's file, with what is changed in it; prompts about the root group alone are templates."""
    (tmp_path / "lands.csv").write_text(TABLE)

    def write(**changes):
        path = tmp_path / "lands.yml"
        path.write_text(yaml.safe_dump({**SUITE, **changes}, sort_keys=False))
        return path

    return write


def plumbline(data, *arguments):
    return CliRunner().invoke(cli, ["--data", str(data), *map(str, arguments)])


def branched(data, path):
    """Assemble, keep the root group's prompts alone, and branch these."""
    assert CliRunner().invoke(assemble, ["--suite", str(path)], obj=data).exit_code == 0
    with Store(data) as store:
        store.connection.execute("delete from prompts where attributes['country'] <> 'Freelandia'")
    result = plumbline(data, "branch", "--suite", path)
    assert result.exit_code == 0, result.output
    assert "1 branches flagged mentions_root" in result.output


def asked(query):
    return query(
        "select p.prompt, p.attributes['country'] from responses r join prompts p using (prompt_key) "
        "order by all"
    )


def test_a_flagged_prompt_and_all_of_its_root_are_not_asked(data, suite, query):
    path = suite()
    branched(data, path)
    result = plumbline(data, "generate", "--suite", path)
    assert result.exit_code == 0, result.output
    assert [country for _, country in asked(query)] == ["France", "Freelandia", "Japan"]
    assert {prompt.split()[0] for prompt, _ in asked(query)} == {"How"}
    assert (
        "LAND: 3 of 6 prompts are not asked, all of 1 roots in which 1 are flagged: mentions_root 1\n"
        "  by country: France 1 (1 flagged), Freelandia 1 (0 flagged), Japan 1 (0 flagged)\n"
    ) in result.output
    assert "simulated: 3 to ask, 0 answered" in result.output


@pytest.mark.parametrize("flags", [["mentions_root"], ["all"]])
def test_a_suite_may_ask_them_all_the_same(data, suite, query, flags):
    path = suite(ask_flagged=flags)
    branched(data, path)
    result = plumbline(data, "generate", "--suite", path)
    assert "are not asked" not in result.output
    assert Counter(country for _, country in asked(query)) == {"France": 2, "Freelandia": 2, "Japan": 2}


def test_another_flag_is_no_leave(data, suite, query):
    path = suite(ask_flagged=["article"])
    branched(data, path)
    plumbline(data, "generate", "--suite", path)
    assert len(asked(query)) == 3


def test_a_dry_run_and_a_plan_count_without_them(data, suite):
    path = suite()
    branched(data, path)
    dry = plumbline(data, "generate", "--suite", path, "--dry-run")
    assert "LAND: 3 of 6 prompts are not asked" in dry.stdout and "3 to ask" in dry.stdout
    planned = plumbline(data, "plan", path)
    assert planned.exit_code == 0, planned.output
    assert "LAND: 3 of 6 prompts are not asked" in planned.output
    assert "3 groups, 1 roots" in planned.output


def test_where_nothing_is_left_that_is_said(data, suite):
    content = {**SUITE["categories"]["LAND"], "prompts": [{"prompt": "Is {country} the old land?"}]}
    path = suite(categories={"LAND": content})
    branched(data, path)
    result = plumbline(data, "generate", "--suite", path)
    assert result.exit_code == 1
    assert "Every prompt of the suite 'lands' is left out. LAND: 3 of 3 prompts" in result.output
    assert "`ask_flagged:`" in result.output


def test_a_flag_that_nobody_gives_is_no_flag(data, suite):
    result = plumbline(data, "generate", "--suite", suite(ask_flagged=["spelling"]))
    assert result.exit_code == 1 and "ask_flagged" in result.output


def test_all_flags_that_are_given_can_be_named():
    pronoun = Replacer(
        [Replacement("M", "her", "his", "determiner"), Replacement("M", "her", "him", "pronoun")]
    )
    land = Replacer([Replacement("US", "Freelandia", "the US")])
    man = Replacer([Replacement("F", "man", "woman")])
    of_texts = {*pronoun("I saw her recently.").flags, *land("a Freelandia in the US").flags}
    of_texts |= {*man("A man-made lake on the Isle of Man").flags}
    assert of_texts == {"ambiguous_pronoun", "article", "compound", "mentions_target", "proper_name"}
    of_baselines = {f"baseline_{flag}" for flag in of_texts}
    assert {*get_args(Flag)} == {KEYWORD_LOST, RESIDUAL, SAME_TEXT} | of_texts | of_baselines
