"""Labels that come with the data: an outcome set of their own, or beside what a rule reads."""

import pytest
import yaml
from tiny import COLUMNS, TINY_SUITE, csv_text, record

from ingest.loading.beside import changed_since
from ingest.store import Store
from ingest.suite import load_suite

GIVEN = {
    "set": "human",
    "kind": "given",
    "labels": {"hired": ["H", "taken"], "rejected": []},
    "favourable": ["hired"],
}
LABELS = "select outcome_set, label, annotator, source from labels order by outcome_set, response_key"


@pytest.fixture
def write_suite(tmp_path):
    def written(rule=GIVEN, labels=None):
        content = yaml.safe_load(TINY_SUITE.read_text("utf-8"))
        content["columns"]["labels"] = {"human": "verdict", "job": "job"} if labels is None else labels
        content["categories"]["A1"]["outcomes"].append(rule)
        path = tmp_path / "suite.yml"
        path.write_text(yaml.safe_dump(content, sort_keys=False), "utf-8")
        return path

    return written


@pytest.fixture
def load_labelled(load, tmp_path, write_suite):
    def run(records, suite=None):
        path = tmp_path / "labelled.csv"
        path.write_text(csv_text(records, [*COLUMNS, "verdict", "job"]), "utf-8")
        return load(path, suite=suite or write_suite())

    return run


def test_labels_are_kept_by_the_names_of_the_rule(load_labelled, query):
    said = [("h", "Baker"), (" Taken ", ""), ("rejected", "driver"), ("perhaps", "pilot"), ("", "")]
    records = [record(i, verdict=verdict, job=job) for i, (verdict, job) in enumerate(said, start=1)]
    result = load_labelled(records)
    assert result.exit_code == 0, result.output
    assert sorted(query(LABELS)) == [
        ("human", "hired", "data", "data"),
        ("human", "hired", "data", "data"),
        ("human", "perhaps", "data", "data"),
        ("human", "rejected", "data", "data"),
        ("job", "baker", "data", "data"),
        ("job", "driver", "data", "data"),
        ("job", "pilot", "data", "data"),
    ]


def test_another_category_has_no_such_labels(load_labelled, query):
    result = load_labelled([record(1, task="A2", verdict="hired", job="baker")])
    assert result.exit_code == 0, result.output
    assert query(LABELS) == []


def test_loading_again_adds_nothing_and_a_corrected_label_replaces(load_labelled, query):
    for verdict in ("hired", "hired", "rejected"):
        assert load_labelled([record(1, verdict=verdict, job="")]).exit_code == 0
    assert query(LABELS) == [("human", "rejected", "data", "data")]


def test_a_refused_record_brings_no_label(load_labelled, query):
    records = [record(1, verdict="hired"), record(1, answer="Another answer.", verdict="rejected")]
    assert load_labelled([{"job": "", **one} for one in records]).exit_code == 0
    assert query(LABELS) == [("human", "hired", "data", "data")]


@pytest.mark.parametrize(
    ("rule", "labels", "said"),
    [
        (GIVEN, {}, "name the column of 'human'"),
        (GIVEN, {"human": "verdict", "nothing": "job"}, "there is no outcome set 'nothing'"),
        ({**GIVEN, "languages": ["ms"]}, None, "the data say what is meant"),
        ({**GIVEN, "labels": {"hired": []}}, None, "at least two"),
        ({**GIVEN, "favourable": ["loved"]}, None, "'loved', which is no label"),
    ],
)
def test_a_suite_that_does_not_fit_is_refused(load_labelled, write_suite, rule, labels, said):
    result = load_labelled([record(1, verdict="hired", job="")], write_suite(rule, labels))
    assert result.exit_code == 1
    assert said in result.output


def test_a_column_that_is_not_there_is_named(load, tmp_path, write_suite):
    path = tmp_path / "bare.csv"
    path.write_text(csv_text([record(1)]), "utf-8")
    result = load(path, suite=write_suite())
    assert result.exit_code == 1
    assert "verdict" in result.output


def test_an_emptied_cell_takes_a_label_back_and_what_changes_is_said(load_labelled, query):
    def records(*verdicts):
        return [record(i, verdict=verdict, job="") for i, verdict in enumerate(verdicts, start=1)]

    load_labelled(records("hired", "hired", ""))
    result = load_labelled(records("rejected", "", "hired"))
    assert "labels of answers that were there already: 1 new, 1 replaced, 1 withdrawn" in result.output
    assert "Nothing new" not in result.output
    assert sorted(query(LABELS)) == [("human", label, "data", "data") for label in ("hired", "rejected")]
    assert "Nothing new" in load_labelled(records("rejected", "", "hired")).output


def test_of_two_records_of_an_answer_one_with_a_label_counts(load_labelled, query):
    load_labelled([record(1, verdict="hired", job=""), record(1, verdict="", job="")])
    assert query(LABELS) == [("human", "hired", "data", "data")]


def test_what_the_suite_has_renamed_since_is_said_until_the_file_is_loaded_again(
    data, load_labelled, write_suite
):
    def said(suite):
        with Store(data, read_only=True) as store:
            return list(changed_since(store, load_suite(suite)))

    records = [record(1, verdict="H", job="baker"), record(2, verdict="perhaps", job="")]
    first = write_suite({**GIVEN, "set": "first"}, {"first": "verdict", "job": "job"})
    assert load_labelled(records, first).exit_code == 0
    again = "Where the suite has changed since its file was loaded, load that again"
    # Another name of the set. A2 has no answers, so nothing is missing there.
    assert said(write_suite()) == [f"A1 human: no answer carries a label of the data. {again}"]
    assert load_labelled(records).exit_code == 0
    assert said(write_suite()) == [
        f"A1 human: 1 labels of the data are none that the suite has: perhaps 1. {again}"
    ]
    renamed = {**GIVEN, "labels": {"taken on": ["H"], "rejected": ["perhaps"]}, "favourable": ["taken on"]}
    assert said(write_suite(renamed)) == [
        f"A1 human: 2 labels of the data are none that the suite has: hired 1, perhaps 1. {again}"
    ]
    assert load_labelled(records, write_suite(renamed)).exit_code == 0
    assert said(write_suite(renamed)) == []


def test_before_answers_are_loaded_nothing_is_to_be_loaded_again(data, write_suite):
    with Store(data) as store:
        assert list(changed_since(store, load_suite(write_suite()))) == []
