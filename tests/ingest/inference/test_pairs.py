"""Distances of paired samples under drawn and swapped roots; similarities of relabelled groups."""

import runpy
import tracemalloc
from itertools import combinations, permutations, product

import numpy as np
import pytest
from places import ROOT

from ingest.inference import pairs
from ingest.inference.pairs import (
    Samples,
    chance,
    draw_roots,
    highest_spreads,
    relabelled_similarities,
    spreads,
    spreads_by_chance,
    swaps,
    weighted_means,
)


@pytest.fixture
def samples():
    generator = np.random.default_rng(5)
    roots = np.repeat(np.arange(12), 3)
    a, b = generator.normal(size=(2, 36)).round(1)
    return Samples(a, b, roots, 12), a, b, roots


def sorted_distance(a, b):
    return np.abs(np.sort(a) - np.sort(b)).mean()


def test_distance_is_that_of_sorted_values(samples):
    own, a, b, _ = samples
    assert own.distances(np.ones((1, 12)))[0] == pytest.approx(sorted_distance(a, b))
    assert own.differences(np.ones((1, 12)), 0.5)[0] == pytest.approx((a > 0.5).mean() - (b > 0.5).mean())


def test_drawn_roots_are_repeated_values(samples):
    own, a, b, roots = samples
    weights = draw_roots(12, 20, np.random.default_rng(1))
    assert weights.shape == (20, 12) and (weights.sum(1) == 12).all()
    for row, distance, difference in zip(
        weights, own.distances(weights), own.differences(weights, 0.5), strict=True
    ):
        times = row[roots].astype(int)
        drawn_a, drawn_b = np.repeat(a, times), np.repeat(b, times)
        assert distance == pytest.approx(sorted_distance(drawn_a, drawn_b))
        assert difference == pytest.approx((drawn_a > 0.5).mean() - (drawn_b > 0.5).mean())


def test_swapped_roots_exchange_their_values(samples):
    own, a, b, roots = samples
    signs = swaps(12, 20, np.random.default_rng(2))
    assert set(signs.ravel()) == {-1.0, 1.0}
    for row, distance, difference in zip(
        signs, own.distances(signs), own.differences(signs, 0.5), strict=True
    ):
        is_swapped = row[roots] < 0
        left, right = np.where(is_swapped, b, a), np.where(is_swapped, a, b)
        assert distance == pytest.approx(sorted_distance(left, right))
        assert difference == pytest.approx((left > 0.5).mean() - (right > 0.5).mean())


def test_what_is_drawn_part_by_part_is_what_is_drawn_at_once(samples, monkeypatch):
    own, *_ = samples

    def numbers():
        weights, signs = (f(12, 20, np.random.default_rng(3)) for f in (draw_roots, swaps))
        found = [own.distances(weights), own.distances(signs), own.differences(weights, 0.5)]
        return np.concatenate([weights.ravel(), signs.ravel(), *found])

    at_once = numbers()
    monkeypatch.setattr(pairs, "CHUNK_BYTES", 3 * 8 * 12)
    assert numbers() == pytest.approx(at_once, rel=1e-12)


def test_memory_grows_with_roots_and_not_with_their_square():
    n = 20_000
    values = np.random.default_rng(4).normal(size=(2, n))
    tracemalloc.start()
    own = Samples(*values, np.arange(n), n)
    own.distances(draw_roots(n, 30, np.random.default_rng(5)))
    (_, peak), _ = tracemalloc.get_traced_memory(), tracemalloc.stop()
    assert peak < 50e6


def test_too_few_roots_are_not_drawn():
    assert draw_roots(9, 100, np.random.default_rng(1)).shape == (0, 9)
    assert np.isnan(weighted_means(np.ones((1, 2)), np.zeros((2, 1)), np.zeros((2, 1)))).all()


def test_similarities_of_relabelled_groups_are_those_of_renamed_pairs():
    """With one root every relabelling is one of six, and each pair meets each similarity equally often."""
    similarity = {(0, 1): 0.1, (0, 2): 0.4, (1, 2): 0.9}
    sums = np.zeros((1, 1, 3, 3))
    for (a, b), value in similarity.items():
        sums[0, 0, a, b] = sums[0, 0, b, a] = value
    pairs = np.array(list(similarity))
    draws = relabelled_similarities(sums, np.ones_like(sums), pairs, 3_000, np.random.default_rng(4))[0].T
    expected = {
        tuple(similarity[tuple(sorted((order[a], order[b])))] for a, b in pairs)
        for order in permutations(range(3))
    }
    assert {tuple(row) for row in draws.tolist()} == expected
    assert draws.mean(0) == pytest.approx(np.full(3, np.mean(list(similarity.values()))), abs=0.03)


def test_missing_pairs_move_with_their_group():
    counts = np.ones((1, 1, 3, 3))
    counts[0, 0, 0, 1] = counts[0, 0, 1, 0] = 0
    pairs = np.array([[0, 1], [0, 2], [1, 2]])
    draws = relabelled_similarities(counts * 0.5, counts, pairs, 200, np.random.default_rng(4))[0].T
    assert (np.isnan(draws).sum(1) == 1).all() and np.nanmax(draws) == np.nanmin(draws) == 0.5


def test_p_values_count_ties_and_are_never_zero():
    draws = np.array([[0.0, 1.0, 2.0]])
    assert chance(draws, np.array([1.0]), "greater").p_value[0] == 3 / 4
    assert chance(draws, np.array([3.0]), "greater").p_value[0] == 1 / 4
    assert chance(draws, np.array([1.0]), "less").p_value[0] == 3 / 4
    assert chance(draws, np.array([-2.0]), "two_sided").p_value[0] == 2 / 4
    assert np.isnan(chance(np.zeros((1, 0)), np.array([1.0]), "less").p_value[0])


def test_swapping_is_uniform_without_a_difference():
    """Of all 2^6 swaps each is as likely: the share of p <= 0.25 is at most 0.25."""
    every = np.array(list(product((1.0, -1.0), repeat=6)))
    generator = np.random.default_rng(9)
    small = 0
    for _ in range(200):
        values = generator.normal(size=(2, 6)) + generator.normal(size=6)
        own = Samples(values[0], values[1], np.arange(6), 6)
        p = chance(own.distances(every)[None], own.distances(np.ones((1, 6))), "greater").p_value[0]
        small += p <= 0.25
    assert 25 <= small <= 65


def test_highest_spread_of_equal_roots_is_the_rule_of_three():
    """Twenty roots on which all pairs are alike: as many others as 1 - 0.05^(1/20), a little more for t."""
    found = highest_spreads(np.ones((3, 4000)), np.ones(3), 20, np.random.default_rng(2))
    assert 1 - 0.05 ** (1 / 20) - 0.01 < found[0] < 1 - 0.04 ** (1 / 20) + 0.01
    assert np.isnan(highest_spreads(np.ones((1, 100)), np.ones(1), 20, np.random.default_rng(2))).all()
    assert np.isnan(highest_spreads(np.ones((3, 0)), np.ones(3), 20, np.random.default_rng(2))).all()


@pytest.mark.parametrize("truth", [(0.5, 0.5, 0.5), (0.6, 0.5, 0.4), (1.0, 1.0, 0.9)])
def test_highest_spreads_hold(truth):
    """Of 200 simulated audits of 30 roots; 0.95 less three standard errors is 0.90."""
    rng = np.random.default_rng(9)
    hits = np.zeros(2)
    for _ in range(200):
        values = rng.random((30, 3)) < truth
        weights = draw_roots(30, 300, rng)
        draws = weighted_means(weights, values, np.ones_like(values)).T
        found = highest_spreads(draws, values.mean(0), 30, rng)
        hits += found >= spreads(np.reshape(truth, (3, 1)))[:, 0] - 1e-12
    assert (hits / 200).min() >= 0.9


def test_chance_of_a_spread_is_drawn_from_all_pairs_at_once():
    """Of draws with ranges 0, 0.25 and 1 and their deviations; no pair alone has a spread."""
    draws = np.array([[0.5, 0.5, 0.0], [0.5, 0.25, 1.0]])
    found = spreads_by_chance(draws, np.array([0.5, 0.25]))
    null = [[0, 0.25, 1], [0, 0.125, 0.5]]
    assert found.judged.null_p95 == pytest.approx(np.quantile(null, 0.95, axis=1))
    # Of the three and what was observed itself, three are at least 0.25.
    assert found.judged.p_value == pytest.approx([3 / 4, 3 / 4])
    assert len(found.null_tails) == 3 and found.tail == pytest.approx(found.null_tails[1])
    for without, of in (
        (draws[:1], np.zeros(1)),
        (draws[:, :0], np.zeros(2)),
        (draws, np.array([0.5, np.nan])),
    ):
        found = spreads_by_chance(without, of)
        assert np.isnan([*found.judged.p_value, *found.judged.null_p95, found.tail]).all()
        assert found.null_tails is None


def test_a_spread_lies_beyond_chance_in_one_of_twenty_audits_without_a_difference():
    """Of 200 simulated audits of 20 roots and four groups; 0.05 and three standard errors are 0.10."""
    rng = np.random.default_rng(6)
    pairs = np.array(list(combinations(range(4), 2)))
    beyond = np.zeros(2)
    for _ in range(200):
        own = rng.random((1, 20, 4, 4)) + rng.random((1, 20, 1, 1))
        sums = own + own.transpose(0, 1, 3, 2)
        draws = relabelled_similarities(sums, np.ones_like(sums), pairs, 200, rng)[0]
        observed = sums[0][:, pairs[:, 0], pairs[:, 1]].mean(0)
        beyond += spreads_by_chance(draws[:3], observed[:3]).judged.p_value <= 0.05
    assert (beyond / 200).max() <= 0.1


def test_relabelling_many_pairs_holds_a_few_draws_at_once():
    sums = np.random.default_rng(4).random((1, 200, 40, 40))
    many = np.array(list(combinations(range(40), 2)))
    tracemalloc.start()
    relabelled_similarities(sums, np.ones_like(sums), many, 60, np.random.default_rng(5))
    (_, peak), _ = tracemalloc.get_traced_memory(), tracemalloc.stop()
    assert peak < 20e6


def test_where_no_root_has_two_groups_there_is_nothing_to_read():
    model = runpy.run_path(str(ROOT / "models/intermediate/pairs/int_pairs_resampled.py"))
    assert list(model["_with_pairs"]([], None)) == []
