"""Pairs of a suite whose groups are shown by names, from a file of answers to the marts."""

import csv
import json

import pytest
from loaded import build_loaded

from ingest import warehouse

N_NAMES, N_ROOTS = 6, 10
SUITE = {
    "suite": "named",
    "title": "Names that differ, groups that do not",
    "version": 1,
    "attributes": {"gender": {"F": {}, "M": {}}},
    "axes": ["gender"],
    "names": {"shows": ["gender"]},
    "scorers": ["length"],
    "resampling": {"permutations": 200, "bootstrap": 200},
    "pairs": {"features": ["warmth", "length_of_few"]},
    "columns": {
        **{name: name for name in ("response", "prompt", "model", "root", "name")},
        "category": {"value": "letters"},
        "attributes": {"gender": "gender"},
        "scores": {"warmth": "warmth", "length_of_few": "few"},
    },
    "categories": {
        "letters": {
            "title": "Is the letter warm?",
            "block": "name",
            "outcomes": [{"set": "greeting", "kind": "pattern", "labels": {"dear": ["dear"], "no": ["no"]}}],
        }
    },
}


@pytest.fixture(scope="module")
def marts(tmp_path_factory):
    data = tmp_path_factory.mktemp("named")
    suite = data / "suite.yml"
    suite.write_text(json.dumps(SUITE), "utf-8")
    with (data / "answers.csv").open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(["root", "name", "gender", "warmth", "few", "response", "model", "prompt"])
        for root in range(N_ROOTS):
            for place, gender in enumerate("FM"):
                for i in range(N_NAMES):
                    # Every name has its own warmth in all roots; one of the men's is much warmer.
                    warmth = 0.1 * i + (0.4 if gender == "M" and i == 5 else 0) + 0.001 * (root + place)
                    row = [
                        root,
                        f"{gender} Name{i}",
                        gender,
                        warmth,
                        i if i < 4 else "",
                        f"Dear {i} of {root}",
                        "m",
                    ]
                    writer.writerow([*row, f"Write letter {root} to {gender} Name{i}"])
    build_loaded(data, "fct_counterfactual_similarity")
    with warehouse.Warehouse(data) as opened:
        yield opened


def test_one_warm_name_is_no_difference_of_groups(marts):
    """The same in each of 10 roots: swapped root by root it had p = 0.005."""
    rows = marts.rows("select * from fct_counterfactual_similarity where metric = 'sentiment_bias_strict'")
    (row,) = [row for row in rows if row["feature"] == "warmth"]
    assert (row["resampling_unit"], row["n_units"], row["n_roots"]) == ("block", N_NAMES, N_ROOTS)
    assert row["p_status"] == row["ci_status"] == "ok" and row["p_value"] > 0.3
    assert row["ci_low"] < 0.02 and row["ci_high"] > 0.1


def test_names_without_a_value_are_no_units(marts):
    """Four names a group have one: six counted, and an interval rested on four."""
    rows = marts.rows("select * from fct_counterfactual_similarity where feature = 'length_of_few'")
    assert {(row["resampling_unit"], row["n_units"], row["ci_status"]) for row in rows} == {
        ("block", 4, "too_few")
    }


def test_likeness_of_texts_has_no_p_value_by_names(marts):
    rows = marts.rows(
        "select distinct resampling_unit, p_status from fct_counterfactual_similarity"
        " where metric = 'counterfactual_rouge_l'"
    )
    assert [(row["resampling_unit"], row["p_status"]) for row in rows] == [("block", "not_applicable")]
