"""`plumbline raw export`: whole tables whenever they are read, and nothing written twice."""

import json
import os

import duckdb
import pytest
from click.testing import CliRunner
from tiny import record

from ingest.cli import cli
from ingest.errors import PlumblineError
from ingest.store import Store
from ingest.store.raw_files import MANIFEST, RawFiles, file_names
from ingest.store.tables import SCHEMA

ANSWERS = [record(1), record(2)]


@pytest.fixture
def lake(tmp_path, data, load_records):
    """Raw tables of two answers of one config, and the folder of their files."""
    assert load_records(ANSWERS).exit_code == 0
    return tmp_path / "lake"


def export(data, lake):
    with Store(data) as store:
        return RawFiles(str(lake)).export(store)


def read(lake, table):
    """The rows of a table by the manifest, each as a text."""
    paths = [
        f"{lake}/{name}" for name in file_names({table: RawFiles(str(lake)).manifest()["tables"][table]})
    ]
    with duckdb.connect() as connection:
        return sorted(map(str, connection.execute("select * from read_parquet(?)", [paths]).fetchall()))


def held(data, table):
    with Store(data, read_only=True) as store:
        return sorted(map(str, store.rows(f"select * from {table}")))


def files(lake):
    return {path for path in lake.rglob("*.parquet")}


def test_every_raw_table_is_there_with_all_its_rows(data, lake):
    export(data, lake)
    assert {table: read(lake, table) for table in SCHEMA} == {table: held(data, table) for table in SCHEMA}
    assert len(held(data, "responses")) == 2


def test_what_has_not_changed_is_not_written_again(data, lake, load_records):
    first = export(data, lake)
    before = {path: path.stat().st_mtime_ns for path in files(lake)}
    assert export(data, lake)[:2] == (0, 0)
    assert load_records([record(3, model="model-b")], name="more.csv").exit_code == 0
    second = export(data, lake)
    assert 0 < second.n_files < first.n_files
    assert all(path.stat().st_mtime_ns == at for path, at in before.items())
    new = {path.relative_to(lake).parts[0] for path in files(lake) - set(before)}
    assert "responses" in new and "prompts" not in new
    # One config's answers are new; the other's file is the one that was there.
    assert len([path for path in files(lake) if path.parts[-4:-2] == ("responses", "tiny")]) == 2
    assert read(lake, "responses") == held(data, "responses")


def test_a_manifest_names_whole_files_when_an_export_dies(data, lake, load_records, monkeypatch):
    export(data, lake)
    before = (lake / MANIFEST).read_bytes()
    assert load_records([record(3, model="model-b")], name="more.csv").exit_code == 0
    monkeypatch.setattr(RawFiles, "_replace", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        export(data, lake)
    monkeypatch.undo()
    assert (lake / MANIFEST).read_bytes() == before
    assert len(read(lake, "responses")) == 2
    export(data, lake)
    assert read(lake, "responses") == held(data, "responses")


def test_a_file_outlives_the_manifest_that_named_it_by_one(data, lake):
    export(data, lake)
    (old,) = (lake / "suites" / "tiny").iterdir()
    for n in (1, 2):
        with Store(data) as store:
            store.connection.execute("update suites set file_sha256 = ?", [str(n)])
        export(data, lake)
        assert old.exists() == (n == 1)
    assert read(lake, "suites") == held(data, "suites")


def test_a_suites_name_leads_nowhere_else(data, lake, tmp_path):
    with Store(data) as store:
        store.connection.execute("insert into keywords values ('../../out', 'c', 'c', '{*}', 'f', null)")
    export(data, lake)
    assert read(lake, "keywords") == held(data, "keywords")
    assert not [path for path in tmp_path.rglob("*.parquet") if lake not in path.parents]
    assert "out" not in str(sorted((lake / "keywords").iterdir()))


def test_files_are_this_users_alone(data, lake):
    export(data, lake)
    if os.name == "posix":
        assert {oct(path.stat().st_mode & 0o077) for path in files(lake)} == {"0o0"}


@pytest.mark.parametrize("place", ["nowhere://bucket/x", "/proc/version/lake"])
def test_a_place_that_cannot_be_written_is_named(data, lake, place):
    with pytest.raises(PlumblineError, match="cannot be read or written"):
        export(data, place)


def test_files_of_another_version_stay(data, lake):
    lake.mkdir()
    (lake / MANIFEST).write_text(json.dumps({"format": 99}))
    with pytest.raises(PlumblineError, match="another version"):
        export(data, lake)


def test_tables_stay_where_the_folder_of_data_is_a_wrong_one(data, lake, tmp_path):
    export(data, lake)
    before = read(lake, "responses")
    done = CliRunner().invoke(cli, ["--data", str(tmp_path / "dta"), "raw", "export", str(lake)])
    assert done.exit_code == 1 and "nothing has been brought in yet" in done.output
    assert read(lake, "responses") == before != [] and not (tmp_path / "dta").exists()


def test_the_command_says_what_it_wrote(data, lake):
    done = CliRunner().invoke(cli, ["--data", str(data), "raw", "export", str(lake)])
    assert done.exit_code == 0 and "files with" in done.output
    again = CliRunner().invoke(cli, ["--data", str(data), "raw", "export", f"file://{lake}"])
    assert again.output.startswith("0 files with 0 rows written")
