"""What an editor knows of a suite file: docs/suite.schema.json, which `plumbline docs` keeps current."""

import json

import pytest
from places import SUITES

from ingest.suite import json_schema, load_suite

SCHEMA = json.loads(json_schema())
PARTS = {"Suite": SCHEMA, **SCHEMA["$defs"]}


@pytest.mark.parametrize("part", PARTS)
def test_every_key_says_what_it_is(part):
    assert PARTS[part]["description"]
    silent = [key for key, of in PARTS[part]["properties"].items() if not of.get("description", "").strip()]
    assert not silent
    assert PARTS[part]["additionalProperties"] is False


def test_the_schema_has_the_keys_of_the_models():
    suite = load_suite(SUITES / "fair_sea.yml")
    assert set(SCHEMA["properties"]) == set(suite.model_dump())
    assert {"const": "all"} in SCHEMA["properties"]["axes"]["anyOf"]
