"""Adjusted residuals: published definitions, what chance gives, and how often any is found without cause."""

import numpy as np
import pytest
from scipy.stats.contingency import expected_freq

from ingest.inference.cells import adjusted_residuals, resample_cells, residuals_within
from ingest.inference.design import Design
from ingest.inference.resampling import resample
from ingest.inference.sums import outcome_sums

TABLE = np.array([[30, 10, 5], [20, 20, 5], [10, 15, 20]], dtype=float)


def rows_of(table):
    """Codes of group and outcome of each answer of a table of counts."""
    group, outcome = np.indices(table.shape)
    return tuple(np.repeat(one.ravel(), table.astype(int).ravel()) for one in (group, outcome))


def test_residuals_are_habermans():
    """statsmodels 0.15 gives Table(...).standardized_resids so, and SciPy's expected counts the formula."""
    found = adjusted_residuals(TABLE)
    np.testing.assert_allclose(found[0], [3.67423461, -1.93649167, -2.19577516])
    expected = expected_freq(TABLE)
    rows, columns = (TABLE.sum(axis, keepdims=True) / TABLE.sum() for axis in (1, 0))
    np.testing.assert_allclose(
        found, (TABLE - expected) / np.sqrt(expected * (1 - rows) * (1 - columns)), atol=1e-12
    )


def test_two_by_two_residuals_are_the_root_of_chi_square():
    np.testing.assert_allclose(adjusted_residuals(np.array([[30.0, 10], [20, 20]])) ** 2, 5.33333333)


def test_margins_of_nothing_or_everything_have_no_residual():
    assert np.isnan(adjusted_residuals(np.array([[3.0, 0], [5, 0]]))).all()
    assert np.isnan(adjusted_residuals(np.array([[3.0, 4]]))).all()


def test_the_largest_of_two_by_two_is_the_tables_own_test():
    """The same relabellings: the corrected p-value of a 2×2 table's cells is that of its chi-square."""
    group, outcome = rows_of(np.array([[30, 10], [20, 20]]))
    design = Design.from_values([group], np.arange(80) // 5, np.arange(80) // 5)
    found = resample_cells(design, outcome, 2, seed=1)
    (table,) = resample(design, outcome_sums(outcome, 2), ["chi_square"], n_bootstrap=0, seed=1)
    assert (found.unit, found.n_units, found.permutation) == ("block", 16, "whole_blocks")
    np.testing.assert_array_equal(found.p_max, table.p_value)
    np.testing.assert_array_equal(found.p_value, table.p_value)


def test_a_cell_that_differs_is_found_and_the_others_are_not():
    """Of 60 names, those of group 2 get outcome 3 often; nothing else differs."""
    rng = np.random.default_rng(3)
    name = np.repeat(np.arange(60), 5)
    group = name // 15
    outcome = rng.integers(0, 4, 300)
    outcome[(group == 2) & (rng.random(300) < 0.5)] = 3
    found = resample_cells(Design.from_values([group], name, name), outcome, 4, seed=2)
    assert np.argwhere(found.p_max <= 0.01).tolist() == [[2, 3]]
    assert (found.p_max >= found.p_value).all()
    assert found.residual[2, 3] > 4


def test_order_of_rows_does_not_matter():
    group, outcome = rows_of(TABLE)
    name = np.arange(len(group)) // 5
    order = np.random.default_rng(1).permutation(len(group))
    one, other = (
        resample_cells(Design.from_values([name[rows] % 3], name[rows], name[rows]), outcome[rows], 3, 200)
        for rows in (np.arange(len(group)), order)
    )
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("icc", [0.0, 0.8])
def test_without_a_difference_a_table_has_a_significant_cell_in_one_of_twenty(icc):
    """300 tables of 24 names × 5 answers and three outcomes; names that repeat themselves change nothing."""
    rng = np.random.default_rng([11, int(10 * icc)])
    name = np.repeat(np.arange(24), 5)
    design = Design.from_values([name // 8], name, name)
    hits = 0
    for index in range(300):
        own = rng.integers(0, 3, 24)[name]
        outcome = np.where(rng.random(120) < np.sqrt(icc), own, rng.integers(0, 3, 120))
        hits += np.nanmin(resample_cells(design, outcome, 3, n_permutations=199, seed=index).p_max) <= 0.05
    assert hits / 300 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 300)


def test_within_strata_an_effect_of_another_attribute_is_none():
    """Women are asked about in stratum 0 four times of five, and only strata differ: all of it is theirs."""
    name = np.repeat(np.arange(100), 4)
    group = name // 50
    stratum = np.where(group == 0, name % 5 == 0, name % 5 != 0).astype(int)
    outcome = np.where(stratum == 1, np.arange(400) % 4 == 0, np.arange(400) % 4 != 0).astype(int)
    design = Design.from_values([group], name, name)
    plain = resample_cells(design, outcome, 2, seed=1)
    within = resample_cells(design, outcome, 2, seed=1, strata=stratum)
    assert plain.p_max.min() < 0.01
    np.testing.assert_allclose(within.residual, plain.residual)
    np.testing.assert_allclose(within.residual_within, 0, atol=1e-12)
    assert within.p_max.min() == 1


def test_strata_add_up_as_mantel_and_haenszel_have_it():
    """The square is the Cochran-Mantel-Haenszel statistic with n in place of n - 1 in the variance."""
    tables = np.array([[[9, 3], [4, 8]], [[5, 5], [2, 8]]], dtype=float)
    spread = np.concatenate(tables, axis=1)
    top = sum(t[0, 0] - t[0].sum() * t[:, 0].sum() / t.sum() for t in tables)
    variance = sum(np.prod([*t.sum(0), *t.sum(1)]) / t.sum() ** 3 for t in tables)
    assert residuals_within(spread, 2)[0, 0] == pytest.approx(top / np.sqrt(variance))
