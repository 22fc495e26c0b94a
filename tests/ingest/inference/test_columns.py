"""Many columns at once, against one at a time."""

import tracemalloc
from typing import Any

import numpy as np
import pytest

from ingest.inference.columns import resample_columns
from ingest.inference.design import Design
from ingest.inference.group_statistics import DISPARITIES
from ingest.inference.resampling import resample
from ingest.inference.sums import score_sums


def columns_of(design: Design, values: np.ndarray, **settings: Any):
    return resample_columns(design, np.ones_like(values), values, **settings)


@pytest.mark.parametrize("blocked", [True, False])
def test_columns_are_what_one_at_a_time_gives(blocked: bool) -> None:
    """A column's value equals `resample`'s exactly; p-values and intervals up to the noise of other draws."""
    rng = np.random.default_rng(5)
    n_blocks, groups = 40, np.array(["a", "b", "c", "d"])
    block = np.repeat(np.arange(n_blocks), 4)
    group = np.tile(groups, n_blocks)
    design = Design.from_values([group], np.arange(len(group)), block if blocked else np.arange(len(group)))
    shift = np.where(group == "d", 0.15, 0.0)[:, None]
    values = (
        0.5 + 0.1 * rng.normal(size=(len(group), 2)) + 0.2 * rng.normal(size=n_blocks)[block, None] + shift
    )
    many = columns_of(design, values, n_permutations=2000, n_bootstrap=2000, seed=1)
    for column in range(2):
        single = {
            (one.statistic, one.group): one
            for one in resample(
                design,
                score_sums(values[:, column]),
                [*(row.name for row in DISPARITIES), "mean"],
                n_permutations=2000,
                n_bootstrap=2000,
                seed=2,
            )
        }
        for name in (row.name for row in DISPARITIES):
            one, ours = single[name, None], many.disparities[name]
            assert ours.value[column] == pytest.approx(one.value, abs=1e-12)
            assert ours.p_value[column] == pytest.approx(one.p_value, abs=0.05)
            assert ours.null_median[column] == pytest.approx(one.null_median, rel=0.1, abs=0.02)
            assert ours.null_p95[column] == pytest.approx(one.null_p95, rel=0.1, abs=0.02)
            assert ours.ci_low[column] == pytest.approx(one.ci_low, rel=0.1, abs=0.08)
            assert ours.ci_high[column] == pytest.approx(one.ci_high, rel=0.1, abs=0.08)
        for index, label in enumerate(groups):
            assert many.value_low[index, column] == pytest.approx(single["mean", label].ci_low, abs=0.02)
            assert many.value_high[index, column] == pytest.approx(single["mean", label].ci_high, abs=0.02)
    assert (many.unit, many.n_units) == ("block", n_blocks if blocked else len(group))


def test_columns_do_not_depend_on_order_or_chunks() -> None:
    rng = np.random.default_rng(6)
    group, block = np.tile(["a", "b", "c"], 30), np.repeat(np.arange(30), 3)
    values = rng.integers(0, 2, size=(90, 3)).astype(float)
    settings = {"n_permutations": 300, "n_bootstrap": 300, "seed": 4}
    first = columns_of(Design.from_values([group], np.arange(90), block), values, **settings)
    order = rng.permutation(90)
    shuffled = Design.from_values([group[order]], np.arange(90)[order], block[order])
    second = columns_of(shuffled, values[order], **settings, chunk_bytes=10_000)
    for name in (row.name for row in DISPARITIES):
        np.testing.assert_array_equal(first.disparities[name], second.disparities[name])
    np.testing.assert_array_equal(first.ratios, second.ratios)


def test_columns_that_do_not_vary_have_no_z_and_no_doubt() -> None:
    group, block = np.tile(["a", "b", "c"], 12), np.repeat(np.arange(12), 3)
    design = Design.from_values([group], np.arange(36), block)
    found = columns_of(design, np.full((36, 1), 0.1), n_permutations=100, n_bootstrap=100).disparities
    assert found["range"].value[0] == pytest.approx(0, abs=1e-12)
    assert found["range"].p_value[0] == 1
    assert np.isnan(found["min_z"].p_value[0]) or found["min_z"].p_value[0] == 1


def test_rates_that_do_not_vary_are_not_certain() -> None:
    """Twenty names a group, one answer each: all selected, or none. The exact binomial has 0.168."""
    group = np.repeat([0, 1], 20)
    design = Design.from_values([group], np.arange(40), np.arange(40))
    values = np.column_stack([np.ones(40), np.zeros(40), group, np.arange(40) % 2]).astype(float)
    found = columns_of(design, values, n_permutations=0, n_bootstrap=999, bounds=(0, 1))
    assert (found.value_high - found.value_low).min() > 0.12
    assert (found.ratios.ci_high - found.ratios.ci_low)[:, 0].min() > 0.12
    spread = found.disparities["range"]
    assert (spread.ci_high - spread.ci_low).min() > 0.12
    means = columns_of(design, values, n_permutations=0, n_bootstrap=999, with_ratios=False)
    assert means.value_low[0, 0] == 1  # of means nobody knows how far another would lie


def test_columns_refuse_a_design_of_single_prompts() -> None:
    design = Design.from_values([["a", "b"]], [0, 1], [0, 1])
    with pytest.raises(ValueError, match="one prompt"):
        columns_of(design, np.ones((2, 1)))


def test_memory_does_not_grow_with_the_draws_of_all_answers_at_once() -> None:
    n = 10_000
    group, root = np.tile(["a", "b"], n), np.repeat(np.arange(n), 2)
    design = Design.from_values([group], np.arange(2 * n), root)
    values = np.random.default_rng(6).normal(size=(2 * n, 1))
    tracemalloc.start()
    columns_of(design, values, n_permutations=300, n_bootstrap=300, seed=1, with_ratios=False)
    (_, peak), _ = tracemalloc.get_traced_memory(), tracemalloc.stop()
    assert peak < 80e6
