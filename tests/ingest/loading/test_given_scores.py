"""Numbers that come with answers: `columns: {scores: …}`, and what a later file says of them."""

import re

import duckdb
import pytest
import yaml
from loaded import build_loaded
from tiny import COLUMNS, TINY_SUITE, csv_text, json_lines, record

from ingest.errors import PlumblineError
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


WARM = {"set": "warm", "kind": "score", "scorer": "given", "feature": "warmth"}
COLD = {"set": "cold", "kind": "cutoff", "scorer": "given", "feature": "warmth"}
COLD |= {"labels": {"cold": ["< 0"], "warm": [">= 0"]}, "favourable": ["warm"]}


def read_by(folder, *rules, **changes):
    content = yaml.safe_load(TINY_SUITE.read_text("utf-8"))
    content["columns"]["scores"] = {"warmth": "s"}
    content["categories"]["A1"]["outcomes"] = list(rules)
    path = folder / "suite.yml"
    path.write_text(yaml.safe_dump(content | changes, sort_keys=False), "utf-8")
    return path


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (WARM | {"feature": "cold"}, "no number 'cold' comes with the answers; known: warmth"),
        (WARM | {"text": "raw"}, "the number came with the answer: take `text` out"),
        (WARM | {"scorer": "vader"}, "write `scorer: given, feature: warmth`"),
        (WARM | {"scorer": "warmth"}, "write `scorer: given, feature: warmth`"),
        (
            {"set": "w", "kind": "score", "feature": "warmth"},
            "of a number that came with the answers the scorer is `given`",
        ),
    ],
)
def test_a_rule_says_that_its_number_is_given(rule, said, tmp_path):
    with pytest.raises(PlumblineError, match=re.escape(said)):
        load_suite(read_by(tmp_path, rule))


def test_nothing_else_is_called_given(tmp_path):
    own = {"given": {"reads": "number", "range": [0, 10]}}
    for changes in ({"scorers": ["given"]}, {"own_scorers": own, "scorers": ["given"]}):
        with pytest.raises(PlumblineError, match="scorer"):
            load_suite(read_by(tmp_path, WARM, **changes))


def test_numbers_that_came_are_judged_by_the_rules_that_read_them(tmp_path):
    """Women get 0.5 and men -0.5, but for one of each, and one has no number: means of 0.375 and -0.375."""
    data = tmp_path / "data"
    data.mkdir()
    read_by(data, WARM, COLD, profiles=["plumbline"], minimum={"cell": 2, "group": 2})
    records = [
        record(
            number,
            gender=gender,
            person="",
            question=f"What does the {noun} from the North do?",
            s=score if number % 8 else -score,
        )
        for gender, noun, score in (("Female", "woman", 0.5), ("Male", "man", -0.5))
        for number in range(1, 9)
    ]
    records.append(record(9, gender="Male", person="", question="What does the man from the North do?", s=""))
    (data / "answers.csv").write_text(csv_text(records, [*COLUMNS, "s"]), "utf-8")
    build_loaded(data, "fct_contrasts")
    with duckdb.connect(str(data / "audit.duckdb"), read_only=True) as marts:
        contrasts = marts.sql(
            "select measure, measure_kind, outcome, group_high, value_high, value_low, n from fct_contrasts"
            " where axis = 'gender' and measure <> 'response_status' order by all"
        ).fetchall()
        read = marts.sql(
            "select outcome_set, outcome_status, count(*) from int_outcomes_assigned"
            " group by all order by all"
        ).fetchall()
    assert contrasts == [
        ("cold", "outcome", "warm", "Female", 0.875, 0.125, 16),
        ("warmth", "score", "", "Female", 0.375, -0.375, 16),
    ]
    assert read == [
        ("cold", "not_measured", 1),
        ("cold", "ok", 16),
        ("warm", "not_measured", 1),
        ("warm", "ok", 16),
    ]
