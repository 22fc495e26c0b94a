"""The validity study: a few audits on their way through the models, and what is committed of it."""

import csv
from dataclasses import replace

import numpy as np
import pytest
import yaml
from places import SEEDS
from scipy import stats as distributions

from experiments.validity import cells, judge, simulate, tables
from ingest.inference.power import minimum_detectable_ratio

N = 12
EQUAL = cells.Cell("no_bias", (0.5,) * 6, is_shared=False)
SPREAD = cells.Cell("coverage", cells.spread(3, 0.15, 0.5), 0.5, n_roots=40)
SCORES = cells.Cell("coverage", cells.spread(3, 0.4, 0.0), 0.5, n_roots=40, kind="scores")
LOWER = cells.planned(2, 75, 0.95)


CELLS = (EQUAL, SPREAD, SCORES, LOWER)


@pytest.fixture(scope="module")
def ran() -> dict[cells.Cell, tuple[list[dict], list[judge.Audit]]]:
    return {cell: simulate.run(cell, N) for cell in CELLS}


@pytest.fixture(scope="module")
def found(ran) -> dict[tuple[str, str, str], dict]:
    """Rows by suite, part and measure."""
    rows = [row for cell in CELLS for row in ran[cell][0]]
    assert all(set(row) | {"ran_on"} <= set(tables.FIELDS) for row in rows)
    return {(row["cell"], row["part"], row["measure"]): row for row in rows}


@pytest.fixture(scope="module")
def committed() -> list[dict]:
    with (SEEDS / "study_validity.csv").open(newline="", encoding="utf-8") as file:
        return [tables.read_row(row) for row in csv.DictReader(file)]


def test_without_bias_the_plain_rule_fires_and_verdicts_do_not(found):
    hits = {
        m: row["n_hits"] for (cell, part, m), row in found.items() if (cell, part) == (EQUAL.suite, "no_bias")
    }
    assert sum(hits[f"verdict_{state}"] for state in simulate.STATES) == N
    assert hits["plain_rule"] >= N / 3
    assert hits["verdict_fail"] <= 3
    assert hits["plain_rule"] == hits["verdict_fail"] + hits["verdict_inconclusive"]


@pytest.mark.parametrize("cell", [SPREAD, SCORES])
def test_every_audit_has_its_intervals_and_most_hold_their_target(found, cell):
    for measure in simulate.MEASURES[cell.kind]:
        row = found[cell.suite, "coverage", measure]
        assert row["n"] == N, measure
        assert row["n_hits"] >= 8, measure
        assert (cell.suite, "population", measure) in found


def test_targets_are_what_the_design_gives():
    aims = simulate.targets(SPREAD, ["selection_rate", "impact_ratio", "range", "cramers_v"])
    rate, endless_rate = aims["selection_rate"]
    assert (rate, endless_rate) == (pytest.approx(0.35, abs=0.002), pytest.approx(0.35))
    assert aims["impact_ratio"][1] == pytest.approx(0.35 / 0.65)
    assert aims["range"][1] == pytest.approx(0.3)
    # Cramér's V of a 3x2 table with rates .65, .5, .35; noise makes the mean estimate larger.
    assert aims["cramers_v"][1] == pytest.approx(np.sqrt(2 * 0.15**2 / 3 / 0.25))
    assert aims["cramers_v"][0] > aims["cramers_v"][1] + 0.005


def test_a_planted_shift_is_found(found):
    row = found[LOWER.suite, "power", "significant"]
    assert row["predicted"] == 0.95
    assert row["n_hits"] >= 8
    ratio = float(minimum_detectable_ratio(0.5, 75, 0.95, is_corrected=True))
    assert LOWER.truth[1] == pytest.approx(0.5 * ratio)


def test_exact_power_is_what_the_corrected_planner_promises():
    """And the level of the test, which ties keep below 0.05."""
    assert simulate.exact_power(8, 0.5, 0.0) == pytest.approx(distributions.binom.sf(4, 8, 0.5))
    assert 0.03 < simulate.exact_power(75, 0.5, 0.5) <= 0.05
    for power in (0.5, 0.8, 0.95):
        plain, corrected = (cells.planned(2, 75, power, is_corrected=x).truth for x in (False, True))
        assert simulate.exact_power(75, *plain) < power - 0.015
        assert power <= simulate.exact_power(75, *corrected) < power + 0.03


def test_answers_of_a_root_correlate_as_they_should():
    values = cells.Cell("no_bias", (0.5, 0.5), 0.5).draw(2_000, np.random.default_rng(1)).reshape(-1, 2)
    assert np.corrcoef(values.T)[0, 1] == pytest.approx(2 / np.pi * np.arcsin(0.5), abs=0.01)
    apart = cells.Cell("no_bias", (0.5, 0.5)).draw(2_000, np.random.default_rng(1)).reshape(-1, 2)
    assert np.corrcoef(apart.T)[0, 1] == pytest.approx(0, abs=0.01)


def test_the_committed_table_is_the_study(committed):
    """Every cell with this seed and number of audits, in the columns that the seed declares."""
    path = SEEDS / "study_validity.csv"
    assert path.read_text(encoding="utf-8").splitlines()[0].split(",") == list(tables.FIELDS)
    (seed,) = yaml.safe_load((SEEDS / "_seeds_study.yml").read_text(encoding="utf-8"))["seeds"]
    assert list(seed["config"]["column_types"]) == list(tables.FIELDS)
    assert [column["name"] for column in seed["columns"]] == list(tables.FIELDS)
    assert {row["seed"] for row in committed} == {cells.SEED}
    audits = {cell.suite: cells.AUDITS[cell.part] for cell in cells.cells()}
    assert all(row["n_audits"] == audits[row["cell"]] for row in committed)
    assert {row["cell"] for row in committed} == {cell.suite for cell in cells.cells()}
    assert all(0 <= row["n_hits"] <= row["n"] <= row["n_audits"] for row in committed)


def test_the_committed_table_has_few_false_alarms(committed):
    reds = [row for row in committed if row["part"] == "no_bias" and row["measure"] == "verdict_fail"]
    assert {row["n_groups"] for row in reds} == {2, 6, 21}
    assert all(tables.wilson(row["n_hits"], row["n"])[0] <= 0.05 for row in reds)


def test_the_pipeline_gives_the_same(ran):
    """File, load, extract, dbt: the same ratio, the same verdict, an interval that redrawing explains."""
    piped = simulate.check(CELLS, 4)
    for cell in CELLS:
        compared = {row["measure"]: row for row in judge.compare(cell, ran[cell][1][:4], piped[cell])}
        expected = {"same_value", "same_verdict"} if cell.kind == "answers" else set()
        assert set(compared) == expected | ({"near_interval"} if not cell.power else set())
        for measure, row in compared.items():
            assert row["n"] >= 4
            assert row["n_hits"] >= row["n"] - (measure != "same_value"), (cell, measure)


def test_a_comparison_sees_a_difference(ran):
    audits = ran[SPREAD][1][:2]
    other = [replace(a, value=a.value + 0.01, verdict="pass", ends={"range": (0.8, 0.9)}) for a in audits]
    rows = {row["measure"]: (row["n_hits"], row["n"]) for row in judge.compare(SPREAD, audits, other)}
    assert rows == {"same_value": (0, 2), "same_verdict": (0, 2), "near_interval": (0, 2)}
