"""Limits and families that a suite declares: what is refused, and what the tables hold."""

import re

import pytest
import yaml
from places import SUITES

from ingest.errors import PlumblineError
from ingest.store import Store
from ingest.suite import load_suite
from ingest.suite.tables import register_suite

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
        ({"metric": "max_fdi", "gate": "perhaps"}, "boolean"),
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


def test_limits_and_the_family_reach_the_tables(suite, tmp_path):
    path = suite(
        families={"gate": "question"},
        thresholds=[
            {"metric": "failure_rate", "green_limit": 0.05, "gate": False},
            {"metric": "parity_ratio", "green_limit": 0.8, "direction": "lower_is_worse", "profile": "custom",
             "axes": "single", "note": "Ours"},
        ],
    )  # fmt: skip
    with Store(tmp_path / "data") as store:
        register_suite(store, load_suite(path), path, "run")
        limits = store.connection.execute(
            "select profile, metric, axis_kind, unit, direction, green_limit, red_limit, is_gated, note"
            " from suite_thresholds order by metric"
        ).fetchall()
        family = store.connection.execute("select gate_family from suites").fetchone()
    assert limits == [
        ("four_fifths", "failure_rate", "any", "share", "higher_is_worse", 0.05, None, False, ""),
        ("custom", "parity_ratio", "single", "ratio", "lower_is_worse", 0.8, None, True, "Ours"),
    ]
    assert family == ("question",)
