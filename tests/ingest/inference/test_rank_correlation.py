"""Rank correlations of many samples at once against SciPy's, one at a time."""

import numpy as np
import pytest
from scipy import stats

from ingest.inference import rank_correlation as ranks


def samples_of_several_sizes() -> list[np.ndarray]:
    """With and without ties; of the last, x falls where y rises."""
    rng = np.random.default_rng(1)
    samples = [rng.normal(size=(2, n)) for n in (3, 17, 17, 60, 300, 700)]
    samples += [rng.integers(0, 4, size=(2, n)).astype(float) for n in (17, 60, 300)]
    return [*samples, np.array([np.arange(40), -np.arange(40)], dtype=float)]


@pytest.mark.parametrize(
    ("ours", "theirs"), [(ranks.kendall_tau_b, stats.kendalltau), (ranks.spearman_rho, stats.spearmanr)]
)
@pytest.mark.parametrize("dense_up_to", [2, 3, 256])
@pytest.mark.parametrize("chunk_values", [50, 200_000])
def test_correlations_are_scipys(monkeypatch, ours, theirs, dense_up_to, chunk_values) -> None:
    monkeypatch.setattr(ranks, "DENSE_UP_TO", dense_up_to)
    monkeypatch.setattr(ranks, "CHUNK_VALUES", chunk_values)
    samples = samples_of_several_sizes()
    x, y = np.hstack(samples)
    starts = np.cumsum([0, *(sample.shape[1] for sample in samples)])[:-1]
    expected = [theirs(*sample).statistic for sample in samples]
    np.testing.assert_allclose(ours(x, y, starts), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("ours", [ranks.kendall_tau_b, ranks.spearman_rho])
def test_correlations_of_too_few_or_constant_values_are_missing(ours) -> None:
    x = np.array([1.0, 2.0, 1.0, 2.0, 3.0, 5.0, 5.0, 5.0])
    y = np.array([2.0, 1.0, 1.0, 2.0, 3.0, 1.0, 2.0, 3.0])
    found = ours(x, y, [0, 2, 5])
    assert np.isnan(found[[0, 2]]).all()
    assert found[1] == 1
    assert ours([], [], []).shape == (0,)
