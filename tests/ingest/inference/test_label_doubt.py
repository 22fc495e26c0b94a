"""What few labels leave open: known bounds, and verdicts of a rule that hides a difference."""

import numpy as np
import pytest

from ingest.inference.corrected import (
    NONE,
    Labels,
    corrected_outcomes,
    folds,
    reading_cells,
    selection_sums_corrected,
    share_intervals,
    stands_for,
)
from ingest.inference.design import Design
from ingest.inference.label_doubt import Doubt
from ingest.inference.power import labels_needed
from ingest.inference.resampling import resample

N_NAMES, N_OF_NAME = 100, 10


def _audit(n_labels, wrong=0):
    """Two groups of which the rule finds half favourable; people agree but for `wrong` of the second."""
    n = 2 * N_NAMES * N_OF_NAME
    group, block = np.repeat([0, 1], n // 2), np.repeat(np.arange(2 * N_NAMES), N_OF_NAME)
    read = np.arange(n) % 2
    is_there, said = np.zeros(n, bool), read.copy()
    for cell in range(4):
        drawn = np.flatnonzero((group == cell // 2) & (read == cell % 2))
        drawn = drawn[np.linspace(0, len(drawn) - 1, n_labels).astype(int)]
        is_there[drawn] = True
        if cell == 3:
            said[drawn[:wrong]] = 0
    design = Design.from_codes([("A", (0,)), ("B", (1,))], group, np.arange(n), block)
    labels = Labels(is_there, np.where(is_there, said, NONE), np.zeros(n), is_there * 1.0)
    corrected = corrected_outcomes(group, read, labels, folds(design), 2)
    sums = selection_sums_corrected(corrected, np.array([False, True]))
    cell = reading_cells(group, read, 2)
    return design, sums, Doubt.of(design, cell, stands_for(cell, labels), sums)


def _judged(audit):
    design, sums, doubt = audit
    names = ("min_impact_ratio", "range")
    return {row.statistic: row for row in resample(design, sums, names, 200, 1000, 0, doubt=doubt)}


def test_labels_that_all_agree_leave_the_rule_of_three_open():
    """The 95 % quantile of one more label is the exact binomial bound, of half the answers of a group."""
    design, sums, doubt = _audit(10)
    table = np.array([sums[design.group == one].sum(0) for one in range(2)])
    apart, together = doubt.drawn("selection", table, 0, 0)(20_000)
    exact = 1 - 0.05**0.1  # of ten labels without an error
    unread = N_NAMES * N_OF_NAME / 2 - 10
    assert np.quantile(np.abs(apart[:, 0, 1]), 0.95) == pytest.approx(unread * exact, rel=0.03)
    assert np.sign(apart[:, 0, 1]).max() == -np.sign(apart[:, 1, 1]).max()
    np.testing.assert_allclose(apart[..., 0], 0, atol=1e-9)
    assert np.sign(together[:, 0, 1]).max() == -np.sign(apart[:, 0, 1]).max()


def test_few_labels_that_agree_prove_no_pass_and_many_do():
    """Without a disagreement 28 labels leave the ratio below 0.8 open; 800 do not."""
    few, many = _judged(_audit(7)), _judged(_audit(200))
    assert few["min_impact_ratio"].bound_low < 0.7
    assert many["min_impact_ratio"].bound_low > 0.8
    for rows in (few, many):
        interval = rows["range"].ci_high - rows["range"].ci_low
        assert interval > 0
    assert few["range"].ci_high > many["range"].ci_high + 0.1


def test_redrawing_alone_would_have_passed():
    """What is kept out: with nothing left open the same 28 labels have a bound within the limit."""
    design, sums, doubt = _audit(7)
    blind = doubt._replace(unread=np.zeros_like(doubt.unread), n_units=np.full(2, np.inf))
    assert _judged((design, sums, blind))["min_impact_ratio"].bound_low > 0.8


def test_what_everybody_has_read_leaves_nothing_open():
    """Where all answers are labelled no label more moves anything, and no variance is the labels'."""
    design, sums, doubt = _audit(N_NAMES * N_OF_NAME // 2)
    table = np.array([sums[design.group == one].sum(0) for one in range(2)])
    apart, together = doubt.drawn("selection", table, 0, 0)(10)
    assert not apart.any()
    assert not together.any()
    assert doubt.part == pytest.approx(0, abs=1e-9)


def test_a_reading_that_nobody_looked_at_may_mean_anything():
    """Its answers count, whole, for the outcome that sets the group apart."""
    design, sums, doubt = _audit(50)
    unseen = doubt._replace(worth=np.where(np.arange(4) == 3, 0, doubt.worth))
    assert unseen.unseen.tolist() == pytest.approx([0, doubt.unread[3] / (N_NAMES * N_OF_NAME)])
    table = np.array([sums[design.group == one].sum(0) for one in range(2)])
    table[1, 1] -= 10  # the second group has fewer favourable ones
    _, _, moved = unseen.moves("selection", table, is_apart=True)
    assert moved[1, 1] == pytest.approx(-doubt.unread[3])
    assert _judged((design, sums, unseen))["min_impact_ratio"].bound_low < 0.3


def test_a_heavy_label_is_worth_less():
    """A label that stands for more answers than others leaves as much open as fewer labels would."""
    design, sums, _ = _audit(50)
    cell, n = design.group.copy(), len(design.group)
    even, skewed = np.zeros(n), np.zeros(n)
    for one in range(2):
        own = np.flatnonzero(cell == one)[:50]
        even[own], skewed[own] = 20, 10
        skewed[own[:10]] = 60
    assert Doubt.of(design, cell, even, sums).worth.tolist() == [50, 50]
    assert Doubt.of(design, cell, skewed, sums).worth == pytest.approx([1000 / 60, 1000 / 60])


def test_the_part_of_labels_falls_with_more_of_them():
    """Of few labels nearly all variance is theirs; errors in them add to it."""
    parts = [_audit(n, wrong=n // 5)[2].part for n in (10, 50, 400)]
    assert 0.9 < parts[0] <= 1
    assert parts == sorted(parts, reverse=True)


def test_as_many_labels_as_a_plan_names_leave_no_more_than_it_says():
    """With the labels planned for a rule that errs in a tenth, errors add at most five points."""
    n_names, size, error, width = 300, 20, 0.1, 0.05
    n = n_names * size
    group, block = np.zeros(n, np.int64), np.repeat(np.arange(n_names), size)
    design = Design.from_codes([("A", (0,))], group, np.arange(n), block)
    added = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        said = (rng.random(n) < 0.5).astype(np.int64)
        read = np.where(rng.random(n) < error, 1 - said, said)
        halves = []
        for n_labels in (labels_needed(error, width), n):
            is_there = np.isin(np.arange(n), rng.choice(n, n_labels, replace=False))
            labels = Labels(is_there, np.where(is_there, said, NONE), np.zeros(n), is_there * 1.0)
            corrected = corrected_outcomes(group, read, labels, folds(design), 2)
            cell = reading_cells(group, read, 2)
            doubt = Doubt.of(design, cell, stands_for(cell, labels), corrected[:, :2])
            _, low, high = share_intervals(design, corrected[:, :2], doubt, 200, seed)
            halves.append((high - low)[0, 0] / 2)
        added.append(np.sqrt(max(halves[0] ** 2 - halves[1] ** 2, 0)))
    assert 0.7 * width < np.mean(added) < 1.05 * width
