"""Two sides that answered the same: against enumeration of exchanges, and on simulated sides."""

import tracemalloc
from itertools import product

import numpy as np
import pytest
from designs import close, mixed, rows_by, whole_blocks, within_blocks

from ingest.inference.design import Design
from ingest.inference.differences import resample_differences
from ingest.inference.group_statistics import group_mean, statistics_of
from ingest.inference.sums import group_table, outcome_sums, score_sums, selection_sums

ALIKE = ("cramers_v", "max_fdi_pooled", "max_jsd_nats_pooled")


def two_sides(design, rng, odds_a, odds_b, n_outcomes=2):
    """One-hot answers of two sides, whose second group leans to the first outcome by so much."""
    shared = rng.normal(0, 0.5, design.block.max() + 1)[design.block]
    sides = []
    for odds in (odds_a, odds_b):
        logit = shared + np.where(design.group == 1, odds, 0)
        sides.append(outcome_sums(rng.random(len(logit)) < 1 / (1 + np.exp(-logit)), n_outcomes))
    return np.stack(sides)


def compared(design, sides, pairs=((0, 1),), names=ALIKE, **settings):
    settings = {"n_permutations": 199, "n_bootstrap": 100, "seed": 4} | settings
    return [rows_by(found) for found in resample_differences(design, sides, names, list(pairs), **settings)]


def test_difference_of_two_sides():
    """Twelve blocks ask about F and M. Side a: F 9 of 12, M 3 of 12; side b: F 6 of 12, M 3 of 12."""
    design = within_blocks(12, 2)
    block, group = design.block, design.group
    a = np.where(group == 0, block < 9, block < 3)
    b = np.where(group == 0, block < 6, block < 3)
    (found,) = compared(
        design, np.stack([selection_sums(a), selection_sums(b)]), names=statistics_of("selection")
    )
    ratio, rate = found["min_impact_ratio", None], found["selection_rate", "0"]
    close([ratio.value_a, ratio.value_b, ratio.difference], [1 / 3, 1 / 2, 1 / 6])
    close([rate.value_a, rate.value_b, rate.difference], [0.75, 0.5, -0.25])
    close(found["range", None].difference, -0.25)
    assert (rate.n, ratio.n, rate.n_units, ratio.n_units_differing) == (12, 24, 12, 3)
    # Three blocks differ: of eight exchanges two give the whole difference, and each as often.
    close(ratio.min_attainable_p, 1 / 4)
    close(rate.p_value, 1 / 4, 0.08)
    (outcomes,) = compared(design, np.stack([outcome_sums(side, 2) for side in (a, b)]))
    close(outcomes["cramers_v", None].value_a, 0.5)
    close(outcomes["cramers_v", None].difference, np.sqrt(1 / 15) - 0.5)


def test_exchanges_match_full_enumeration():
    design = within_blocks(6, 2)
    rng = np.random.default_rng(3)
    sides = np.stack([score_sums(rng.normal(size=12)) for _ in range(2)])
    (found,) = compared(design, sides, names=("range", "mean"), n_permutations=20_000, n_bootstrap=0)
    every = []
    for swapped in product([False, True], repeat=6):
        is_swapped = np.array(swapped)[design.block]
        means = [
            group_mean(group_table(design.group, np.where(is_swapped[:, None], one, other), 2))
            for one, other in ((sides[1], sides[0]), sides)
        ]
        every.append([np.ptp(means[1]) - np.ptp(means[0]), means[1][0] - means[0][0]])
    for name, draws in zip((("range", None), ("mean", "0")), np.array(every).T, strict=True):
        exact = np.mean(np.abs(draws) >= abs(found[name].difference) - 1e-12)
        close(found[name].p_value, exact, 0.01)
        close(found[name].min_attainable_p, 2 / 64)


def test_the_same_answers_do_not_differ():
    design = mixed(20, 3)
    side = two_sides(design, np.random.default_rng(1), 1, 1)[0]
    (found,) = compared(design, np.stack([side, side]))
    for row in found.values():
        assert (row.difference, row.p_value) == (0, 1)
        assert row.ci_low < 0 < row.ci_high  # other prompts could tell them apart
        assert row.n_units_differing == 0 and row.min_attainable_p == 1


def test_sides_that_never_vary_are_not_certain():
    """Twenty names a group: of a side that says yes to all, the exact binomial allows 16.8 % noes."""
    design, exact = whole_blocks(40, 2, 1), 0.168
    yes, apart = np.ones(40), np.where(design.group == 1, 1, 0)
    for a, b in ((yes, yes), (yes, apart), (apart, apart)):
        sides = np.stack([selection_sums(a), selection_sums(b)])
        (found,) = compared(design, sides, names=("selection_rate", "range"), n_bootstrap=999)
        for row in found.values():
            width = max(row.ci_high - row.difference, row.difference - row.ci_low)
            assert 0.8 * exact <= width <= 2.6 * exact


def test_swapped_sides_change_the_sign_and_nothing_else():
    design = within_blocks(15, 3, repeats=2)
    rng = np.random.default_rng(2)
    sides = np.stack([score_sums(rng.normal(size=90)) for _ in range(3)])
    names = statistics_of("score")
    alone = compared(design, sides[:2], names=names)[0]
    forth, back = compared(design, sides, ((0, 1), (1, 0)), names=names, chunk_bytes=10_000)
    for name, row in forth.items():
        other = back[name]
        for ours, theirs in zip(row, alone[name], strict=True):  # alone or beside a third
            assert ours == theirs or abs(ours - theirs) < 1e-12 or ours != ours
        np.testing.assert_equal(
            (row.difference, row.p_value, row.value_a, row.value_b),
            (-other.difference, other.p_value, other.value_b, other.value_a),
        )
        close([row.ci_low, row.ci_high], [-other.ci_high, -other.ci_low], 1e-12)


def test_order_of_paired_rows_does_not_matter():
    design = whole_blocks(24, 2, 3)
    sides = two_sides(design, np.random.default_rng(5), 0.5, 2)
    order = np.random.default_rng(6).permutation(len(design.group))
    columns = (design.attributes, design.group, design.prompt, design.block)
    moved = Design(*(column[order] for column in columns), design.labels)
    assert compared(design, sides) == compared(moved, sides[:, order])


def test_too_few_units_have_no_interval():
    design = within_blocks(8, 2)
    (found,) = compared(design, two_sides(design, np.random.default_rng(0), 0, 3))
    row = found["cramers_v", None]
    assert row.ci_status == "too_few" and np.isnan([row.ci_low, row.ci_high]).all() and row.p_value > 0


def test_too_few_draws_with_a_value_are_not_called_too_few_units():
    """Group 2 is asked in one of twelve blocks: every third draw or so lacks it."""
    group = np.array([0, 1] * 12 + [2])
    block = np.append(np.repeat(np.arange(12), 2), 0)
    design = Design.from_values([group], range(25), block)
    sides = np.random.default_rng(0).random((2, 25))
    (found,) = compared(design, np.stack([score_sums(side) for side in sides]), names=("mean",))
    assert found["mean", "2"].ci_status == "too_few_draws" and np.isnan(found["mean", "2"].ci_low)
    assert found["mean", "0"].ci_status == "ok"


def test_sides_that_cannot_be_computed_say_why():
    design = within_blocks(12, 2)
    nobody, half = np.zeros(24), design.block < 6
    (found,) = compared(
        design, np.stack([selection_sums(nobody), selection_sums(half)]), names=("min_impact_ratio",)
    )
    row = found["min_impact_ratio", None]
    assert (row.status, row.ci_status) == ("zero_max", "not_applicable")
    assert np.isnan([row.difference, row.p_value, row.ci_low, row.min_attainable_p]).all()
    assert resample_differences(within_blocks(0, 2), np.zeros((2, 0, 2)), ("range",), [(0, 1)]) == [[]]


def test_sides_that_do_not_fit_are_refused():
    design = within_blocks(12, 2)
    with pytest.raises(ValueError, match="one table of rows a side"):
        resample_differences(design, np.ones((24, 2)), ("range",), [])
    with pytest.raises(ValueError, match="one row per response"):
        resample_differences(design, np.ones((2, 23, 2)), ("range",), [])
    with pytest.raises(KeyError):
        resample_differences(design, np.ones((2, 24, 2)), ("no such",), [])


@pytest.mark.parametrize(("odds_b", "low", "high"), [(0.8, 0, 0.09), (6, 0.85, 1)])
def test_sides_differ_where_they_do(odds_b, low, high):
    """Two sides with the same bias are told apart in at most about one of twenty."""
    design = within_blocks(60, 2)
    rng = np.random.default_rng(8)
    n, n_found = 120, 0
    for seed in range(n):
        (found,) = compared(design, two_sides(design, rng, 0.8, odds_b), names=("cramers_v",), seed=seed)
        row = found["cramers_v", None]
        n_found += row.p_value <= 0.05 and (row.ci_low > 0 or row.ci_high < 0)
    assert low <= n_found / n <= high


def test_another_level_is_no_other_bias():
    """Side b says yes to nine of ten, side a to half; neither minds the group."""
    design = within_blocks(40, 6)
    rng = np.random.default_rng(9)
    n, n_exchanged, n_found = 60, 0, 0
    for seed in range(n):
        sides = np.stack([selection_sums(rng.random(240) < rate) for rate in (0.5, 0.9)])
        (found,) = compared(design, sides, names=("min_impact_ratio",), seed=seed, n_bootstrap=0)
        row = found["min_impact_ratio", None]
        n_exchanged += row.p_exchanged <= 0.05
        n_found += row.p_value <= 0.05
    assert n_exchanged / n > 0.3 and n_found / n <= 0.12


def test_draws_of_many_units_take_a_bit_each():
    design = within_blocks(10_000, 2)
    sides = two_sides(design, np.random.default_rng(2), 0.2, 0.4)
    tracemalloc.start()
    compared(design, sides, n_permutations=1_000)
    (_, peak), _ = tracemalloc.get_traced_memory(), tracemalloc.stop()
    assert peak < 1_000 * 10_000 * 4  # draws as numbers of eight bytes were twice as much


def test_a_side_that_never_varies_adds_no_doubt_to_the_other():
    """Twenty roots. Side a never fails; side b fails for two of five answers about one group in each root.

    Only side b of that group varies, and its own draws say by how much.
    """
    design = within_blocks(20, 2, repeats=5)
    repeat = np.arange(200) % 5
    sides = np.stack([selection_sums(np.zeros(200)), selection_sums((design.group == 0) & (repeat < 2))])
    (found,) = compared(design, sides, names=("selection_rate", "range"), n_bootstrap=999)
    # 1 - 0.025^(1/20) of a group may do what no root did: in side a's of one group, in side b's of the other.
    assert found["range", None].ci_low > 0
    close(found["selection_rate", "0"].ci_low, 0.4 - 0.168, 0.03)
    assert found["selection_rate", "0"].ci_high < 0.45
