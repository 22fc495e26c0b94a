"""A file that is loaded as it is now is not read again, and nobody can tell but by the time it takes."""

import random

import pytest
import yaml
from click.testing import CliRunner
from tiny import COLUMNS, TINY_SUITE, all_rows, csv_text, record

from ingest import load as loading
from ingest.cli import cli
from ingest.store import Store

CLEAN = [record(number) for number in range(1, 5)]


@pytest.fixture
def n_read(monkeypatch):
    """How many files were read."""
    read = []
    load_file = loading.load_file
    monkeypatch.setattr(loading, "load_file", lambda *a, **k: read.append(a) or load_file(*a, **k))
    return lambda: len(read)


def written(folder, name="suite.yml", **changes):
    content = yaml.safe_load(TINY_SUITE.read_text("utf-8"))
    for part, change in changes.items():
        content[part] = (
            {**content[part], **change} if isinstance(change, dict) and part in content else change
        )
    path = folder / name
    path.write_text(yaml.safe_dump(content))
    return path


def test_a_clean_file_is_read_once(load_records, n_read, fingerprint):
    assert load_records(CLEAN).exit_code == 0 and n_read() == 1
    rows = fingerprint()
    again = load_records(CLEAN)
    assert n_read() == 1 and fingerprint() == rows
    assert again.output.startswith(
        "answers.csv: 4 records = 0 loaded + 4 already there + 0 rejected\n"
        "Nothing new: every record was there already.\n"
    )


def test_what_is_said_of_a_file_is_said_each_time(load_records, n_read, monkeypatch):
    spoilt = [*CLEAN, record(5, model=""), record(6, answer="n/a"), record(7, answer="")]
    assert "1 empty" in load_records(spoilt).output
    known = load_records(spoilt).output
    assert n_read() == 1 and "rejected: 1 missing_model" in known
    assert "answers that programs write where there is none: 1 'n/a'" in known
    monkeypatch.setattr(loading, "load_known", lambda *_, **__: None)
    assert load_records(spoilt).output == known and n_read() == 2


def test_what_looks_like_a_key_is_neither_said_nor_kept_to_be_said_again(load, tmp_path, query):
    content = yaml.safe_load(TINY_SUITE.read_text("utf-8"))
    content["columns"]["scores"] = {"warmth": "s"}
    (tmp_path / "scored.yml").write_text(yaml.safe_dump(content))
    key = "sk-proj-" + "Ab3" * 14
    (tmp_path / "a.csv").write_text(csv_text([{**record(1), "s": key}], [*COLUMNS, "s"]))
    told = load(tmp_path / "a.csv", suite=tmp_path / "scored.yml")
    ((detail,),) = query("select detail from runs")
    assert "such as '[redacted]'" in told.output and "such as '[redacted]'" in detail
    assert key[:12] not in told.output + detail


def test_limits_are_brought_in_without_reading(load_records, n_read, query, tmp_path):
    assert load_records(CLEAN).exit_code == 0
    limits = [{"metric": "max_fdi", "green_limit": 0.11, "red_limit": 0.31}]
    suite = written(tmp_path, thresholds=limits, profiles=["plumbline"])
    assert load_records(CLEAN, suite=suite).exit_code == 0 and n_read() == 1
    ((said,),) = query("select definition ->> '$.thresholds[0].green_limit' from suites")
    assert said == "0.11"


def test_what_another_reading_refused_is_not_left_among_the_rejects(load_records, query, tmp_path):
    records = [record(1), record(2, gender="F")]
    strict = written(tmp_path, attributes={"gender": {"Female": {"words": ["woman"]}, "Male": {}}})
    assert "1 loaded" not in load_records(records).output
    assert "1 rejected" in load_records(records, suite=strict).output
    assert "0 rejected" in load_records(records).output and query("select count(*) from rejects") == [(0,)]


def test_whatever_may_change_what_is_brought_has_the_file_read(load, load_records, n_read, tmp_path, data):
    changes = [
        lambda: load_records([*CLEAN[:3], record(4, answer="He drives.")]),
        lambda: load_records(CLEAN, "--limit", "3"),
        lambda: load_records(
            CLEAN, suite=written(tmp_path, attributes={"age": {"Old": {}, "Young": {}}}, axes=["gender"])
        ),
        lambda: load_records([record(number) for number in range(7, 9)], name="others.csv"),
        lambda: load_records(CLEAN, "--forget"),
        lambda: delete(data, "delete from responses where repeat_index = 1"),
        lambda: CliRunner().invoke(
            cli, ["--data", str(data), "assemble", "--suite", "suites/fair_sea.yml", "--roots", "1"]
        ),
    ]
    for change in changes:
        load_records(CLEAN)
        load_records(CLEAN)
        n = n_read()
        load_records(CLEAN)
        assert n_read() == n
        done = change()
        load_records(CLEAN)
        assert n_read() > n, done.output if done else ""


def delete(data, sql):
    with Store(data) as store:
        store.connection.execute(sql)


FILES = {
    "clean.csv": CLEAN,
    "spoilt.csv": [record(3), record(5, model=""), record(6, gender="?"), record(7, answer="")],
    "spelt.csv": [record(1), record(2), record(10, gender="F")],
    "others.csv": [record(2, answer="She drives."), record(8), record(9, question="A woman, Lim Bee?")],
}


@pytest.mark.parametrize("seed", [4, 119, 122])
def test_a_history_is_the_same_as_with_each_file_read_each_time(seed, tmp_path, monkeypatch, n_read):
    chance = random.Random(seed)
    suites = [
        written(tmp_path, "a.yml"),
        written(
            tmp_path, "b.yml", thresholds=[{"metric": "max_fdi", "green_limit": 0.11, "red_limit": 0.31}]
        ),
        written(
            tmp_path,
            "c.yml",
            attributes={"gender": {"Female": {"words": ["woman"]}, "Male": {"aliases": ["?"]}}},
        ),
    ]
    for name, records in FILES.items():
        (tmp_path / name).write_text(csv_text(records))
    known = loading.load_known
    for _ in range(15):
        arguments = ["load", str(tmp_path / chance.choice([*FILES])), "--suite", str(chance.choice(suites))]
        arguments += ["--forget"] if chance.random() < 0.1 else []
        found = []
        for folder, is_known in (("a", known), ("b", lambda *_, **__: None)):
            monkeypatch.setattr(loading, "load_known", is_known)
            done = CliRunner().invoke(cli, ["--data", str(tmp_path / folder), *arguments])
            found.append((done.exit_code, done.output, rows(tmp_path / folder)))
        assert found[0] == found[1], arguments
    assert n_read() < 30  # of 15 loads in two folders


def rows(folder):
    with Store(folder, read_only=True) as store:
        found = all_rows(store)
        found["responses"] = sorted(map(repr, store.rows("select * exclude (run_id) from responses")))
    return found
