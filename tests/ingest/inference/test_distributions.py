"""Tails of distributions and exact tests."""

from itertools import permutations

import numpy as np
import pytest
from designs import NAN, close

from ingest.inference.distributions import chi_square_p, f_p, fisher_exact_p, monte_carlo_chi_square, t_p
from ingest.inference.group_statistics import chi_square


def test_distribution_tails_know_what_is_missing():
    close(chi_square_p([NAN, 1.0, 3.841458820694124], [1, 0, 1]), [NAN, NAN, 0.05])
    close(t_p([0.0, -1e9], 5), [1, 0])
    close(f_p(NAN, 2, 12), NAN)


def test_monte_carlo_matches_fisher_and_chi_square():
    two = [[8, 2], [1, 5]]
    # With these margins the chi-square order of tables is Fisher's, so both p-values are one number.
    assert monte_carlo_chi_square(two, 20_000, 0) == pytest.approx(fisher_exact_p(two), abs=0.006)
    large = np.array([[60, 40, 50], [45, 55, 50]])
    asymptotic = chi_square_p(chi_square(large.astype(float)), 2)
    assert monte_carlo_chi_square(large, 20_000, 0) == pytest.approx(float(asymptotic), abs=0.015)


def test_monte_carlo_enumerated():
    """Rows 2, 2 and columns 2, 1, 1: the twelve ways to fill them, by hand."""
    table = [[2, 0, 0], [0, 1, 1]]
    answers = [0, 0, 1, 2]
    null = []
    for order in permutations(range(4)):
        counts = np.zeros((2, 3))
        for position, index in enumerate(order):
            counts[position // 2, answers[index]] += 1
        null.append(float(chi_square(counts)))
    exact = np.mean(np.array(null) >= 4 - 1e-9)
    assert monte_carlo_chi_square(table, 5000, 1) == pytest.approx(exact, abs=0.03)
    assert monte_carlo_chi_square(table, 5000, 1) == monte_carlo_chi_square(table, 5000, 1)


def test_fisher_is_for_two_by_two():
    with pytest.raises(ValueError, match="2x2"):
        fisher_exact_p([[1, 2, 3], [3, 2, 1]])
