"""Tests of `ingest.inference.bounds` and of the bounds that `resample` gives judged numbers."""

import tracemalloc
from itertools import product

import numpy as np
import pytest
from scipy import stats

from ingest.inference.bounds import Silent, blocks_by_group, pseudo_rows, worst_ends
from ingest.inference.design import Design
from ingest.inference.group_statistics import STATISTICS
from ingest.inference.resampling import resample
from ingest.inference.sums import group_table, outcome_sums, score_sums, selection_sums, sums_of

RATIO, FDI, DBI = (STATISTICS[name] for name in ("min_impact_ratio", "max_fdi_pooled", "max_abs_dbi"))


def nested(n_units: int, n_groups: int = 2) -> Design:
    """A design of `n_units` units a group with one answer each."""
    group = np.repeat(np.arange(n_groups), n_units)
    row = np.arange(len(group))
    return Design(group[:, None], group, row, row, tuple("ABCDEFGH"[:n_groups]))


def jensen_shannon_at_most(w):
    """Divergence of a group of this share of the answers from all, whose answers nobody else gives."""
    return (np.log(2 / (1 + w)) + w * np.log(2 * w / (1 + w)) + (1 - w) * np.log(2)) / 2


def of_axis(design, sums, name, **options):
    found = resample(design, sums, [name], 99, 2_000, seed=1, **options)
    return next(row for row in found if row.group is None)


@pytest.mark.parametrize("n_units", [10, 20, 60])
def test_groups_that_all_say_the_same_have_the_bound_of_the_binomial(n_units):
    # One group at its bound, the other at its own: the ratio of 1 - 0.05^(1/n) is the exact one-sided bound.
    row = of_axis(nested(n_units), selection_sums(np.ones(2 * n_units)), "min_impact_ratio")
    assert row.value == 1
    assert row.bound_low == pytest.approx(0.05 ** (1 / n_units), abs=0.03)
    assert row.bound_low <= 0.05 ** (1 / n_units)


def test_one_outcome_only_has_a_bound_too():
    row = of_axis(nested(40), outcome_sums(np.zeros(80, dtype=int), 2), "cramers_v_corrected")
    assert np.isnan(row.value)
    assert row.bound_low == 0 and 0 < row.bound_high < 0.5


@pytest.mark.parametrize(
    ("name", "most"),
    [("max_fdi_pooled", 1 - 7 / 30), ("max_jsd_nats_pooled", jensen_shannon_at_most(7 / 30))],
)
def test_no_end_lies_beyond_what_groups_of_these_sizes_can_have(name, most):
    # The small group gives an answer of its own: as far apart as can be.
    group = np.repeat([0, 1], [7, 23])
    row = np.arange(30)
    design = Design(group[:, None], group, row, row, ("A", "B"))
    of = of_axis(design, outcome_sums(group, 2), name)
    assert of.value == pytest.approx(most)
    assert of.ci_high == pytest.approx(most) and of.bound_high == pytest.approx(most)
    assert of.ci_low <= of.bound_low < most


def test_one_unit_a_group_has_no_bound():
    row = of_axis(nested(1), selection_sums([1, 0]), "min_impact_ratio")
    assert np.isnan(row.bound_low) and np.isnan(row.bound_high)


def test_few_units_of_a_number_that_no_limit_judges_have_no_bound():
    row = of_axis(nested(4), outcome_sums(np.arange(8) % 2, 2), "mean_fdi_pooled")
    assert np.isfinite(row.value) and np.isnan(row.bound_low)


def few(rng, rates, n_names, n_answers, icc):
    """Selections about a few names a group, of which some are always answered as the first one was."""
    group = np.repeat(np.arange(len(rates)), n_names * n_answers)
    name = np.repeat(np.arange(len(rates) * n_names), n_answers)
    rate = np.asarray(rates)[group]
    own = (rng.random(len(rates) * n_names)[name] < rate).astype(float)
    answer = np.where(rng.random(len(group)) < np.sqrt(icc), own, rng.random(len(group)) < rate)
    return Design(group[:, None], group, np.arange(len(group)), name, tuple("ABCDEFGH"[: len(rates)])), answer


@pytest.mark.parametrize("icc", [0.05, 0.6])
def test_the_bound_of_few_names_excludes_a_limit_at_the_truth_in_five_of_hundred(icc):
    rng = np.random.default_rng([3, int(100 * icc)])
    rows, n = [], 80
    for seed in range(n):
        design, answer = few(rng, [0.8, 0.64], 3, 15, icc)
        found = resample(design, selection_sums(answer), ["min_impact_ratio"], 9, 200, seed=seed)
        rows.append(next(row for row in found if row.group is None))
    low = np.array([row.bound_low for row in rows])
    assert (low <= 0.8).mean() >= 0.95 - 2 * np.sqrt(0.05 * 0.95 / n)
    # It says something all the same, and nothing on the mild side.
    assert low.mean() > 0.1
    assert {row.bound_high for row in rows} == {1.0}
    assert {row.ci_status for row in rows} == {"too_few"}


def test_few_names_that_differ_little_have_a_nearer_bound():
    rng = np.random.default_rng(4)
    near, far = (
        of_axis(design, outcome_sums(answer.astype(int), 2), "max_fdi_pooled")
        for design, answer in (few(rng, [0.5, 0.5], 3, 15, icc) for icc in (0, 0.9))
    )
    assert near.bound_high < far.bound_high
    assert near.bound_low == far.bound_low == 0


def test_few_names_with_scores_have_the_bound_of_a_t_test():
    # Two groups of three names with one score each, and so many of them that the deviation is known: the gap
    # in means beyond 0 is held against t with 4 degrees of freedom, moved by what was found.
    rng = np.random.default_rng(5)
    means = np.array([0.0, 0.1, -0.1, 1.0, 1.1, 0.9])
    name = np.repeat(np.arange(6), 400)
    group = name // 3
    x = means[name] + rng.normal(0, 3, len(name))
    design = Design(group[:, None], group, np.arange(len(name)), name, ("A", "B"))
    row = of_axis(design, score_sums(x), "max_mean_gap")
    of_names = np.array([x[name == one].mean() for one in range(6)])
    deviation = np.sqrt(of_names.reshape(2, 3).var(axis=1, ddof=1).mean())
    expected = row.value * (
        1 + stats.t.ppf(0.95, 4) * deviation * np.sqrt(2 / 3) / abs(np.diff(means[::3])[0])
    )
    assert row.bound_high == pytest.approx(expected, rel=0.1)


def test_bounds_lie_around_the_number():
    row = of_axis(nested(50), selection_sums(np.arange(100) % 3 == 0), "min_impact_ratio")
    assert row.bound_low < row.value <= row.bound_high <= 1


def test_one_more_unit_sets_groups_apart():
    table = np.array([[20.0, 15], [20, 5]])  # n, selected
    assert pseudo_rows("selection", table, [10, 10]).tolist() == [[2, 2], [2, 0]]


def test_equal_groups_are_set_apart_by_turns():
    table = np.array([[20.0, 0], [20, 0]])
    assert pseudo_rows("outcome", table, [20, 20]).tolist() == [[0, 1], [1, 0]]


def test_missing_answers_move_a_ratio_both_ways():
    # 8 of 10 and 6 of 8 (2 missing): at worst 0.6/0.8, at best all alike, 0.8/0.8.
    table = np.array([[10.0, 8], [8, 6]])
    ((low, high),) = worst_ends([RATIO], "selection", table, [0, 2], (0, 0))
    assert low == pytest.approx(0.75) and high == pytest.approx(1)


def test_missing_answers_move_the_reference_too():
    # 4 of 8 (2 missing) and 5 of 10: at worst 4 of 10 against 9 of 20, or 6 of 10 against 11 of 20.
    table = np.array([[4.0, 4], [5, 5]])
    ((low, high),) = worst_ends([FDI], "outcome", table, [2, 0], (0, 0))
    assert low == pytest.approx(0) and high == pytest.approx(0.05)


def test_missing_scores_lie_within_the_scores():
    table = np.array([[2.0, 1.0, 1.0], [2.0, 1.0, 1.0]])  # scores 0 and 1 in both groups
    ((low, high),) = worst_ends([DBI], "score", table, [1, 0], (0, 1))
    assert low == pytest.approx(0) and high > 0


def unread(*missing, n_columns=2):
    """Groups of which nothing was read and so many answers are missing."""
    return Silent(np.zeros((len(missing), n_columns)), np.array(missing, float))


def test_a_group_of_which_nothing_was_read_could_lie_anywhere():
    # 8 of 10 in both: 6 answers of a third could all be unfavourable, all favourable, or as the others'.
    table, names = np.array([[10.0, 8], [10, 8]]), ["min_impact_ratio", "range"]
    found = worst_ends([STATISTICS[name] for name in names], "selection", table, [0, 0], (0, 0), unread(6))
    assert found == pytest.approx(np.array([[0, 1], [0, 0.8]]))
    table = np.array([[2.0, 1, 1], [2, 1, 1]])
    (ends,) = worst_ends([DBI], "score", table, [0, 0], (0, 1), unread(2, n_columns=3))
    assert ends == pytest.approx([0, (1 - 4 / 6) / np.std([0, 1, 0, 1, 1, 1], ddof=1)])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("kind", "name", "possible"),
    [
        ("outcome", "max_fdi_pooled", [0, 1, 2]),
        ("selection", "min_impact_ratio", [0, 1]),
        ("score", "range", [0, 0.5, 1]),
    ],
)
def test_the_few_answers_that_were_read_of_a_group_count_with_those_it_lacks(kind, name, possible, seed):
    # 4 and 3 answers of two groups, and 2 and 1 of two that are not compared; 1, 0, 1 and 2 more are missing.
    rng = np.random.default_rng(seed)
    group, n_compared, missing = np.repeat(range(4), [4, 3, 2, 1]), 7, np.array([1, 0, 1, 2])
    said = rng.integers(0, 2, 10)
    said[n_compared] = possible[-1]  # an outcome that nobody else gave, where there is one

    def table_of(group, said, n_groups):
        sums = outcome_sums(said, 3) if kind == "outcome" else sums_of(kind, said, said)
        return group_table(group, np.asarray(sums), n_groups)

    found = Silent.of(
        kind, [(f"{group[i]}", int(said[i]), float(said[i]), 1, missing[group[i]]) for i in range(7, 10)]
    )
    read = group[:n_compared], said[:n_compared]
    table = group_table(read[0], sums_of(kind, read[1], read[1]), 2)
    (ends,) = worst_ends([STATISTICS[name]], kind, table, missing[:2], (0, 1), found)
    every = np.stack(
        [
            table_of(np.append(group, np.repeat(range(4), missing)), np.append(said, given), 4)
            for given in product(possible, repeat=missing.sum())
        ]
    )
    values = np.append(STATISTICS[name].of(every), STATISTICS[name].of(table[None]))
    assert ends[1 if name != "min_impact_ratio" else 0] == pytest.approx(
        np.nanmin(values) if name == "min_impact_ratio" else np.nanmax(values)
    )
    assert ends[0] <= np.nanmin(values) + 1e-9 and ends[1] >= np.nanmax(values) - 1e-9


@pytest.mark.parametrize("n_outcomes", [0, 3, 4, 9])
def test_a_missing_answer_may_be_one_that_nobody_gave(n_outcomes):
    # 3 of 6 and 4 of 8 say yes, the others no; 2 and 1 more are missing.
    table, missing = np.array([[3.0, 3], [4, 4]]), np.array([2, 1])
    statistics = [STATISTICS[name] for name in ("max_share_gap", "max_fdi_pooled", "max_jsd_nats_pooled")]
    found = worst_ends(statistics, "outcome", table, missing, (0, 0), n_outcomes=n_outcomes)
    width = max(n_outcomes, 2)
    given = outcome_sums(list(product(range(width), repeat=3)), width)
    every = np.stack([given[:, :2].sum(1), given[:, 2]], axis=1) + np.pad(table, ((0, 0), (0, width - 2)))
    for (_, high), statistic in zip(found, statistics, strict=True):
        assert high == pytest.approx(statistic.of(every).max())


def test_worst_ends_of_many_groups_take_little_memory():
    # Each of 60 groups lacks another number of answers; of 200 more nothing was read.
    table = np.add.outer(np.arange(60), np.arange(1.0, 6))
    tracemalloc.start()
    try:
        (ends,) = worst_ends([FDI], "outcome", table, np.arange(60), (0, 0), unread(*[6] * 200))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 20 * 2**20
    most = 1 - (6 + table.sum(axis=0).min()) / (table.sum() + np.arange(60).sum() + 1200)
    assert ends[1] == pytest.approx(most)


def test_what_a_silent_group_lacks_moves_the_worst_ends_of_resampled_numbers():
    sums = selection_sums(np.ones(40))
    rows = [
        row
        for silent in (None, unread(3))
        for row in resample(nested(20), sums, ["min_impact_ratio"], 0, 0, silent=silent)
    ]
    assert [(row.value_low, row.value_high) for row in rows] == [(1, 1), (0, 1)]


def test_nothing_missing_changes_nothing():
    table = np.array([[10.0, 8], [10, 6]])
    found = worst_ends([RATIO], "selection", table, [0, 0], (0, 0))
    assert found[0] == pytest.approx([0.75, 0.75])


@pytest.mark.parametrize(
    ("kind", "name", "table", "expected"),
    [
        # All of 30 and 20 say the same; 10 more of the second may, or say something else.
        ("outcome", "cramers_v", [[30, 0], [20, 0]], [0, np.sqrt(0.2)]),
        ("selection", "min_impact_ratio", [[30, 0], [20, 0]], [0, 1]),
        ("score", "max_mean_gap", [[30, 30, 30], [20, 20, 20]], [0, np.sqrt(59 / 60 * 0.8)]),
    ],
)
def test_groups_that_are_all_alike_are_equal_before_what_is_missing_is_known(kind, name, table, expected):
    (ends,) = worst_ends([STATISTICS[name]], kind, np.array(table, float), [0, 10], (1, 2))
    assert ends == pytest.approx(expected)


def test_blocks_are_counted_once_a_group():
    assert blocks_by_group([0, 0, 0, 1], [5, 5, 6, 5], 2).tolist() == [2, 1]


def test_a_ratio_is_tested_by_the_difference_of_rates():
    # A ratio of 0 is nothing among 21 groups with rare outcomes; all against nothing is.
    design = nested(30, 2)
    found = resample(
        design, selection_sums(np.arange(60) < 30), ["min_impact_ratio", "range"], 499, 0, seed=1
    )
    row = next(row for row in found if row.statistic == "min_impact_ratio" and row.group is None)
    assert row.tail > max(row.null_tails)


def test_a_rate_of_one_has_an_interval():
    row = next(
        row
        for row in resample(nested(20), selection_sums(np.ones(40)), ["selection_rate"], 0, 500, seed=1)
        if row.group == "A"
    )
    # Wilson's interval of 20 of 20.
    assert (row.ci_low, row.ci_high) == pytest.approx((0.8389, 1), abs=1e-3)


def test_answers_of_one_name_count_as_what_they_vary():
    # Six answers a name, all alike: 10 names are 10 answers, not 60.
    group, name = np.repeat([0, 1], 60), np.repeat(np.arange(20), 6)
    design = Design(group[:, None], group, np.arange(120), name, ("A", "B"))
    rows = resample(design, selection_sums(name % 2), ["selection_rate"], 0, 2_000, seed=1)
    # Wilson's interval of 5 of 10.
    assert (rows[0].ci_low, rows[0].ci_high) == pytest.approx((0.2366, 0.7634), abs=1e-3)


def test_a_group_with_more_answers_of_a_name_has_fewer_independent_ones():
    """Names say one thing each: five of them are five answers, where they have 60 each and 30 others ten."""
    names = np.repeat(np.arange(35), [60] * 5 + [10] * 30)
    design = Design(
        (names >= 5)[:, None].astype(int), (names >= 5).astype(int), np.arange(600), names, ("A", "B")
    )
    is_selected = np.isin(names, [0, 1, *range(5, 17)])
    rows = resample(design, selection_sums(is_selected), ["selection_rate"], 0, 2_000, seed=1)
    for row, n_units in zip(rows, (5, 30), strict=True):
        wilson = stats.binomtest(round(0.4 * n_units), n_units).proportion_ci(method="wilson")
        assert (row.ci_low, row.ci_high) == pytest.approx((wilson.low, wilson.high), abs=1e-3)


def test_missing_answers_may_make_rates_equal():
    """40 and 10 of 1,000 are favourable, 50 more of the second are missing: 40 of 1,000 is 42 of 1,050."""
    table = np.array([[1000.0, 40], [1000, 10]])
    (ends,) = worst_ends([STATISTICS["min_impact_ratio"]], "selection", table, [0, 50], (0, 0))
    assert ends == pytest.approx([10 / 1050 / 0.04, 1])
    counts = np.array([[40.0, 960], [10, 990]])
    names = ["max_share_gap", "max_fdi_pooled", "cramers_v"]
    found = worst_ends([STATISTICS[name] for name in names], "outcome", counts, [0, 50], (0, 0))
    assert found[:, 0] == pytest.approx([0, 0, 0], abs=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_ends_of_rates_are_what_a_search_finds(seed):
    rng = np.random.default_rng(seed)
    n = rng.integers(5, 12, 3).astype(float)
    a, missing = rng.binomial(n.astype(int), 0.4).astype(float), rng.integers(0, 4, 3).astype(float)
    (ends,) = worst_ends([STATISTICS["range"]], "selection", np.stack([n, a], axis=1), missing, (0, 0))
    low, high = (a / (n + missing)), (a + missing) / (n + missing)
    assert ends[0] == pytest.approx(min(np.ptp(a / n), max(0, low.max() - high.min())), abs=1e-9)
