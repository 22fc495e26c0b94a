"""A model whose join compares each row with each is found."""

import sys
from pathlib import Path

import duckdb
import pytest

sys.path.append(str(Path(__file__).resolve().parents[2] / "scripts"))
from nested_loops import look_through, nested_loops

LOOPS = "select * from answers left join texts on answers.is_usable and answers.text_key = texts.text_key"
BY_KEY = (
    "select * from answers left join texts on case when answers.is_usable then answers.text_key end"
    " = texts.text_key"
)


@pytest.fixture
def data(tmp_path):
    with duckdb.connect(str(tmp_path / "audit.duckdb")) as marts:
        marts.execute("create table answers (text_key varchar, is_usable boolean)")
        marts.execute("create table texts (text_key varchar)")
    duckdb.connect(str(tmp_path / "raw.duckdb")).close()
    (tmp_path / "target" / "compiled").mkdir(parents=True)
    return tmp_path


@pytest.mark.parametrize(("query", "n_found"), [(LOOPS, 1), (BY_KEY, 0)])
def test_a_join_that_has_a_key_and_does_not_use_it_is_told(data, capsys, query, n_found):
    (data / "target" / "compiled" / "some_model.sql").write_text(query, "utf-8")
    assert look_through(data) == n_found
    said = capsys.readouterr().out
    assert f"1 models and tests, {n_found} joins as nested loops." in said
    assert ("some_model.sql: nested loops over" in said) == bool(n_found)


def test_nothing_to_look_at_is_no_success(data):
    assert look_through(data) == 1


def test_both_give_the_same_rows(data):
    with duckdb.connect(str(data / "audit.duckdb")) as marts:
        marts.execute("insert into answers values ('a', true), ('a', false), ('b', true), (null, null)")
        marts.execute("insert into texts values ('a'), ('c')")
        assert (
            marts.execute(f"{LOOPS} order by all").fetchall()
            == marts.execute(f"{BY_KEY} order by all").fetchall()
        )
        assert nested_loops(marts, BY_KEY) == []
