"""Each Python model is taken apart by what it resamples apart; no Spark is needed to say so."""

import ast

import pytest
from places import ROOT

from ingest.spark.splits import FOUND_BY, JOINS, PART, SPLIT_BY, split_queries

MODELS = {path.stem: path for path in (ROOT / "models").rglob("*.py")}


def refs(model):
    calls = [
        node for node in ast.walk(ast.parse(MODELS[model].read_text("utf-8"))) if isinstance(node, ast.Call)
    ]
    return [call.args[0].value for call in calls if getattr(call.func, "attr", "") == "ref"]


def test_every_python_model_is_listed_and_no_other():
    assert set(SPLIT_BY) == set(MODELS)
    assert all(ref in refs(model) for model, ref in FOUND_BY)


@pytest.mark.parametrize("model", sorted(SPLIT_BY))
def test_a_part_has_the_rows_of_its_key_alone(model):
    names = refs(model)
    columns = {ref: [*SPLIT_BY[model], "value"] if ref == names[0] else ["other"] for ref in names}
    queries = split_queries(model, names, columns, "audit")
    assert names[0] in queries
    wanted = {names[0], *(ref for of, ref in FOUND_BY if of == model)}
    assert set(queries) == wanted
    for ref, query in queries.items():
        assert f"from audit.{ref} as t" in query and f") as {PART} " in query


def test_a_model_of_somebody_elses_is_not_split():
    assert split_queries("mine", ["fct_outcomes"], {"fct_outcomes": ["suite", "config_key"]}, "audit") == {}


def test_joins_name_their_schema():
    assert all("{schema}." in join for join in JOINS.values())
