"""Databases that stay open for the stages of an audit, and rows that are not written twice."""

from pathlib import Path

import duckdb
import pytest

from ingest.errors import PlumblineError
from ingest.store import RAW_NAME, Store
from ingest.store.opening import attached, close_kept, kept_open, open_database, stop_keeping

WORDS = {"prompt_key": "p", "suite": "s", "root_key": "r", "words_key": "k", "words": ["a", "b"]}


@pytest.fixture
def kept(tmp_path):
    """A database of one table, and a folder in which databases stay open."""
    path = tmp_path / "marts.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("create table t as select 1 as a")
    with kept_open():
        yield path


def can_be_opened(path):
    """Whether another library could open a database here, with settings of its own."""
    try:
        duckdb.connect(str(path), config={"threads": 1}).close()
    except duckdb.Error:
        return False
    return True


def test_a_database_stays_open_until_the_end(tmp_path):
    path = tmp_path / "marts.duckdb"
    with kept_open():
        open_database(path, False, {}).close()
        assert not can_be_opened(path)
    assert can_be_opened(path)


def test_a_database_that_is_a_link_to_itself_is_named(tmp_path):
    (tmp_path / RAW_NAME).symlink_to(tmp_path / RAW_NAME)
    with pytest.raises(PlumblineError, match=RAW_NAME), kept_open(), Store(tmp_path):
        pass


def test_a_folder_in_which_duckdb_cannot_write_is_named(tmp_path, monkeypatch):
    folder = tmp_path / "why?"
    folder.mkdir()
    monkeypatch.chdir(folder)
    for place in (folder / RAW_NAME, Path(RAW_NAME)):
        with pytest.raises(PlumblineError, match="question mark"):
            open_database(place, False, {})
    assert not list(folder.iterdir())
    duckdb.connect(str(tmp_path / RAW_NAME)).close()
    (tmp_path / RAW_NAME).rename(folder / RAW_NAME)
    open_database(folder / RAW_NAME, True, {}).close()  # what was moved there can be read


def test_of_a_link_the_folder_counts_that_it_leads_to(tmp_path):
    for name in ("why?", "plain"):
        (tmp_path / name).mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "why?")
    with pytest.raises(PlumblineError, match=r"why\?.*question mark"):
        open_database(tmp_path / "link" / RAW_NAME, False, {})
    (tmp_path / "link?").symlink_to(tmp_path / "plain")
    open_database(tmp_path / "link?" / RAW_NAME, False, {}).close()
    assert (tmp_path / "plain" / RAW_NAME).exists()


def test_what_is_opened_later_need_not_be_kept(tmp_path):
    path = tmp_path / "marts.duckdb"
    with kept_open():
        open_database(path, False, {}).close()
        stop_keeping()
        open_database(path, False, {}).close()
        assert can_be_opened(path)


def test_outside_it_is_closed_at_once(tmp_path):
    path = tmp_path / "marts.duckdb"
    open_database(path, False, {}).close()
    assert can_be_opened(path)


def test_a_reader_leaves_others_read_until_somebody_writes(kept):
    open_database(kept, True, {}).close()
    duckdb.connect(str(kept), read_only=True).close()
    open_database(kept, False, {}).execute("insert into t values (2)").close()
    with open_database(kept, True, {}) as reader:
        assert reader.execute("select count(*) from t").fetchone() == (2,)


def test_settings_are_those_that_a_writer_asks_for(kept):
    open_database(kept, False, {}).close()
    with open_database(kept, False, {"memory_limit": "1GB"}) as connection:
        assert connection.execute("select current_setting('memory_limit')").fetchone() == ("953.6 MiB",)


def test_what_one_connection_sees_for_itself_no_other_does(kept):
    with open_database(kept, True, {}) as one, open_database(kept, True, {}) as other:
        one.execute("create temp table t as select 3 as a")
        assert other.execute("select a from t").fetchone() == (1,)


def test_a_database_that_was_deleted_is_made_anew(kept):
    open_database(kept, False, {}).close()
    kept.unlink()
    with open_database(kept, False, {}) as connection:
        assert connection.execute("select count(*) from duckdb_tables()").fetchone() == (0,)


def test_what_is_attached_is_let_go(kept, tmp_path):
    with Store(tmp_path):
        pass
    with open_database(kept, False, {}) as marts, attached(marts, tmp_path / RAW_NAME, "raw"):
        assert marts.execute("select count(*) from raw.responses").fetchone() == (0,)
    with Store(tmp_path) as store:  # who writes is alone
        store.append("prompt_words", [WORDS])
    with open_database(kept, False, {}) as marts, attached(marts, tmp_path / RAW_NAME, "raw"):
        assert marts.execute("select count(*) from raw.prompt_words").fetchone() == (1,)


def test_after_an_error_nothing_is_kept(kept, tmp_path):
    with Store(tmp_path):
        pass
    with (
        pytest.raises(duckdb.CatalogException),
        open_database(kept, False, {}) as marts,
        attached(marts, tmp_path / RAW_NAME, "raw"),
    ):
        marts.execute("select * from nothing")
    assert can_be_opened(kept)


def test_what_is_kept_can_be_closed_for_another(kept):
    open_database(kept, False, {}).close()
    close_kept()
    assert can_be_opened(kept)


def test_what_does_not_fit_is_spilled_in_each_stage(tmp_path, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_MEMORY", "60MB")
    left = tmp_path / f"{RAW_NAME}.tmp"  # by one that was killed
    left.mkdir()
    (left / "old").touch()
    rows = "select md5(i::varchar) as a, md5((i + 1)::varchar) as b from range(2_000_000) as t (i)"
    with kept_open():
        for _ in range(2):
            with Store(tmp_path) as store:
                assert not (left / "old").exists()
                store.connection.execute("set threads = 1")
                store.connection.execute(f"create or replace temp table many as {rows}")
                assert list(left.iterdir())


def test_rows_that_are_there_are_not_written_again(tmp_path):
    with Store(tmp_path) as store:
        place = "select rowid from prompt_words"
        store.replace("prompt_words", "s", [WORDS])
        store.replace("prompt_words", "other", [{**WORDS, "prompt_key": "q", "suite": "other"}])
        there = store.rows(place)
        store.replace("prompt_words", "s", [WORDS])
        assert store.rows(place) == there
        store.replace("prompt_words", "s", [{**WORDS, "words": ["a"]}])
        assert store.rows(place) != there
        assert store.rows("select prompt_key, words from prompt_words order by all") == [
            ("p", ["a"]),
            ("q", ["a", "b"]),
        ]
        store.replace("prompt_words", "s", [])
        assert store.rows("select suite from prompt_words") == [("other",)]
