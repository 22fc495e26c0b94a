"""Gaps in standard errors: false alarms where groups differ in units, and the power that is left."""

import numpy as np
import pytest

from ingest.inference import studentised
from ingest.inference.cells import resample_cells
from ingest.inference.columns import resample_columns
from ingest.inference.design import Design
from ingest.inference.relabelling import plan_for
from ingest.inference.resampling import resample
from ingest.inference.studentised import cell_rows, paired_gaps, paired_rest_gaps, rest_gaps, widest_gaps
from ingest.inference.sums import outcome_sums, score_sums, selection_sums

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
    monkeypatch.setattr(studentised, "widest_gaps", lambda tables: pytest.fail("not to be asked"))
    assert resample(design, sums, names, 199, 199, seed=1) == before


def test_a_gap_in_errors_is_welchs_t():
    """Two groups of scores, each cell one answer: (n - 1) and the mean's n make Welch's standard error."""
    scores, group = np.array([1.0, 2, 4, 3, 9, 5, 6]), np.array([0, 0, 0, 0, 1, 1, 1])
    rows = cell_rows("score", score_sums(scores))
    table = np.stack([rows[group == one].sum(0) for one in (0, 1)])[None]
    a, b = scores[group == 0], scores[group == 1]
    expected = abs(a.mean() - b.mean()) / np.sqrt(a.var(ddof=1) / len(a) + b.var(ddof=1) / len(b))
    assert widest_gaps(table[0]) == pytest.approx([expected, expected])


def test_a_group_of_one_unit_is_in_no_gap():
    rows = cell_rows("score", score_sums(np.array([1.0, 2, 4])))
    assert widest_gaps(np.stack([rows[:2].sum(0), rows[2]])) == pytest.approx([0, 0])


def test_measured_rates_and_means_are_judged_in_errors_too():
    """One row a name: how many of its answers are selected."""
    found = []
    for seed in range(AUDITS):
        design, sums = audit(seed, ((8, 1), (40, 12)))
        n, total = (np.bincount(design.block, weights=column)[:, None] for column in sums.T)
        names, first = np.unique(design.block, return_index=True)
        of_names = Design.from_values([design.group[first]], names, names)
        settings = {"n_permutations": 199, "n_bootstrap": 0, "seed": seed}
        rates = resample_columns(of_names, n, total, **settings)
        means = resample_columns(of_names, n, total, with_ratios=False, **settings)
        ranges = [one.disparities["range"].p_value[0] for one in (rates, means)]
        found.append([*ranges, rates.ratios.p_max.min()])
    assert (np.mean(np.array(found) <= 0.05, axis=0) <= 0.085).all()  # 20 % by the gap alone


def test_numbers_of_one_group_are_judged_in_errors_too():
    found = []
    for seed in range(AUDITS):
        rows = resample(
            *audit(seed, ((8, 1), (40, 12))), ["selection_rate", "impact_ratio"], 199, 0, seed=seed
        )
        found.append(
            [min(row.p_max for row in rows if row.statistic == rows[index].statistic) for index in (0, 2)]
        )
    assert (np.mean(np.array(found) <= 0.05, axis=0) <= 0.085).all()  # 26 and 19 % by the gap alone


def test_an_outcome_that_few_answers_never_had_is_no_gap_without_error():
    """Eight answers of three outcomes, one of which none of them is: that share varies by nothing."""
    found = []
    for seed in range(AUDITS):
        rng = np.random.default_rng(seed)
        units, group = np.repeat(np.arange(48), [1] * 8 + [12] * 40), np.repeat([0, 1], [8, 480])
        leaning = rng.normal(0, 1.5, (48, 3))[units]
        outcome = (leaning + rng.gumbel(size=leaning.shape)).argmax(1)
        design = Design.from_values([group], np.arange(len(group)), units)
        rows = resample(
            design, outcome_sums(outcome, 3), ["max_fdi_pooled", "max_share_gap"], 199, 0, seed=seed
        )
        found.append([row.p_value for row in rows])
    assert (np.mean(np.array(found) <= 0.05, axis=0) <= 0.085).all()  # 15 and 12 % without a least error


def test_as_many_names_with_unlike_answers_are_judged_in_errors_too():
    """A group of few answers lies far from the mean of all answers, whatever its names are."""
    found = []
    for seed in range(AUDITS):
        rows = resample(*audit(seed, ((10, 1), (10, 6))), ["selection_rate"], 199, 0, seed=seed)
        found.append(min(row.p_max for row in rows))
    assert np.mean(np.array(found) <= 0.05) <= 0.085  # 20 % by the gap alone


def test_gaps_at_equal_weights_of_strata_are_judged_in_errors_too():
    groups = ((5, 1), (5, 1), (20, 6), (20, 6))  # two strata of either group
    found = []
    for seed in range(AUDITS):
        design, sums = audit(seed, groups)
        both = Design.from_values([design.group // 2], design.prompt, design.block)
        row = resample(both, sums, ["min_impact_ratio"], 199, 0, seed=seed, strata=design.group % 2)[0]
        found.append(row.p_value)
    assert np.mean(np.array(found) <= 0.05) <= 0.085  # 17 % by the gap alone


def test_gaps_of_groups_that_share_blocks_are_judged_in_errors_too():
    """Twelve roots, each with one prompt of a group, asked once, and four of another, asked thrice."""
    group = np.tile([0, 1, 1, 1, 1], 12)
    repeats = np.where(group == 1, 3, 1)
    prompt, found = np.repeat(np.arange(60), repeats), []
    for seed in range(AUDITS):
        rng = np.random.default_rng(seed)
        leaning = (rng.normal(0, 1, 12).repeat(5) + rng.normal(0, 1.5, 60))[prompt]
        selected = leaning + rng.logistic(size=len(prompt)) > 0
        design = Design.from_values([group[prompt]], prompt, prompt // 5)
        row = resample(design, selection_sums(selected), ["min_impact_ratio"], 199, 0, seed=seed)[0]
        assert row.permutation == "within_blocks"
        n, total = np.bincount(prompt)[:, None], np.bincount(prompt, weights=selected)[:, None]
        of_prompts = Design.from_values([group], np.arange(60), np.arange(60) // 5)
        columns = resample_columns(
            of_prompts, np.hstack([n, n]), np.hstack([total, total]), 199, 0, seed=seed
        )
        found.append([row.p_value, columns.disparities["range"].p_value[1]])
    assert (np.mean(np.array(found) <= 0.05, axis=0) <= 0.085).all()  # 12 % by the gap alone


def test_a_paired_gap_in_errors_is_the_paired_t():
    before, after = np.array([1.0, 2, 4, 3, 7]), np.array([2.0, 5, 4, 6, 6])
    design = Design.from_values([np.repeat([0, 1], 5)], np.arange(10), np.tile(np.arange(5), 2))
    plan = plan_for(design, "block")
    rows = cell_rows("score", score_sums(np.concatenate([before, after])))
    change = after - before
    expected = abs(change.mean()) / (change.std(ddof=1) / np.sqrt(5))
    assert paired_gaps(plan, rows, design.group[None], 2)[0] == pytest.approx([expected, expected])


def test_one_stratum_more_of_nobody_changes_no_gap_in_errors():
    rows = cell_rows("score", score_sums(np.array([1.0, 2, 4, 3, 9, 5, 6])))
    table = np.stack([rows[:3].sum(0), rows[3:].sum(0)])
    assert widest_gaps(np.hstack([table, np.zeros_like(table)]), 2) == pytest.approx(widest_gaps(table))


def test_of_two_groups_the_gap_to_all_others_is_that_to_the_other():
    outcome, group = np.array([0, 1, 0, 2, 1, 1, 2, 2, 1]), np.array([0, 0, 0, 0, 1, 1, 1, 1, 1])
    rows = cell_rows("outcome", outcome_sums(outcome, 3))
    table = np.stack([rows[group == one].sum(0) for one in (0, 1)])
    found = rest_gaps(table, 1, True)
    assert found.shape == (2, 3)
    assert found.max(-1) == pytest.approx(widest_gaps(table, 1, True))
    assert found[0] == pytest.approx(found[1])


def test_of_two_groups_that_share_blocks_the_gap_to_all_others_is_that_to_the_other():
    outcome = np.array([0, 1, 0, 1, 1, 1, 1, 0, 1, 1])
    design = Design.from_values([np.repeat([0, 1], 5)], np.arange(10), np.tile(np.arange(5), 2))
    plan, rows = plan_for(design, "block"), cell_rows("outcome", outcome_sums(outcome, 2))
    found = paired_rest_gaps(plan, rows, design.group[None], 2)
    assert found.max(-1) == pytest.approx(paired_gaps(plan, rows, design.group[None], 2))
    assert found[0, 0] == pytest.approx(found[0, 1])


def test_the_gap_to_all_others_is_that_to_them_as_one_group():
    rng = np.random.default_rng(5)
    outcome, group = rng.integers(0, 3, 60), rng.integers(0, 4, 60)
    rows = cell_rows("outcome", outcome_sums(outcome, 3))
    tables = [
        np.stack([rows[own == one].sum(0) for one in range(own.max() + 1)]) for own in (group, group > 0)
    ]
    np.testing.assert_allclose(rest_gaps(tables[0], 1, True)[0], rest_gaps(tables[1], 1, True)[0])
    blocks = np.arange(60) // 4
    design = Design.from_values([np.tile(np.arange(4), 15)], np.arange(60), blocks)
    plan = plan_for(design, "block")
    four, two = (
        paired_rest_gaps(plan, rows, own[None], own.max() + 1)
        for own in (design.group, 1 * (design.group > 0))
    )
    np.testing.assert_allclose(four[0, 0], two[0, 0])


def cells_found(groups, shift=0.0, audits=AUDITS):
    """The share of audits in which some cell of eleven labels is more than chance."""
    n, m = (np.array(one) for one in zip(*groups, strict=True))
    unit = np.repeat(np.arange(n.sum()), np.repeat(m, n))
    group = np.repeat(np.arange(len(groups)), n * m)
    frequent = np.r_[np.full(5, 4.0), np.full(6, 0.5)] / 23
    found = []
    for seed in range(audits):
        outcome = np.random.default_rng(seed).choice(11, p=frequent, size=len(unit))
        outcome[(group == 1) & (np.random.default_rng(-seed % 997).random(len(unit)) < shift)] = 10
        design = Design.from_values([group], np.arange(len(unit)), unit)
        found.append(np.nanmin(resample_cells(design, outcome, 11, 199, seed=seed).p_max) <= 0.05)
    return np.mean(found)


def test_cells_of_groups_with_unlike_answers_are_judged_in_errors_too(monkeypatch):
    assert cells_found(((20, 2), (20, 10))) <= 0.085
    monkeypatch.setattr(studentised, "UNLIKE", np.inf)
    assert cells_found(((20, 2), (20, 10))) > 0.085


def test_a_cell_that_differs_is_found_though_groups_differ_in_answers():
    assert cells_found(((20, 4), (20, 10)), shift=0.2, audits=50) > 0.8
