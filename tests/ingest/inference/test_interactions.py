"""Tests of `ingest.inference.interactions`: combinations of attributes beside their main effects."""

import tracemalloc

import numpy as np
import pytest

from ingest.inference.interactions import interaction
from ingest.inference.linear import anova_type_2


def crossed(n_names, n_answers, rng, shape=(2, 3), shift=0.0, icc=0.3, shared=False):
    """Scores with main effects and `shift` at one combination; names lie in one of them, or in all."""
    cell = np.repeat(np.arange(np.prod(shape)), n_names * n_answers)
    one, other = np.unravel_index(cell, shape)
    name = np.repeat(np.arange(np.prod(shape) * n_names), n_answers)
    if shared:
        name = name % n_names
    own = rng.normal(0, np.sqrt(icc), size=name.max() + 1)
    y = 0.8 * one + 0.5 * other + own[name] + rng.normal(0, np.sqrt(1 - icc), size=len(cell))
    return np.column_stack([one, other]), cell, name, (y + shift * (cell == 0))[:, None]


def unit_means(attributes, cell, name, y):
    _, first, unit = np.unique(cell * 10_000 + name, return_index=True, return_inverse=True)
    return np.bincount(unit, y[:, 0]) / np.bincount(unit), attributes[first].T


@pytest.mark.parametrize("n_names", [3, 8])
def test_the_share_is_that_of_a_type_two_anova(n_names):
    rng = np.random.default_rng(n_names)
    design = crossed(n_names, 4, rng, shift=1.0)
    found = interaction(*design, 999, 1)
    means, factors = unit_means(*design)
    terms = {term.term: term for term in anova_type_2(means, list(factors), ["a", "b"])}
    both = terms["a & b"]
    f = found.share / (1 - found.share) * both.dof_residual / both.dof
    assert f == pytest.approx(both.value)
    assert found.dof == both.dof == 2
    assert found.p_value == pytest.approx(both.p_value, abs=0.03)


@pytest.mark.parametrize("shared", [False, True])
def test_main_effects_alone_seldom_make_an_interaction(shared):
    found = [
        interaction(*crossed(4, 5, np.random.default_rng(seed), icc=0.6, shared=shared), 99, seed)
        for seed in range(200)
    ]
    p = np.array([one.p_value for one in found])
    assert (p <= 0.05).mean() <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / len(p))
    assert 0.4 < p.mean() < 0.6


@pytest.mark.parametrize("shared", [False, True])
def test_a_combination_that_differs_is_found_and_named(shared):
    # The same names in all combinations: what a name adds is in none of their differences.
    found = [
        interaction(*crossed(8, 5, np.random.default_rng(seed), shift=2.0, shared=shared), 99, seed)
        for seed in range(20)
    ]
    assert np.mean([one.p_value <= 0.05 for one in found]) >= 0.9
    assert [int(one.departure[:, 0].argmax()) for one in found].count(0) >= 18
    # A shift of 2 at one of six combinations: 2 × (1 - 1/2) × (1 - 1/3) beside what its row and column take.
    assert np.mean([one.departure[0, 0] for one in found]) == pytest.approx(2 / 3, abs=0.1)


def test_a_small_combination_that_varies_more_is_no_interaction():
    # Six women of each race of whom half are chosen, thirty men of whom hardly any is: gender alone matters.
    p = []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        cell = np.repeat(np.arange(6), [6, 6, 6, 30, 30, 30])
        attributes = np.column_stack(np.unravel_index(cell, (2, 3)))
        mean = np.where(cell < 3, 0.5, 0.03)
        chosen = rng.binomial(3, rng.beta(mean * 7 / 3, (1 - mean) * 7 / 3)) / 3
        p.append(interaction(attributes, cell, np.arange(108), chosen[:, None], 99, seed).p_value)
    # By permutations alone 39 in 100.
    assert (np.array(p) <= 0.05).mean() <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / len(p))


def test_flips_give_what_all_flips_by_hand_give():
    cell = np.repeat(np.arange(4), [2, 2, 2, 5])
    attributes = np.column_stack(np.unravel_index(cell, (2, 2)))
    y = np.array([0.0, 9, 5, 3, 1, 8, 2, 2.5, 1.5, 2, 2.25])
    main = np.column_stack([np.ones(11), attributes])
    both = np.column_stack([main, attributes.prod(axis=1)])

    def left(values, design):
        return values - design @ np.linalg.lstsq(design, values, rcond=None)[0]

    def share(values):
        return 1 - (left(values, both) ** 2).sum(0) / (left(values, main) ** 2).sum(0)

    signs = 1 - 2 * (np.arange(2**11)[:, None] >> np.arange(11) & 1)
    exact = (share((left(y, main) * signs).T) >= share(y) - 1e-12).mean()
    found = interaction(attributes, cell, np.arange(11), y[:, None], 4_999, 1)
    assert found.p_value == pytest.approx(exact, abs=0.02)
    permuted = np.random.default_rng(1).permuted(np.tile(left(y, main), (4_999, 1)), axis=1)
    assert (share(permuted.T) >= share(y)).mean() < exact - 0.05


def test_answers_of_one_name_are_one_row():
    rng = np.random.default_rng(2)
    attributes, cell, name, y = crossed(3, 1, rng, shift=1.0)
    once = interaction(attributes, cell, name, y, 199, 1)
    repeated = interaction(*(np.repeat(one, 7, axis=0) for one in (attributes, cell, name, y)), 199, 1)
    assert once.n_units == repeated.n_units == 18
    assert (once.share, once.p_value) == pytest.approx((repeated.share, repeated.p_value))


def test_outcomes_are_judged_together_and_their_departures_cancel():
    # Women of A and men of B say the one, the others the other: no main effect, all of it together.
    cell = np.repeat(np.arange(4), 10)
    attributes = np.column_stack(np.unravel_index(cell, (2, 2)))
    outcome = np.where((attributes.sum(axis=1) == 1) ^ (np.arange(40) % 10 == 0), 0, 1)
    found = interaction(attributes, cell, np.arange(40), np.eye(2)[outcome], 999, 1)
    assert found.p_value == pytest.approx(0.001)
    # 9 of 10 say it, expected are 5 of 10: the share explained is that of 0.4 squared in 0.25.
    assert found.share == pytest.approx(0.16 / 0.25)
    assert np.abs(found.departure) == pytest.approx(np.full((4, 2), 0.4))
    assert found.departure.sum(axis=1) == pytest.approx(np.zeros(4))


def test_what_cannot_be_told_has_a_status():
    attributes = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    group, blocks = np.arange(4), np.arange(4)
    one_each = interaction(attributes, group, blocks, np.array([[1.0], [2], [2], [5]]), 9, 1)
    assert (one_each.status, one_each.n_units) == ("too_few", 4)
    twice = [np.repeat(one, 2, axis=0) for one in (attributes, group)]
    flat = interaction(*twice, np.arange(8), np.full((8, 1), 3.0), 9, 1)
    assert flat.status == "zero_variance" and np.isnan(flat.p_value)
    three = [np.repeat(one[:3], 3, axis=0) for one in (attributes, group)]
    y = np.arange(9.0)[:, None] ** 2
    assert interaction(*three, np.arange(9), y, 9, 1).status == "not_crossed"


def test_a_share_of_nothing_is_no_less_than_nothing():
    """Counts of answers whose main effects leave nothing: rounding alone gave -2e-32."""
    cells = np.tile(np.arange(4), 30)
    attributes, name = np.column_stack([cells // 2, cells % 2]), np.repeat(np.arange(30), 4)
    answers = (np.random.default_rng(seed).integers(0, 2, 120) for seed in range(400))
    additive = [y for y in answers if np.bincount(cells, y) @ [1, -1, -1, 1] == 0]
    assert len(additive) > 10
    shares = [interaction(attributes, cells, name, np.eye(2)[y], 5, 0).share for y in additive]
    assert min(shares) >= 0 and max(shares) < 1e-12


@pytest.mark.parametrize("shared", [False, True])
def test_memory_does_not_grow_with_combinations_times_answers(shared):
    design = crossed(20, 1, np.random.default_rng(8), shape=(20, 20), shared=shared)
    tracemalloc.start()
    found = interaction(*design, 99, 1)
    (_, peak), _ = tracemalloc.get_traced_memory(), tracemalloc.stop()
    assert found.dof == 19 * 19
    assert peak < 40e6


def test_a_combination_that_nobody_answered_about_counts_for_nothing():
    attributes, cell, name, y = crossed(8, 2, np.random.default_rng(9), shape=(3, 3), shift=1.0)
    there = cell != 4
    without = interaction(attributes[there], cell[there], name[there], y[there], 99, 1)
    dense = np.unique(cell[there], return_inverse=True)[1]
    again = interaction(attributes[there], dense, name[there], y[there], 99, 1)
    assert without.dof == again.dof == 3
    assert (without.share, without.p_value) == (pytest.approx(again.share), again.p_value)
