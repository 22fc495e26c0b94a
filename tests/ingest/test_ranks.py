"""Kendall's tau of many samples at once against SciPy's, one at a time."""

import numpy as np
import pytest
from scipy import stats

from ingest import ranks


@pytest.mark.parametrize("dense_up_to", [2, 1_000])
def test_tau_is_scipys(monkeypatch: pytest.MonkeyPatch, dense_up_to: int) -> None:
    """By pairs and by sorting; samples of several sizes, with and without ties."""
    monkeypatch.setattr(ranks, "DENSE_UP_TO", dense_up_to)
    rng = np.random.default_rng(1)
    samples = [rng.normal(size=(2, n)) for n in (3, 17, 17, 60)]
    samples += [rng.integers(0, 4, size=(2, n)).astype(float) for n in (17, 60)]
    x, y = np.hstack(samples)
    starts = np.cumsum([0, *(sample.shape[1] for sample in samples)])[:-1]
    expected = [stats.kendalltau(*sample).statistic for sample in samples]
    np.testing.assert_allclose(ranks.kendall_tau_b(x, y, starts), expected, atol=1e-12)


def test_tau_of_too_few_or_constant_values_is_missing() -> None:
    x = np.array([1.0, 2.0, 1.0, 2.0, 3.0, 5.0, 5.0, 5.0])
    y = np.array([2.0, 1.0, 1.0, 2.0, 3.0, 1.0, 2.0, 3.0])
    tau = ranks.kendall_tau_b(x, y, [0, 2, 5])
    assert np.isnan(tau[[0, 2]]).all()
    assert tau[1] == 1
    assert ranks.kendall_tau_b([], [], []).shape == (0,)
