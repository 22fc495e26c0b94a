"""Gaps in standard errors: false alarms where groups differ in units, and the power that is left."""

import numpy as np
import pytest

from ingest.inference import studentised
from ingest.inference.design import Design
from ingest.inference.resampling import resample
from ingest.inference.studentised import cell_rows, widest_gap
from ingest.inference.sums import score_sums, selection_sums

AUDITS = 200


def audit(seed, groups, shift=0.0):
    """Answers of `groups`, of (units, answers of each), each unit with a leaning of its own."""
    rng = np.random.default_rng(seed)
    units = np.repeat(np.arange(sum(n for n, _ in groups)), [m for n, m in groups for _ in range(n)])
    group = np.repeat(np.arange(len(groups)), [n * m for n, m in groups])
    leaning = rng.normal(0, 1.5, units.max() + 1)[units] + shift * (group == len(groups) - 1)
    selected = leaning + rng.logistic(size=len(group)) > 0
    return Design.from_values([group], np.arange(len(group)), units), selection_sums(selected)


def found(groups, shift=0.0):
    """The share of audits whose smallest impact ratio is more than chance."""
    p_values = [
        resample(*audit(seed, groups, shift), ["min_impact_ratio"], 199, 0, seed=seed)[0].p_value
        for seed in range(AUDITS)
    ]
    return np.mean(np.array(p_values) <= 0.05)


@pytest.mark.parametrize("groups", [((10, 1), (40, 6)), ((8, 1), (40, 12)), ((10, 4), (10, 4), (40, 4))])
def test_without_bias_few_are_found_though_groups_differ_in_units(groups, monkeypatch):
    assert found(groups) <= 0.085  # 5 % and two standard errors of 200 audits
    if groups[0] == (8, 1):  # by the gap alone
        monkeypatch.setattr(studentised, "UNLIKE", np.inf)
        assert found(groups) > 0.12


def test_bias_is_found_though_groups_differ_in_units():
    assert found(((20, 3), (60, 3)), shift=3.0) > 0.8


def test_groups_of_as_many_units_are_judged_by_their_gap_alone(monkeypatch):
    design, sums = audit(1, ((20, 3), (24, 3)))
    names = ["min_impact_ratio", "range"]
    before = resample(design, sums, names, 199, 199, seed=1)
    monkeypatch.setattr(studentised, "widest_gap", lambda tables: pytest.fail("not to be asked"))
    assert resample(design, sums, names, 199, 199, seed=1) == before


def test_a_gap_in_errors_is_welchs_t():
    """Two groups of scores, each cell one answer: (n - 1) and the mean's n make Welch's standard error."""
    scores, group = np.array([1.0, 2, 4, 3, 9, 5, 6]), np.array([0, 0, 0, 0, 1, 1, 1])
    rows = cell_rows("score", score_sums(scores))
    table = np.stack([rows[group == one].sum(0) for one in (0, 1)])[None]
    a, b = scores[group == 0], scores[group == 1]
    expected = abs(a.mean() - b.mean()) / np.sqrt(a.var(ddof=1) / len(a) + b.var(ddof=1) / len(b))
    assert widest_gap(table) == pytest.approx([expected])


def test_a_group_of_one_unit_is_in_no_gap():
    rows = cell_rows("score", score_sums(np.array([1.0, 2, 4])))
    assert widest_gap(np.stack([rows[:2].sum(0), rows[2]])[None]) == pytest.approx([0])
