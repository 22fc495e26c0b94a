"""Which axes the tables of Local Law 144 are made over."""

import pytest
import yaml
from tiny import TINY_SUITE

from ingest.suite import Suite

CONTENT = yaml.safe_load(TINY_SUITE.read_text()) | {"axes": ["gender"]}
VALUES = {"a": {}, "b": {}}


@pytest.mark.parametrize(
    ("attributes", "law", "expected"),
    [
        (["gender", "place"], None, {"gender": "sex"}),
        (["place", "region"], None, {}),
        (["race", "sex"], None, {"sex": "sex", "race": "race_ethnicity", "race & sex": "intersectional"}),
        (["gender", "sex", "ethnicity"], None,
         {"sex": "sex", "ethnicity": "race_ethnicity", "sex & ethnicity": "intersectional"}),
        (["gender", "race", "place"], {"race": "place"}, {"place": "race_ethnicity"}),
        (["gender", "race", "place"], {"sex": "gender", "race": "place"},
         {"gender": "sex", "place": "race_ethnicity", "gender & place": "intersectional"}),
    ],
)  # fmt: skip
def test_axes_follow_the_usual_names_or_the_suite(attributes, law, expected):
    content = {name: CONTENT[name] for name in ("suite", "title", "version", "categories")}
    content |= {"attributes": dict.fromkeys(attributes, VALUES), "axes": [attributes[0]]}
    content["local_law_144"] = law
    for category in content["categories"].values():
        category.pop("axes", None)
    assert Suite.model_validate(content).local_law_axes() == expected
