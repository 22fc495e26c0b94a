"""Whether intervals of groups' means hold the means of skewed values, too."""

import numpy as np
import pytest
from scipy.stats import t as student_t

from ingest.inference.columns import resample_columns
from ingest.inference.design import Design
from ingest.inference.drawing import Units
from ingest.inference.means import mean_intervals
from ingest.inference.resampling import resample
from ingest.inference.sums import score_sums


def of_one_group(values):
    """Intervals (2, C) of the means of values (n, C), each of a unit of its own."""
    n = len(values)
    return mean_intervals(Units.of(np.zeros(n, int), np.arange(n)), np.ones_like(values), values)[:, 0]


def test_of_symmetric_values_it_is_the_t_interval():
    values = np.array([1.0, 2, 3, 4, 5])[:, None]
    half = student_t.ppf(0.975, 4) * values.std(ddof=1) / np.sqrt(5)
    assert of_one_group(values)[:, 0] == pytest.approx([3 - half, 3 + half])


def test_of_skewed_values_it_reaches_further_to_their_long_side():
    """0, 1, 1, 2, 3 have the mean 1.4, error 0.51, and its skewness is 0.01152 / 0.208^1.5 = 0.12."""
    low, high = of_one_group(np.array([0.0, 1, 1, 2, 3])[:, None])[:, 0]
    a = 0.01152 / 0.208**1.5
    for end in (low, high):
        t = (1.4 - end) / np.sqrt(0.208 * 5 / 4)  # studentised at an end, and transformed: Student's quantile
        transformed = t + a * t**2 / 3 + a**2 * t**3 / 27 + a / 6
        assert abs(transformed) == pytest.approx(student_t.ppf(0.975, 4))
    assert high - 1.4 > 1.2 * (1.4 - low)


def test_one_unit_far_from_all_others_does_not_make_it_endless():
    """0, 0, 0, 0, 10: the skewness counts as 0.318, where nine tenths are taken off the cube root's 1."""
    low, high = of_one_group(np.array([0.0, 0, 0, 0, 10])[:, None])[:, 0]
    assert [low, high] == pytest.approx([-2.36, 12.1], abs=0.05)


@pytest.mark.parametrize(
    ("name", "least"), [("normal", 0.94), ("lognormal", 0.87), ("with zeros", 0.85), ("of unlike size", 0.9)]
)
def test_they_hold_the_true_mean(name, least):
    """Of 10 units. Redrawn units hold that of lognormal values in 83 %."""
    rng = np.random.default_rng(12)
    values, truth, n = rng.standard_normal((10, 4000)), 0.0, np.ones((10, 1))
    if name == "lognormal":
        values, truth = np.exp(values), np.exp(0.5)
    elif name == "with zeros":
        values, truth = np.where(rng.random(values.shape) < 0.7, 0, rng.exponential(size=values.shape)), 0.3
    elif name == "of unlike size":
        n, truth = np.arange(1, 11.0)[:, None], np.exp(0.125)
        values = np.exp(0.5 * values)
    units = Units.of(np.zeros(10, int), np.arange(10))
    low, high = mean_intervals(units, n * np.ones_like(values), n * values)[:, 0]
    assert least < ((low <= truth) & (truth <= high)).mean() < 0.97


def test_a_group_whose_units_are_alike_has_none():
    """What other units could be is then drawn from the values of all groups (`other_units`)."""
    units = Units.of(np.repeat([0, 1], 5), np.arange(10))
    values = np.array([0.1] * 5 + [1.0, 2, 3, 4, 5])[:, None]
    low, high = mean_intervals(units, np.ones_like(values), values)[..., 0]
    assert np.isnan([low[0], high[0]]).all() and np.isfinite([low[1], high[1]]).all()


def test_no_wider_than_what_values_between_known_ends_allow():
    """Wilson's interval of 2 of 10 is 0.057 to 0.510; of 0 of 10 it ends at 0.278."""
    values = np.column_stack([[1.0] * 2 + [0] * 8, [0.0] * 10, [0.5] * 10, [3.0] + [-1] * 9])
    units = Units.of(np.zeros(10, int), np.arange(10))
    ends = np.array([[0, 1], [0, 1], [0, 1], [-1, 3]], dtype=float).T
    low, high = mean_intervals(units, np.ones_like(values), values, ends)[:, 0]
    assert [low[0], high[0]] == pytest.approx([0.0567, 0.5098], abs=1e-4)
    assert [low[1], high[1]] == pytest.approx([0, 0.2775], abs=1e-4)
    assert np.isnan([low[2], high[2]]).all()  # nothing says how far from 0.5 another would be
    assert low[3] == pytest.approx(-1 + 4 * 0.0179, abs=1e-3) and high[3] < -1 + 4 * 0.4043
    wide = mean_intervals(units, np.ones_like(values), values, np.array([[-np.inf] * 4, [np.inf] * 4]))
    assert wide == pytest.approx(mean_intervals(units, np.ones_like(values), values), nan_ok=True)
    assert wide[1, 0, 0] > 0.75


def test_both_ways_to_means_give_this_interval():
    """Groups share blocks, and a block has several answers: the interval is over blocks in either."""
    rng = np.random.default_rng(5)
    block, group = np.repeat(np.arange(12), 4), np.tile([0, 0, 1, 1], 12)
    design = Design(group[:, None], group, np.arange(48), block, ("A", "B"))
    values = np.exp(rng.normal(size=12)[block] + rng.normal(size=48))
    wanted = mean_intervals(Units.of(group, block), np.ones((48, 1)), values[:, None])[..., 0]
    rows = resample(design, score_sums(values), ["mean"], 9, 99)
    assert [[row.ci_low, row.ci_high] for row in rows] == pytest.approx(wanted.T)
    columns = resample_columns(design, np.ones((48, 1)), values[:, None], 9, 99, with_ratios=False)
    assert [columns.value_low[:, 0], columns.value_high[:, 0]] == pytest.approx(wanted)
    known = {"scale": (0.0, 40.0)}, {"bounds": [[0, 40]], "with_ratios": False}
    rows = resample(design, score_sums(values), ["mean"], 9, 99, **known[0])
    columns = resample_columns(design, np.ones((48, 1)), values[:, None], 9, 99, **known[1])
    assert [row.ci_low for row in rows] == pytest.approx(columns.value_low[:, 0])
    assert [row.ci_high for row in rows] == pytest.approx(columns.value_high[:, 0])
    undrawn = resample(design, score_sums(values), ["mean"], 9, 0)
    assert np.isnan([row.ci_low for row in undrawn]).all()
