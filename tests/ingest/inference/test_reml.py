"""The fit by restricted maximum likelihood: its slopes, and what does not depend on the order of rows."""

import numpy as np
import pytest

from ingest.inference.reml import Reml


def design(seed: int, deviations: tuple[float, ...] = (0.3, 0.5)):
    """Scores of three groups at 12 roots, with what a root adds, and what it adds for a group."""
    rng = np.random.default_rng(seed)
    root, group = np.repeat(np.arange(12), 30), rng.integers(0, 3, 360)
    codes = [root, np.unique(root * 3 + group, return_inverse=True)[1]]
    added = [size * rng.normal(size=36)[code] for size, code in zip(deviations, codes, strict=True)]
    return 5 + rng.normal(size=360) + sum(added), np.eye(3)[group], codes


@pytest.mark.parametrize("dense", [0, 300], ids=["sparse", "dense"])
@pytest.mark.parametrize("deviations", [(0.3, 0.5), (0.02, 1.0), (0.1, 0.0)])
def test_rows_in_another_order_give_the_same_fit(monkeypatch, dense, deviations):
    monkeypatch.setattr("ingest.inference.reml.DENSE", dense)
    for seed in range(5):
        y, x, codes = design(seed, deviations)
        squares, has_ended = Reml(y, x, codes).fit()
        order = np.random.default_rng(seed).permutation(len(y))
        again, _ = Reml(y[order], x[order], [code[order] for code in codes]).fit()
        assert has_ended and again**2 == pytest.approx(squares**2, rel=1e-9, abs=1e-11)


@pytest.mark.parametrize("dense", [0, 300], ids=["sparse", "dense"])
def test_slopes_are_those_of_the_deviance(monkeypatch, dense):
    monkeypatch.setattr("ingest.inference.reml.DENSE", dense)
    model, at = Reml(*design(1)), np.log([0.2, 0.4])
    measured = [
        (model._deviance(np.exp((at + step) / 2)) - model._deviance(np.exp((at - step) / 2))) / 2e-4
        for step in 1e-4 * np.eye(2)
    ]
    assert model._slopes(at, np.exp) == pytest.approx(measured, rel=1e-6)


@pytest.mark.parametrize("dense", [0, 300], ids=["sparse", "dense"])
@pytest.mark.parametrize("deviations", [(300.0, 300.0), (0.001, 50.0), (200.0, 100.0)])
def test_prompts_that_nearly_agree_are_fitted_at_their_likeliest(monkeypatch, dense, deviations):
    monkeypatch.setattr("ingest.inference.reml.DENSE", dense)
    for seed in range(3):
        y, x, codes = design(seed, deviations)
        model = Reml(y, x, codes)
        ratios, has_ended = model.fit()
        near = [model._deviance(ratios * factors) for factors in ([0.5, 1], [2, 1], [1, 0.8], [1, 1.25])]
        assert has_ended and model._deviance(ratios) <= min(*near, model._deviance(np.array(deviations)))
        order = np.random.default_rng(seed).permutation(len(y))
        again, _ = Reml(y[order], x[order], [code[order] for code in codes]).fit()
        assert again**2 == pytest.approx(ratios**2, rel=1e-6, abs=1e-9)


def test_thousands_of_roots_whose_prompts_nearly_agree_come_to_an_end():
    rng = np.random.default_rng(3)
    root, group = rng.integers(0, 1_000, 4_000), rng.integers(0, 3, 4_000)
    codes = [np.unique(code, return_inverse=True)[1] for code in (root, root * 3 + group)]
    y = rng.normal(size=4_000) + 200 * rng.normal(size=1_000)[root] + 100 * rng.normal(size=3_000)[codes[1]]
    ratios, has_ended = Reml(y, np.eye(3)[group], codes).fit()
    assert has_ended and ratios == pytest.approx([200, 100], rel=0.1)
