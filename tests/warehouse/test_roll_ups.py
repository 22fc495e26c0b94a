"""Levels (SPEC 9, CON-7): statistics of pooled categories and roles, from a file of numbers to the marts."""

import csv
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest
import yaml
from built import build_tested
from click.testing import CliRunner

from ingest import load, warehouse
from ingest.errors import PlumblineError
from ingest.suite import load_suite

ROLL_UPS = ["category", "domain", "role", "domain & role"]
DOMAINS = {"LOAN": "money", "RENT": "money", "JOB": "work"}
ROLES = {"m": ["", "judge"], "n": [""]}
SUITE: dict[str, Any] = {
    "suite": "rolled_up",
    "title": "Levels",
    "version": 1,
    "minimum": {"cell": 2},
    "resampling": {"permutations": 100, "bootstrap": 100},
    "attributes": {"place": {"North": {}, "South": {}}, "source": {"wiki": {}, "news": {}}},
    "axes": ["place", "place & source"],
    "roll_up": ROLL_UPS,
    "measurements": {
        "root": "question",
        "attributes": {"place": "place", "source": "source"},
        "shows": ["place", "source"],
        "model": "model",
        "role": "role",
        "category": "category",
        "features": {"warmth": "warmth"},
        "baselines": {"warmth": "before"},
        "baseline_kind": "counterfactual",
    },
    "categories": {
        code: {"title": code, "domain": domain, "block": "root"} for code, domain in DOMAINS.items()
    },
}
SUITE["categories"]["JOB"]["axes"] = ["place & source", "place"]  # in another order
N_QUESTIONS = 12


def records() -> Iterator[dict[str, Any]]:
    """Every question about both places in every role; JOB is warmer than the others; one is missing."""
    rng = np.random.default_rng(5)
    for category, question, place in product(DOMAINS, range(N_QUESTIONS), ("North", "South")):
        before = rng.random()
        for model, role in ((model, role) for model, roles in ROLES.items() for role in roles):
            is_missing = (category, question, place, role) == ("LOAN", 0, "North", "judge")
            yield {
                "category": category,
                "question": f"{category} {question}",
                "place": place,
                "source": ("wiki", "news")[question % 2],
                "model": model,
                "role": role,
                "warmth": "" if is_missing else rng.random() + (category == "JOB"),
                "before": before,
            }


@pytest.fixture(scope="module")
def numbers() -> list[dict[str, Any]]:
    return list(records())


@pytest.fixture(scope="module")
def marts(numbers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[warehouse.Warehouse]:
    folder = tmp_path_factory.mktemp("rolled_up")
    (folder / "suite.yml").write_text(yaml.safe_dump(SUITE), encoding="utf-8")
    with (folder / "numbers.csv").open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, list(numbers[0]))
        writer.writeheader()
        writer.writerows(numbers)
    arguments = [str(folder / "numbers.csv"), "--suite", str(folder / "suite.yml")]
    result = CliRunner().invoke(load.command, arguments, obj=folder / "data")
    assert result.exit_code == 0, result.output
    built = ["disparities", "summary_statistics", "selection_rates", "local_law_144", "measurements"]
    build_tested(folder / "data", *(f"fct_{mart}" for mart in built))
    with warehouse.Warehouse(folder / "data") as opened:
        yield opened


def means(marts: warehouse.Warehouse, roll_up: str) -> dict[tuple[str, ...], tuple[float, int, int]]:
    found = marts.rows(
        """
        select domain, category, config, role, group_value, value, n, n_missing
        from fct_summary_statistics
        where roll_up = ? and axis = 'place' and calibration = 'none' and statistic = 'mean'
            and config <> 'baseline'
        """,
        [roll_up],
    )
    named = ("domain", "category", "config", "role", "group_value")
    return {tuple(row[n] for n in named): (row["value"], row["n"], row["n_missing"]) for row in found}


def expected(numbers: list[dict[str, Any]], keep: dict[str, Any]) -> tuple[float, int, int]:
    """Mean, number and number missing of the records that have one of the named values in each column."""
    kept = [r["warmth"] for r in numbers if all(r[column] in values for column, values in keep.items())]
    there = [value for value in kept if value != ""]
    return pytest.approx(np.mean(there)), len(there), len(kept) - len(there)


def test_each_level_is_the_answers_it_pools(marts, numbers):
    found = {roll_up: means(marts, roll_up) for roll_up in [*ROLL_UPS, "none"]}
    assert {(domain, category, config, role) for domain, category, config, role, _ in found["none"]} == {
        (domain, category, config, role)
        for category, domain in DOMAINS.items()
        for config, role in (("m", ""), ("m (judge)", "judge"), ("n", ""))
    }
    # The domain of one category is pooled with nothing, nor is the model of one role.
    places = ("North", "South")
    money, everything = ["LOAN", "RENT"], list(DOMAINS)
    for place in places:
        for config, model, role in (("m", "m", ""), ("m (judge)", "m", "judge"), ("n", "n", "")):
            own = {"place": [place], "model": [model], "role": [role]}
            key = ("money", "(all money)", config, role, place)
            assert found["category"][key] == expected(numbers, own | {"category": money})
            key = ("(all)", "(all)", config, role, place)
            assert found["domain"][key] == expected(numbers, own | {"category": everything})
        own = {"place": [place], "model": ["m"], "role": ROLES["m"]}
        for category, domain in DOMAINS.items():
            key = (domain, category, "m (all roles)", "(all)", place)
            assert found["role"][key] == expected(numbers, own | {"category": [category]})
        key = ("(all)", "(all)", "m (all roles)", "(all)", place)
        assert found["domain & role"][key] == expected(numbers, own | {"category": everything})
    assert {roll_up: len(rows) for roll_up, rows in found.items()} == {
        "none": 3 * 3 * 2, "category": 3 * 2, "domain": 3 * 2, "role": 3 * 2, "domain & role": 2,
    }  # fmt: skip
    assert found["category"]["money", "(all money)", "m (judge)", "judge", "North"][2] == 1


def test_levels_have_their_own_standard_disparities_and_chance(marts, numbers):
    found = marts.rows(
        """
        select roll_up, category, config, axis, value, n_groups, n, p_value, ci_low, n_units, resampling_unit,
            is_control, permutation_scheme
        from fct_disparities
        where statistic = 'mean' and disparity = 'range' and calibration = 'none' and config = 'm'
            and roll_up in ('none', 'domain')
        """
    )
    rows = {(row["category"], row["axis"]): row for row in found}
    whole = rows["(all)", "place"]
    assert (whole["n_groups"], whole["n"], whole["n_units"]) == (2, 72, 36)
    assert (whole["resampling_unit"], whole["is_control"]) == ("block", False)
    assert 0 < whole["p_value"] <= 1 and whole["ci_low"] is not None
    own = {"model": ["m"], "role": [""]}
    (north, *_), (south, *_) = (expected(numbers, own | {"place": [p]}) for p in ("North", "South"))
    assert whole["value"] == pytest.approx(abs(north.expected - south.expected))
    # One axis in two orders is one comparison.
    assert rows["(all)", "place & source"]["n_groups"] == 4
    standards = {
        row["category"]: row["standard_value"]
        for row in marts.rows(
            """
            select distinct category, standard_value from fct_selection_rates
            where config = 'm' and axis = 'place' and calibration = 'none' and standard = 'mean'
            """
        )
    }
    assert set(standards) == {*DOMAINS, "(all money)", "(all)"}
    assert standards["(all)"] == expected(numbers, own)[0]
    assert standards["LOAN"] < standards["(all)"] < standards["JOB"]


def test_baselines_are_pooled_too_and_calibration_says_what_they_are(marts):
    found = marts.rows(
        """
        select distinct roll_up, calibration, baseline_kind from fct_summary_statistics
        where category = '(all)' order by all
        """
    )
    assert [tuple(row.values()) for row in found] == [
        ("domain", "baseline", "counterfactual"),
        ("domain", "none", None),
        ("domain & role", "baseline", "counterfactual"),
        ("domain & role", "none", None),
    ]
    (baseline,) = marts.rows(
        """
        select n from fct_summary_statistics
        where config = 'baseline' and category = '(all)' and statistic = 'mean' and axis = 'place'
            and group_value = 'North' and calibration = 'none'
        """
    )
    assert baseline["n"] == 3 * N_QUESTIONS


def test_what_is_no_level_of_diagnosis_is_not_pooled(marts):
    """Measurements are rows of answers, and Local Law 144's tables are of one question and config."""
    assert marts.rows("select * from fct_measurements where starts_with(category, '(all')") == []
    assert marts.rows("select * from fct_local_law_144 where starts_with(category, '(all')") == []


def test_an_unknown_level_is_refused(tmp_path):
    path = tmp_path / "suite.yml"
    path.write_text(yaml.safe_dump(SUITE | {"roll_up": ["galaxy"]}), encoding="utf-8")
    with pytest.raises(PlumblineError, match="roll_up"):
        load_suite(path)
