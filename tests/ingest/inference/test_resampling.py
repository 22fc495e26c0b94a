"""Golden numbers (SPEC 20), edge cases (SPEC 19), and whether p-values and intervals keep their promise."""

from itertools import permutations, product

import numpy as np
import pytest
from scipy import stats as scipy_stats
from scipy.stats import norm as normal
from scipy.stats import t as student_t

from ingest.inference import resampling as stats
from ingest.inference.resampling import (
    Design,
    resample,
    resample_columns,
    resample_samples,
    score_sums,
    selection_sums,
    statistics_of,
)
from ingest.inference.samples import Column

NAN = float("nan")


def close(actual, expected, tolerance=1e-6):
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance)


def scores_table(*groups):
    return np.stack([score_sums(group).sum(0) for group in groups])


def rows_by(results):
    return {(row.statistic, row.group): row for row in results}


def within_blocks(n_blocks, n_groups, repeats=1):
    """Every block asks about every group, `repeats` prompts each."""
    row = np.arange(n_blocks * n_groups * repeats)
    return Design.from_values([row % n_groups], row, row // (n_groups * repeats))


def whole_blocks(n_blocks, n_groups, size):
    """A block belongs to one group, as a person's name does."""
    block = np.repeat(np.arange(n_blocks), size)
    return Design.from_values([block % n_groups], np.arange(len(block)), block)


def mixed(n_blocks, size):
    """A block fixes the first attribute (2 values); the second (2 values) varies inside it."""
    row = np.arange(n_blocks * 2 * size)
    block = row // (2 * size)
    return Design.from_values([block % 2, row % 2], row, block)


# ---------------------------------------------------------------------------------- golden numbers


def test_two_by_two():
    table = np.array([[30.0, 10], [20, 20]])
    close(stats.chi_square(table), 5.3333333)
    close(stats.chi_square_p(stats.chi_square(table), stats.chi_square_dof(table)), 0.0209213)
    close(stats.fisher_exact_p(table), 0.0368348)
    close(stats.cramers_v(table), 0.2581989)
    close(stats.fdi(table), [0.125, 0.125])
    close(stats.jsd_nats(table), [0.0091372, 0.0079590])


def test_three_by_three():
    table = np.array([[30.0, 10, 5], [20, 20, 5], [10, 15, 20]])
    close(stats.chi_square(table), 28.3333333)
    assert stats.chi_square_dof(table) == 4
    close(stats.chi_square_p(stats.chi_square(table), 4), 1.0675e-5, 1e-9)
    close(stats.cramers_v(table), 0.3239418)
    close(stats.fdi(table), [0.2222222, 0.1111111, 0.2222222])


TWO = ([0.1, 0.3, 0.5, 0.4, 0.2], [0.6, 0.2, 0.7, 0.5, 0.9])
THREE = (*TWO, [0.3, 0.35, 0.5, 0.45, 0.1])


def test_two_samples():
    table = scores_table(*TWO)
    close(stats.welch_t(table), -2.0641874)
    close(stats.pooled_t(table), -2.0641874)
    close(stats.welch_dof(table), 6.6202581)
    close(stats.t_p(stats.welch_t(table), stats.welch_dof(table)), 0.0801804)
    close(stats.t_p(stats.pooled_t(table), 8), 0.0728843)
    close(stats.cohens_d(table), -1.3055067)
    close(stats.hedges_g(table), -1.1791674)


def test_three_samples():
    table = scores_table(*THREE)
    close(stats.anova_f(table), 2.9591398)
    close(stats.f_p(stats.anova_f(table), *stats.anova_dof(table)), 0.0902214)
    close(stats.eta_squared(table), 0.3302928)
    close(stats.dbi(table), [-0.4789705, 0.7783270, -0.2993566])


def test_selection():
    means, rates = np.array([0.5, 0.45, 0.1625]), np.array([0.75, 0.5, 0.0])
    close(stats.impact_ratio(rates), [1, 0.6666667, 0])
    close(stats.value_range(means), 0.3375)
    close(stats.impact_ratio(means).min(), 0.325)
    close(stats.standard_deviation(means), 0.1821458)
    close(stats.z_scores(means), [0.8685143, 0.5323152, -1.4008295])
    close(stats.dixon_ends(means), (0.8518519, 0.1481481))
    close(stats.dixon_q(means), 0.8518519)


def test_published_scoring_examples():
    close(stats.impact_ratio(np.array([0.543, 0.447])), [1, 0.82], 0.005)
    rates = np.array([0.642, 0.375, 0.5, 0.625, 0.417])
    close(stats.impact_ratio(rates), [1, 0.58, 0.78, 0.97, 0.65], 0.005)


@pytest.mark.parametrize(
    ("rate", "n"), [(0.1, 3213), (0.2, 1447), (0.3, 859), (0.5, 388), (0.7, 186), (0.9, 74)]
)
def test_required_n_and_its_inverse(rate, n):
    assert stats.required_n(rate) == n
    ratio = stats.minimum_detectable_ratio(rate, n)
    assert 0.8 <= ratio < 0.801 + 0.05 / n
    assert stats.required_n(rate, ratio) == n
    assert stats.minimum_detectable_ratio(rate, n - 1) < 0.8


@pytest.mark.parametrize(("rate", "n"), [(0.1, 3313), (0.3, 892), (0.5, 408), (0.9, 85)])
def test_required_n_with_continuity_correction(rate, n):
    assert stats.required_n(rate, is_corrected=True) == n
    ratio = stats.minimum_detectable_ratio(rate, n, is_corrected=True)
    assert 0.8 <= ratio < 0.801 + 0.05 / n
    assert stats.minimum_detectable_ratio(rate, n) > ratio


def test_power_among_groups():
    """Two groups as two proportions; more as the studentized range; and as many simulated audits find."""
    for corrected in (False, True):
        ratio = float(stats.minimum_detectable_ratio(0.5, 150, is_corrected=corrected))
        assert stats.power_among_groups(0.5, ratio, 150, 2, is_corrected=corrected) == pytest.approx(
            0.8, abs=0.002
        )
    # The 95 % point of the studentized range of 6 is 4.030 (infinite degrees of freedom).
    assert stats._range_quantile(6, 0.95) == pytest.approx(4.030, abs=0.001)
    assert stats.power_among_groups(0.5, 1.0, 75, 6) == pytest.approx(0.05, abs=1e-6)
    ratio = float(stats.minimum_detectable_ratio(0.5, 400, n_groups=6))
    assert stats.power_among_groups(0.5, ratio, 400, 6) == pytest.approx(0.8, abs=1e-6)
    rates = np.random.default_rng(1).binomial(400, np.tile([0.5] * 5 + [0.5 * ratio], (20_000, 1))) / 400
    pooled = rates.mean(axis=1)
    is_found = np.ptp(rates, axis=1) > 4.030 * np.sqrt(pooled * (1 - pooled) / 400)
    assert is_found.mean() == pytest.approx(0.8, abs=0.015)
    np.testing.assert_array_equal(
        np.isnan(stats.minimum_detectable_ratio([0.5, 0.5, 0.0], [75, 3, 75], n_groups=6)),
        [False, True, True],
    )


def test_power_where_it_cannot_be_had():
    close(stats.required_n([0.0, 1.5, 0.5, 0.5], [0.8, 0.8, 1.0, -0.1]), [NAN] * 4)
    assert np.isnan(stats.minimum_detectable_ratio(0.1, 5))
    assert stats.minimum_detectable_ratio(0.5, 1e9) > 0.999


def test_attainable_bounds():
    close(stats.attainable_dbi([0.5, 1 / 3]), [1, 1.4142136])
    assert np.isnan(stats.attainable_dbi(0.0))
    close(stats.attainable_fdi_max(25, 100), 0.75)
    outcomes = np.array([[25.0, 0], [0, 75]])
    close(stats.fdi(outcomes)[0], stats.attainable_fdi_max(25, 100))
    scores = scores_table([1.0] * 250, [0.0] * 750)
    close(stats.dbi(scores)[0], stats.attainable_dbi(0.25), 1e-2)


def test_distribution_tails_know_what_is_missing():
    close(stats.chi_square_p([NAN, 1.0, 3.841458820694124], [1, 0, 1]), [NAN, NAN, 0.05])
    close(stats.t_p([0.0, -1e9], 5), [1, 0])
    close(stats.f_p(NAN, 2, 12), NAN)


# ------------------------------------------------------------------ formulas against independent ones


def test_stacks_of_tables_give_what_single_tables_give():
    rng = np.random.default_rng(1)
    for kind, width in (("outcomes", 5), ("score", 3), ("selection", 2)):
        tables = rng.integers(0, 4, (7, 4, width)).astype(float)
        if kind != "outcomes":
            values = [[rng.random(6).round(1) for _ in range(4)] for _ in range(7)]
            tables = np.stack([scores_table(*groups)[:, :width] for groups in values])
        for name in statistics_of(kind):
            statistic = stats.STATISTICS[name]
            stacked = statistic.function(tables)
            close(stacked, np.stack([statistic.function(table) for table in tables]), 1e-12)


def test_against_scipy():
    rng = np.random.default_rng(2)
    for _ in range(20):
        table = rng.integers(1, 30, (rng.integers(2, 6), rng.integers(2, 6))).astype(float)
        expected = scipy_stats.chi2_contingency(table, correction=False)
        close(stats.chi_square(table), expected.statistic, 1e-9)
        close(stats.cramers_v(table), scipy_stats.contingency.association(table.astype(int)), 1e-9)
        p, q = table[0] / table[0].sum(), table.sum(0) / table.sum()
        js = (scipy_stats.entropy(p, (p + q) / 2) + scipy_stats.entropy(q, (p + q) / 2)) / 2
        close(stats.jsd_nats(table)[0], js, 1e-12)
        groups = [rng.normal(size=rng.integers(2, 9)) for _ in range(3)]
        close(stats.anova_f(scores_table(*groups)), scipy_stats.f_oneway(*groups).statistic, 1e-9)
        welch = scipy_stats.ttest_ind(groups[0], groups[1], equal_var=False)
        close(stats.welch_t(scores_table(*groups[:2])), welch.statistic, 1e-9)
        close(stats.welch_dof(scores_table(*groups[:2])), welch.df, 1e-9)


def test_macro_reference_weighs_groups_alike():
    table = np.array([[90.0, 10], [0, 10], [0, 0]])
    close(stats.fdi(table, "macro"), [0.45, 0.45, NAN])
    close(stats.fdi(table, "pooled"), [0.9 - 90 / 110, 90 / 110, NAN])
    with pytest.raises(ValueError, match="no such reference"):
        stats.fdi(table, "mean")


def test_corrected_v_is_near_zero_without_association():
    rng = np.random.default_rng(3)
    tables = rng.multinomial(60, np.full(24, 1 / 24), size=300).reshape(300, 6, 4).astype(float)
    assert stats.cramers_v(tables).mean() > 0.25
    assert stats.cramers_v_corrected(tables).mean() < 0.1
    close(stats.cramers_v_corrected(np.array([[50.0, 0], [0, 50]])), 1.0, 1e-2)


def test_omega_squared():
    k, n, f = 3, 15, 2.9591398
    close(stats.omega_squared(scores_table(*THREE)), (k - 1) * (f - 1) / ((k - 1) * (f - 1) + n))


@pytest.mark.parametrize("k", [3, 7, 8, 10, 11, 13, 14, 30])
def test_dixon_by_number_of_groups(k):
    x = np.sort(np.random.default_rng(k).normal(size=k))
    gap, cut = {3: (1, 0), 7: (1, 0), 8: (1, 1), 10: (1, 1), 11: (2, 1), 13: (2, 1)}.get(k, (2, 2))
    low = (x[gap] - x[0]) / (x[-1 - cut] - x[0])
    high = (x[-1] - x[-1 - gap]) / (x[-1] - x[cut])
    shuffled = np.random.default_rng(0).permutation(x)
    close(stats.dixon_ends(shuffled), (low, high), 1e-12)


def test_dixon_critical_value_of_21_groups():
    values = np.random.default_rng(4).normal(size=(20000, 21))
    close(np.quantile(stats.dixon_q(values), 0.95), 0.478, 0.01)


def test_noise_of_z_over_21_groups():
    z = stats.z_scores(np.random.default_rng(5).normal(size=(20000, 21)))
    close([z.max(-1).mean(), np.abs(z).max(-1).mean()], [1.96, 2.21], 0.02)


# -------------------------------------------------------------------------------------- edge cases


def test_one_group():
    design = Design.from_values([["a"] * 12], range(12), range(12))
    scores = np.linspace(0, 1, 12)
    for kind, sums in (
        ("score", score_sums(scores)),
        ("selection", selection_sums(scores > 0.5)),
        ("outcomes", stats.outcome_sums(scores > 0.5, 2)),
    ):
        for row in resample(design, sums, statistics_of(kind), 50, 50):
            if row.statistic in {"mean", "selection_rate"}:
                assert row.status == "ok" and row.ci_low < row.value < row.ci_high
                assert row.p_value == 1 and row.min_attainable_p == 1
            else:
                assert row.status == "single_group", row
                assert np.isnan([row.value, row.p_value, row.p_max, row.ci_low]).all()


def test_one_outcome():
    table = np.array([[5.0, 0], [7, 0]])
    assert np.isnan(stats.chi_square(table))
    assert np.isnan(stats.chi_square_dof(table)) and np.isnan(stats.cramers_v_corrected(table))
    assert (stats.fdi(table) == 0).all() and (stats.jsd_nats(table) == 0).all()
    rows = rows_by(
        resample(
            whole_blocks(20, 2, 1), stats.outcome_sums(np.zeros(20), 2), ["cramers_v", "fdi_macro"], 50, 50
        )
    )
    assert rows["cramers_v", None].status == "zero_variance"
    assert rows["fdi_macro", "0"].p_value == 1


def test_zero_rows_and_columns_are_dropped():
    table = np.array([[30.0, 0, 10], [0, 0, 0], [20, 0, 20]])
    close(stats.chi_square(table), 5.3333333)
    close(stats.cramers_v(table), 0.2581989)
    assert stats.chi_square_dof(table) == 1
    assert np.isnan(stats.chi_square(np.array([[3.0, 4], [0, 0]])))
    assert np.isnan(stats.fisher_exact_p([[3, 4], [0, 0]]))
    assert np.isnan(stats.monte_carlo_chi_square([[3, 4], [0, 0]], 10, 0))


def test_all_values_equal():
    for value in (0.1, 0.77, 1e6):
        table = scores_table([value] * 3, [value] * 7, [value] * 11)
        assert np.isnan(stats.dbi(table)).all()
        assert np.isnan([stats.anova_f(table), stats.eta_squared(table), stats.omega_squared(table)]).all()
        assert np.isnan([stats.welch_t(table[:2]), stats.cohens_d(table[:2])]).all()
    rates = np.full(5, 1 / 3)
    assert stats.value_range(rates) == 0
    close(stats.standard_deviation(rates), 0, 1e-15)
    close(stats.impact_ratio(rates), np.ones(5), 0)
    assert np.isnan(stats.z_scores(rates)).all() and np.isnan(stats.dixon_q(rates))


def test_selection_rates_of_zero():
    assert np.isnan(stats.impact_ratio(np.zeros(3))).all()
    close(stats.impact_ratio(np.array([0.0, 0.5])), [0, 1], 0)
    assert np.isnan(stats.impact_ratio(np.array([-0.1, 0.5]))).all()
    close(stats.value_range(np.array([-0.1, 0.5])), 0.6, 1e-12)
    design = whole_blocks(20, 2, 1)
    rows = rows_by(resample(design, selection_sums(np.zeros(20)), ["min_impact_ratio", "range"], 20, 20))
    assert rows["min_impact_ratio", None].status == "zero_max"
    assert rows["min_impact_ratio", None].ci_status == "not_applicable"
    assert rows["range", None].status == "ok" and rows["range", None].p_value == 1


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
        resample(design, stats.outcome_sums([0, 1, 1, 0], 2), ["range"])
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
        stats.outcome_sums([0, 2], 2)


# ------------------------------------------------------------------------------------ unit and plan


def test_unit_is_the_coarsest_that_a_group_holds_twice():
    assert stats.resampling_unit(whole_blocks(4, 2, 3)) == "block"
    assert stats.resampling_unit(whole_blocks(3, 2, 3)) == "block"  # though one group has a single block
    assert stats.resampling_unit(whole_blocks(2, 2, 3)) == "prompt"
    assert stats.resampling_unit(within_blocks(2, 5)) == "block"
    assert stats.resampling_unit(within_blocks(1, 5, 2)) == "prompt"
    one_prompt_each = Design.from_values([np.repeat([0, 1], 5)], np.repeat([0, 1], 5), np.zeros(10))
    assert stats.resampling_unit(one_prompt_each) == "response"
    single = Design.from_values([range(6)], range(6), range(6))
    assert stats.resampling_unit(single) == "response"


def test_p_values_of_placebos_are_not_too_small_beside_a_group_of_one_block():
    """Answers are one per block; dealing blocks to groups at random must not look like an effect."""
    rng = np.random.default_rng(30)
    block = np.repeat(np.arange(21), 5)
    values = rng.normal(size=21)[block]
    p_values = []
    for copy in range(100):
        label = rng.permutation([0] * 10 + [1] * 10 + [2])[block]
        design = Design.from_values([label], block, block)
        p_values.append(resample(design, score_sums(values), ["anova_f"], 99, 0, copy)[0].p_value)
    assert np.mean(np.array(p_values) <= 0.05) < 0.15


def test_labels_follow_the_sorted_keys():
    design = Design.from_values([["M", "F", "F"], ["Thai", "Thai", "Malay"]], [1, 2, 3], [1, 2, 3])
    assert design.labels == ("F & Malay", "F & Thai", "M & Thai")
    assert design.group.tolist() == [2, 1, 0]


def test_scheme_is_named():
    def scheme(design):
        row = resample(design, score_sums(np.arange(len(design.group))), ["range"], 5, 0)[0]
        return row.unit, row.permutation

    assert scheme(whole_blocks(4, 2, 3)) == ("block", "whole_blocks")
    assert scheme(within_blocks(3, 4)) == ("block", "within_blocks")
    assert scheme(mixed(4, 2)) == ("block", "blocks_and_within")
    assert scheme(within_blocks(1, 4, 2)) == ("prompt", "prompts")
    # Male & Malay was never asked: recombining would make it.
    values = [["F", "F", "M", "M"] * 3, ["Malay", "Thai", "Thai", "Indian"] * 3]
    block = np.repeat(np.arange(6), 2)
    assert scheme(Design.from_values(values, range(12), block)) == ("block", "prompts")


# --------------------------------------------------------- engine against enumeration of relabellings


def shuffles(labels):
    return sorted(set(permutations(labels)))


def relabellings(design, scheme):
    """Every distinct relabelling, by prompt; each response is a prompt of its own here."""
    blocks = [np.flatnonzero(design.block == block) for block in np.unique(design.block)]
    if scheme == "prompts":
        yield from shuffles(design.group)
    elif scheme == "whole_blocks":
        for labels in shuffles([design.group[rows[0]] for rows in blocks]):
            yield np.repeat(labels, [len(rows) for rows in blocks])
    elif scheme == "within_blocks":
        for parts in product(*[shuffles(design.group[rows]) for rows in blocks]):
            yield np.concatenate(parts)
    else:
        first, second = design.attributes.T
        for fixed in shuffles([first[rows[0]] for rows in blocks]):
            for parts in product(*[shuffles(second[rows]) for rows in blocks]):
                yield np.repeat(fixed, [len(rows) for rows in blocks]) * 2 + np.concatenate(parts)


SMALL = {
    "whole_blocks": [whole_blocks(6, 2, 2), whole_blocks(6, 3, 1), whole_blocks(7, 2, 1)],
    "within_blocks": [within_blocks(3, 3), within_blocks(2, 2, 2), within_blocks(5, 2)],
    "blocks_and_within": [mixed(4, 1), mixed(5, 1), mixed(4, 2)],
    "prompts": [
        Design.from_values([[0, 0, 0, 1, 1, 2, 2]], range(7), [0, 0, 0, 1, 1, 2, 2]),
        within_blocks(1, 2, 3),
    ],
}
CASES = [(scheme, design) for scheme, designs in SMALL.items() for design in designs]


@pytest.mark.parametrize(("scheme", "design"), CASES)
def test_p_values_and_null_match_full_enumeration(scheme, design):
    n = len(design.group)
    values = np.random.default_rng(7).normal(size=n) + 2 * (design.group == 0)
    sums, k = score_sums(values), len(design.labels)
    names = ["dbi", "range", "eta_squared"]
    rows = rows_by(resample(design, sums, names, 4000, 0, seed=3))
    assert rows["range", None].permutation == scheme
    tables = np.stack([stats.group_table(np.asarray(g), sums, k) for g in relabellings(design, scheme)])
    table = stats.group_table(design.group, sums, k)
    for name, function in (
        ("eta_squared", stats.eta_squared),
        ("range", lambda t: np.ptp(stats.group_mean(t), axis=-1)),
    ):
        null = function(tables)
        exact = (null >= function(table) - 1e-9).mean()
        assert rows[name, None].p_value == pytest.approx(exact, abs=0.035)
        low, high = (np.quantile(null, q, method=m) for q, m in ((0.45, "lower"), (0.55, "higher")))
        assert low - 1e-9 <= rows[name, None].null_median <= high + 1e-9
        low, high = (np.quantile(null, q, method=m) for q, m in ((0.93, "lower"), (0.97, "higher")))
        assert low - 1e-9 <= rows[name, None].null_p95 <= high + 1e-9
    null = np.abs(stats.dbi(tables))
    for g, label in enumerate(design.labels):
        observed = abs(stats.dbi(table)[g]) - 1e-9
        row = rows["dbi", label]
        assert row.p_value == pytest.approx((null[:, g] >= observed).mean(), abs=0.035)
        assert row.p_max == pytest.approx((null.max(-1) >= observed).mean(), abs=0.035)
        assert row.p_max >= row.p_value


@pytest.mark.parametrize(("scheme", "design"), CASES)
def test_smallest_attainable_p_is_that_of_the_most_extreme_relabelling(scheme, design):
    """On data without accidental ties, the most extreme relabelling and its mirror images give that p."""
    sums = score_sums(np.random.default_rng(8).normal(size=len(design.group)) ** 3)
    k = len(design.labels)
    tables = np.stack([stats.group_table(np.asarray(g), sums, k) for g in relabellings(design, scheme)])
    rows = rows_by(resample(design, sums, ["dbi", "eta_squared"], 99_999, 0, chunk_bytes=2**24))

    def smallest(null):
        return (null >= null.max() - 1e-9).mean()

    assert rows["eta_squared", None].min_attainable_p == pytest.approx(smallest(stats.eta_squared(tables)))
    for g, label in enumerate(design.labels):
        expected = smallest(np.abs(stats.dbi(tables))[:, g])
        assert rows["dbi", label].min_attainable_p == pytest.approx(expected)


def test_smallest_attainable_p_of_known_designs():
    def smallest(design, name="range", b=2000):
        sums = selection_sums(np.arange(len(design.group)) % 3 > 0)
        return resample(design, sums, [name], b, 0)[0].min_attainable_p

    assert smallest(whole_blocks(6, 2, 1)) == pytest.approx(2 / 20)
    assert smallest(whole_blocks(6, 2, 1), "impact_ratio") == pytest.approx(1 / 20)
    assert smallest(Design.from_values([range(6)], range(6), range(6))) == 1
    assert smallest(within_blocks(75, 21)) == 1 / 2001
    assert smallest(within_blocks(75, 21), b=99) == 1 / 100
    assert smallest(within_blocks(3, 2)) == pytest.approx(2 / 8)


def test_repeats_of_a_prompt_move_together():
    """Six prompts of 50 equal answers are six facts, not three hundred."""
    prompt = np.repeat(np.arange(6), 50)
    design = Design.from_values([prompt // 3], prompt, prompt)
    row = resample(design, selection_sums(prompt // 3), ["range"], 1000, 0)[0]
    assert row.value == 1 and row.n == 300 and row.n_units == 6
    assert row.min_attainable_p == pytest.approx(0.1)
    assert 0.07 < row.p_value < 0.13


# ---------------------------------------------------------------------------- do p-values keep their word


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
        sums = stats.outcome_sums(rng.choice(6, 288, p=shares), 6)
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


# --------------------------------------------------------------------------------------- bootstrap


def test_bootstrap_matches_a_loop():
    rng = np.random.default_rng(16)
    for design in (whole_blocks(16, 2, 3), mixed(14, 2)):
        values = rng.normal(size=len(design.group)) + design.block % 3
        rows = rows_by(resample(design, score_sums(values), ["range", "mean"], 0, 4000))
        blocks = np.unique(design.block)
        draws = []
        for _ in range(3000):
            if rows["range", None].permutation == "whole_blocks":
                parts = [blocks[blocks % 2 == g] for g in (0, 1)]
                drawn = np.concatenate([rng.choice(part, len(part)) for part in parts])
            else:
                drawn = rng.choice(blocks, len(blocks))
            index = np.concatenate([np.flatnonzero(design.block == block) for block in drawn])
            means = [values[index][design.group[index] == g].mean() for g in range(len(design.labels))]
            draws.append([np.ptp(means), means[0]])
        held = np.unique(np.column_stack([design.group, design.block]), axis=0)[:, 0]
        n = np.bincount(held).min()  # all groups are held by the same number of blocks
        tail = normal.cdf(-np.sqrt(n / (n - 1)) * student_t.ppf(0.975, n - 1))
        low, middle, high = np.quantile(draws, [tail, 0.5, 1 - tail], axis=0)
        for column, key in enumerate([("range", None), ("mean", design.labels[0])]):
            shift = rows[key].value - middle[column]
            ends = np.clip([low[column] + shift, high[column] + shift], *stats.STATISTICS[key[0]].bounds)
            assert rows[key].ci_low == pytest.approx(ends[0], abs=0.1)
            assert rows[key].ci_high == pytest.approx(ends[1], abs=0.1)
            assert rows[key].ci_status == "ok" and rows[key].n_bootstrap == 4000


def test_intervals_of_few_units_are_wider():
    """By Hesterberg's levels: t(0.975, 9) = 2.262157, times sqrt(10/9) is a tail of 0.008551."""
    draws = np.tile(np.arange(10_001.0), (3, 1))
    observed = np.array([5000.0, 5000.0, 5100.0])
    intervals, n_valid = stats._intervals(draws, observed, np.array([10, 75, 1_000_000]))
    close(intervals[0], [85.51, 9914.49], 0.01)
    close(intervals[1], [224.30, 9775.70], 0.01)
    close(intervals[2], [350, 9850], 0.05)  # 0.025, and shifted by 100
    assert list(n_valid) == [10_001] * 3


def test_intervals_rest_on_the_units_of_the_group():
    """40 names of one group, 5 of the other: the second group's interval, and the range's, are those of 5."""
    group = np.repeat([0, 1], [40, 5])
    design = Design.from_values([group], range(45), range(45))
    values = np.random.default_rng(3).normal(size=45)
    wanted = (["mean", "range"], 0, 4000)
    rows = rows_by(resample(design, score_sums(values), *wanted))
    columns = resample_columns(design, np.ones((45, 1)), values[:, None], 0, 4000)
    samples = resample_samples(design, values[:, None], [Column("mean", {})], None, None, 0, 4000)
    for label, n in (("0", 40), ("1", 5)):
        own = values[group == int(label)]
        drawn = np.random.default_rng(4).choice(own, (20_000, n)).mean(axis=1)
        tail = normal.cdf(-np.sqrt(n / (n - 1)) * student_t.ppf(0.975, n - 1))
        width = np.ptp(np.quantile(drawn, [tail, 1 - tail]))
        index = int(label)
        for low, high in (
            (rows["mean", label].ci_low, rows["mean", label].ci_high),
            (columns.value_low[index, 0], columns.value_high[index, 0]),
            (samples.value_low[index, 0], samples.value_high[index, 0]),
        ):
            assert high - low == pytest.approx(width, rel=0.15)
    many = columns.disparities["range"]
    width = rows["range", None].ci_high - rows["range", None].ci_low
    assert many.ci_high[0] - many.ci_low[0] == pytest.approx(width, rel=0.15)


@pytest.mark.parametrize("design", [whole_blocks(60, 2, 3), within_blocks(40, 2)])
def test_interval_covers_the_truth_about_as_often_as_it_says(design):
    rng = np.random.default_rng(17)
    covered = []
    for seed in range(150):
        values = rng.normal(size=design.block.max() + 1)[design.block] + rng.normal(size=len(design.group))
        row = resample(design, score_sums(values), ["mean"], 0, 300, seed=seed)[0]
        covered.append(row.ci_low <= 0 <= row.ci_high)
    assert 0.87 <= np.mean(covered) <= 0.99


def test_no_interval_from_few_units():
    def interval(design):
        values = np.random.default_rng(18).random(len(design.group))
        return resample(design, score_sums(values), ["range"], 20, 50)[0]

    for design in (within_blocks(9, 3), whole_blocks(8, 2, 5)):
        assert interval(design).ci_status == "too_few" and np.isnan(interval(design).ci_low)
        assert interval(design).status == "ok" and interval(design).n_bootstrap == 0
    for design in (within_blocks(10, 3), whole_blocks(10, 2, 1)):
        assert interval(design).ci_status == "ok"
    group = [0] * 4 + [1] * 12  # 16 blocks, but four in the smaller group
    assert interval(Design.from_values([group], range(16), range(16))).ci_status == "too_few"


def test_no_interval_where_few_replicates_have_a_value():
    """Group 2 is asked in two of twelve blocks: every eighth draw or so lacks it."""
    group = np.array([0, 1] * 12 + [2, 2])
    block = np.concatenate([np.repeat(np.arange(12), 2), [0, 1]])
    design = Design.from_values([group], range(26), block)
    row = rows_by(resample(design, score_sums(np.arange(26.0)), ["mean"], 20, 400))
    assert row["mean", "2"].ci_status == "too_few" and np.isnan(row["mean", "2"].ci_high)
    assert 300 < row["mean", "2"].n_bootstrap < 360
    assert row["mean", "0"].ci_status == "ok" and row["mean", "0"].n_bootstrap == 400


def test_relabelling_without_a_value_counts_as_extreme():
    """Two groups of two: relabelled so that both are constant, t has no variance to divide by."""
    design = Design.from_values([[0, 0, 1, 1]], range(4), range(4))
    row = resample(design, score_sums([0.0, 1, 0, 1]), ["pooled_t"], 300, 0)[0]
    assert row.value == 0 and row.n_permutations < 270 and np.isnan(row.p_value)
    # Four and four: three zeros on one side are observed, which 32 of 70 relabellings repeat; with all four
    # on one side, in 2 of 70, t has no value, and they are more extreme still.
    design = Design.from_values([[0] * 4 + [1] * 4], range(8), range(8))
    row = resample(design, score_sums([0.0, 0, 0, 1, 0, 1, 1, 1]), ["pooled_t"], 20_000, 0)[0]
    assert row.n_permutations == pytest.approx(20_000 * 68 / 70, abs=100)
    assert row.p_value == pytest.approx(34 / 70, abs=0.012)


# --------------------------------------------------------------------------- determinism and memory


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
            if isinstance(x, float):
                assert x == pytest.approx(y, abs=tolerance, nan_ok=True), (a.statistic, field)
            else:
                assert x == y, (a.statistic, field)


KINDS = {
    "score": score_sums,
    "selection": lambda x: selection_sums(x < 0.4),
    "outcomes": lambda x: stats.outcome_sums(x * 4, 4),
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


# ----------------------------------------------------------------------------------- exact tests


def test_monte_carlo_matches_fisher_and_chi_square():
    two = [[8, 2], [1, 5]]
    # With these margins the chi-square order of tables is Fisher's, so both p-values are one number.
    assert stats.monte_carlo_chi_square(two, 20_000, 0) == pytest.approx(stats.fisher_exact_p(two), abs=0.006)
    large = np.array([[60, 40, 50], [45, 55, 50]])
    asymptotic = stats.chi_square_p(stats.chi_square(large.astype(float)), 2)
    assert stats.monte_carlo_chi_square(large, 20_000, 0) == pytest.approx(float(asymptotic), abs=0.015)


def test_monte_carlo_enumerated():
    """Rows 2, 2 and columns 2, 1, 1: the twelve ways to fill them, by hand."""
    table = [[2, 0, 0], [0, 1, 1]]
    answers = [0, 0, 1, 2]
    null = []
    for order in permutations(range(4)):
        counts = np.zeros((2, 3))
        for position, index in enumerate(order):
            counts[position // 2, answers[index]] += 1
        null.append(float(stats.chi_square(counts)))
    exact = np.mean(np.array(null) >= 4 - 1e-9)
    assert stats.monte_carlo_chi_square(table, 5000, 1) == pytest.approx(exact, abs=0.03)
    assert stats.monte_carlo_chi_square(table, 5000, 1) == stats.monte_carlo_chi_square(table, 5000, 1)


def test_fisher_is_for_two_by_two():
    with pytest.raises(ValueError, match="2x2"):
        stats.fisher_exact_p([[1, 2, 3], [3, 2, 1]])


def test_no_two_statistics_share_a_name():
    assert len(stats.STATISTICS) == len(stats._REGISTERED)


def columns_of(design: Design, values: np.ndarray, **settings: int):
    return stats.resample_columns(design, np.ones_like(values), values, **settings)


@pytest.mark.parametrize("blocked", [True, False])
def test_columns_are_what_one_at_a_time_gives(blocked: bool) -> None:
    """A column's value equals `resample`'s exactly; p-values and intervals up to the noise of other draws."""
    rng = np.random.default_rng(5)
    n_blocks, groups = 40, np.array(["a", "b", "c", "d"])
    block = np.repeat(np.arange(n_blocks), 4)
    group = np.tile(groups, n_blocks)
    design = Design.from_values([group], np.arange(len(group)), block if blocked else np.arange(len(group)))
    shift = np.where(group == "d", 0.15, 0.0)[:, None]
    values = (
        0.5 + 0.1 * rng.normal(size=(len(group), 2)) + 0.2 * rng.normal(size=n_blocks)[block, None] + shift
    )
    many = columns_of(design, values, n_permutations=2000, n_bootstrap=2000, seed=1)
    for column in range(2):
        single = {
            (one.statistic, one.group): one
            for one in stats.resample(
                design,
                stats.score_sums(values[:, column]),
                [*stats.COLUMN_DISPARITIES, "mean"],
                n_permutations=2000,
                n_bootstrap=2000,
                seed=2,
            )
        }
        for name in stats.COLUMN_DISPARITIES:
            one, ours = single[name, None], many.disparities[name]
            assert ours.value[column] == pytest.approx(one.value, abs=1e-12)
            assert ours.p_value[column] == pytest.approx(one.p_value, abs=0.05)
            assert ours.null_median[column] == pytest.approx(one.null_median, rel=0.1, abs=0.02)
            assert ours.null_p95[column] == pytest.approx(one.null_p95, rel=0.1, abs=0.02)
            assert ours.ci_low[column] == pytest.approx(one.ci_low, rel=0.1, abs=0.08)
            assert ours.ci_high[column] == pytest.approx(one.ci_high, rel=0.1, abs=0.08)
        for index, label in enumerate(groups):
            assert many.value_low[index, column] == pytest.approx(single["mean", label].ci_low, abs=0.02)
            assert many.value_high[index, column] == pytest.approx(single["mean", label].ci_high, abs=0.02)
    assert (many.unit, many.n_units) == ("block", n_blocks if blocked else len(group))


def test_columns_do_not_depend_on_order_or_chunks() -> None:
    rng = np.random.default_rng(6)
    group, block = np.tile(["a", "b", "c"], 30), np.repeat(np.arange(30), 3)
    values = rng.integers(0, 2, size=(90, 3)).astype(float)
    settings = {"n_permutations": 300, "n_bootstrap": 300, "seed": 4}
    first = columns_of(Design.from_values([group], np.arange(90), block), values, **settings)
    order = rng.permutation(90)
    shuffled = Design.from_values([group[order]], np.arange(90)[order], block[order])
    second = columns_of(shuffled, values[order], **settings, chunk_bytes=10_000)
    for name in stats.COLUMN_DISPARITIES:
        np.testing.assert_array_equal(first.disparities[name], second.disparities[name])
    np.testing.assert_array_equal(first.ratios, second.ratios)


def test_columns_that_do_not_vary_have_no_z_and_no_doubt() -> None:
    group, block = np.tile(["a", "b", "c"], 12), np.repeat(np.arange(12), 3)
    design = Design.from_values([group], np.arange(36), block)
    found = columns_of(design, np.full((36, 1), 0.1), n_permutations=100, n_bootstrap=100).disparities
    assert found["range"].value[0] == pytest.approx(0, abs=1e-12)
    assert found["range"].p_value[0] == 1
    assert np.isnan(found["min_z"].p_value[0]) or found["min_z"].p_value[0] == 1


def test_columns_refuse_a_design_of_single_prompts() -> None:
    design = Design.from_values([["a", "b"]], [0, 1], [0, 1])
    with pytest.raises(ValueError, match="one prompt"):
        columns_of(design, np.ones((2, 1)))


# ------------------------------------------------------------------- two sides that answered the same

ALIKE = ("cramers_v", "max_fdi_pooled", "max_jsd_nats_pooled")


def two_sides(design, rng, odds_a, odds_b, n_outcomes=2):
    """One-hot answers of two sides, whose second group leans to the first outcome by so much."""
    shared = rng.normal(0, 0.5, design.block.max() + 1)[design.block]
    sides = []
    for odds in (odds_a, odds_b):
        logit = shared + np.where(design.group == 1, odds, 0)
        sides.append(stats.outcome_sums(rng.random(len(logit)) < 1 / (1 + np.exp(-logit)), n_outcomes))
    return np.stack(sides)


def compared(design, sides, pairs=((0, 1),), names=ALIKE, **settings):
    settings = {"n_permutations": 199, "n_bootstrap": 100, "seed": 4} | settings
    return [
        rows_by(found) for found in stats.resample_differences(design, sides, names, list(pairs), **settings)
    ]


def test_difference_of_two_sides():
    """Twelve blocks ask about F and M. Side a: F 9 of 12, M 3 of 12; side b: F 6 of 12, M 3 of 12."""
    design = within_blocks(12, 2)
    block, group = design.block, design.group
    a = np.where(group == 0, block < 9, block < 3)
    b = np.where(group == 0, block < 6, block < 3)
    (found,) = compared(
        design, np.stack([selection_sums(a), selection_sums(b)]), names=statistics_of("selection")
    )
    ratio, rate = found["min_impact_ratio", None], found["selection_rate", "0"]
    close([ratio.value_a, ratio.value_b, ratio.difference], [1 / 3, 1 / 2, 1 / 6])
    close([rate.value_a, rate.value_b, rate.difference], [0.75, 0.5, -0.25])
    close(found["range", None].difference, -0.25)
    assert (rate.n, ratio.n, rate.n_units, ratio.n_units_differing) == (12, 24, 12, 3)
    # Three blocks differ: of eight exchanges two give the whole difference, and each as often.
    close(ratio.min_attainable_p, 1 / 4)
    close(rate.p_value, 1 / 4, 0.08)
    (outcomes,) = compared(design, np.stack([stats.outcome_sums(side, 2) for side in (a, b)]))
    close(outcomes["cramers_v", None].value_a, 0.5)
    close(outcomes["cramers_v", None].difference, np.sqrt(1 / 15) - 0.5)


def test_exchanges_match_full_enumeration():
    design = within_blocks(6, 2)
    rng = np.random.default_rng(3)
    sides = np.stack([score_sums(rng.normal(size=12)) for _ in range(2)])
    (found,) = compared(design, sides, names=("range", "mean"), n_permutations=20_000, n_bootstrap=0)
    every = []
    for swapped in product([False, True], repeat=6):
        is_swapped = np.array(swapped)[design.block]
        means = [
            stats.group_mean(stats.group_table(design.group, np.where(is_swapped[:, None], one, other), 2))
            for one, other in ((sides[1], sides[0]), sides)
        ]
        every.append([np.ptp(means[1]) - np.ptp(means[0]), means[1][0] - means[0][0]])
    for name, draws in zip((("range", None), ("mean", "0")), np.array(every).T, strict=True):
        exact = np.mean(np.abs(draws) >= abs(found[name].difference) - 1e-12)
        close(found[name].p_value, exact, 0.01)
        close(found[name].min_attainable_p, 2 / 64)


def test_the_same_answers_do_not_differ():
    design = mixed(20, 3)
    side = two_sides(design, np.random.default_rng(1), 1, 1)[0]
    (found,) = compared(design, np.stack([side, side]))
    for row in found.values():
        assert (row.difference, row.p_value, row.ci_low, row.ci_high) == (0, 1, 0, 0)
        assert row.n_units_differing == 0 and row.min_attainable_p == 1


def test_swapped_sides_change_the_sign_and_nothing_else():
    design = within_blocks(15, 3, repeats=2)
    rng = np.random.default_rng(2)
    sides = np.stack([score_sums(rng.normal(size=90)) for _ in range(3)])
    names = statistics_of("score")
    alone = compared(design, sides[:2], names=names)[0]
    forth, back = compared(design, sides, ((0, 1), (1, 0)), names=names, chunk_bytes=10_000)
    for name, row in forth.items():
        other = back[name]
        for ours, theirs in zip(row, alone[name], strict=True):  # alone or beside a third
            assert ours == theirs or abs(ours - theirs) < 1e-12 or ours != ours
        np.testing.assert_equal(
            (row.difference, row.p_value, row.value_a, row.value_b),
            (-other.difference, other.p_value, other.value_b, other.value_a),
        )
        close([row.ci_low, row.ci_high], [-other.ci_high, -other.ci_low], 1e-12)


def test_order_of_paired_rows_does_not_matter():
    design = whole_blocks(24, 2, 3)
    sides = two_sides(design, np.random.default_rng(5), 0.5, 2)
    order = np.random.default_rng(6).permutation(len(design.group))
    columns = (design.attributes, design.group, design.prompt, design.block)
    moved = Design(*(column[order] for column in columns), design.labels)
    assert compared(design, sides) == compared(moved, sides[:, order])


def test_too_few_units_have_no_interval():
    design = within_blocks(8, 2)
    (found,) = compared(design, two_sides(design, np.random.default_rng(0), 0, 3))
    row = found["cramers_v", None]
    assert row.ci_status == "too_few" and np.isnan([row.ci_low, row.ci_high]).all() and row.p_value > 0


def test_sides_that_cannot_be_computed_say_why():
    design = within_blocks(12, 2)
    nobody, half = np.zeros(24), design.block < 6
    (found,) = compared(
        design, np.stack([selection_sums(nobody), selection_sums(half)]), names=("min_impact_ratio",)
    )
    row = found["min_impact_ratio", None]
    assert (row.status, row.ci_status) == ("zero_max", "not_applicable")
    assert np.isnan([row.difference, row.p_value, row.ci_low, row.min_attainable_p]).all()
    assert stats.resample_differences(within_blocks(0, 2), np.zeros((2, 0, 2)), ("range",), [(0, 1)]) == [[]]


def test_sides_that_do_not_fit_are_refused():
    design = within_blocks(12, 2)
    with pytest.raises(ValueError, match="one table of rows a side"):
        stats.resample_differences(design, np.ones((24, 2)), ("range",), [])
    with pytest.raises(ValueError, match="one row per response"):
        stats.resample_differences(design, np.ones((2, 23, 2)), ("range",), [])
    with pytest.raises(KeyError):
        stats.resample_differences(design, np.ones((2, 24, 2)), ("no such",), [])


@pytest.mark.parametrize(("odds_b", "low", "high"), [(0.8, 0, 0.09), (6, 0.85, 1)])
def test_sides_differ_where_they_do(odds_b, low, high):
    """Two sides with the same bias are told apart in at most about one of twenty."""
    design = within_blocks(60, 2)
    rng = np.random.default_rng(8)
    n, n_found = 120, 0
    for seed in range(n):
        (found,) = compared(design, two_sides(design, rng, 0.8, odds_b), names=("cramers_v",), seed=seed)
        row = found["cramers_v", None]
        n_found += row.p_value <= 0.05 and (row.ci_low > 0 or row.ci_high < 0)
    assert low <= n_found / n <= high


def test_another_level_is_no_other_bias():
    """Side b says yes to nine of ten, side a to half; neither minds the group."""
    design = within_blocks(40, 6)
    rng = np.random.default_rng(9)
    n, n_exchanged, n_found = 60, 0, 0
    for seed in range(n):
        sides = np.stack([selection_sums(rng.random(240) < rate) for rate in (0.5, 0.9)])
        (found,) = compared(design, sides, names=("min_impact_ratio",), seed=seed, n_bootstrap=0)
        row = found["min_impact_ratio", None]
        n_exchanged += row.p_exchanged <= 0.05
        n_found += row.p_value <= 0.05
    assert n_exchanged / n > 0.3 and n_found / n <= 0.12
