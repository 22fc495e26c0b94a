"""A file that is taken back leaves no trace but its texts, and what cannot be kept apart is refused."""

import pytest
from tiny import COLUMNS, all_rows, csv_text, record

from ingest.store import Store


@pytest.fixture
def stored(data):
    """All raw rows but texts, which stay."""

    def read():
        with Store(data, read_only=True) as store:
            rows = all_rows(store)
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


def test_a_file_that_spoke_of_others_answers_is_refused(load, files, stored):
    for name, records in (("first.csv", [record(1), record(2)]), ("wrong.csv", [record(2), record(3)])):
        file = files(name, records)
        assert load(file).exit_code == 0
    before = stored()
    done = load(file, "--forget")
    assert done.exit_code == 1 and "spoke of 1 answers of another file" in done.output
    assert "another folder" in done.output and stored() == before


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
