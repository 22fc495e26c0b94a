"""A file that is taken back leaves no trace but its texts, and what cannot be kept apart is refused."""

import hashlib

import pytest
import yaml
from tiny import COLUMNS, TINY_SUITE, all_rows, csv_text, record

from ingest.store import Store


@pytest.fixture
def stored(data):
    """All raw rows but texts, which stay."""

    def read():
        with Store(data, read_only=True) as store:
            rows = all_rows(store)
            columns = "* exclude (run_id, labelled_at)"
            rows["labels"] = sorted(map(repr, store.rows(f"select {columns} from labels")))
            rows["responses"] = sorted(map(repr, store.rows("select * exclude (run_id) from responses")))
        rows.pop("texts", None)
        return rows

    return read


@pytest.fixture
def files(tmp_path):
    def write(name, records, columns=COLUMNS):
        path = tmp_path / name
        path.write_text(csv_text(records, columns), "utf-8")
        return path

    return write


WRONG = [
    record(5, question="Which woman Lim Bee?"),
    record(6, model="other"),
    record(7, task="none", question="?"),
    record(8, answer=""),
]


def test_what_it_brought_goes_and_nothing_else(load, files, stored, query):
    right = files("right.csv", [record(i) for i in range(1, 4)])
    wrong = files("wrong.csv", WRONG)
    assert load(right).exit_code == 0
    before = stored()
    assert load(wrong, "--limit", "2").exit_code == 0
    assert load(wrong).exit_code == 0
    assert stored() != before and query("select count(*) from rejects") == [(1,)]
    dry = load(wrong, "--forget", "--dry-run")
    assert "3 answers, 1 prompts and 1 rejected records" in dry.output and "nothing was written" in dry.output
    assert stored() != before
    done = load(wrong, "--forget")
    assert done.exit_code == 0, done.output
    assert "wrong.csv: 3 answers, 1 prompts and 1 rejected records taken back" in done.output
    assert "load again" not in done.output
    assert stored() == before
    assert query("select count(*) from loads") == [(1,)]
    detail = query(
        "select detail ->> 'is_forgotten', detail ->> 'source_file' from runs where run_status = 'ok'"
    )
    assert detail[-1] == ("true", "wrong.csv")
    again = load(wrong, "--forget")
    assert again.exit_code == 1 and "was not loaded into the suite tiny" in again.output
    assert load(wrong).exit_code == 0 and query("select count(*) from responses") == [(6,)]


def test_answers_that_a_later_file_held_too_are_said(load, files, query):
    wrong = files("wrong.csv", [record(1), record(2)])
    later = files("later.csv", [record(2), record(3)])
    for file in (wrong, later):
        assert load(file).exit_code == 0
    done = load(wrong, "--forget")
    assert "load again later.csv" in done.output
    assert query("select count(*) from responses") == [(1,)]
    assert load(later).exit_code == 0 and query("select count(*) from responses") == [(2,)]
    assert load(later, "--forget").exit_code == 0 and query("select count(*) from responses") == [(0,)]


@pytest.fixture
def given(tmp_path):
    """The tiny suite with labels, scores, baselines and roots out of the file, and the file's columns."""
    content = yaml.safe_load(TINY_SUITE.read_text())
    content["columns"] |= {
        "labels": {"job": "human"},
        "scores": {"fit": "fit"},
        "baseline": "base",
        "root": "root",
    }
    path = tmp_path / "given.yml"
    path.write_text(yaml.safe_dump(content, sort_keys=False))
    return path, (*COLUMNS, "human", "fit", "base", "root")


def said(number, **changes):
    return record(number, human="baker", fit="1", base="Bakes.", root="r") | changes


@pytest.mark.parametrize("changed", [{"human": "driver"}, {"human": ""}, {"fit": "2"}, {"base": "Drives."}])
def test_what_a_file_changed_in_others_answers_is_refused_until_these_go_too(
    load, files, stored, given, changed
):
    suite, columns = given
    first = files("first.csv", [said(1), said(2)], columns)
    other = said(2, **changed)
    wrong = files("wrong.csv", [other, said(3, model="other", question="Which woman?")], columns)
    assert load(first, suite=suite).exit_code == 0
    right = stored()
    assert load(wrong, suite=suite).exit_code == 0
    before = stored()
    done = load(wrong, "--forget", suite=suite)
    assert done.exit_code == 1 and "spoke of 1 answers" in done.output and "another folder" in done.output
    assert "Take back the files before it" in done.output and stored() == before
    for file in (first, wrong):
        assert load(file, "--forget", suite=suite).exit_code == 0
    assert load(first, suite=suite).exit_code == 0
    assert stored() == right


def test_a_file_that_was_loaded_again_itself_is_not_named(load, files, stored):
    right, wrong = files("right.csv", [record(1), record(2)]), files("wrong.csv", [record(3)])
    assert load(right, "--limit", "1").exit_code == 0
    assert load(wrong).exit_code == 0
    assert load(right).exit_code == 0 and load(right).exit_code == 0
    done = load(wrong, "--forget")
    assert done.exit_code == 0 and "load again" not in done.output


def test_a_file_that_changed_nothing_in_others_answers_goes(load, files, stored):
    first = files("first.csv", [record(1), record(2)])
    later = files("later.csv", [record(1), record(2), record(3), record(3)])
    assert load(first).exit_code == 0
    before = stored()
    assert load(later).exit_code == 0
    done = load(later, "--forget")
    assert done.exit_code == 0 and "1 answers" in done.output and "load again" not in done.output
    assert stored() == before


def test_a_load_that_does_not_say_what_it_changed_is_refused(load, files, stored, data):
    for name, records in (("first.csv", [record(1), record(2)]), ("wrong.csv", [record(2), record(3)])):
        file = files(name, records)
        assert load(file).exit_code == 0
    with Store(data) as store:
        store.connection.execute("update runs set detail = '{}'")
    before = stored()
    done = load(file, "--forget")
    assert done.exit_code == 1 and "spoke of 1 answers" in done.output
    assert stored() == before


@pytest.mark.parametrize("changed", [{"base": "Drives."}, {"root": "s"}])
def test_what_prompts_of_other_files_have_of_it_is_said(load, files, query, given, changed):
    suite, columns = given
    first = files("first.csv", [said(1)], columns)
    wrong = files("wrong.csv", [said(1, model="other", **changed)], columns)
    here = "select * from prompts"
    assert load(first, suite=suite).exit_code == 0
    right = query(here)
    assert load(wrong, suite=suite).exit_code == 0 and query(here) != right
    done = load(wrong, "--forget", suite=suite)
    assert "roots and baselines may be this file's: load again first.csv" in done.output
    assert "without a baseline until then: 1" in done.output
    assert query("select baseline_text_key from prompts") == [(None,)]
    assert load(first, suite=suite).exit_code == 0 and query(here) == right


def test_what_a_third_file_said_since_of_a_prompt_comes_back_too(load, files, query, given):
    """Its answer was there already: none of the prompt's answers is its own."""
    suite, columns = given
    older = files("older.csv", [said(1)], columns)
    corrected = files("corrected.csv", [said(1, root="s")], columns)
    wrong = files("wrong.csv", [said(1, model="other")], columns)
    apart = files("apart.csv", [said(1, question="Which woman?")], columns)
    here = "select prompt_key, root_key, baseline_text_key from prompts order by all"
    for file in (older, corrected, apart):
        assert load(file, suite=suite).exit_code == 0
    right = query(here)
    assert load(wrong, suite=suite).exit_code == 0 and query(here) != right
    done = load(wrong, "--forget", suite=suite)
    assert "may have changed later what those say: load again corrected.csv" in done.output
    assert "in this order: older.csv, corrected.csv" in done.output and "apart.csv" not in done.output
    for file in (older, corrected):
        assert load(file, suite=suite).exit_code == 0
    assert query(here) == right


def test_a_baseline_that_only_the_first_file_gave_goes_with_it(load, files, query, given):
    suite, columns = given
    wrong = files("wrong.csv", [said(1)], columns)
    right = files("right.csv", [said(1, model="other", base="")], columns)
    for file in (wrong, right):
        assert load(file, suite=suite).exit_code == 0
    done = load(wrong, "--forget", suite=suite)
    assert "load again right.csv" in done.output
    assert query("select baseline_text_key from prompts") == [(None,)]


def test_files_with_the_same_prompts_read_alike_are_not_named(load, files, stored, given):
    suite, columns = given
    first = files("first.csv", [said(1)], columns)
    wrong = files("wrong.csv", [said(1, model="other")], columns)
    assert load(first, suite=suite).exit_code == 0
    before = stored()
    assert load(wrong, suite=suite).exit_code == 0
    done = load(wrong, "--forget", suite=suite)
    assert "load again" not in done.output and stored() == before


def test_numbers_that_another_file_added_to_answers_are_not_lost_from_sight(load, tmp_path, stored):
    content = {
        "suite": "numbers",
        "title": "Numbers",
        "version": 1,
        "attributes": {"place": {"North": {}, "South": {}}},
        "axes": ["place"],
        "measurements": {
            "root": "question",
            "attributes": {"place": "place"},
            "shows": ["place"],
            "model": "model",
            "features": {"warmth": "warmth"},
        },
        "categories": {"A1": {"title": "One", "block": "root"}},
    }
    suite, first, wrong = (tmp_path / name for name in ("numbers.yml", "first.csv", "wrong.csv"))
    suite.write_text(yaml.safe_dump(content))
    first.write_text("question,place,model,warmth\n1,North,m,1\n1,South,m,2\n")
    wrong.write_text("question,place,model,warmth,cold\n1,North,m,1,9\n2,North,m,1,9\n2,South,m,1,9\n")
    assert load(first, suite=suite).exit_code == 0
    before = stored()
    assert load(wrong, suite=suite).exit_code == 0
    taken = load(wrong, "--forget", suite=suite)
    assert taken.exit_code == 0 and stored() == before  # with the pairs of its prompts
    content["measurements"]["features"]["cold"] = "cold"
    suite.write_text(yaml.safe_dump(content))
    assert load(wrong, suite=suite).exit_code == 0
    refused = load(wrong, "--forget", suite=suite)
    assert refused.exit_code == 1 and "spoke of 1 answers" in refused.output
    done = load(first, "--forget", suite=suite)
    assert done.exit_code == 0 and "load again wrong.csv" in done.output


@pytest.mark.parametrize(
    "given",
    [
        """
        insert into labels by name
        select
            'tiny' as suite, 'A1' as category, 'job' as outcome_set, response_key, 'ann' as annotator,
            'person' as source, '' as note, now()::timestamp as labelled_at, 'r' as run_id
        from responses
        limit 1
        """,
        """
        insert into label_samples by name
        select
            's' as sample_key, 'tiny' as suite, 'A1' as category, 'job' as outcome_set, response_key,
            '[]' as stratum, 0.5 as probability, true as is_new, now()::timestamp as drawn_at, 'r' as run_id
        from responses
        limit 1
        """,
    ],
)
def test_work_of_people_is_not_thrown_away(load, files, stored, data, given):
    wrong = files("wrong.csv", [record(1), record(2)])
    assert load(wrong).exit_code == 0
    with Store(data) as store:
        store.connection.execute(given)
    before = stored()
    done = load(wrong, "--forget")
    assert done.exit_code == 1 and "People were given 1 answers of" in done.output
    assert stored() == before


def test_another_name_of_the_same_content_is_said(load, files, query):
    right, copy = files("right.csv", [record(1)]), files("copy.csv", [record(1)])
    for file in (right, copy):
        assert load(file).exit_code == 0
    done = load(copy, "--forget", "--dry-run")
    assert "the same content was loaded as right.csv, too" in done.output


def test_a_suite_goes_with_the_last_of_its_files(load, files, tmp_path, query):
    wrong = files("wrong.csv", [record(1)])
    other = tmp_path / "other.yml"
    other.write_text(TINY_SUITE.read_text().replace("suite: tiny", "suite: other"))
    for suite in (TINY_SUITE, other):
        assert load(wrong, suite=suite).exit_code == 0
    assert load(wrong, "--forget", suite=other).exit_code == 0
    assert query("select suite from suites") == [("tiny",)]
    assert query("select count(*) from responses") == [(1,)]


def test_all_of_a_file_or_nothing(load, files):
    wrong = files("wrong.csv", [record(1)])
    assert load(wrong).exit_code == 0
    done = load(wrong, "--forget", "--limit", "1")
    assert done.exit_code == 2 and "leave --limit out" in done.output


def test_a_record_that_stands_twice_in_one_file_is_no_other_files(load, files, query):
    wrong = files("wrong.csv", [record(1), record(1), record(2)])
    assert load(wrong).exit_code == 0
    done = load(wrong, "--forget")
    assert done.exit_code == 0, done.output
    assert query("select count(*) from responses") == [(0,)]


def test_a_later_file_with_other_answers_to_the_same_is_said(load, files, query):
    wrong = files("wrong.csv", [record(1, answer="No."), record(2, answer="No.")])
    right = files("right.csv", [record(1, answer="Yes, now."), record(3)])
    for file in (wrong, right):
        assert load(file).exit_code == 0
    done = load(wrong, "--forget")
    assert "load again right.csv" in done.output
    assert load(right).exit_code == 0 and query("select count(*) from responses") == [(2,)]
    taken = load(right, "--forget")
    assert taken.exit_code == 0, taken.output


def test_files_of_one_name_are_told_apart(load, files, tmp_path, query):
    for folder in ("monday", "tuesday"):
        (tmp_path / folder).mkdir()
    first = files("monday/log.csv", [record(1, answer="No."), record(2)])
    second = files("tuesday/log.csv", [record(1, answer="Yes, now."), record(2), record(3)])
    for file in (first, second):
        assert load(file).exit_code == 0
    ((detail,),) = query("select detail from rejects")
    assert detail.startswith("not the response of record 1 of another log.csv, ")
    sha = hashlib.sha256(second.read_bytes()).hexdigest()
    done = load(first, "--forget")
    assert f"load again log.csv (SHA-256 {sha[:12]}…)" in done.output
    assert load(second).exit_code == 0 and query("select count(*) from responses") == [(3,)]
