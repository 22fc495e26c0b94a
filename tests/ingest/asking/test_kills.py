"""The short version of experiments/kills.py, and the journal that makes its outcome."""

import importlib
import json
import sys
from datetime import timedelta

import duckdb
import pytest
from click.testing import CliRunner
from places import ROOT

from ingest.asking.senders import Asker, Counters, RateLimit, Retries
from ingest.backends import AttemptFailed
from ingest.cli import cli
from ingest.store import RAW_NAME, Store, utc_now
from ingest.store.journal import NAMES, SET_ASIDE, UNPROVEN, Journal, entry, read_entries
from ingest.store.tables import UNINDEXED


@pytest.fixture
def kills(monkeypatch):
    """The experiment, importable as its children import it."""
    monkeypatch.syspath_prepend(str(ROOT))
    yield importlib.import_module("experiments.kills")
    for name in [name for name in sys.modules if name.partition(".")[0] in ("experiments", "tests")]:
        del sys.modules[name]


def test_kills_lose_nothing_and_have_nothing_asked_twice(kills):
    numbers = {"swapped": 0, "generate": 2, "extract": 1, "load": 1, "build": 0}
    found = kills.run(numbers, n_cases=60, n_texts=200, seed=7, say=lambda line: None)
    assert [kill.stage for kill in found] == ["generate", "generate", "extract", "load"]
    assert "| generate | 2 |" in kills.report(found, 60, 200)
    assert sum(kills.shares(200).values()) == 200 and min(kills.shares(200).values()) == 20


def test_what_was_cancelled_may_be_asked_again(kills):
    before = {"responses": [("p1", "k1", "cancelled", "r1", None)]}
    after = {"responses": [("p1", "k1", "ok", "r2", "1p")]}
    assert kills.check_generate(before, after, [said("p1"), said("p2")], 10.0) == (1, 1.0)


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


def test_status_says_how_many_answers_a_killed_process_left(tmp_path):
    with Store(tmp_path):
        pass
    left_behind(tmp_path, *(answer(i) for i in range(5)))
    result = CliRunner().invoke(cli, ["--data", str(tmp_path), "status"])
    assert "5 answers of a run that was killed are not counted: the next run brings them in." in result.output
    with Store(tmp_path):
        pass
    assert "killed" not in CliRunner().invoke(cli, ["--data", str(tmp_path), "status"]).output


@pytest.mark.parametrize("is_indexed", [False, True], ids=["database", "database of an older version"])
def test_a_kill_between_commit_and_clearing_changes_nothing(tmp_path, is_indexed):
    first, second = answer(0, "server_error"), answer(0, run="r2")
    with Store(tmp_path) as store:
        if is_indexed:
            for table, column in UNINDEXED.items():
                store.connection.execute(f"alter table {table} add primary key ({column})")
        store.append_answers([first])
        store.append_answers([second])
    left_behind(tmp_path, first, second)
    with Store(tmp_path) as store:
        found = store.rows("select response_status, run_id, n_attempts, wait_seconds, error from responses")
        assert found == [("ok", "r2", 4, 3.0, None)]
        old = store.rows("select response_status, run_id, n_attempts from superseded_responses")
        assert old == [("server_error", "r1", 2)]
        assert store.rows("select text from texts") == [("Yes.",)]


def test_an_answer_counts_though_the_clock_was_set_back_since_it_failed(tmp_path):
    failed, later = answer(0, "server_error"), answer(0, run="r2")
    later["row"]["answered_at"] -= timedelta(hours=8)
    with Store(tmp_path) as store:
        store.append_answers([failed])
        store.append_answers([later])
        for _ in range(2):
            found = store.rows("select response_status, run_id, n_attempts from responses")
            assert found == [("ok", "r2", 4)]
            assert store.rows("select response_status, run_id from superseded_responses") == [
                ("server_error", "r1")
            ]
            store.append_answers([failed])
            store.append_answers([later])


def test_both_files_take_turns_and_empty_ones_go(tmp_path):
    journal = Journal(tmp_path)
    first = [journal.write(answer(i)) for i in range(3)]
    journal.committed({0: 2})
    # One of the first file is not committed yet; what comes next goes to the other one.
    second = [journal.write(answer(i)) for i in range(3, 5)]
    assert (first, second) == ([0, 0, 0], [1, 1])
    assert [e["row"]["response_key"] for e in read_entries(tmp_path)[0]] == ["k0", "k1", "k2", "k3", "k4"]
    journal.committed({0: 1})
    assert [e["row"]["response_key"] for e in read_entries(tmp_path)[0]] == ["k3", "k4"]
    journal.close()
    assert [(tmp_path / name).exists() for name in NAMES] == [False, True]


def spoilt(change):
    """Return the line of an entry after `change` was applied to it."""
    content = answer(7)
    change(content)
    return json.dumps(content, default=str)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("something else", "JSONDecodeError"),
        ("[]", "no answer of `plumbline generate`"),
        ("[" * 100_000, "RecursionError"),
        (spoilt(lambda c: c["row"].update(n_prompt_tokens=2**31)), "n_prompt_tokens is 2147483648"),
        (spoilt(lambda c: c["row"].update(n_output_tokens=10**30)), "n_output_tokens is 1000"),
        (spoilt(lambda c: c["row"].update(n_output_tokens=True)), "n_output_tokens is True"),
        (spoilt(lambda c: c["row"].update(repeat_index=-1)), "repeat_index is -1"),
        (spoilt(lambda c: c["row"].update(seconds=float("nan"))), "seconds is nan"),
        (spoilt(lambda c: c["row"].update(finish_reason=["stop"])), "finish_reason is"),
        (spoilt(lambda c: c["row"].update(response_key=None)), "response_key is missing"),
        (spoilt(lambda c: c["row"].update(answered_at="2026-01-01T00:00:00+08:00")), "answered_at is"),
        (spoilt(lambda c: c["row"].update(error="half \ud83d")), "error is"),
        (spoilt(lambda c: c["row"].update(colour="red")), "no column 'colour'"),
        (spoilt(lambda c: c["texts"].append("more")), "its texts are not those"),
        (spoilt(lambda c: c["texts"].__setitem__(0, "No.")), "its texts are not those"),
    ],
)
def test_a_line_that_is_no_answer_is_set_aside_and_the_rest_comes_in(tmp_path, capsys, line, reason):
    journal = left_behind(tmp_path, answer(0))
    with journal.paths[0].open("a") as file:
        file.write(f"{line}\n")
    left_behind(tmp_path, answer(1))
    for _ in range(2):
        with Store(tmp_path) as store:
            assert store.rows("select response_key from responses order by 1") == [("k0",), ("k1",)]
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and reason in said and "responses.0.journal, line 2" in said
    assert str(tmp_path / SET_ASIDE) in said and len(said) < 300 + len(str(tmp_path))
    (kept,) = (tmp_path / SET_ASIDE).read_text().splitlines()
    assert json.loads(kept)["line"] == line and reason in json.loads(kept)["reason"]


def test_what_nobody_vouched_for_is_asked_again(tmp_path):
    row, texts = answer(0)["row"], ["Yes.", "Hm.", "[]"]
    left_behind(tmp_path, entry(row, texts, is_proven=False), answer(1))
    with Store(tmp_path) as store:
        found = "select response_status, text_key is null, reasoning_text_key is null, error from responses"
        assert store.rows(f"{found} order by response_key") == [
            ("cancelled", True, True, UNPROVEN),
            ("ok", False, True, None),
        ]
        assert sorted(store.rows("select text from texts")) == [("Yes.",), ("[]",)]


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


def test_a_reader_finds_an_older_version_s_database_as_if_it_lacked_nothing(tmp_path):
    with Store(tmp_path) as store:
        store.append_answers([answer(0)])
    with duckdb.connect(str(tmp_path / RAW_NAME)) as connection:
        connection.execute("alter table responses drop column served_model")
        connection.execute("alter table responses drop column cost")
        connection.execute("drop table batches")
    before = (tmp_path / RAW_NAME).read_bytes()
    with Store(tmp_path, read_only=True) as store:
        found = store.rows("select response_key, served_model, cost from responses left join batches on true")
    assert found == [("k0", None, None)]
    result = CliRunner().invoke(cli, ["--data", str(tmp_path), "status"])
    assert result.exit_code == 0, result.output
    assert (tmp_path / RAW_NAME).read_bytes() == before


def test_a_journal_holds_any_text(tmp_path):
    texts = ["line\nline", "nul \x00", "half \ud83d", "\u2028", "租房 🏠", "x" * 1_000_000]
    left_behind(tmp_path, *(answer(i, text=text) for i, text in enumerate(texts)))
    with Store(tmp_path) as store:
        rows = store.rows("select text from responses join texts using (text_key) order by repeat_index")
    assert [text for (text,) in rows] == [text.replace("\ud83d", "?") for text in texts]


def test_what_fails_after_a_stop_is_not_said_to_be_tried_again():
    class Broken:
        name = "broken"

        def answer(self, request):
            raise AttemptFailed("timeout", "no answer")

    asker = Asker(Broken(), "c", "r", None, Retries(), RateLimit(None), Counters())
    asker.stop.set()
    assert asker.attempt(None).status == "cancelled"
    assert not str(asker.counters)
