"""Pairs whose groups are shown by names: which of them move whole names, and what these draws give."""

import numpy as np
import pytest

from ingest.inference.drawing import p_values
from ingest.inference.named_pairs import NamedPairs, NamedSamples, Names, fewest_names, pair_weights

N_NAMES = 6  # of each group


@pytest.fixture
def paired():
    """Values of two groups in 5 roots: names 0 to 5 with names 6 to 11, in an order of each root's own."""
    generator = np.random.default_rng(3)
    own = np.concatenate([generator.permutation(N_NAMES) for _ in range(5)])
    other = N_NAMES + np.concatenate([generator.permutation(N_NAMES) for _ in range(5)])
    a, b = generator.normal(size=(2, len(own))).round(1)
    return a, b, own, other, np.repeat(np.arange(5), N_NAMES)


def names_of(own, other, root, seed=1):
    group = np.repeat([0, 1], len(own))
    return Names(group, np.concatenate([own, other]), np.tile(root, 2), 20, seed)


def area(a, b):
    values = np.unique(np.concatenate([a, b]))
    steps = [abs((a <= low).mean() - (b <= low).mean()) for low in values[:-1]]
    return float(np.dot(steps, np.diff(values)))


def test_names_move_where_they_lie_in_one_group_and_in_several_roots(paired):
    *_, own, other, root = paired
    assert names_of(own, other, root).move(0, 1) and fewest_names(own[:4], other) == 4
    # Roots that are blocks lie in both groups; a name of one root only is no unit of its own.
    assert not names_of(root, root, root).move(0, 1)
    assert not names_of(np.arange(30), np.arange(30, 60), np.arange(30)).move(0, 1)
    # One name a group is the group.
    assert not names_of(np.zeros(30, int), np.ones(30, int), root).move(0, 1)
    # Names that all lie in both groups differ in neither; one that does not tells the groups apart.
    assert not names_of(own, own[::-1], root).move(0, 1)
    assert names_of(own, np.where(own == 2, 9, own), root).move(0, 1)


def test_drawn_names_are_repeated_values(paired):
    a, b, own, other, root = paired
    names = names_of(own, other, root)
    weights = names.weights_of(N_NAMES)
    assert (weights[:, :N_NAMES].sum(1) == N_NAMES).all() and (weights.sum(1) == 2 * N_NAMES).all()
    samples = NamedSamples(a, b, own, other, names.n)
    differences = samples.differences(weights, -weights, 0.5)
    for row, distance, difference in zip(
        weights.astype(int), samples.distances(weights, -weights), differences, strict=True
    ):
        drawn_a, drawn_b = np.repeat(a, row[own]), np.repeat(b, row[other])
        assert distance == pytest.approx(area(drawn_a, drawn_b))
        assert difference == pytest.approx((drawn_a > 0.5).mean() - (drawn_b > 0.5).mean())


def test_given_names_take_all_their_values_along(paired):
    a, b, own, other, root = paired
    names = names_of(own, other, root)
    labels, same = names.relabelled(0, 1, 20)
    assert labels is same
    assert ((labels == 1).sum(1) == N_NAMES).all() and ((labels == -1).sum(1) == N_NAMES).all()
    found = NamedSamples(a, b, own, other, names.n).relabelled((labels, labels), None)
    values, block = np.concatenate([a, b]), np.concatenate([own, other])
    for row, distance in zip(labels, found, strict=True):
        assert distance == pytest.approx(area(values[row[block] > 0], values[row[block] < 0]))


def test_a_pair_is_drawn_where_both_names_are(paired):
    a, b, own, other, root = paired
    names = names_of(own, other, root)
    sums, counts = pair_weights(names.weights, own, other, [a, np.ones(len(a))])
    times = names.weights[:, own] * names.weights[:, other]
    assert sums == pytest.approx(times @ a) and counts == pytest.approx(times.sum(1))
    pairs = NamedPairs(a, b, own, other, names.n)
    steps = (a > 0.5).astype(float) - (b > 0.5)
    found = pairs.differences(names.weights, -names.weights, 0.5)
    assert found == pytest.approx(times @ steps / times.sum(1))
    assert not len(pairs.relabelled(names.relabelled(0, 1, 20), 0.5))


def test_a_name_of_both_groups_swaps_its_places(paired):
    a, b, own, other, root = paired
    other = np.where(other == 7, 2, other)
    names = names_of(own, other, root)
    of_a, of_b = names.relabelled(0, 1, 20)
    assert (of_a[:, 2] == -of_b[:, 2]).all() and set(of_a[:, 2]) == {-1, 1}
    assert ((of_a == 1).sum(1) - (of_a[:, 2] == 1) == N_NAMES - 1).all()
    found = NamedSamples(a, b, own, other, names.n).relabelled((of_a, of_b), None)
    values = np.concatenate([a, b])
    for first, second, distance in zip(of_a, of_b, found, strict=True):
        label = np.concatenate([first[own], second[other]])
        assert distance == pytest.approx(area(values[label > 0], values[label < 0]))
    # Paired with itself it is drawn once.
    own, other = np.array([2, 2]), np.array([2, 5])
    (counts,) = pair_weights(names.weights, own, other, [np.ones(2)])
    assert counts == pytest.approx(names.weights[:, 2] * (1 + names.weights[:, 5]))


def test_few_names_have_no_draws(paired):
    *_, own, other, root = paired
    assert names_of(own, other, root).weights_of(4).shape == (0, 2 * N_NAMES)


@pytest.mark.parametrize("n_shared", [0, 1])
def test_names_that_differ_are_no_difference_of_groups(n_shared):
    """8 names a group in 10 roots: with roots that swap places half of such tests found a difference."""
    n_found, n = 0, 200
    for seed in range(n):
        generator = np.random.default_rng(seed)
        level = generator.normal(0, 0.75, 16)
        own, other = np.tile(np.arange(8), 10), np.tile(np.arange(8, 16) - 8 * (np.arange(8) < n_shared), 10)
        a, b = (level[block] + generator.normal(size=80) for block in (own, other))
        names = names_of(own, other, np.repeat(np.arange(10), 8), seed)
        assert names.move(0, 1)
        samples = NamedSamples(a, b, own, other, 16)
        null = samples.relabelled(names.relabelled(0, 1, 99), None)
        ones = np.ones((1, 16))
        n_found += int(p_values(null[None], samples.distances(ones, -ones))[0] <= 0.05)
    assert n_found <= 0.1 * n
