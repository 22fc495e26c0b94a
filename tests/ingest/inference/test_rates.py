"""Bounds of groups' rates over units, against the exact binomial, by hand, and on simulated answers."""

import numpy as np
import pytest
from scipy import stats

from ingest.inference.bounds import wilson
from ingest.inference.rates import (
    Rates,
    answers_worth,
    differences,
    labels_worth,
    parts,
    rates_over_units,
    ratios,
)


def counts(rates, n_units, n_answers, icc, rng):
    """Selected and counted answers (K, m): one of a unit is the unit's own with the root of the ICC."""
    size = (len(rates), n_units, n_answers)
    own, unit = (rng.random(size[:end]) < np.reshape(rates, (-1, *[1] * (end - 1))) for end in (3, 2))
    together = rng.random(size) < np.sqrt(icc)
    return np.where(together, unit[..., None], own).sum(-1).astype(float), np.full(size[:2], float(n_answers))


def test_one_answer_a_unit_is_the_exact_binomial():
    """Eight of 40 and of another 40: the design effect of 1 is told exactly, as each unit has one answer."""
    selected = np.zeros((2, 40))
    selected[:, :8] = 1
    found = rates_over_units(selected, np.ones((2, 40)))
    exact = stats.binomtest(8, 40)
    assert found.high[0] == pytest.approx(exact.proportion_ci(0.9).high, abs=0.01)
    assert found.low[0] == pytest.approx(exact.proportion_ci(0.9).low, abs=0.01)


def test_units_that_all_say_the_same_have_the_rule_of_three():
    found = rates_over_units(np.zeros((1, 20)), np.full((1, 20), 7.0))
    assert (found.low[0], found.high[0]) == (0, pytest.approx(1 - 0.05 ** (1 / 20)))
    whole = rates_over_units(np.array([[7.0] * 10 + [0.0] * 10]), np.full((1, 20), 7.0))
    exact = stats.binomtest(10, 20).proportion_ci(0.9)
    assert (whole.low[0], whole.high[0]) == (pytest.approx(exact.low), pytest.approx(exact.high))


def test_units_that_all_say_the_same_of_each_question_are_told_apart_by_nothing():
    """Three of ten questions are a yes for each of 20 names: 60 of 200 independent answers, not 0 to 1."""
    found = rates_over_units(np.full((1, 20), 3.0), np.full((1, 20), 10.0))
    exact = stats.binomtest(60, 200).proportion_ci(0.9)
    assert (found.low[0], found.high[0]) == (pytest.approx(exact.low), pytest.approx(exact.high))


def test_answers_of_a_group_with_more_answers_a_unit_are_worth_less():
    """Units say one thing each; so 300 answers of three are worth 3, and those of 30 with ten each 30."""
    counted = np.zeros((2, 33))
    counted[0, :3], counted[1, 3:] = 100, 10
    selected = np.where(np.arange(33) % 3 == 0, counted, 0)
    assert answers_worth(selected, counted, 0.025) == pytest.approx([3, 30])
    alone = np.where(np.arange(33) < 3, 0, counted)
    alone[0, 0] = 300  # one unit tells no correlation
    assert answers_worth(np.where(alone > 0, alone * 0.4, 0), alone, 0.025)[0] > 1
    assert answers_worth(np.where(np.arange(33) % 3 == 0, alone, 0), alone, 0.025) == pytest.approx([1, 30])


def test_labels_of_a_unit_that_are_alike_are_worth_one():
    """Ten names with three labels each: all three are right or wrong, or one of each name's is wrong."""
    unit = np.repeat(np.arange(10), 3)
    group, weight, wrong = np.zeros(30, np.int64), np.tile([1.0, 2.0, 3.0], 10), (unit % 2).astype(float)
    assert labels_worth(group, np.arange(30), weight, wrong, is_share=True) == pytest.approx([1])
    # Of weights 1, 2 and 3 a name's labels count as 36 / 14 of equal weight.
    assert labels_worth(group, unit, weight, wrong, is_share=True) == pytest.approx([14 / 36])
    assert labels_worth(group, unit, weight, wrong - 0.5, is_share=False) == pytest.approx([14 / 36])
    assert labels_worth(group, unit, weight, np.tile([1.0, 0, 0], 10), is_share=True) == pytest.approx([1])
    # Three names with an error tell no correlation; numbers of all names do.
    few = np.where(unit < 3, np.tile([1.0, 0, 0], 10), 0)
    assert labels_worth(group, unit, weight, few, is_share=True) == pytest.approx([14 / 36])
    assert labels_worth(group, unit, weight, few, is_share=False)[0] > 0.8
    # A group without labels has no number, and none of the others' changes.
    apart = labels_worth(np.full(30, 1), unit, weight, wrong, is_share=True)
    assert np.isnan(apart[0]) and apart[1] == pytest.approx(14 / 36)


@pytest.mark.parametrize("icc", [0, 0.3, 0.8])
def test_intervals_of_errors_hold_the_truth_where_labels_of_a_name_are_alike(icc):
    """Two groups of 20 names with five labels each, of unlike weight; Wilson's over what they are worth."""
    rng, held = np.random.default_rng(4), []
    for _ in range(300):
        wrong, _ = counts([0.3, 0.3], 20, 5, icc, rng)
        x = rng.permuted(np.arange(5) < wrong[..., None], axis=-1).ravel().astype(float)
        group, unit = np.repeat([0, 1], 100), np.repeat(np.arange(40), 5)
        weight = rng.choice([1.0, 3.0], 200)
        worth = labels_worth(group, unit, weight, x, is_share=True)
        for one in range(2):
            w, own = weight[group == one], x[group == one]
            n = w.sum() ** 2 / (w**2).sum() * worth[one]
            low, high = wilson(np.array(w @ own / w.sum()), np.array(n))
            held.append(low <= 0.3 <= high)
    assert 0.93 <= np.mean(held) <= 0.98


def test_few_units_have_no_bound_and_empty_ones_are_none():
    selected, counted = np.zeros((2, 6)), np.ones((2, 6))
    counted[0, :2] = 0
    found = rates_over_units(selected, counted)
    assert found.n_units.tolist() == [4, 6]
    assert np.isnan(found.high[0]) and np.isfinite(found.high[1])


def test_differences_and_ratios_by_hand():
    """0.5 within 0.4 and 0.6 against 0.25 within 0.2 and 0.3: margins of sqrt(0.1^2 + 0.05^2)."""
    value, low, high = (np.array(ends) for ends in ((0.5, 0.25), (0.4, 0.2), (0.6, 0.3)))
    rates = Rates(value, low, high, np.array([20, 20]), np.eye(2))
    own, other = differences(rates, 1)
    assert (own[0], other[0]) == (pytest.approx(0.25 - 0.0125**0.5), pytest.approx(0.25 + 0.0125**0.5))
    smallest, largest = (float(end[0]) for end in ratios(rates, 1))
    for ratio, end, other_end in ((smallest, 0.4, 0.3), (largest, 0.6, 0.2)):
        # Where the difference to so many times the reference has a bound of 0.
        margin = ((end - 0.5) ** 2 + ratio**2 * (other_end - 0.25) ** 2) ** 0.5
        assert abs(0.5 - ratio * 0.25) == pytest.approx(margin)
    together = rates._replace(correlation=np.array([[1, 0.5], [0.5, 1]]))
    assert differences(together, 1)[1][0] == pytest.approx(0.25 + (0.0125 - 0.005) ** 0.5)
    assert ratios(together, 1)[0][0] > smallest and ratios(together, 1)[1][0] < largest


def test_parts_by_hand():
    """150 people at 0.2 within 0.1 and 0.3 beside 100 at 0.3 within 0.2 and 0.4: 30 of 60 each."""
    value, low, high = (np.array(ends) for ends in ((0.2, 0.3), (0.1, 0.2), (0.3, 0.4)))
    first, last = parts(Rates(value, low, high, np.array([20, 20]), np.eye(2)), np.array([150, 100]))
    # From each side the two parts are 1.
    assert first + last[::-1] == pytest.approx([1, 1])
    for part, of_own, of_other in ((first[0], 15, 40), (last[0], 45, 20)):
        # The ratio is where the difference to so many times the own number has a bound of 0.
        ratio = 1 / part - 1
        margin = ((of_other - 30) ** 2 + ratio**2 * (of_own - 30) ** 2) ** 0.5
        assert abs(30 - ratio * 30) == pytest.approx(margin)


def test_a_group_that_nobody_selected_is_no_part_up_to_its_bound():
    rates = rates_over_units(np.array([[0.0] * 10, [1.0] * 10]), np.ones((2, 10)), 0.025)
    first, last = parts(rates, np.array([1.0, 1.0]))
    assert (first[0], last[1]) == (0, 1)
    assert 0.1 < last[0] < 0.5 and first[1] == pytest.approx(1 - last[0])
    nobody = rates_over_units(np.zeros((2, 10)), np.ones((2, 10)), 0.025)
    assert np.array(parts(nobody, np.array([1.0, 1.0]))).tolist() == [[0, 0], [1, 1]]


@pytest.mark.parametrize("n_units", [(10, 3), (3, 10), (10, 10, 3), (1, 1)])
def test_a_part_has_both_bounds_or_none(n_units):
    """A group of fewer than five units has none, and with it what is put together of it."""
    of = np.repeat(np.arange(len(n_units)), n_units)
    counted = np.eye(len(n_units))[:, of]
    rates = rates_over_units(counted * (np.arange(len(of)) % 2), counted, 0.025)
    first, last = parts(rates, np.ones(len(n_units)))
    assert np.isfinite(rates.value).all() and np.isnan([*first, *last]).all()
    assert all(np.isnan(ends).any() for ends in ratios(rates, int(np.argmin(n_units))))


@pytest.mark.parametrize("rates", [(0.2, 0.1), (0.05, 0.05), (0.02, 0.3), (0.2, 0.1, 0.3)])
@pytest.mark.parametrize("icc", [0, 0.2, 1])
def test_intervals_of_shares_and_parts_hold_the_truth(rates, icc):
    """24 names of each group, 4 answers a name; the parts are of groups of unlike sizes."""
    sizes = np.arange(1.0, len(rates) + 1)
    truth = sizes * rates / np.dot(sizes, rates)
    is_held = []
    for seed in range(200):
        selected, counted = counts(rates, 24, 4, icc, np.random.default_rng([5, seed]))
        # A name is of one group.
        apart = np.eye(len(rates))[:, :, None]
        own, of_all = (np.concatenate(np.swapaxes(apart * one, 0, 1), axis=1) for one in (selected, counted))
        found = rates_over_units(own, of_all, 0.025)
        low, high = parts(found, sizes)
        is_held.append([(found.low <= rates) & (rates <= found.high), (low <= truth) & (truth <= high)])
    assert np.mean(is_held, axis=0).min() >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / 200)


def test_a_reference_that_could_be_zero_has_no_highest_ratio():
    rates = rates_over_units(np.array([[1.0] * 10, [0.0] * 10]), np.ones((2, 10)))
    assert np.isinf(ratios(rates, 1)[1][0]) and ratios(rates, 1)[0][0] > 1


@pytest.mark.parametrize("design", [(10, 3, 0.3), (20, 6, 0.6), (60, 1, 0.0)])
@pytest.mark.parametrize("rates", [(0.5, 0.5), (0.1, 0.1), (0.9, 0.7)])
def test_bounds_hold_in_19_of_20_draws(design, rates):
    """Of 400; 0.95 has a standard error of 0.011, and three of them are left to chance."""
    rng = np.random.default_rng(7)
    hits = np.zeros(6)
    difference, ratio = rates[0] - rates[1], rates[0] / rates[1]
    for _ in range(400):
        found = rates_over_units(*counts(rates, *design, rng))
        ends = [(found.low, found.high), differences(found, 1), ratios(found, 1)]
        truths = (rates[0], difference, ratio)
        hits += [
            not sign * (end[0] - truth) > 1e-12
            for pair, truth in zip(ends, truths, strict=True)
            for sign, end in zip((1, -1), pair, strict=True)
        ]
    assert (hits / 400).min() >= 0.917


@pytest.mark.parametrize("rates", [(0.3, 0.3), (0.1, 0.1)])
@pytest.mark.parametrize("icc", [0.1, 0.4])
def test_intervals_hold_the_truth_where_few_units_have_most_answers(rates, icc):
    """Five names with 60 answers each beside 30 with ten; the same correlation makes theirs worth less."""
    is_held = []
    for seed in range(400):
        rng = np.random.default_rng([11, seed])
        (few, of_few), (many, of_many) = (
            counts(rates[:1], *design, icc, rng) for design in ((5, 60), (30, 10))
        )
        selected, counted = (
            np.concatenate([np.pad(a, ((0, 0), (0, 30))), np.pad(b, ((0, 0), (5, 0)))])
            for a, b in ((few, many), (of_few, of_many))
        )
        found = rates_over_units(selected, counted, 0.025)
        is_held.append((found.low <= rates) & (rates <= found.high))
    assert np.mean(is_held, axis=0).min() >= 0.917
