"""The short version of experiments/kills.py, and the journal that makes its outcome."""

import importlib
import sys

import duckdb
import pytest
from places import ROOT

from ingest.errors import PlumblineError
from ingest.store import RAW_NAME, Store, utc_now
from ingest.store.journal import NAMES, Journal, entry, read_entries


@pytest.fixture
def kills(monkeypatch):
    """The experiment, importable as its children import it."""
    monkeypatch.syspath_prepend(str(ROOT))
    yield importlib.import_module("experiments.kills")
    for name in [name for name in sys.modules if name.partition(".")[0] in ("experiments", "tests")]:
        del sys.modules[name]


def test_kills_lose_nothing_and_have_nothing_asked_twice(kills):
    found = kills.run(n_kills=4, n_cases=60, n_texts=200, seed=7, say=lambda line: None)
    assert [kill.stage for kill in found] == ["generate"] * 2 + ["extract"] * 2
    assert "| generate | 2 |" in kills.report(found, 60, 200)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda before, after, asked: after["responses"].pop(0), "are gone or other ones"),
        (lambda before, after, asked: asked.append(said("p1")), "asked twice"),
        (lambda before, after, asked: asked.extend([said("q1"), said("q1")]), "asked twice"),
        (lambda before, after, asked: asked.extend(said(f"q{i}") for i in range(9)), "there are 8 senders"),
    ],
)
def test_the_experiment_notices(kills, spoil, message):
    before = {"responses": [("p1", "k1", "ok", "r", "1p")]}
    after = {"responses": [*before["responses"], ("p2", "k2", "ok", "r", "2p")]}
    asked = [said("p2"), said("p3")]
    assert kills.check_generate(before, after, asked, 10.0) == (1, 1.0)
    spoil(before, after, asked)
    with pytest.raises(SystemExit, match=message):
        kills.check_generate(before, after, asked, 10.0)


def said(prompt):
    return {"content": {"messages": [{"content": prompt}]}, "ended": 9.0}


def answer(number, status="ok", text="Yes.", run="r1"):
    row = {
        "response_key": f"k{number}",
        "prompt_key": "p",
        "config_key": "c",
        "repeat_index": number,
        "response_status": status,
        "n_attempts": 2,
        "wait_seconds": 1.5,
        "error": None if status == "ok" else "it broke",
        "answered_at": utc_now(),
        "run_id": run,
    }
    return entry(row, [text if status == "ok" else None, None, None])


def left_behind(folder, *answers):
    """Write a journal and leave it as a killed process does."""
    journal = Journal(folder)
    for one in answers:
        journal.write(one)
    return journal


def test_what_a_killed_process_left_comes_in_with_the_next_writer(tmp_path):
    journal = left_behind(tmp_path, *(answer(i) for i in range(5)))
    with journal.paths[0].open("ab") as file:
        file.write(b'{"row": {"response_key": "k9", "answered')  # killed in the middle of a line
    for _ in range(2):
        with Store(tmp_path) as store:
            rows = store.rows(
                "select response_key, text, n_attempts from responses join texts using (text_key)"
            )
        assert sorted(rows) == [(f"k{i}", "Yes.", 2) for i in range(5)]
        assert not any((tmp_path / name).exists() for name in NAMES)


def test_a_kill_between_commit_and_clearing_changes_nothing(tmp_path):
    first, second = answer(0, "server_error"), answer(0, run="r2")
    with Store(tmp_path) as store:
        store.append_answers([first])
        store.append_answers([second])
    left_behind(tmp_path, first, second)
    with Store(tmp_path) as store:
        found = store.rows("select response_status, run_id, n_attempts, wait_seconds, error from responses")
        assert found == [("ok", "r2", 4, 3.0, None)]
        old = store.rows("select response_status, run_id, n_attempts from superseded_responses")
        assert old == [("server_error", "r1", 2)]


def test_both_files_take_turns_and_empty_ones_go(tmp_path):
    journal = Journal(tmp_path)
    first = [journal.write(answer(i)) for i in range(3)]
    journal.committed({0: 2})
    # One of the first file is not committed yet; what comes next goes to the other one.
    second = [journal.write(answer(i)) for i in range(3, 5)]
    assert (first, second) == ([0, 0, 0], [1, 1])
    assert [e["row"]["response_key"] for e in read_entries(tmp_path)] == ["k0", "k1", "k2", "k3", "k4"]
    journal.committed({0: 1})
    assert [e["row"]["response_key"] for e in read_entries(tmp_path)] == ["k3", "k4"]
    journal.close()
    assert [(tmp_path / name).exists() for name in NAMES] == [False, True]


def test_a_file_that_is_no_journal_is_named(tmp_path):
    (tmp_path / NAMES[1]).write_text("something else\n")
    with pytest.raises(PlumblineError, match=r"responses\.1\.journal, line 1, is no answer"), Store(tmp_path):
        pass
    assert (tmp_path / NAMES[1]).exists()


def test_a_database_of_an_older_version_gets_the_columns_it_lacks(tmp_path):
    with Store(tmp_path) as store:
        store.append_answers([answer(0)])
    with duckdb.connect(str(tmp_path / RAW_NAME)) as connection:
        for column in ("served_model", "system_fingerprint", "messages_text_key"):
            connection.execute(f"alter table responses drop column {column}")
        connection.execute("drop table superseded_responses")
    with Store(tmp_path) as store:
        store.append_answers([answer(1)])
        rows = store.rows("select response_key, served_model from responses order by 1")
    assert rows == [("k0", None), ("k1", None)]


def test_a_journal_holds_any_text(tmp_path):
    texts = ["line\nline", "nul \x00", "half \ud83d", "\u2028", "租房 🏠", "x" * 1_000_000]
    left_behind(tmp_path, *(answer(i, text=text) for i, text in enumerate(texts)))
    with Store(tmp_path) as store:
        rows = store.rows("select text from responses join texts using (text_key) order by repeat_index")
    assert [text for (text,) in rows] == [text.replace("\ud83d", "?") for text in texts]
