"""Rules of the kind `probability`: which labels a first token can tell apart, and what a suite must say."""

import re
from pathlib import Path

import pytest
import yaml
from places import FIXTURES, ROOT

from ingest.errors import PlumblineError
from ingest.suite import load_suite
from ingest.suite.beginnings import beginning, check_beginnings
from ingest.suite.definition import definition

RULE = {
    "set": "decision",
    "kind": "probability",
    "labels": {"accepted": ["Yes"], "rejected": ["No"]},
    "favourable": ["accepted"],
}
CONFIG = {"backend": "simulated", "model": "m", "options": {"top_logprobs": 20}}


@pytest.fixture
def suite_with(tmp_path):
    def write(configs=(CONFIG,), **changes):
        content = yaml.safe_load((FIXTURES / "asked_suite.yml").read_text("utf-8"))
        content["configs"] = list(configs)
        content["categories"]["FLAT"]["outcomes"] = [RULE | changes]
        path = tmp_path / "suite.yml"
        path.write_text(yaml.safe_dump(content, sort_keys=False), "utf-8")
        return load_suite(path)

    return write


def test_the_definition_says_how_labels_begin(suite_with):
    labels = {"accepted": ["Yes", "**YES!**", "ya"], "rejected": ["No"]}
    (rule,) = definition(suite_with(labels=labels))["categories"]["FLAT"]["outcomes"]
    assert rule["measured_feature"] == "probability_decision" and rule["scorer"] == "token_probabilities"
    assert rule["phrases"] == [{}]  # a score rule has one row
    assert [(one["label"], one["beginning"], one["is_favourable"]) for one in rule["beginnings"]] == [
        ("accepted", "yes", True), ("accepted", "ya", True), ("rejected", "no", False),
    ]  # fmt: skip


def test_another_rule_is_another_definition(suite_with):
    def said(**changes):
        return definition(suite_with(**changes))["categories"]["FLAT"]["outcomes"][0]["feature"]

    assert said() == said()
    assert (
        len(
            {
                said(),
                said(min_mass=0.9),
                said(favourable=["rejected"]),
                said(labels={"accepted": ["A"], "rejected": ["B"]}),
            }
        )
        == 4
    )


@pytest.mark.parametrize(
    "labels",
    [
        {"good": ["very good"], "bad": ["very bad"]},
        {"good": ["Very good"], "bad": ["**very** bad"]},
        {"one": ["1"], "ten": ["10"]},
        {"no": ["no"], "none": ["none of them"]},
        {"a": ["yes"], "b": [" YES."]},
        {"yes": ["yes", "maybe"], "no": ["no", "Maybe not"]},
    ],
)
def test_labels_that_begin_alike_are_refused_with_what_to_do(labels, suite_with):
    with pytest.raises(PlumblineError) as error:
        suite_with(labels=labels, favourable=[next(iter(labels))])
    line = error.value.format_message()
    assert "can begin with the same token: offer other words, such as A and B" in line


@pytest.mark.parametrize(
    "labels",
    [
        {"yes": ["yes", "ya"], "no": ["no", "tidak"]},
        {"malay": ["Malay"], "male": ["Male"]},
        {"a": ["A"], "b": ["B"], "c": ["(c)"]},
        {"yes": ["是", "是的"], "no": ["不是"]},
        {"one": ["1"], "two": ["2"]},
    ],
)
def test_labels_that_begin_otherwise_are_taken(labels):
    check_beginnings(labels)


def test_marks_of_a_script_are_part_of_a_word():
    assert beginning('"हाँ!"') == "हाँ" and beginning("_Yes_ ") == "yes" and beginning("...") == ""
    assert beginning("Na\u0303o!") == beginning("Não")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"favourable": []}, "`favourable` names the labels, but not all"),
        ({"favourable": ["accepted", "rejected"]}, "`favourable` names the labels, but not all"),
        ({"favourable": ["maybe"]}, "no label of this rule"),
        ({"labels": {"accepted": ["Yes"]}}, "at least two `labels`"),
        ({"labels": {"accepted": ["Yes"], "rejected": []}}, "has no phrase"),
        ({"labels": {"accepted": ["+"], "rejected": ["-"]}}, "holds no letter and no digit"),
        ({"scorer": "vader"}, "has no `scorer`"),
        ({"unmatched": "other"}, "has no `unmatched`"),
        ({"regex": True}, "take `regex` and `text` out"),
        ({"languages": ["en"]}, "no text is read"),
        ({"min_mass": 1.5}, "a number of at most 1"),
        ({"configs": [{"backend": "simulated", "model": "m"}]}, "write `options: {top_logprobs: 20}`"),
    ],
)
def test_a_rule_that_cannot_be_is_refused_in_one_line(changes, said, suite_with):
    with pytest.raises(PlumblineError) as error:
        suite_with(**changes)
    assert said in error.value.format_message() and "\n" not in error.value.message


def test_answers_that_one_has_need_no_config(suite_with):
    assert suite_with(configs=[]).configs == []


def test_the_guides_example_is_a_suite(tmp_path):
    text = (ROOT / "docs/guide/own-questions.md").read_text("utf-8")
    example = text.split("## How likely an answer is")[1]
    content = yaml.safe_load(re.search(r"```yaml\n(.*?)```", example, re.DOTALL)[1])
    head = {"suite": "hiring", "version": 1, "title": "Hiring", "axes": ["gender"]}
    head["attributes"] = {"gender": {"Female": {"words": ["woman"]}, "Male": {"words": ["man"]}}}
    path = Path(tmp_path / "hiring.yml")
    path.write_text(yaml.safe_dump(head | content, sort_keys=False), "utf-8")
    ((_, rule),) = load_suite(path).rules()
    assert rule.measured_feature == "probability_invited"
