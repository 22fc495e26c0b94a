"""Golden numbers (SPEC 20) and edge cases (SPEC 19) of statistics, against other ways to compute them."""

import gc
import tracemalloc

import numpy as np
import pytest
from designs import NAN, close, rows_by, scores_table, whole_blocks
from scipy import stats as scipy_stats

from ingest.inference.distributions import chi_square_p, f_p, fisher_exact_p, monte_carlo_chi_square, t_p
from ingest.inference.group_statistics import (
    _REGISTERED,
    STATISTICS,
    anova_dof,
    anova_f,
    attainable_dbi,
    chi_square,
    chi_square_dof,
    cohens_d,
    cramers_v,
    cramers_v_corrected,
    dbi,
    dixon_ends,
    eta_squared,
    fdi,
    hedges_g,
    impact_ratio,
    jsd_nats,
    larger_end,
    max_share_gap,
    omega_squared,
    pooled_t,
    standard_deviation,
    statistics_of,
    value_range,
    welch_dof,
    welch_t,
    z_scores,
)
from ingest.inference.registry import evaluate
from ingest.inference.resampling import resample
from ingest.inference.sums import outcome_sums, selection_sums


def test_two_by_two():
    table = np.array([[30.0, 10], [20, 20]])
    close(chi_square(table), 5.3333333)
    close(chi_square_p(chi_square(table), chi_square_dof(table)), 0.0209213)
    close(fisher_exact_p(table), 0.0368348)
    close(cramers_v(table), 0.2581989)
    close(fdi(table), [0.125, 0.125])
    close(jsd_nats(table), [0.0091372, 0.0079590])


def test_three_by_three():
    table = np.array([[30.0, 10, 5], [20, 20, 5], [10, 15, 20]])
    close(chi_square(table), 28.3333333)
    assert chi_square_dof(table) == 4
    close(chi_square_p(chi_square(table), 4), 1.0675e-5, 1e-9)
    close(cramers_v(table), 0.3239418)
    close(fdi(table), [0.2222222, 0.1111111, 0.2222222])


TWO = ([0.1, 0.3, 0.5, 0.4, 0.2], [0.6, 0.2, 0.7, 0.5, 0.9])


THREE = (*TWO, [0.3, 0.35, 0.5, 0.45, 0.1])


def test_two_samples():
    table = scores_table(*TWO)
    close(welch_t(table), -2.0641874)
    close(pooled_t(table), -2.0641874)
    close(welch_dof(table), 6.6202581)
    close(t_p(welch_t(table), welch_dof(table)), 0.0801804)
    close(t_p(pooled_t(table), 8), 0.0728843)
    close(cohens_d(table), -1.3055067)
    close(hedges_g(table), -1.1791674)


def test_three_samples():
    table = scores_table(*THREE)
    close(anova_f(table), 2.9591398)
    close(f_p(anova_f(table), *anova_dof(table)), 0.0902214)
    close(eta_squared(table), 0.3302928)
    close(dbi(table), [-0.4789705, 0.7783270, -0.2993566])


def test_selection():
    means, rates = np.array([0.5, 0.45, 0.1625]), np.array([0.75, 0.5, 0.0])
    close(impact_ratio(rates), [1, 0.6666667, 0])
    close(value_range(means), 0.3375)
    close(impact_ratio(means).min(), 0.325)
    close(standard_deviation(means), 0.1821458)
    close(z_scores(means), [0.8685143, 0.5323152, -1.4008295])
    close(dixon_ends(means), (0.8518519, 0.1481481))
    close(larger_end(dixon_ends(means)), 0.8518519)


def test_published_scoring_examples():
    close(impact_ratio(np.array([0.543, 0.447])), [1, 0.82], 0.005)
    rates = np.array([0.642, 0.375, 0.5, 0.625, 0.417])
    close(impact_ratio(rates), [1, 0.58, 0.78, 0.97, 0.65], 0.005)


def test_attainable_bounds():
    close(attainable_dbi([0.5, 1 / 3]), [1, 1.4142136])
    assert np.isnan(attainable_dbi(0.0))
    scores = scores_table([1.0] * 250, [0.0] * 750)
    close(dbi(scores)[0], attainable_dbi(0.25), 1e-2)


def test_stacks_of_tables_give_what_single_tables_give():
    rng = np.random.default_rng(1)
    for kind, width in (("outcome", 5), ("score", 3), ("selection", 2)):
        tables = rng.integers(0, 4, (7, 4, width)).astype(float)
        if kind != "outcome":
            values = [[rng.random(6).round(1) for _ in range(4)] for _ in range(7)]
            tables = np.stack([scores_table(*groups)[:, :width] for groups in values])
        for name in statistics_of(kind):
            statistic = STATISTICS[name]
            stacked = statistic.of(tables)
            close(stacked, np.stack([statistic.of(table) for table in tables]), 1e-12)


def test_against_scipy():
    rng = np.random.default_rng(2)
    for _ in range(20):
        table = rng.integers(1, 30, (rng.integers(2, 6), rng.integers(2, 6))).astype(float)
        expected = scipy_stats.chi2_contingency(table, correction=False)
        close(chi_square(table), expected.statistic, 1e-9)
        close(cramers_v(table), scipy_stats.contingency.association(table.astype(int)), 1e-9)
        p, q = table[0] / table[0].sum(), table.sum(0) / table.sum()
        js = (scipy_stats.entropy(p, (p + q) / 2) + scipy_stats.entropy(q, (p + q) / 2)) / 2
        close(jsd_nats(table)[0], js, 1e-12)
        groups = [rng.normal(size=rng.integers(2, 9)) for _ in range(3)]
        close(anova_f(scores_table(*groups)), scipy_stats.f_oneway(*groups).statistic, 1e-9)
        welch = scipy_stats.ttest_ind(groups[0], groups[1], equal_var=False)
        close(welch_t(scores_table(*groups[:2])), welch.statistic, 1e-9)
        close(welch_dof(scores_table(*groups[:2])), welch.df, 1e-9)


def test_macro_reference_weighs_groups_alike():
    table = np.array([[90.0, 10], [0, 10], [0, 0]])
    close(fdi(table, "macro"), [0.45, 0.45, NAN])
    close(fdi(table, "pooled"), [0.9 - 90 / 110, 90 / 110, NAN])
    with pytest.raises(ValueError, match="no such reference"):
        fdi(table, "mean")


def test_the_widest_gaps():
    """By hand: of three groups Yes 3/4, 1/2, 1/4; No the rest. An empty group is nobody's end."""
    table = np.array([[3.0, 1], [2, 2], [0, 0], [1, 3]])
    close(max_share_gap(table), 0.5)
    close(max_share_gap(table[:1]), NAN)
    close(max_share_gap(np.array([[4.0, 0], [2, 0]])), 0)
    # Means 1 and 3 of 0, 2, 2, 4: the standard deviation is sqrt(8 / 3).
    scores = np.array([[2.0, 2, 4], [2, 6, 20]])
    close(STATISTICS["max_mean_gap"].of(scores), 2 / np.sqrt(8 / 3))


def test_corrected_v_is_near_zero_without_association():
    rng = np.random.default_rng(3)
    tables = rng.multinomial(60, np.full(24, 1 / 24), size=300).reshape(300, 6, 4).astype(float)
    assert cramers_v(tables).mean() > 0.25
    assert cramers_v_corrected(tables).mean() < 0.1
    close(cramers_v_corrected(np.array([[50.0, 0], [0, 50]])), 1.0, 1e-2)


def test_omega_squared():
    k, n, f = 3, 15, 2.9591398
    close(omega_squared(scores_table(*THREE)), (k - 1) * (f - 1) / ((k - 1) * (f - 1) + n))


@pytest.mark.parametrize("k", [3, 7, 8, 10, 11, 13, 14, 30])
def test_dixon_by_number_of_groups(k):
    x = np.sort(np.random.default_rng(k).normal(size=k))
    gap, cut = {3: (1, 0), 7: (1, 0), 8: (1, 1), 10: (1, 1), 11: (2, 1), 13: (2, 1)}.get(k, (2, 2))
    low = (x[gap] - x[0]) / (x[-1 - cut] - x[0])
    high = (x[-1] - x[-1 - gap]) / (x[-1] - x[cut])
    shuffled = np.random.default_rng(0).permutation(x)
    close(dixon_ends(shuffled), (low, high), 1e-12)


def test_dixon_critical_value_of_21_groups():
    values = np.random.default_rng(4).normal(size=(20000, 21))
    close(np.quantile(larger_end(dixon_ends(values)), 0.95), 0.478, 0.01)


def test_noise_of_z_over_21_groups():
    z = z_scores(np.random.default_rng(5).normal(size=(20000, 21)))
    close([z.max(-1).mean(), np.abs(z).max(-1).mean()], [1.96, 2.21], 0.02)


def test_one_outcome():
    table = np.array([[5.0, 0], [7, 0]])
    assert np.isnan(chi_square(table))
    assert np.isnan(chi_square_dof(table)) and np.isnan(cramers_v_corrected(table))
    assert (fdi(table) == 0).all() and (jsd_nats(table) == 0).all()
    rows = rows_by(
        resample(whole_blocks(20, 2, 1), outcome_sums(np.zeros(20), 2), ["cramers_v", "fdi_macro"], 50, 50)
    )
    assert rows["cramers_v", None].status == "zero_variance"
    assert rows["fdi_macro", "0"].p_value == 1


def test_zero_rows_and_columns_are_dropped():
    table = np.array([[30.0, 0, 10], [0, 0, 0], [20, 0, 20]])
    close(chi_square(table), 5.3333333)
    close(cramers_v(table), 0.2581989)
    assert chi_square_dof(table) == 1
    assert np.isnan(chi_square(np.array([[3.0, 4], [0, 0]])))
    assert np.isnan(fisher_exact_p([[3, 4], [0, 0]]))
    assert np.isnan(monte_carlo_chi_square([[3, 4], [0, 0]], 10, 0))


def test_all_values_equal():
    for value in (0.1, 0.77, 1e6):
        table = scores_table([value] * 3, [value] * 7, [value] * 11)
        assert np.isnan(dbi(table)).all()
        assert np.isnan([anova_f(table), eta_squared(table), omega_squared(table)]).all()
        assert np.isnan([welch_t(table[:2]), cohens_d(table[:2])]).all()
    rates = np.full(5, 1 / 3)
    assert value_range(rates) == 0
    close(standard_deviation(rates), 0, 1e-15)
    close(impact_ratio(rates), np.ones(5), 0)
    assert np.isnan(z_scores(rates)).all() and np.isnan(larger_end(dixon_ends(rates)))


def test_selection_rates_of_zero():
    assert np.isnan(impact_ratio(np.zeros(3))).all()
    close(impact_ratio(np.array([0.0, 0.5])), [0, 1], 0)
    assert np.isnan(impact_ratio(np.array([-0.1, 0.5]))).all()
    close(value_range(np.array([-0.1, 0.5])), 0.6, 1e-12)
    design = whole_blocks(20, 2, 1)
    rows = rows_by(resample(design, selection_sums(np.zeros(20)), ["min_impact_ratio", "range"], 20, 20))
    assert rows["min_impact_ratio", None].status == "zero_max"
    assert rows["min_impact_ratio", None].ci_status == "not_applicable"
    assert rows["range", None].status == "ok" and rows["range", None].p_value == 1


def test_no_two_statistics_share_a_name():
    assert len(STATISTICS) == len(_REGISTERED)


def test_what_is_computed_on_the_way_is_freed_at_once():
    tables = np.random.default_rng(6).integers(1, 30, size=(500, 6, 3)).astype(np.float64)
    chosen = [STATISTICS[name] for name in statistics_of("outcome")]
    gc.disable()  # builds look for garbage rarely
    tracemalloc.start()
    try:
        for _ in range(20):
            evaluate(chosen, tables)
        assert tracemalloc.get_traced_memory()[0] < 2 * tables.nbytes  # it was 30 times that
    finally:
        tracemalloc.stop()
        gc.enable()
