"""The fingerprint of an audit changes with each thing that its numbers rest on, and with nothing else."""

import json
import os
import random
import shutil
import subprocess
from pathlib import Path

import duckdb
import pytest
from click.testing import CliRunner
from tiny import TINY_SUITE, csv_text, record

from ingest import provenance, warehouse
from ingest.cli import cli
from ingest.store import AUDIT_NAME, RAW_NAME, Store, versions
from ingest.suite import load_suite

MODEL, OF_ANSWERS = "dim_builds", "int_answers_hashed"
LABEL = (
    "insert into raw.labels values ('tiny', 'A1', 'o', '{key}', 'A', 'human', 'x', 0, 's', 1, '', now(), 'r')"
)
SAMPLE = "insert into raw.label_samples values ('s', 'tiny', 'A1', 'o', '{key}', 't', 0.5, true, now(), 'r')"
FIRST = "response_key = (select max(response_key) from dim_responses)"
MEASURED = """
    insert into fct_measurements by name
    select response_key, suite, domain, category, config, model, role, is_simulated, 'f' as feature,
        1.5 as value, 'ok' as measurement_status
    from dim_responses
"""
SCORER = """
    insert into dim_scorers by name
    select 'vader' as scorer, 'm' as model, '' as revision, '1' as version, '{}' as parameters,
        false as is_encoder, 0 as n_texts, 0 as n_truncated, 0 as n_capped, 0 as n_empty, 0 as n_failed,
        0 as n_unsupported_language
"""
PARTS = {
    "update dim_responses set response = response || '.' where {first}": "answers_hash",
    "update dim_responses set response_status = 'refused' where {first}": "answers_hash",
    "delete from dim_responses where {first}": "answers_hash",
    "insert into dim_responses from dim_responses where {first}": "answers_hash",
    "update dim_prompts set prompt = prompt || '.'": "answers_hash",
    "update fct_measurements set value = value + 0.001 where {first}": "readings_hash",
    "update fct_measurements set measurement_status = 'failed' where {first}": "readings_hash",
    "update fct_outcomes set outcome = 'other' where {first}": "readings_hash",
    "update dim_scorers set version = '9.9'": "readings_hash",
    "update raw.labels set label = 'y'": "labels_hash",
    "delete from raw.labels": "labels_hash",
    "update raw.label_samples set probability = 0.25": "labels_hash",
    "update int_limits_applied set red_limit = red_limit + 0.01": "thresholds_hash",
    "update int_limits_applied set is_gated = not is_gated": "thresholds_hash",
    "update int_limits_applied set statistic = 'mean'": "thresholds_hash",
    "update raw.suites set suite_key = 'another'": "suites_hash",
}  # fmt: skip
NO_PARTS = (
    "update dim_responses set answered_at = now(), seconds = 9, n_attempts = 7, wait_seconds = 5",
    "update dim_responses set source_file = 'b.csv', source_row = source_row + 1, run_id = 'r'",
    "update raw.labels set labelled_at = now(), seconds = 99, run_id = 'q', note = 'n'",
    "insert into raw.labels select * replace ('of no answer that is there' as response_key) from raw.labels",
    "update raw.suites set file_sha256 = 'a comment more', run_id = 'q'",
    "create table sorted as from dim_responses order by response_key desc; delete from dim_responses;"
    " insert into dim_responses from sorted",
)


def build(data, numbers, files):
    """Load records, some a file, and build the mart of builds; return the rows of it."""
    data.parent.mkdir(exist_ok=True)
    for place, some in enumerate(files(list(numbers))):
        path = data.parent / f"{place}.csv"
        path.write_text(csv_text(record(number) for number in some), "utf-8")
        result = CliRunner().invoke(cli, ["--data", str(data), "load", str(path), "--suite", str(TINY_SUITE)])
        assert result.exit_code == 0, result.output
    warehouse.build(data, [MODEL], is_full=True)  # by dbt, whose query is read
    return read(data)


def read(data):
    with duckdb.connect(str(data / AUDIT_NAME), read_only=True) as marts:
        cursor = marts.execute(f"from {MODEL}")
        return dict(zip([column[0] for column in cursor.description], cursor.fetchone(), strict=True))


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A data folder with marts and a label, and the SQL of the mart, with what it reads of answers in it."""
    data = tmp_path_factory.mktemp("built") / "data"
    build(data, range(1, 9), lambda numbers: [numbers])
    found = [next((data / "target").rglob(f"compiled/**/{name}.sql")) for name in (OF_ANSWERS, MODEL)]
    with Store(data) as store:
        (key,) = store.rows("select min(response_key) from responses")[0]
        for statement in (LABEL, SAMPLE):
            store.connection.execute(statement.replace("raw.", "").format(key=key))
    of_answers, sql = (path.read_text("utf-8") for path in found)
    read_of_answers = f'"audit"."main"."{OF_ANSWERS}"'
    assert read_of_answers in sql
    return data, sql.replace(read_of_answers, f"({of_answers}\n)")


@pytest.fixture(scope="module")
def rows(built, tmp_path_factory):
    """Run a change of the marts, or of the raw tables, and return what the mart's SQL then gives."""
    data, sql = built
    copy = shutil.copytree(data, tmp_path_factory.mktemp("copy") / "data")
    with duckdb.connect(str(copy / AUDIT_NAME)) as marts:
        marts.execute(f"attach '{copy / RAW_NAME}' as raw")
        marts.execute(MEASURED)
        marts.execute(SCORER)

        def after(change="select 1"):
            marts.execute("begin")
            try:
                for statement in change.format(first=FIRST).split(";"):
                    marts.execute(statement)
                cursor = marts.execute(sql)
                return dict(zip([column[0] for column in cursor.description], cursor.fetchone(), strict=True))
            finally:
                marts.execute("rollback")

        yield after


@pytest.mark.parametrize(("change", "part"), PARTS.items())
def test_what_numbers_rest_on_changes_its_part_and_the_fingerprint(rows, change, part):
    before, after = rows(), rows(change)
    assert {name for name in before if before[name] != after[name]} == {part, "fingerprint"}


@pytest.mark.parametrize("change", NO_PARTS)
def test_when_where_and_in_which_order_changes_nothing(rows, change):
    assert rows(change) == rows()


def test_another_folder_order_and_day_give_the_same_fingerprint(built, tmp_path):
    data, _ = built
    before = read(data)

    def shuffled(numbers):
        random.Random(1).shuffle(numbers)
        return numbers[:3], numbers[2:]  # one of them is in both files

    assert build(tmp_path / "elsewhere" / "data", range(1, 9), shuffled) == before
    assert before["fingerprint"] and before["build_hash"] == provenance.build_hash()
    # dbt alone knows of no build.
    (sql,) = (data / "target").rglob(f"compiled/**/{MODEL}.sql")
    assert provenance.VARIABLE not in os.environ and before["build_hash"] in sql.read_text("utf-8")


@pytest.mark.parametrize(
    "change",
    [("version: 1", "version: 2"), ("A tiny suite", "Another"), ("words: [man, he]", "words: [man]")],
)
def test_each_change_of_a_suite_is_one_of_its_key_and_no_comment_is(change, tmp_path):
    text = TINY_SUITE.read_text("utf-8")
    assert change[0] in text
    copy = tmp_path / TINY_SUITE.name
    copy.write_text(f"# A comment.\n{text}", "utf-8")
    assert load_suite(copy).suite_key == load_suite(TINY_SUITE).suite_key
    copy.write_text(text.replace(*change), "utf-8")
    assert load_suite(copy).suite_key != load_suite(TINY_SUITE).suite_key


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project of a model, a macro and a seed; provenance reads it."""
    folder = tmp_path / "project"
    for name in ("models/a/m.sql", "models/a/m.yml", "models/p.py", "macros/x.sql", "seeds/thresholds.csv"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name, "utf-8")
    (folder / "dbt_project.yml").write_text("name: p\n", "utf-8")
    monkeypatch.setattr(provenance, "PROJECT", folder)
    monkeypatch.setattr(provenance, "dbt_project", lambda: folder)
    return folder


@pytest.mark.parametrize("name", ["models/a/m.sql", "models/p.py", "macros/x.sql", "seeds/thresholds.csv"])
def test_any_code_and_any_seed_changes_the_hash_of_the_build(project, name):
    before = provenance.build_hash()
    (project / name).write_text("another", "utf-8")
    changed = provenance.build_hash()
    (project / name).rename(project / name.replace(".", "2."))
    assert len({before, changed, provenance.build_hash()}) == 3


def test_descriptions_unit_tests_times_and_places_leave_the_hash_of_the_build(project, monkeypatch):
    before = provenance.build_hash()
    said = ("models/_columns.md", "models/_unit_tests__m.yml", "models/_semantic_models.yml")
    for name in (*said, "docs/a.sql", "data/raw.duckdb"):
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text("new", "utf-8")
    os.utime(project / "models/a/m.sql", (1, 1))
    assert provenance.build_hash() == before
    moved = shutil.copytree(project, project.with_name("moved"))
    monkeypatch.setattr(provenance, "PROJECT", moved)
    monkeypatch.setattr(provenance, "dbt_project", lambda: moved)
    assert provenance.build_hash() == before


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_checkout_tells_its_commit_and_whether_it_was_changed_and_a_wheel_its_version_alone(
    project, monkeypatch
):
    provenance.commit_of.cache_clear()
    said = json.loads(provenance.build_said())
    assert said.keys() == {"plumbline_version", "build_hash"}

    def git(*arguments):
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
        run = ["git", "-C", str(project), *identity, *arguments]
        return subprocess.run(run, check=True, capture_output=True, text=True).stdout.strip()

    def found():
        provenance.commit_of.cache_clear()
        return provenance.commit_of(project)

    git("init", "-q")
    assert found() is None  # nothing is committed
    git("add", ".")
    git("commit", "-q", "-m", "first")
    head = git("rev-parse", "HEAD")
    assert found() == (head, False) and str(found()) == head
    (project / "notes.txt").write_text("of no account", "utf-8")
    assert found() == (head, False)
    (project / "seeds" / "new.csv").write_text("n", "utf-8")
    assert found() == (head, True) and str(found()) == f"{head}, changed"
    assert json.loads(provenance.build_said()).items() >= {"commit_id": head, "is_dirty": True}.items()
    monkeypatch.setenv("PATH", "")
    assert found() is None
    monkeypatch.setattr(provenance, "IS_PACKAGED", True)
    assert found() is None
    provenance.commit_of.cache_clear()


def test_each_run_records_the_commit_of_its_code():
    commit = provenance.commit_of(Path(provenance.PROJECT))
    assert versions().get("commit") == (None if commit is None else str(commit))


def test_a_unit_test_of_a_model_leaves_the_build_hash_as_it_is(tmp_path, monkeypatch):
    (tmp_path / "models" / "reports").mkdir(parents=True)
    (tmp_path / "models" / "a.sql").write_text("select 1", "utf-8")
    monkeypatch.setattr(provenance, "PROJECT", tmp_path)
    monkeypatch.setattr(provenance, "dbt_project", lambda: tmp_path)
    before = provenance.build_hash()
    (tmp_path / "models" / "reports" / "_unit_tests__a.yml").write_text("unit_tests: []", "utf-8")
    assert provenance.build_hash() == before
    (tmp_path / "models" / "a.sql").write_text("select 2", "utf-8")
    assert provenance.build_hash() != before
