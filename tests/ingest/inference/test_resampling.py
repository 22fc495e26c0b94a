"""Edge cases (SPEC 19), whether p-values keep their promise, and what results may not depend on."""

import numpy as np
import pytest
from designs import NAN, mixed, rows_by, whole_blocks, within_blocks
from scipy import stats as scipy_stats

from ingest.inference.design import Design
from ingest.inference.group_statistics import statistics_of
from ingest.inference.resampling import resample
from ingest.inference.sums import outcome_sums, score_sums, selection_sums


def test_one_group():
    design = Design.from_values([["a"] * 12], range(12), range(12))
    scores = np.linspace(0, 1, 12)
    for kind, sums in (
        ("score", score_sums(scores)),
        ("selection", selection_sums(scores > 0.5)),
        ("outcome", outcome_sums(scores > 0.5, 2)),
    ):
        for row in resample(design, sums, statistics_of(kind), 50, 50):
            if row.statistic in {"mean", "selection_rate"}:
                assert row.status == "ok" and row.ci_low < row.value < row.ci_high
                assert row.p_value == 1 and row.min_attainable_p == 1
            else:
                assert row.status == "single_group", row
                assert np.isnan([row.value, row.p_value, row.p_max, row.ci_low]).all()


def test_statuses_say_why_there_is_no_value():
    def status(design, values, *names):
        return [row.status for row in resample(design, score_sums(values), names, 5, 5)]

    three, two, many = whole_blocks(12, 3, 1), whole_blocks(12, 2, 1), whole_blocks(62, 31, 1)
    ramp = np.arange(12.0)
    assert status(three, ramp, "welch_t", "anova_f") == ["not_applicable", "ok"]
    assert status(two, ramp, "welch_t", "anova_f", "eta_squared") == ["ok", "not_applicable", "ok"]
    assert status(two, ramp * 0, "hedges_g", "max_abs_dbi", "max_z") == ["zero_variance"] * 3
    assert status(whole_blocks(3, 3, 1), np.arange(3.0), "anova_f", "range") == ["too_few", "ok"]
    assert status(two, ramp, "dixon_q") == ["n_out_of_range"]
    assert status(many, np.arange(62.0), "dixon_q", "max_z") == ["n_out_of_range", "ok"]
    assert status(three, ramp * 0, "dixon_q") == ["zero_denominator"]
    assert status(two, -ramp, "min_max_ratio", "range") == ["not_applicable", "ok"]


def test_group_without_responses_is_listed_and_left_out():
    labels = [("a",), ("b",), ("empty",)]
    values = np.random.default_rng(6).random(20)
    columns = [["a", "b"] * 10]
    with_empty = Design.from_values(columns, range(20), range(20), groups=labels)
    without = Design.from_values(columns, range(20), range(20))
    names = ["mean", "welch_t", "range"]
    rows = rows_by(resample(with_empty, score_sums(values), names, 50, 50))
    assert rows["mean", "empty"].status == "empty_group" and rows["mean", "empty"].n == 0
    expected = resample(without, score_sums(values), names, 50, 50)
    assert [rows[row.statistic, row.group] for row in expected] == expected
    assert [group for name, group in rows if name == "mean"] == ["a", "b", "empty"]


def test_no_responses_at_all():
    design = Design.from_values([[]], [], [], groups=[("a",), ("b",)])
    rows = resample(design, np.zeros((0, 3)), ["mean", "range"])
    assert [(row.group, row.status) for row in rows] == [
        ("a", "empty_group"), ("b", "empty_group"), (None, "empty_group"),
    ]  # fmt: skip


def test_what_does_not_fit_is_refused():
    design = whole_blocks(4, 2, 1)
    with pytest.raises(ValueError, match="finite"):
        resample(design, score_sums([1, 2, NAN, 3]), ["mean"])
    with pytest.raises(ValueError, match="one row per response"):
        resample(design, score_sums([1, 2]), ["mean"])
    with pytest.raises(ValueError, match="does not go with 2 sums"):
        resample(design, selection_sums([1, 0, 1, 0]), ["dbi"])
    with pytest.raises(ValueError, match="first column"):
        resample(design, outcome_sums([0, 1, 1, 0], 2), ["range"])
    with pytest.raises(KeyError):
        resample(design, score_sums([1, 2, 3, 4]), ["mean_of_means"])
    with pytest.raises(ValueError, match="negative"):
        resample(design, score_sums([1, 2, 3, 4]), ["mean"], n_bootstrap=-1)
    with pytest.raises(ValueError, match="more than one block"):
        Design.from_values([["a", "a"]], ["p", "p"], ["x", "y"])
    with pytest.raises(ValueError, match="more than one group"):
        Design.from_values([["a", "b"]], ["p", "p"], ["x", "x"])
    with pytest.raises(ValueError, match="not among the groups"):
        Design.from_values([["a", "b"]], ["p", "q"], ["x", "x"], groups=[("a",)])
    for missing in (None, NAN):
        with pytest.raises(ValueError, match="key is missing"):
            Design.from_values([["a", missing]], ["p", "q"], ["x", "x"])
    with pytest.raises(ValueError, match="key is missing"):
        Design.from_values([np.ma.array(["a", "b"], mask=[False, True])], ["p", "q"], ["x", "x"])
    codes = np.zeros(2, dtype=np.int64)
    with pytest.raises(ValueError, match="one combination of attributes"):
        Design(np.array([[0], [1]]), codes, np.arange(2), codes, ("a",))
    with pytest.raises(IndexError):
        outcome_sums([0, 2], 2)


def null_p_values(design, name, simulate, n_data=250, n_permutations=99):
    rng = np.random.default_rng(11)
    p = [
        resample(design, simulate(rng), [name], n_permutations, 0, seed=index)[0].p_value
        for index in range(n_data)
    ]
    return np.array(p)


def block_scores(design):
    """Scores without any effect of groups, in which half of the variance is the block's."""
    block = np.unique(design.block, return_inverse=True)[1]
    return lambda rng: score_sums(rng.normal(size=block.max() + 1)[block] + rng.normal(size=len(block)))


DESIGNS = {
    "within_blocks": (within_blocks(8, 4), "eta_squared"),
    "within_unequal_blocks": (
        Design.from_values([[0, 1, 2, 0, 1, 0, 1, 2, 2, 2, 0, 1]], range(12), [0] * 3 + [1] * 2 + [2] * 7),
        "range",
    ),
    "whole_blocks": (whole_blocks(12, 3, 4), "max_abs_dbi"),
    "mixed": (mixed(10, 2), "range"),
    "prompts": (within_blocks(1, 3, 4), "standard_deviation"),
}


@pytest.mark.parametrize("name", DESIGNS)
def test_p_is_uniform_without_any_effect(name):
    design, statistic = DESIGNS[name]
    p = null_p_values(design, statistic, block_scores(design))
    # p takes the values 1/100 ... 1; the bound is the Kolmogorov-Smirnov one at 1 %, plus that step.
    distance = scipy_stats.kstest(p, "uniform").statistic
    assert distance < 1.63 / np.sqrt(len(p)) + 0.01


def test_p_is_too_small_when_blocks_are_ignored():
    """The test above can fail: responses that are treated as independent give it away."""
    design = whole_blocks(12, 3, 4)
    row = np.arange(48)
    blind = Design.from_values([design.group], row, row)
    p = null_p_values(blind, "max_abs_dbi", block_scores(design))
    assert (p <= 0.05).mean() > 0.15


def test_an_effect_is_found():
    design = mixed(12, 2)
    values = np.random.default_rng(12).normal(size=48) + 2 * (design.group == 3)
    row = rows_by(resample(design, score_sums(values), ["range", "dbi"], 500, 200))
    assert row["range", None].p_value < 0.02
    assert row["dbi", "1 & 1"].p_max < 0.02 and row["dbi", "1 & 1"].ci_low > 0
    assert row["range", None].value > row["range", None].null_p95


def test_many_groups_differ_without_bias():
    """36 groups of 8: the largest FDI is red by any threshold, and means nothing."""
    design = within_blocks(8, 36)
    shares = [0.3, 0.2, 0.2, 0.1, 0.1, 0.1]
    rng = np.random.default_rng(13)
    observed = []
    for seed in range(60):
        sums = outcome_sums(rng.choice(6, 288, p=shares), 6)
        observed.append(resample(design, sums, ["max_fdi_pooled"], 99, 0, seed=seed)[0])
    assert min(row.value for row in observed) > 0.3
    assert np.mean([row.value > row.null_p95 for row in observed]) < 0.15
    assert 0.3 < np.mean([row.p_value for row in observed]) < 0.7
    assert abs(np.mean([row.value - row.null_median for row in observed])) < 0.02


def test_least_selected_of_21_is_judged_against_the_least_of_21():
    design = within_blocks(75, 21)
    selected = np.random.default_rng(14).random(1575) < 0.5
    rows = rows_by(resample(design, selection_sums(selected), ["impact_ratio", "min_impact_ratio"], 500, 0))
    lowest = rows["min_impact_ratio", None]
    assert lowest.value < 0.8 and lowest.p_value > 0.05
    assert 0.6 < lowest.null_median < 0.7  # SPEC INF-10: 0.65 on average
    ratios = [row for (name, _), row in rows.items() if name == "impact_ratio"]
    worst = min(ratios, key=lambda row: row.value)
    assert worst.p_max == lowest.p_value and worst.p_value < worst.p_max


def test_ties_count_as_extreme():
    """Shuffling between groups that all answer alike changes nothing, whatever the order of summation."""
    design = within_blocks(10, 3)
    values = np.random.default_rng(15).random(10)[design.block] + 0.1
    rows = resample(design, score_sums(values), ["range", "standard_deviation", "eta_squared"], 200, 0)
    assert [row.p_value for row in rows] == [1, 1, 1]


def example():
    rng = np.random.default_rng(19)
    row = np.arange(240)
    # Two repeats a prompt; the block fixes the first attribute.
    columns = [np.array(["F", "M"])[row // 12 % 2], np.array(["x", "y", "z"])[row // 2 % 3]]
    keys = [f"p{index:03}" for index in row // 2], [f"b{index:02}" for index in row // 12]
    return columns, keys, rng.random(240), rng


def assert_same(first, second, tolerance):
    for a, b in zip(first, second, strict=True):
        for field, x, y in zip(a._fields, a, b, strict=True):
            if isinstance(x, float) or field == "null_tails":
                assert x == pytest.approx(y, abs=tolerance, nan_ok=True), (a.statistic, field)
            else:
                assert x == y, (a.statistic, field)


KINDS = {
    "score": score_sums,
    "selection": lambda x: selection_sums(x < 0.4),
    "outcome": lambda x: outcome_sums(x * 4, 4),
}


@pytest.mark.parametrize("kind", KINDS)
def test_order_of_rows_does_not_matter(kind):
    columns, (prompt, block), x, rng = example()
    order = rng.permutation(240)
    names = statistics_of(kind)
    first = resample(Design.from_values(columns, prompt, block), KINDS[kind](x), names, 150, 80, seed=4)
    shuffled = Design.from_values(
        [column[order] for column in columns], np.array(prompt)[order], np.array(block)[order]
    )
    assert_same(first, resample(shuffled, KINDS[kind](x[order]), names, 150, 80, seed=4), 0)


def test_order_of_rows_does_not_matter_for_responses():
    columns = [np.repeat([0, 1], 20)]
    x = np.random.default_rng(20).random(40).round(1)
    order = np.random.default_rng(21).permutation(40)
    first = resample(Design.from_values(columns, columns[0], columns[0]), score_sums(x), ["range"], 99, 99)
    shuffled = Design.from_values([columns[0][order]], columns[0][order], columns[0][order])
    second = resample(shuffled, score_sums(x[order]), ["range"], 99, 99)
    assert first == second and first[0].unit == "response" and first[0].permutation == "responses"


@pytest.mark.parametrize("kind", KINDS)
def test_chunks_do_not_change_results(kind):
    columns, (prompt, block), x, _ = example()
    design = Design.from_values(columns, prompt, block)
    runs = [
        resample(design, KINDS[kind](x), statistics_of(kind), 150, 80, seed=4, chunk_bytes=size)
        for size in (1, 200_000, 2**30)
    ]
    assert_same(runs[0], runs[1], 1e-12)
    assert_same(runs[0], runs[2], 1e-12)
    unequal, statistic = DESIGNS["within_unequal_blocks"]
    sums = score_sums(np.arange(12.0))
    rows = [resample(unequal, sums, [statistic], 99, 99, chunk_bytes=size) for size in (1, 5000, 2**30)]
    assert_same(rows[0], rows[1], 1e-12)
    assert_same(rows[0], rows[2], 1e-12)


def test_seed_decides():
    design = whole_blocks(20, 2, 2)
    sums = score_sums(np.random.default_rng(22).random(40))
    first, again, other = (resample(design, sums, ["range"], 200, 100, seed=seed)[0] for seed in (1, 1, 2))
    assert first == again
    assert first.null_median != other.null_median and first.ci_low != other.ci_low


@pytest.mark.parametrize("never", [0, 1])
def test_a_group_that_never_gets_an_answer_has_no_interval_of_width_0(never):
    """0 of 40 against 3 of 60: the ratio is 0, and 0.0739 for the first rate (3.69 / (40 + 3.69)) is open."""
    group = np.repeat([0, 1], [40, 60])
    selected = np.concatenate([np.zeros(40), np.arange(60) < (3 if never == 0 else 57)])
    design = Design.from_values([group], np.arange(100), np.arange(100))
    found = rows_by(
        resample(design, selection_sums(selected), ["impact_ratio", "min_impact_ratio"], 200, 1000, 1)
    )
    ratio = found["min_impact_ratio", None]
    assert ratio.value == 0 and ratio.ci_low == 0 and ratio.bound_low == 0
    assert ratio.ci_high > 0.0739 and ratio.bound_high > 0.05
    assert found["impact_ratio", "0"].ci_high >= ratio.ci_high


def test_groups_that_are_apart_as_far_as_can_be_have_an_interval():
    """30 of 30 against 0 of 30: by Wilson neither rate is known better than to 0.11."""
    group = np.repeat([0, 1], 30)
    design = Design.from_values([group], np.arange(60), np.arange(60))
    found = rows_by(
        resample(design, outcome_sums(group, 2), ["max_share_gap", "cramers_v_corrected"], 200, 1000, 1)
    )
    assert found["max_share_gap", None].ci_low < 0.89
    assert found["max_share_gap", None].bound_low < 0.95
    assert found["cramers_v_corrected", None].ci_low < 0.9


def test_missing_scores_may_lie_where_no_score_was_seen():
    """75 scores of 0.5 ± 0.05 are missing; at 0, the end of the scale, the gap is 0.28 deviations."""
    rng, group = np.random.default_rng(0), np.repeat([0, 1], 1500)
    scores = np.round(rng.normal(0.5, 0.05, 3000), 3)
    design = Design.from_values([group], np.arange(3000), np.arange(3000))
    filled, of = np.append(scores, np.zeros(75)), np.append(group, np.ones(75, int))
    worst = (filled[of == 0].mean() - filled[of == 1].mean()) / filled.std(ddof=1)
    options = {"n_permutations": 100, "n_bootstrap": 100, "missing": [0, 75]}
    (seen,) = resample(design, score_sums(scores), ["max_mean_gap"], **options)
    (scaled,) = resample(design, score_sums(scores), ["max_mean_gap"], **options, scale=(0.0, 1.0))
    assert seen.value_high < worst <= scaled.value_high + 1e-9
