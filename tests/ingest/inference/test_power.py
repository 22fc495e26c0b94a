"""What a plan promises, and what simulated audits find."""

import numpy as np
import pytest

from ingest.inference.power import _range_quantile, minimum_detectable_ratio, power_among_groups


@pytest.mark.parametrize(
    ("rate", "n"), [(0.1, 3213), (0.2, 1447), (0.3, 859), (0.5, 388), (0.7, 186), (0.9, 74)]
)
def test_ratio_that_so_many_responses_detect(rate, n):
    """0.8 is found from as many responses as Fleiss, Levin & Paik's formula asks for, and not from fewer."""
    ratio = minimum_detectable_ratio(rate, n)
    assert 0.8 <= ratio < 0.801 + 0.05 / n
    assert minimum_detectable_ratio(rate, n - 1) < 0.8


@pytest.mark.parametrize(("rate", "n"), [(0.1, 3313), (0.3, 892), (0.5, 408), (0.9, 85)])
def test_ratio_with_continuity_correction(rate, n):
    ratio = minimum_detectable_ratio(rate, n, is_corrected=True)
    assert 0.8 <= ratio < 0.801 + 0.05 / n
    assert minimum_detectable_ratio(rate, n - 1, is_corrected=True) < 0.8
    assert minimum_detectable_ratio(rate, n) > ratio


def test_power_among_groups():
    """Two groups as two proportions; more as the studentized range; and as many simulated audits find."""
    for corrected in (False, True):
        ratio = float(minimum_detectable_ratio(0.5, 150, is_corrected=corrected))
        assert power_among_groups(0.5, ratio, 150, 2, is_corrected=corrected) == pytest.approx(0.8, abs=0.002)
    # The 95 % point of the studentized range of 6 is 4.030 (infinite degrees of freedom).
    assert _range_quantile(6, 0.95) == pytest.approx(4.030, abs=0.001)
    assert power_among_groups(0.5, 1.0, 75, 6) == pytest.approx(0.05, abs=1e-6)
    ratio = float(minimum_detectable_ratio(0.5, 400, n_groups=6))
    assert power_among_groups(0.5, ratio, 400, 6) == pytest.approx(0.8, abs=1e-6)
    rates = np.random.default_rng(1).binomial(400, np.tile([0.5] * 5 + [0.5 * ratio], (20_000, 1))) / 400
    pooled = rates.mean(axis=1)
    is_found = np.ptp(rates, axis=1) > 4.030 * np.sqrt(pooled * (1 - pooled) / 400)
    assert is_found.mean() == pytest.approx(0.8, abs=0.015)
    np.testing.assert_array_equal(
        np.isnan(minimum_detectable_ratio([0.5, 0.5, 0.0], [75, 3, 75], n_groups=6)),
        [False, True, True],
    )


def test_power_where_it_cannot_be_had():
    assert np.isnan(minimum_detectable_ratio([0.0, 1.5], 100)).all()
    assert np.isnan(minimum_detectable_ratio(0.1, 5))
    assert minimum_detectable_ratio(0.5, 1e9) > 0.999
