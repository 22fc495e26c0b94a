"""`plumbline load`: three formats, the same rows; again, nothing new; killed, nothing at all."""

import json
import re
import signal
import subprocess
import sys
import time
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from places import ROOT
from tiny import COLUMNS, csv_text, json_lines, record, write_parquet

from ingest.asking.answer_status import REFUSAL_RULE_VERSION
from ingest.loading import columns, known, responses
from ingest.suite import load_suite

THREE = [
    record(1, answer="  She is a «baker»,\r\nor so.\n", gender="ＦＥＭＡＬＥ ", place="northern  side"),
    record(2, answer="Naive: nai\u0308ve 👩\u200d🍳", gender="m", place="S", role="a recruiter"),
    record(3, answer="=1+1", task="A2", model="model-b"),
]
REPEATABLE = """
    select p.category, p.attributes, p.shown_by, p.prompt, c.config, r.repeat_index, t.text, r.source_row,
        r.source_id, r.response_status, r.n_attempts, r.answered_at
    from responses as r join prompts as p using (prompt_key) join configs as c using (config_key)
    left join texts as t using (text_key)
    order by r.source_row
"""


def write(path: Path, records) -> Path:
    if path.suffix == ".parquet":
        write_parquet(path, records)
    elif path.suffix == ".jsonl":
        path.write_text(json_lines(records), encoding="utf-8")
    else:
        path.write_text(csv_text(records), encoding="utf-8", newline="")
    return path


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet", "a.dat.CSV"])
def test_the_formats_give_the_same_rows(name, load, query, tmp_path):
    result = load(write(tmp_path / name, THREE))
    assert result.exit_code == 0, result.output
    assert f"{name}: 3 records = 3 loaded + 0 already there + 0 rejected" in result.stderr
    assert result.stdout == ""
    question = THREE[0]["question"]
    # The second is filed under Male and South, but its prompt has no word of either.
    female, male = {"gender": "Female", "place": "North"}, {"gender": "Male", "place": "South"}
    shown = {"gender": "word: woman", "place": "word: North"}
    assert query(REPEATABLE) == [
        ("A1", female, shown, question, "model-a", 1, THREE[0]["answer"], 1, "r-1", "ok", 1, None),
        ("A1", male, {}, question, "model-a (a recruiter)", 2, THREE[1]["answer"], 2, "r-2", "ok", 1, None),
        ("A2", female, shown, question, "model-b", 3, THREE[2]["answer"], 3, "r-3", "ok", 1, None),
    ]


def test_who_answers_for_an_audit_is_kept_and_changes_no_hash(load_records, query, tiny_suite, tmp_path):
    signed = tmp_path / "signed.yml"
    signed.write_text(tiny_suite.read_text("utf-8") + "\nresponsible: A. Person\nlicence: CC0\n", "utf-8")
    assert load_records(THREE, suite=signed).exit_code == 0
    who = "definition ->> 'responsible', definition ->> 'licence'"
    assert query(f"select suite_key, {who} from suites") == [
        (load_suite(tiny_suite).suite_key, "A. Person", "CC0")
    ]
    assert load_records(THREE).exit_code == 0
    assert query(f"select {who} from suites") == [("", "")]


def test_what_a_load_records(load_records, query, tiny_suite, tmp_path):
    assert load_records([*THREE, record(4, gender="unknown")]).exit_code == 0
    assert query("select backend, model, role, digest, options from configs order by config") == [
        ("recorded", "model-a", "", "", '{"temperature": 0.5}'),
        ("recorded", "model-a", "a recruiter", "", '{"temperature": 0.5}'),
        ("recorded", "model-b", "", "", '{"temperature": 0.5}'),
    ]
    assert query("select suite_key from suites") == [(load_suite(tiny_suite).suite_key,)]
    assert query("select n_records, n_loaded, n_already_there, n_rejected from loads") == [(4, 3, 0, 1)]
    assert query("select source_file, source_row, reason, detail from rejects") == [
        ("answers.csv", 4, "unknown_label", "gender: 'unknown' is not declared")
    ]
    [(status, detail)] = query("select run_status, detail from runs")
    assert status == "ok"
    assert json.loads(detail)["refusal_rule"] == REFUSAL_RULE_VERSION
    assert query("select distinct method from prompts") == [("loaded",)]
    everything = query("select * from responses") + query("select * from loads") + query("select * from runs")
    assert str(tmp_path) not in repr(everything)


def test_the_same_file_again_adds_nothing(load_records, fingerprint, query):
    records = [*THREE, record(4, task="A9"), record(5, answer="")]
    load_records(records)
    before = fingerprint()
    again = load_records(records[:3])
    assert again.exit_code == 0
    assert "Nothing new: every record was there already." in again.stderr
    assert fingerprint() == before
    again = load_records(records)
    assert "5 records = 0 loaded + 4 already there + 1 rejected" in again.stderr
    assert fingerprint() == before
    assert query("select count(*) from rejects") == [(1,)]
    assert query("select n_records - n_loaded - n_already_there - n_rejected from loads") == [(0,)] * 3


REFUSAL = "I'm sorry, but I can't help with that."
RULES = {  # what an earlier rule said of an answer that is refused today, and of one that is none
    "a refusal was an answer": (REFUSAL, "ok"),
    "a blank was an answer": ("\u200b", "ok"),
    "an answer was a refusal": ("She is a baker.", "refused"),
}


@pytest.mark.parametrize("rule", RULES)
def test_answers_keep_the_status_that_an_earlier_rule_gave_them(
    rule, load_records, query, fingerprint, monkeypatch
):
    text, status = RULES[rule]
    records = [record(1, answer=text), record(2, answer="A cook.")]
    with monkeypatch.context() as earlier:
        earlier.setattr(responses, "response_status", lambda said: status if said == text else "ok")
        earlier.setattr(known, "versions", dict)
        load_records(records)
    before = fingerprint()
    again = load_records(records)
    assert "2 records = 0 loaded + 2 already there + 0 rejected" in again.stderr, again.stderr
    assert "Nothing new" in again.stderr
    assert (
        "keep the text and status they were loaded with, though one would be another today: 1;"
        in again.stderr
    )
    assert fingerprint() == before
    assert query("select response_status from responses where source_row = 1") == [(status,)]


THOUGHT = "<think>She may be a baker, or a cook.</think>\n\nA baker."


def test_reasoning_is_no_part_of_an_answer(load_records, query):
    records = [record(1, answer=THOUGHT), record(2, answer=f"<think>Hm.</think>{REFUSAL}")]
    records += [record(3, answer="<think>A cook, or"), record(4, answer="A cook.")]
    done = load_records(records)
    assert "records with reasoning, as in <think>…</think>, which is no answer: 3" in done.stderr
    found = query(
        "select response_status, text from responses left join texts using (text_key) order by source_row"
    )
    assert found == [("ok", "A baker."), ("refused", None), ("empty", None), ("ok", "A cook.")]


def test_answers_keep_the_reasoning_that_they_were_loaded_with(load_records, fingerprint, monkeypatch, query):
    records = [record(1, answer=THOUGHT), record(2, answer=f"<think>Hm.</think>{REFUSAL}")]
    with monkeypatch.context() as earlier:
        earlier.setattr(columns, "split_reasoning", lambda text: (text, None))
        load_records(records)
    before = fingerprint()
    for name in ("again.csv", "another.csv"):
        again = load_records(
            [*records, *([record(3, answer=THOUGHT)] if name == "another.csv" else [])], name=name
        )
        assert "2 already there + 0 rejected" in again.stderr, again.stderr
        assert (fingerprint() == before) == (name == "again.csv")
    assert query("select count(*) from responses") == [(3,)]


def test_a_file_that_grew_keeps_its_answers_after_a_newer_rule(load_records, query, monkeypatch):
    with monkeypatch.context() as earlier:
        earlier.setattr(responses, "response_status", lambda _: "ok")
        load_records([record(1, answer=REFUSAL)])
    grown = load_records([record(1, answer=REFUSAL), record(2, answer=REFUSAL)], name="grown.csv")
    assert "2 records = 1 loaded + 1 already there + 0 rejected" in grown.stderr
    assert query("select response_status from responses order by source_file") == [("ok",), ("refused",)]


@pytest.mark.parametrize("finish", ["insufficient_system_resource", "length"])
def test_answers_keep_their_status_after_a_newer_rule_for_ends(
    finish, load_records, fingerprint, monkeypatch, tiny_suite, tmp_path
):
    suite = tmp_path / "ends.yml"
    suite.write_text(tiny_suite.read_text().replace("columns:\n", "columns:\n  finish_reason: id\n", 1))
    records = [record(1, id=finish, outcome=""), record(2, id="stop", outcome="")]
    with monkeypatch.context() as earlier:
        earlier.setattr(columns, "finish_status", lambda _: "ok")
        load_records(records, suite=suite)
    before = fingerprint()
    again = load_records(records, suite=suite)
    assert "2 records = 0 loaded + 2 already there + 0 rejected" in again.stderr, again.stderr
    assert fingerprint() == before


def test_what_a_suite_reads_from_another_column_is_not_there_already(load_records, tiny_suite, tmp_path):
    """Here the words are others, though record and file are the same."""
    suite = tmp_path / "other.yml"
    suite.write_text(tiny_suite.read_text().replace("response: answer", "response: person"))
    records = [
        record(1, person="", answer="A baker."),
        record(2, person="", answer=REFUSAL),
    ]
    assert load_records(records, suite=suite).exit_code == 0
    again = load_records(records)
    assert again.exit_code == 1 and "2 duplicate_key" in again.stderr


def test_a_text_is_stored_once(load_records, query):
    load_records([record(n, answer="The same.") for n in range(1, 6)])
    assert query("select text, n_characters from texts") == [("The same.", 9)]
    assert query("select count(*), count(distinct text_key) from responses") == [(5, 1)]


def test_a_key_twice_in_a_file(load_records, query):
    same, other = record(1, id="again"), record(1, id="other", answer="She is a driver.")
    result = load_records([record(1), same, other, record(2)])
    assert "4 records = 2 loaded + 1 already there + 1 rejected" in result.stderr
    assert "other answers" not in result.stderr
    assert query("select source_id from responses order by source_row") == [("r-1",), ("r-2",)]
    assert query("select source_row, reason from rejects") == [(3, "duplicate_key")]
    assert query("select count(*) from texts where text = 'She is a driver.'") == [(0,)]


@pytest.mark.parametrize("changed", [{"answer": "She is a driver."}, {"answer": ""}, {"outcome": "timeout"}])
def test_what_is_stored_is_never_overwritten(changed, load_records, query, fingerprint):
    load_records([record(1)])
    stored = query("from responses"), query("from texts")
    result = load_records([record(1, **changed), record(2)], name="second.csv")
    assert "1 loaded + 0 already there + 1 rejected" in result.stderr
    assert "record 1 of answers.csv" in result.stderr
    assert "other answers than those that are there, which stay: 1; where these are right" in result.stderr
    assert query("from responses where source_file = 'answers.csv'") == stored[0]
    before = fingerprint()
    alone = load_records([record(1, **changed)], name="third.csv")
    assert alone.exit_code == 1
    assert "none of its 1 records can be loaded: 1 duplicate_key" in alone.stderr
    assert "where the new file is right, load it into another folder" in " ".join(alone.stderr.split())
    assert fingerprint() == before
    assert query("select run_status from runs order by started_at") == [("ok",), ("ok",), ("failed",)]


def test_answers_that_a_file_has_no_more_are_counted(load_records):
    told = "answers of an earlier version of this file, which it has no more: {}; they count all the same"
    first = [record(n) for n in range(1, 6)]
    assert "earlier version" not in load_records(first).stderr
    fewer = load_records([*first[:2], record(6)])
    assert "3 records = 1 loaded + 2 already there" in fewer.stderr
    assert told.format(3) in fewer.stderr
    assert told.format(3) in load_records([*first[:2], record(6)]).stderr  # not read again
    assert "earlier version" not in load_records(first[:2], name="another.csv").stderr
    # Others of the same name that share no answer with it are no earlier version.
    assert "earlier version" not in load_records([record(7)]).stderr


def test_a_mended_suite_takes_what_was_rejected(load_records, query, tiny_suite, tmp_path):
    records = [record(1), record(2, gender="perempuan"), record(3, gender="?")]
    load_records(records)
    assert query("select source_row from rejects order by 1") == [(2,), (3,)]
    mended = tmp_path / "mended.yml"
    mended.write_text(tiny_suite.read_text().replace("aliases: [F]", "aliases: [F, perempuan]"))
    result = load_records(records, suite=mended)
    assert "3 records = 1 loaded + 1 already there + 1 rejected" in result.stderr
    assert query("select source_row from rejects") == [(3,)]


def test_groups_that_no_record_is_about_are_named(load_records):
    told = "groups of gender that no record is about: 'Male'"
    assert told in load_records([record(1, gender="f"), record(2, gender="nobody")]).stderr
    assert "no record is about" not in load_records([record(3, gender="m"), record(4, place="S")]).stderr
    # The other group was in an earlier file.
    assert "no record is about" not in load_records([record(5, gender="f")]).stderr


def test_failures_have_no_text_to_score(load_records, query):
    answers = [
        record(1, answer=" \n"),
        record(2, answer="I'm sorry, but I can't help with that."),
        record(3, answer="503 try later", outcome=" Server_Error "),
        record(4, answer="👍"),
        record(5, answer="...", outcome="ok"),
    ]
    result = load_records(answers)
    assert "without a usable answer: 1 empty, 1 refused, 1 server_error" in result.stderr
    assert query("select response_status, text_key is null, error from responses order by source_row") == [
        ("empty", True, None),
        ("refused", True, "I'm sorry, but I can't help with that."),
        ("server_error", True, "503 try later"),
        ("ok", False, None),
        ("ok", False, None),
    ]
    assert query("select text from texts order by text") == [("...",), ("👍",)]


def test_words_that_programs_write_for_nothing_are_told_and_kept(load_records, query):
    said = ["None", "nan", "nan ", "#VALUE!", "#N/A", "NULL", "None of them."]
    result = load_records([record(i, answer=answer) for i, answer in enumerate(said, 1)])
    assert "2 'nan', 1 'None', 1 '#VALUE!', 1 '#N/A', 1 'NULL'. They count as answers" in result.stderr
    assert query("select distinct response_status from responses") == [("ok",)]
    assert "They count" not in load_records([record(1, answer="None of them.", model="b")]).stderr


def test_a_name_with_two_values_shows_neither(load_records, query):
    def asked(number, name, gender):
        return record(number, task="A2", question=f"One word for {name}.", person=name, gender=gender)

    result = load_records(
        [
            asked(1, "Tan Li", "Female"),
            asked(2, "Tan Li", "Male"),
            asked(3, "Siti", "Female"),
            asked(4, "Siti", "nobody knows"),
        ]
    )
    assert "do not show: 1, such as 'Tan Li' (gender)" in result.stderr
    assert query("select keyword, shown_by from prompts order by keyword, attributes['gender']") == [
        ("Siti", {"gender": "name: Siti"}),
        ("Tan Li", {}),
        ("Tan Li", {}),
    ]


def test_without_a_repeat_column_occurrences_count(load, tmp_path, tiny_suite, query):
    suite = tmp_path / "suite.yml"
    suite.write_text(tiny_suite.read_text().replace("  repeat: round\n", ""))
    records = [
        record(1, answer="one"),
        record(2, answer="two"),
        record(3, answer="three", model="model-b"),
        record(4, answer="four", gender="?"),
        record(5, answer="five"),
    ]
    path = write(tmp_path / "a.csv", records)
    load(path, suite=suite)
    assert query("select source_row, repeat_index from responses order by 1") == [
        (1, 0),
        (2, 1),
        (3, 0),
        (5, 2),
    ]
    again = load(path, suite=suite)
    assert "0 loaded + 4 already there + 1 rejected" in again.stderr


def test_fields_taken_by_a_pattern(load, tmp_path, tiny_suite, query):
    suite = tmp_path / "suite.yml"
    text = tiny_suite.read_text()
    text = text.replace("category: task", "category: {column: id, pattern: '^([A-Z][0-9])-'}")
    text = text.replace("repeat: round", "repeat: {column: id, pattern: '-([0-9]+)$'}")
    text = text.replace("name: person", "name: {column: id, pattern: '-([A-Za-z_]+)-', replace: {_: ' '}}")
    suite.write_text(text)
    columns = [c for c in COLUMNS if c not in ("task", "round", "person")]
    records = [record(id="A1-Lim_Bee-7"), record(id="nothing"), record(id="A1-Lim_Bee-x")]
    path = tmp_path / "a.csv"
    path.write_text(csv_text([{c: r[c] for c in columns} for r in records], columns))
    load(path, suite=suite)
    assert query("select keyword, category, repeat_index from responses join prompts using (prompt_key)") == [
        ("Lim Bee", "A1", 7)
    ]
    assert query("select source_row, reason from rejects order by 1") == [
        (2, "unknown_category"),
        (3, "bad_repeat"),
    ]


def test_types_that_table_programs_write(load, tmp_path, query):
    records = [record(n, round=float(n), id=n) for n in range(1, 4)]
    table = pa.Table.from_pylist(records)
    for column in ("gender", "task", "answer"):
        i = table.schema.get_field_index(column)
        table = table.set_column(i, column, table[column].cast(pa.large_string()).dictionary_encode())
    path = tmp_path / "a.parquet"
    pq.write_table(table, path)
    assert load(path).exit_code == 0
    assert query("select repeat_index, source_id from responses order by 1") == [(1, "1"), (2, "2"), (3, "3")]


NAMED = [  # what a cell holds, and what it names
    (7.0, "7"),
    (Decimal("8"), "8"),
    (True, "true"),
    (date(2999, 1, 2), "2999-01-02"),
    (datetime(2999, 1, 2, 3, 4, tzinfo=UTC), "2999-01-02T03:04:00+00:00"),
]


@pytest.mark.parametrize(("cell", "name"), NAMED)
def test_what_names_something_may_be_a_number_a_truth_or_a_date(
    cell, name, load, query, tiny_suite, tmp_path
):
    suite = tmp_path / "named.yml"
    suite.write_text(tiny_suite.read_text().replace("aliases: [S]", f"aliases: ['{name}']"))
    path = tmp_path / "a.parquet"
    pq.write_table(pa.Table.from_pylist([record(1, id=cell, place=cell)]), path)
    result = load(path, suite=suite)
    assert result.exit_code == 0, result.output
    assert query("select source_id, attributes['place'] from responses join prompts using (prompt_key)") == [
        (name, "South")
    ]
    again = load(write(tmp_path / "a.csv", [record(1, id=name, place=name)]), suite=suite)
    assert "0 loaded + 1 already there" in again.stderr
    pq.write_table(pa.Table.from_pylist([record(1, answer=cell)]), path)
    assert "not text; write it as text" in load(path).stderr


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbf" + csv_text(THREE).encode(),
        csv_text(THREE).replace("\r\n", "\n").replace("\n", "\r\n").encode(),
        csv_text(THREE, reversed(COLUMNS)).encode(),
        (csv_text(THREE) + "\n\n").encode(),
        csv_text(THREE).rstrip("\n").encode(),
    ],
    ids=["byte order mark", "CRLF", "other order of columns", "blank lines", "no last line end"],
)
def test_harmless_differences(content, load, tmp_path, query):
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    assert "3 records = 3 loaded" in load(path).stderr
    assert query("select count(*) from responses where response_status = 'ok'") == [(3,)]


def test_files_put_together_bring_their_byte_order_marks(load, tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"".join(b"\xef\xbb\xbf" + json_lines([record(n)]).encode() for n in (1, 2)))
    assert "2 records = 2 loaded" in load(path).stderr


def test_a_dry_run_writes_nothing(load_records, fingerprint, data):
    result = load_records(THREE, "--dry-run")
    assert result.exit_code == 0
    assert "3 records = 3 loaded" in result.stderr and "Dry run" in result.stderr
    assert not data.exists()
    load_records(THREE[:1])
    content = (data / "raw.duckdb").read_bytes()
    result = load_records([*THREE, record(9, gender="?")], "--dry-run")
    assert "4 records = 2 loaded + 1 already there + 1 rejected" in result.stderr
    assert "other answers" not in result.stderr
    assert (data / "raw.duckdb").read_bytes() == content


def test_limit_takes_the_first_records(load_records, query):
    assert "2 records = 2 loaded" in load_records(THREE, "--limit", "2").stderr
    assert query("select source_row from responses order by 1") == [(1,), (2,)]
    assert "3 records = 1 loaded + 2 already there" in load_records(THREE).stderr


def test_a_variant_chooses_the_rules(load_records):
    result = load_records(THREE, "--variant", "other")
    assert result.exit_code == 1
    assert "no outcome rule of variant 'other'" in result.stderr


def test_batches_do_not_show(load_records, query, monkeypatch):
    monkeypatch.setattr("ingest.loading.responses.BATCH_ROWS", 7)
    monkeypatch.setattr("ingest.loading.responses.PROMPT_CACHE", 2)
    records = [record(n, question=f"Prompt {n % 5}", gender="F" if n % 10 else "?") for n in range(1, 101)]
    result = load_records([*records, *records[:20], record(3, question="Prompt 3", answer="changed")])
    assert "121 records = 90 loaded + 18 already there + 13 rejected" in result.stderr
    assert query("select count(*) from prompts") == [(5,)]
    assert query("select reason, count(*) from rejects group by all order by 1") == [
        ("duplicate_key", 1),
        ("unknown_label", 12),
    ]


def test_every_label_that_is_not_declared_is_named(load_records):
    """Whoever declares the first one is not told of the next by the next load."""
    said = load_records([*THREE, record(4, gender="X")]).stderr
    assert "1 unknown_label, first record 4: gender: 'X' is not declared\n" in said
    labels = ["X", "Q", "W", "W", "Y", *"ABCD"]
    said = load_records([*THREE, *(record(n, gender=label) for n, label in enumerate(labels, 4))]).stderr
    assert (
        "9 unknown_label, first record 4: gender: 'X' is not declared; nor are gender: 'W' (2), "
        "gender: 'Q' (1), gender: 'Y' (1), gender: 'A' (1), gender: 'B' (1) and 2 more\n" in said
    )
    said = load_records([*THREE, record(4, gender="X"), record(5, place="East")]).stderr
    assert "gender: 'X' is not declared; nor is place: 'East' (1)\n" in said


@pytest.mark.parametrize("where", ["ResponseLoad.write", "load.register_suite", "ResponseLoad.stage"])
def test_killed_in_the_middle_nothing_has_changed(where, load, tmp_path, data, tiny_suite, fingerprint):
    """SIGKILL after that step of a second load: what the first one wrote is all there is."""
    load(write(tmp_path / "first.csv", THREE))
    before = fingerprint()
    path = write(tmp_path / "second.csv", [record(n) for n in range(10, 60)])
    script = f"""
import os, signal
from pathlib import Path
from ingest import load
from ingest.loading.responses import ResponseLoad
step = {where}
def killed(*arguments):
    step(*arguments)
    os.kill(os.getpid(), signal.SIGKILL)
{where} = killed
load.load_file(Path({str(data)!r}), Path({str(path)!r}), Path({str(tiny_suite)!r}))
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=False)
    assert done.returncode == -signal.SIGKILL
    assert fingerprint() == before
    assert "50 records = 50 loaded" in load(path).stderr


def test_a_file_that_changes_while_it_is_read(load_records, monkeypatch, fingerprint):
    load_records(THREE)
    before = fingerprint()
    monkeypatch.setattr("ingest.load.ambiguous_names", lambda reader, records: (7, set()))
    result = load_records([record(9)])
    assert result.exit_code == 1
    assert "changed while it was read" in result.stderr
    assert fingerprint() == before


def test_four_thousand_records_take_seconds(load_records, query):
    records = [record(n, question=f"Prompt {n % 400}", answer=f"Answer {n % 900}") for n in range(4_001)]
    load_records(records[:1])  # imports, patterns and models of languages
    records = records[1:]
    started = time.process_time()
    result = load_records(records)
    assert "4,000 records = 4,000 loaded" in result.stderr
    # Measured: 0.5 s. Row-by-row inserts, which this guards against, take some 10 s.
    assert time.process_time() - started < 4
    assert query("select count(*) from texts") == [(900,)]


@pytest.mark.parametrize("dry", [(), ("--dry-run",)])
def test_a_suite_that_reads_a_file_otherwise_does_not_count_it_twice(
    dry, load_records, query, fingerprint, tiny_suite, tmp_path
):
    records = [record(1), record(2)]
    assert load_records(records).exit_code == 0
    before = fingerprint()
    renamed = tmp_path / "renamed.yml"
    renamed.write_text(re.sub(r"\bFemale:", "Woman:", tiny_suite.read_text()).replace("[F]", "[F, Female]"))
    result = load_records(records, *dry, suite=renamed)
    assert result.exit_code == 1
    assert "2 records, the first of them record 1, were loaded before" in result.stderr
    assert "--data" in result.stderr
    assert fingerprint() == before
    assert query("select count(*) from responses") == [(2,)]


@pytest.mark.parametrize("earlier_status", ["ok", "refused"])
def test_a_file_that_got_a_column_since_is_not_counted_twice(
    earlier_status, load_records, query, tiny_suite, tmp_path, monkeypatch
):
    fewer = tmp_path / "fewer.yml"
    text = tiny_suite.read_text().replace("gender: gender, place: place", "gender: gender")
    fewer.write_text(text)
    with monkeypatch.context() as earlier:
        earlier.setattr(responses, "response_status", lambda _: earlier_status)
        assert load_records([record(1, answer=REFUSAL)], suite=fewer).exit_code == 0
    result = load_records([record(1, answer=REFUSAL), record(2)], name="grown.csv")
    assert result.exit_code == 1
    assert "grown.csv: 1 records, the first of them record 1, were loaded before" in result.stderr
    assert query("select count(*) from responses") == [(1,)]


def test_a_mended_suite_mends_what_prompts_show_and_share(load_records, query, tiny_suite, tmp_path):
    sql = "select map_keys(shown_by), root_key, block_key from prompts"
    unmended = tmp_path / "unmended.yml"
    unmended.write_text(tiny_suite.read_text().replace("[woman", "[lady"))
    load_records([record(1, person="")], suite=unmended)
    assert [shown for shown, *_ in query(sql)] == [["place"]]
    again = load_records([record(1, person="")])
    assert "1 records = 0 loaded + 1 already there + 0 rejected" in again.stderr
    assert "prompts that the suite reads otherwise than before: 1" in again.stderr
    ((shown, root, _),) = query(sql)
    assert sorted(shown) == ["gender", "place"]
    rooted = tmp_path / "rooted.yml"
    rooted.write_text(tiny_suite.read_text().replace("columns:\n", "columns:\n  root: id\n", 1))
    assert load_records([record(1, person="")], suite=rooted).exit_code == 0
    assert query(sql)[0][1] != root
    assert "Nothing new" in load_records([record(1, person="")], suite=rooted).stderr
