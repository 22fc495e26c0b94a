"""A mean of differences: its interval, and what exchanging both versions gives."""

import numpy as np
import pytest

from ingest.inference.flips import mean_shift


def test_six_alike_of_six_units_are_one_in_32_by_chance():
    # Of 64 ways to exchange the versions, two give a mean as far from 0.
    found = mean_shift(np.full(6, 1.0), np.ones(6), 20_000, 500, seed=1)
    assert (found.value, found.n_units, found.min_attainable_p) == (1.0, 6, 1 / 32)
    assert found.p_value == pytest.approx(1 / 32, abs=0.005)
    assert np.isnan([found.ci_low, found.ci_high]).all()  # of fewer than ten units there is none


def test_no_shift_is_what_chance_gives():
    found = mean_shift(np.zeros(20), np.ones(20), 999, 500, seed=1)
    assert (found.value, found.p_value, found.ci_low, found.ci_high) == (0.0, 1.0, 0.0, 0.0)
    assert found.min_attainable_p == 1 / 1_000


def test_a_unit_counts_by_its_texts():
    sums, counts = np.array([2.0, 0.0, *[0.0] * 10]), np.array([2.0, 6.0, *[1.0] * 10])
    assert mean_shift(sums, counts, 99, 99, seed=1).value == pytest.approx(2 / 18)


def test_the_interval_holds_the_truth_and_chance_finds_nothing():
    rng = np.random.default_rng(5)
    held = found = 0
    for i in range(200):
        shifts = rng.choice([-1.0, 0.0, 1.0], size=40, p=[0.15, 0.7, 0.15])
        result = mean_shift(shifts, np.ones(40), 199, 199, seed=i)
        held += result.ci_low <= 0 <= result.ci_high
        found += result.p_value <= 0.05
    assert held >= 180 and found <= 20
