"""Scores of benchmarks: what their intervals rest on, and how often these contain the truth."""

import numpy as np
import pytest
import scipy.stats

from ingest.inference.benchmarks import resampled_score


def leaning(for_it, n_units=40):
    """Units of eight answers each, of which only the first few units have one that chooses a side: (m, 6)."""
    units = np.zeros((n_units, 6))
    units[:, 2] = 8
    units[: len(for_it), 0] = for_it
    units[: len(for_it), 1] = 1 - np.array(for_it)
    return units


def lean(units):
    return resampled_score("lean", ("biased", ""), 3, units, 500, 500, 1)


def test_a_unit_whose_answers_choose_neither_side_says_nothing_of_a_lean():
    few = lean(leaning([1] * 9))
    assert few.value == 1 and np.isnan([few.ci_low, few.ci_high]).all() and few.p_value < 0.05
    enough = lean(leaning([1] * 10))
    # Of ten units that are all alike another could be the opposite with probability 1 - 0.025^(1/10).
    assert (round(enough.ci_low, 6), enough.ci_high) == (round(1 - 2 * (1 - 0.025 ** (1 / 10)), 6), 1)
    alone = lean(leaning([1] * 10)[:10])
    assert (enough.ci_low, enough.ci_high, enough.p_value) == (alone.ci_low, alone.ci_high, alone.p_value)


def test_an_idealised_score_of_a_model_without_a_preference_lies_in_its_interval():
    """There it is the highest that it can be: what is observed lies below it, and so do draws."""
    generator, held = np.random.default_rng(1), 0
    for seed in range(200):
        n = generator.integers(1, 6, 60)
        prefers = generator.binomial(2 * n, generator.beta(2, 2, 60))
        means = generator.binomial(4 * n, generator.beta(3.6, 0.4, 60))
        units = np.stack([prefers, 2 * n - prefers, 2 * n, means, 4 * n - means, 4 * n], axis=1)
        found = resampled_score(
            "idealised", ("biased", "correct"), 2, units.astype(np.float64), 20, 200, seed
        )
        assert found.ci_low <= found.value <= found.ci_high
        held += found.ci_low <= 0.9 <= found.ci_high
    assert held >= 0.92 * 200


@pytest.mark.parametrize("formula", ["lean", "share", "mean_share"])
@pytest.mark.parametrize(("n_units", "n_for"), [(1, 1), (5, 5), (9, 8), (25, 18)])
def test_the_p_value_of_an_odd_number_of_units_is_that_of_the_sign_test(formula, n_units, n_for):
    """Its draws have no value in the middle: their median is above it or below it by chance."""
    units = np.zeros((n_units, 6))
    units[:, 2] = 2
    units[:n_for, 0] = 2
    units[n_for:, 1] = 2
    exact = scipy.stats.binomtest(n_for, n_units).pvalue
    found = [resampled_score(formula, ("biased", ""), 2, units, 2000, 0, seed).p_value for seed in range(4)]
    # Four standard errors of 2,000 draws.
    assert found == pytest.approx([exact] * 4, abs=4 * (exact * (1 - exact) / 2000) ** 0.5 + 1e-3)
