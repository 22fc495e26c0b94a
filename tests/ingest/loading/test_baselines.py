"""Baselines that come with answers: `columns: {baseline: …}` (SPEC ASM-1, CAL-1)."""

import pytest
import yaml
from tiny import COLUMNS, TINY_SUITE, csv_text, record

from ingest.keys import text_key

BASELINES = """
    select p.prompt, t.text, p.baseline_kind
    from prompts p left join texts t on p.baseline_text_key = t.text_key order by p.prompt
"""
WOMAN, MAN = "What does the woman Lim Bee from the North do?", "What does the man Lim Bee from the North do?"


@pytest.fixture
def load_baselines(load, tmp_path):
    """Load records whose column `reference` is the baseline, or is not read."""
    content = yaml.safe_load(TINY_SUITE.read_text())
    content["columns"]["baseline"] = "reference"
    suite = tmp_path / "with_baselines.yml"
    suite.write_text(yaml.safe_dump(content, sort_keys=False))

    def run(records, *options, name="answers.csv", is_read=True):
        path = tmp_path / name
        path.write_text(csv_text(records, (*COLUMNS, "reference")))
        return load(path, *options, suite=suite if is_read else TINY_SUITE)

    return run


def test_the_text_of_a_record_is_its_prompts_baseline(load_baselines, query):
    records = [
        record(1, reference="The woman Lim Bee from the North bakes."),
        record(2, reference=""),
        record(3, gender="Male", question=MAN, reference="Somebody bakes."),
    ]
    assert load_baselines(records).exit_code == 0
    assert query(BASELINES) == [
        (MAN, "Somebody bakes.", "unbranched"),
        (WOMAN, "The woman Lim Bee from the North bakes.", "counterfactual"),
    ]


def test_a_baseline_that_names_a_part_is_a_partial_one(load_baselines, query):
    load_baselines([record(1, reference="A woman bakes.")])
    assert query(BASELINES) == [(WOMAN, "A woman bakes.", "partial")]


def test_a_prompt_with_two_baselines_has_none_and_that_is_said(load_baselines, query):
    records = [record(1, reference="One."), record(2, reference="Another.")]
    result = load_baselines(records)
    assert "prompts with two baselines, which therefore have none: 1" in result.output
    assert query(BASELINES) == [(WOMAN, None, None)]
    assert query("select count(*) from responses") == [(2,)]
    assert query("select count(*) from texts where text_key = ?", text_key("One.")) == [(0,)]


def test_a_later_file_brings_baselines_to_answers_that_are_there(load_baselines, query):
    records = [record(1, reference="She bakes."), record(2, reference="She bakes.")]
    load_baselines(records, is_read=False)
    assert query(BASELINES) == [(WOMAN, None, None)]
    result = load_baselines(records, name="again.csv")
    assert "0 loaded + 2 already there" in result.output
    assert "baselines of prompts that were there already: 1 new" in result.output
    assert [row[1] for row in query(BASELINES)] == ["She bakes."]
    load_baselines([record(1, reference="She cooks."), record(2)], name="corrected.csv")
    assert [row[1] for row in query(BASELINES)] == ["She cooks."]


def test_a_dry_run_leaves_baselines_alone(load_baselines, query):
    load_baselines([record(1, reference="She bakes.")])
    load_baselines([record(1, reference="She cooks.")], "--dry-run")
    assert [row[1] for row in query(BASELINES)] == ["She bakes."]


def test_a_later_file_with_two_baselines_leaves_none(load_baselines, query):
    load_baselines([record(1, reference="She bakes."), record(2, reference="She bakes.")])
    two = [record(1, reference="She bakes."), record(2, reference="She cooks.")]
    result = load_baselines(two)
    assert "baselines of prompts that were there already: 1 withdrawn" in result.output
    assert "prompts with two baselines, which therefore have none: 1" in result.output
    assert "Nothing new" not in result.output
    assert query(BASELINES) == [(WOMAN, None, None)]
    assert "Nothing new" in load_baselines(two).output


def test_a_record_that_is_refused_brings_no_baseline(load_baselines, query):
    load_baselines([record(1, reference="She bakes.")])
    refused = record(1, answer="Another answer.", reference="She cooks.")
    result = load_baselines([refused, record(2, reference="She bakes.")], name="second.csv")
    assert "1 loaded + 0 already there + 1 rejected" in result.output
    assert "baselines" not in result.output
    load_baselines([refused, record(2)], name="third.csv")
    assert [row[1] for row in query(BASELINES)] == ["She bakes."]
