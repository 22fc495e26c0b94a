"""Numbers that come with answers: `columns: {scores: …}`, and what a later file says of them."""

import pytest
import yaml
from tiny import COLUMNS, TINY_SUITE, csv_text, json_lines, record

from ingest.loading.beside import changed_since
from ingest.store import Store
from ingest.suite import load_suite

SCORES = """
    select responses.repeat_index, ready.value, ready.measurement_status
    from ready_measurements as ready inner join responses on ready.response_key = responses.response_key
    order by 1
"""


@pytest.fixture
def load_scores(load, tmp_path):
    content = yaml.safe_load(TINY_SUITE.read_text("utf-8"))
    content["columns"]["scores"] = {"warmth": "s"}
    suite = tmp_path / "scored.yml"
    suite.write_text(yaml.safe_dump(content, sort_keys=False), "utf-8")

    def run(records, *options, name="scored.csv"):
        path = tmp_path / name
        is_csv = name.endswith(".csv")
        path.write_text(csv_text(records, [*COLUMNS, "s"]) if is_csv else json_lines(records), "utf-8")
        return load(path, *options, suite=suite)

    return run


def test_other_scores_of_the_same_answers_replace_and_that_is_said(load_scores, query):
    load_scores([record(1, s="0.25"), record(2, s="0.5"), record(3, s="1")])
    again = [record(1, s="0.75"), record(2, s=""), record(3, s="1")]
    for options in (["--dry-run"], []):
        result = load_scores(again, *options)
        assert "0 loaded + 3 already there" in result.output
        assert "scores of answers that were there already: 1 replaced, 1 withdrawn" in result.output
        assert "Nothing new" not in result.output
    assert [row[1:] for row in query(SCORES)] == [(0.75, "ok"), (None, "missing"), (1.0, "ok")]
    assert "Nothing new" in load_scores(again).output


def test_of_two_records_of_an_answer_the_last_says_number_and_status(load_scores, query):
    load_scores([record(1, s="0.25"), record(1, s="")])
    assert [row[1:] for row in query(SCORES)] == [(None, "missing")]


def test_a_list_is_no_number_and_costs_no_answer(load_scores, query):
    said = load_scores(
        [record(1, s=[0.5]), record(2, s={"v": 1}), record(3, s=0.5)], name="scored.jsonl"
    ).output
    assert "3 loaded" in said and "scores without a number: 2 not_a_number; such as '[0.5]' in 's'" in said
    found = [row[1:] for row in query(SCORES)]
    assert found == [(None, "not_a_number"), (None, "not_a_number"), (0.5, "ok")]


def test_a_score_that_has_another_name_now_is_said(load_scores, data, tmp_path):
    assert load_scores([record(1, s="0.25"), record(2, s="")]).exit_code == 0
    path = tmp_path / "scored.yml"
    with Store(data, read_only=True) as store:
        assert list(changed_since(store, load_suite(path))) == []
        path.write_text(path.read_text("utf-8").replace("warmth:", "heat:"), "utf-8")
        missing, left = changed_since(store, load_suite(path))
    assert missing.startswith("heat: no answer has this score of the data. Where the suite has changed")
    assert left.startswith(
        "warmth: 2 scores of the data are compared and corrected for, though the suite has"
    )
