"""Items of lists: the gap by hand, what is planted is found, and without a cause seldom anything is."""

import numpy as np

from ingest.inference.design import Design
from ingest.inference.items import resample_items, share_gaps

N_PROMPTS, N_ITEMS, LENGTH = 30, 12, 6


def design_of(n_prompts):
    """Two groups of prompts, each asked once; each prompt is a block of its own."""
    group = np.repeat([0, 1], n_prompts)
    cells = np.arange(2 * n_prompts)
    return Design.from_codes([("A", (0,)), ("B", (1,))], group, cells, cells)


def lists(generator, n_to_a):
    """Lists of LENGTH of the items: those of A from the first `n_to_a` alone."""
    rows = np.zeros((2 * N_PROMPTS, N_ITEMS))
    for index, row in enumerate(rows):
        n = n_to_a if index < N_PROMPTS else N_ITEMS
        row[generator.permutation(n)[:LENGTH]] = 1
    return rows


def resampled(rows, n_bootstrap=100):
    return resample_items(design_of(N_PROMPTS), rows, n_permutations=199, n_bootstrap=n_bootstrap)


def test_the_gap_is_the_largest_share_less_the_smallest():
    tables = np.array([[4.0, 3, 1], [2, 1, 0], [0, 0, 0]])
    np.testing.assert_allclose(share_gaps(tables[:2]), [0.25, 0.25])
    assert np.isnan(share_gaps(tables)).all()  # a group without lists has no share


def test_items_that_one_group_never_gets_are_found_and_only_a_corrected_p_says_so():
    found = resampled(lists(np.random.default_rng(1), n_to_a=8))
    np.testing.assert_allclose(found.p_max[8:], 1 / 200)
    assert (found.ci_low[8:] > 0).all() and (found.gap <= found.ci_high).all()
    assert (found.p_max >= found.p_value).all()


def test_an_item_in_all_lists_stands_apart_from_none():
    rows = lists(np.random.default_rng(2), n_to_a=N_ITEMS)
    rows[:, 0] = 1
    found = resampled(rows)
    assert found.gap[0] == 0 and found.p_max[0] == 1


def test_without_a_difference_an_item_is_found_in_one_audit_of_twenty():
    found = [
        resampled(lists(np.random.default_rng([3, i]), n_to_a=N_ITEMS), n_bootstrap=0).p_max.min() <= 0.05
        for i in range(200)
    ]
    assert 1 <= sum(found) <= 20


def test_the_widest_gap_is_held_against_the_widest_of_any_item():
    found = resampled(lists(np.random.default_rng(1), n_to_a=8)).widest
    assert found.gap > 0.5 and found.p_value == found.min_attainable_p == 1 / 200
    assert found.null_p05 < found.null_median < found.null_p95 < found.gap
    assert found.tail > max(found.null_tails) and len(found.null_tails) == 199 and found.n_blocks == 30
    assert 0 < found.bound_low < found.gap < found.bound_high and found.ci_low < found.gap < found.ci_high


def test_all_lists_alike_leave_room_for_one_in_many_more():
    """The rule of three: what 30 prompts do not show, 1 - 0.05^(1/30) of others may."""
    rows = np.tile([1.0, 1, 0, 0], (2 * N_PROMPTS, 1))[:, :2]
    found = resample_items(design_of(N_PROMPTS), rows, n_permutations=199, n_bootstrap=2000).widest
    assert (found.gap, found.p_value, found.bound_low) == (0, 1, 0)
    assert 1 - 0.05 ** (1 / N_PROMPTS) <= found.bound_high < 0.2


def test_groups_with_more_answers_a_name_raise_no_alarm():
    """Names of one group have two lists each, of the other eight: rare items vary more in the first."""
    generator = np.random.default_rng(4)
    liked = -0.7 * np.log(np.arange(1, 31))
    block = np.repeat(np.arange(40), [2] * 20 + [8] * 20)
    labels, cells = (block >= 20).astype(int), np.arange(len(block))
    design = Design.from_codes([("A", (0,)), ("B", (1,))], labels, cells, block)
    found = []
    for _ in range(60):
        own = liked + 0.3 * generator.gumbel(size=(40, 30))
        ranks = (-own[block] - generator.gumbel(size=(len(block), 30))).argsort(1).argsort(1)
        rows = (ranks < LENGTH).astype(float)
        resampled = resample_items(design, rows, n_permutations=199, n_bootstrap=0)
        found.append((resampled.widest.p_value <= 0.05, resampled.p_max.min() <= 0.05))
    assert np.mean(found, axis=0).max() <= 0.1
