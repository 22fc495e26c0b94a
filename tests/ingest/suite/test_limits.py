"""Limits and families that a suite declares: what is refused, and what the definition holds."""

import re

import pytest
import yaml
from places import SUITES
from pydantic import ValidationError

from ingest.errors import PlumblineError
from ingest.paths import PROJECT
from ingest.suite import load_suite
from ingest.suite.definition import definition
from ingest.suite.limits import Resampling

START = yaml.safe_load((SUITES / "g20.yml").read_text("utf-8"))


@pytest.fixture
def suite(tmp_path):
    def write(**keys):
        path = tmp_path / "suite.yml"
        path.write_text(yaml.safe_dump({**START, "profiles": ["four_fifths", "custom"], **keys}), "utf-8")
        return path

    return write


@pytest.mark.parametrize(
    ("limit", "problem"),
    [
        ({"metric": "max_fdx"}, "'max_fdx' cannot be judged"),
        ({"metric": "parity_ratio"}, "say the `direction`"),
        ({"metric": "cohens_d"}, "'cohens_d' cannot be judged"),
        ({"metric": "max_fdi", "red_limit": 0.1}, "`red_limit` is not below"),
        ({"metric": "min_impact_ratio", "red_limit": 0.9}, "`red_limit` is not above"),
        ({"metric": "max_fdi", "profile": "plumbline"}, "'plumbline' is not among"),
        ({"metric": "max_fdi", "green_limit": float("nan")}, "finite"),
        ({"metric": "max_fdi", "gate": "perhaps"}, "`true` or `false`"),
        ({"metric": "max_fdi", "statistic": "mean"}, "`statistic` is for one of dixon_q, group_range,"),
        ({"metric": "group_range", "statistic": "means"}, "known: kendall, kl_divergence, kurtosis, mean,"),
    ],
)
def test_a_limit_that_cannot_judge_is_refused(suite, limit, problem):
    path = suite(thresholds=[{"green_limit": 0.2, **limit}])
    with pytest.raises(PlumblineError, match=re.escape(problem)):
        load_suite(path)


def test_two_limits_for_one_number_are_refused(suite):
    twice = [
        {"metric": "max_fdi", "green_limit": 0.1},
        {"metric": "max_fdi", "green_limit": 0.2, "axes": "single"},
    ]
    with pytest.raises(PlumblineError, match="two limits"):
        load_suite(suite(thresholds=twice))


@pytest.mark.parametrize(
    ("named", "is_twice"),
    [(["mean", "median"], False), (["mean", "mean"], True), (["mean", None], True), ([None, "mean"], True)],
)
def test_a_statistic_has_one_limit(suite, named, is_twice):
    path = suite(
        thresholds=[{"metric": "group_range", "green_limit": 0.1, "statistic": one} for one in named]
    )
    if is_twice:
        with pytest.raises(PlumblineError, match="two limits"):
            load_suite(path)
    else:
        stated = definition(load_suite(path))["thresholds"]
        assert [limit["statistic"] for limit in stated] == named


def test_limits_and_the_family_stand_in_the_definition(suite):
    path = suite(
        families={"gate": "question"},
        thresholds=[
            {"metric": "failure_rate", "green_limit": 0.05, "gate": False},
            {"metric": "parity_ratio", "green_limit": 0.8, "direction": "lower_is_worse", "profile": "custom",
             "axes": "single", "note": "Ours"},
        ],
    )  # fmt: skip
    content = definition(load_suite(path))
    keys = ("profile", "metric", "axes", "unit", "direction", "green_limit", "red_limit", "gate", "note")
    assert [tuple(limit[key] for key in keys) for limit in content["thresholds"]] == [
        ("four_fifths", "failure_rate", "any", "share", "higher_is_worse", 0.05, None, False, ""),
        ("custom", "parity_ratio", "single", "ratio", "lower_is_worse", 0.8, None, True, "Ours"),
    ]
    assert content["families"] == {"gate": "question"}


def test_a_page_names_as_many_permutations_as_a_suite_may_have():
    said = (PROJECT / "macros" / "verdicts" / "most_permutations.sql").read_text("utf-8")
    (most,) = re.findall(r"^\s*(\d+)$", said, re.MULTILINE)
    Resampling(permutations=int(most))
    with pytest.raises(ValidationError):
        Resampling(permutations=int(most) + 1)
