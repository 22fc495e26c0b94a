"""Scores of benchmarks: what their intervals rest on, and how often these contain the truth."""

import numpy as np

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
