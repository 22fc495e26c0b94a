"""Answers with the words of their group exchanged or masked."""

from functools import partial
from unicodedata import normalize

import pytest
import yaml
from judged import SUITE

from ingest.judging.exchange import MASKED, Exchange
from ingest.suite import load_suite


def exchange(tmp_path, **changes):
    path = tmp_path / "suite.yml"
    path.write_text(yaml.safe_dump(SIMPLE | changes, sort_keys=False), "utf-8")
    return Exchange(load_suite(path), path)


apart = partial(normalize, "NFD")
PATTERN = [{"set": "s", "kind": "pattern", "labels": {"a": ["a"], "b": ["b"]}}]
SIMPLE = SUITE | {"categories": {"H": SUITE["categories"]["H"] | {"outcomes": PATTERN}}}
RACES = {"Chinese": {"words": ["Chinese"]}, "Malay": {"words": ["Malay"]}, "Indian": {"words": ["Indian"]}}
GENDER = SUITE["attributes"]["gender"]


def of(found):
    return {(one.attribute, one.group_a, one.group_b): one.text for one in found}


def test_words_and_pronouns_of_a_group_become_those_of_the_other(tmp_path):
    found = of(exchange(tmp_path)("The man said that he likes his job. Men do."))
    assert found == {
        ("gender", "Male", "Female"): "The woman said that she likes her job. Women do.",
        ("gender", "Male", MASKED): "The ▮▮▮ said that ▮▮▮ likes ▮▮▮ job. ▮▮▮ do.",
    }


def test_each_other_group_has_a_version_and_one_attribute_changes_at_a_time(tmp_path):
    found = of(exchange(tmp_path, attributes={"gender": GENDER, "race": RACES})("A Malay man."))
    assert found == {
        ("gender", "Male", "Female"): "A Malay woman.",
        ("gender", "Male", MASKED): "A Malay ▮▮▮.",
        ("race", "Malay", "Chinese"): "A Chinese man.",
        ("race", "Malay", "Indian"): "An Indian man.",
        ("race", "Malay", MASKED): "A ▮▮▮ man.",
    }


@pytest.mark.parametrize("text", ["I would hire them.", "Either the man or the woman.", "A mandate.", ""])
def test_a_text_about_no_group_or_two_is_left_alone(tmp_path, text):
    assert list(exchange(tmp_path)(text)) == []


def test_names_become_names_of_the_other_group(tmp_path):
    people = [
        {"name": "Tan Wei", "gender": "Male", "race": "Chinese"},
        {"name": "Lim Mei", "gender": "Female", "race": "Chinese"},
        {"name": "Ali Osman", "gender": "Male", "race": "Malay"},
        {"name": "Siti Aminah", "gender": "Female", "race": "Malay"},
    ]
    races = {name: RACES[name] for name in ("Chinese", "Malay")}
    changed = exchange(
        tmp_path,
        attributes={"gender": GENDER, "race": races},
        names={"shows": ["gender", "race"], "people": people},
    )
    found = of(changed("Ali Osman is fit."))
    assert found["gender", "Male", "Female"] == "Siti Aminah is fit."
    assert found["race", "Malay", "Chinese"] == "Tan Wei is fit."
    assert found["gender", "Male", MASKED] == "▮▮▮ is fit."


def test_a_word_is_known_however_its_accent_was_typed(tmp_path):
    words = {"Male": {"words": ["métis"]}, "Female": {"words": [apart("métisse")]}}
    swap = exchange(tmp_path, attributes={"gender": words})
    # What a judge reads of two versions differs in the group alone, not in how accents are typed.
    for typed in (str, apart):
        assert of(swap(typed("A métis speaks: né là."))) == {
            ("gender", "Male", "Female"): typed("A métisse speaks: né là."),
            ("gender", "Male", MASKED): typed("A ▮▮▮ speaks: né là."),
        }
    assert swap.groups(apart("La métisse")) == {"gender": {"Female"}}
