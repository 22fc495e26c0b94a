"""Parts of a table that are kept: never where something that they are made of has changed."""

from types import SimpleNamespace

import duckdb
import numpy as np
import pytest

from ingest.inference import kept
from ingest.inference.kept import Kept
from ingest.inference.tables import types

SCHEMA = types("name string, value double")
THIS = SimpleNamespace(database="memory", schema="main", identifier='a "model"')


class Model:
    """A model with a part of each name, which counts what it computes."""

    def __init__(self):
        self.session = duckdb.connect()
        self.computed = []

    def build(self, **parts):
        self.computed = []
        of_parts = Kept(SimpleNamespace(this=THIS), self.session, SCHEMA)
        for name, inputs in parts.items():
            of_parts.add(self.made, name, inputs)
        relation = of_parts.relation()  # noqa: F841  DuckDB finds it by its name
        self.session.execute("create or replace temp table fresh as from relation")
        self.session.execute('create or replace table "a ""model""" as from fresh')
        return self.session.sql("select name, value from fresh").fetchall()

    def made(self, name, inputs):
        self.computed.append(name)
        yield from ({"name": name, "value": float(value)} for value in inputs["values"])


@pytest.fixture
def model():
    return Model()


def test_what_did_not_change_is_computed_once(model):
    first = {"a": {"values": np.arange(3)}, "b": {"values": [5]}, "empty": {"values": []}}
    rows = model.build(**first)
    assert model.computed == ["a", "b", "empty"]
    assert model.build(**first) == rows
    assert model.computed == ["empty"]  # a part without rows leaves nothing behind
    assert model.build(c={"values": [7]}, **first) == [("c", 7.0), *rows]
    assert model.computed == ["c", "empty"]
    assert model.build(b=first["b"]) == [("b", 5.0)]
    model.build(**first)
    assert model.computed == ["a", "empty"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(np.array([1, 2]), np.array([2, 1]), id="order"),
        pytest.param(np.array([1, 2]), np.array([1.0, 2.0]), id="type"),
        pytest.param(np.zeros((1, 2)), np.zeros((2, 1)), id="shape"),
        pytest.param(np.ma.array([1, 2], mask=[0, 1]), np.ma.array([1, 2], mask=[1, 0]), id="missing"),
        pytest.param(np.array(["ab", "c"], dtype=object), np.array(["a", "bc"], dtype=object), id="texts"),
        pytest.param(None, 0, id="none"),
        pytest.param(0, False, id="truth"),
        pytest.param(1, "1", id="number"),
        pytest.param(0.0, -0.0, id="sign"),
        pytest.param(["a", ["b"]], ["a", "b"], id="nesting"),
        pytest.param([["a"], []], [[], ["a"]], id="place"),
        pytest.param({"a": 1, "b": 2}, {"a": 2, "b": 1}, id="mapping"),
        pytest.param("é", "e\N{COMBINING ACUTE ACCENT}", id="form"),
    ],
)
def test_any_change_of_an_input_computes_its_part_anew(model, before, after):
    model.build(one={"values": [1], "input": before})
    model.build(one={"values": [1], "input": before})
    assert model.computed == []
    model.build(one={"values": [1], "input": after})
    assert model.computed == ["one"]


def test_the_order_of_a_mapping_and_hidden_numbers_change_nothing(model):
    model.build(one={"values": [1], "a": {"x": 1, "y": 2}, "b": np.ma.array([1, 2], mask=[0, 1])})
    model.build(one={"values": [1], "b": np.ma.array([1, 9], mask=[0, 1]), "a": {"y": 2, "x": 1}})
    assert model.computed == []


def test_a_column_in_which_others_lack_a_number_changes_nothing(model):
    model.build(one={"values": [1], "b": np.ma.array([1, 2], mask=[0, 0])})
    model.build(one={"values": [1], "b": np.array([1, 2])})
    assert model.computed == []


def test_other_code_computes_every_part_anew(model, monkeypatch):
    model.build(one={"values": [1]})
    monkeypatch.setattr(kept, "inference_code", lambda: "another version")
    model.build(one={"values": [1]})
    assert model.computed == ["one"]


@pytest.mark.parametrize(
    "change",
    ["drop column inputs_hash", "add column another double", "rename column value to other"],
)
def test_a_table_of_other_columns_is_not_used(model, change):
    model.build(one={"values": [1]})
    model.session.execute(f'alter table "a ""model""" {change}')
    assert model.build(one={"values": [1]}) == [("one", 1.0)]
    assert model.computed == ["one"]


def test_without_a_place_nothing_is_kept(model):
    for _ in range(2):
        of_parts = Kept(SimpleNamespace(), model.session, SCHEMA)
        of_parts.add(model.made, "one", {"values": [1]})
        assert of_parts.relation().project("name, value").fetchall() == [("one", 1.0)]
    assert model.computed == ["one", "one"]


def test_two_parts_of_the_same_inputs_are_refused(model):
    of_parts = Kept(SimpleNamespace(this=THIS), model.session, SCHEMA)
    of_parts.add(model.made, "one", {"values": [1]})
    with pytest.raises(ValueError, match="same inputs"):
        of_parts.add(model.made, "one", {"values": [1]})


class Numbered(Model):
    """A model whose rows have keys that change with what else there is."""

    def build_each(self, this=THIS, **parts):
        self.computed = []
        schema = types("number int64, name string, key_place int64")
        of_parts = Kept(SimpleNamespace(this=this) if this else None, self.session, schema, keys=["number"])
        asked = [(inputs, name, {"number": numbers}) for name, (inputs, numbers) in parts.items()]
        of_parts.add_each(self.made_of_each, asked, 2)
        relation = of_parts.relation()  # noqa: F841  DuckDB finds it by its name
        self.session.execute("create or replace temp table fresh as from relation")
        if this:
            self.session.execute('create or replace table "a ""model""" as from fresh')
        return self.session.sql("select number, name, key_place from fresh order by all").fetchall()

    def made_of_each(self, names, n_rows):
        self.computed.append(names)
        for part, name in enumerate(names):
            for place in range(n_rows):
                yield {"part": part, "name": name, "key_place": place}


def test_what_is_missing_is_made_at_once_and_keys_are_those_of_now():
    model = Numbered()
    rows = [(1, "b", 0), (2, "b", 1), (5, "a", 0), (9, "a", 1)]
    assert model.build_each(a=("same", [5, 9]), b=("other", [1, 2])) == rows
    assert model.computed == [["a", "b"]]
    rows = [(0, "b", 0), (3, "c", 0), (4, "c", 1), (5, "b", 1), (6, "a", 0), (7, "a", 1)]
    assert model.build_each(c=("new", [3, 4]), b=("other", [0, 5]), a=("same", [6, 7])) == rows
    assert model.computed == [["c"]]
    assert model.build_each(b=("other", [0, 5])) == [(0, "b", 0), (5, "b", 1)]
    assert model.computed == []


def test_a_part_whose_rows_lie_apart_is_made_anew():
    model = Numbered()
    rows = model.build_each(a=("same", [5, 9]), b=("other", [1, 2]))
    model.session.execute('create or replace table shuffled as from "a ""model""" order by key_place')
    model.session.execute('create or replace table "a ""model""" as from shuffled')
    assert model.build_each(a=("same", [5, 9]), b=("other", [1, 2])) == rows
    assert model.computed == [["a", "b"]]


def test_keys_are_there_without_a_place_too():
    model = Numbered()
    assert model.build_each(None, a=("same", [5, 9]), b=("other", [1, 2])) == [
        (1, "b", 0), (2, "b", 1), (5, "a", 0), (9, "a", 1)
    ]  # fmt: skip


def test_an_input_that_has_no_hash_is_refused(model):
    with pytest.raises(TypeError, match="object"):
        model.build(one={"values": [1], "input": object()})
