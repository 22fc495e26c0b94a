"""Whether intervals keep their promise."""

import numpy as np
import pytest
from designs import close, mixed, rows_by, whole_blocks, within_blocks
from scipy.stats import norm as normal
from scipy.stats import t as student_t

from ingest.inference.bootstrapping import bootstrap_interval
from ingest.inference.columns import resample_columns, resample_samples
from ingest.inference.design import Design
from ingest.inference.drawing import intervals, n_valid
from ingest.inference.group_statistics import STATISTICS, group_mean, jsd_nats_to
from ingest.inference.resampling import resample
from ingest.inference.samples import Column
from ingest.inference.sums import outcome_sums, score_sums, selection_sums


def test_bootstrap_matches_a_loop():
    rng = np.random.default_rng(16)
    for design in (whole_blocks(16, 2, 3), mixed(14, 2)):
        values = rng.normal(size=len(design.group)) + design.block % 3
        rows = rows_by(resample(design, score_sums(values), ["range", "dbi"], 0, 4000))
        blocks = np.unique(design.block)
        draws = []
        for _ in range(3000):
            if rows["range", None].permutation == "whole_blocks":
                parts = [blocks[blocks % 2 == g] for g in (0, 1)]
                drawn = np.concatenate([rng.choice(part, len(part)) for part in parts])
            else:
                drawn = rng.choice(blocks, len(blocks))
            index = np.concatenate([np.flatnonzero(design.block == block) for block in drawn])
            drawn_values = values[index]
            means = [drawn_values[design.group[index] == g].mean() for g in range(len(design.labels))]
            draws.append([np.ptp(means), (means[0] - drawn_values.mean()) / drawn_values.std(ddof=1)])
        held = np.unique(np.column_stack([design.group, design.block]), axis=0)[:, 0]
        n = np.bincount(held).min()  # all groups are held by the same number of blocks
        tail = normal.cdf(-np.sqrt(n / (n - 1)) * student_t.ppf(0.975, n - 1))
        low, middle, high = np.quantile(draws, [tail, 0.5, 1 - tail], axis=0)
        for column, key in enumerate([("range", None), ("dbi", design.labels[0])]):
            shift = rows[key].value - middle[column]
            ends = np.clip([low[column] + shift, high[column] + shift], *STATISTICS[key[0]].bounds)
            assert rows[key].ci_low == pytest.approx(ends[0], abs=0.1)
            assert rows[key].ci_high == pytest.approx(ends[1], abs=0.1)
            assert rows[key].ci_status == "ok" and rows[key].n_bootstrap == 4000


def test_intervals_of_few_units_are_wider():
    """By Hesterberg's levels: t(0.975, 9) = 2.262157, times sqrt(10/9) is a tail of 0.008551."""
    draws = np.tile(np.arange(10_001.0), (3, 1))
    observed = np.array([5000.0, 5000.0, 5100.0])
    found = intervals(draws, observed, np.array([10, 75, 1_000_000]))
    close(found[0], [85.51, 9914.49], 0.01)
    close(found[1], [224.30, 9775.70], 0.01)
    close(found[2], [350, 9850], 0.05)  # 0.025, and shifted by 100
    assert list(n_valid(draws)) == [10_001] * 3


def test_intervals_rest_on_the_units_of_the_group():
    """40 names of one group, 5 of the other: the second group's interval, and the range's, are those of 5."""
    group = np.repeat([0, 1], [40, 5])
    design = Design.from_values([group], range(45), range(45))
    values = np.random.default_rng(3).normal(size=45)
    wanted = (["mean", "range"], 0, 4000)
    rows = rows_by(resample(design, score_sums(values), *wanted))
    columns = resample_columns(design, np.ones((45, 1)), values[:, None], 0, 4000)
    samples = resample_samples(design, values[:, None], [Column("mean", {})], None, None, 0, 4000)
    for label, n in (("0", 40), ("1", 5)):
        own = values[group == int(label)]
        drawn = np.random.default_rng(4).choice(own, (20_000, n)).mean(axis=1)
        tail = normal.cdf(-np.sqrt(n / (n - 1)) * student_t.ppf(0.975, n - 1))
        width = np.ptp(np.quantile(drawn, [tail, 1 - tail]))
        index = int(label)
        for low, high in (
            (rows["mean", label].ci_low, rows["mean", label].ci_high),
            (columns.value_low[index, 0], columns.value_high[index, 0]),
            (samples.value_low[index, 0], samples.value_high[index, 0]),
        ):
            assert high - low == pytest.approx(width, rel=0.15)
    many = columns.disparities["range"]
    width = rows["range", None].ci_high - rows["range", None].ci_low
    assert many.ci_high[0] - many.ci_low[0] == pytest.approx(width, rel=0.15)


def test_where_a_group_says_one_thing_only_the_interval_has_a_width():
    """Nobody of 15 names was chosen: the ratio to a group of 60 % lies between 0 and 0.3 or so, not at 0."""
    design = whole_blocks(30, 2, 4)
    is_chosen = (design.group == 0) & (np.arange(120) % 5 < 3)

    def to_first(tables):
        return group_mean(tables) / group_mean(tables)[..., :1]

    sums = selection_sums(is_chosen.astype(float))
    found = bootstrap_interval(design, sums, to_first, 1000, 1, "others", kind="selection")
    as_to_highest = rows_by(resample(design, sums, ["impact_ratio"], 0, 1000))["impact_ratio", "1"]
    assert found.low[1] == 0
    assert found.high[1] == pytest.approx(as_to_highest.ci_high, rel=0.15)
    assert 0.2 < found.high[1] < 0.6

    published = np.array([[0.9, 0.1], [0.9, 0.1]])
    said = outcome_sums(np.where(design.group == 0, is_chosen, 0).astype(int), 2)
    found = bootstrap_interval(design, said, lambda t: jsd_nats_to(t, published), 1000, 1, kind="outcome")
    assert found.high[1] - found.low[1] > 0.01


@pytest.mark.parametrize("design", [whole_blocks(60, 2, 3), within_blocks(40, 2)])
def test_interval_covers_the_truth_about_as_often_as_it_says(design):
    rng = np.random.default_rng(17)
    covered = []
    for seed in range(150):
        values = rng.normal(size=design.block.max() + 1)[design.block] + rng.normal(size=len(design.group))
        row = resample(design, score_sums(values), ["mean"], 0, 300, seed=seed)[0]
        covered.append(row.ci_low <= 0 <= row.ci_high)
    assert 0.87 <= np.mean(covered) <= 0.99


def test_no_interval_from_few_units():
    def interval(design):
        values = np.random.default_rng(18).random(len(design.group))
        return resample(design, score_sums(values), ["range"], 20, 50)[0]

    for design in (within_blocks(9, 3), whole_blocks(8, 2, 5)):
        assert interval(design).ci_status == "too_few" and np.isnan(interval(design).ci_low)
        assert interval(design).status == "ok" and interval(design).n_bootstrap == 0
    for design in (within_blocks(10, 3), whole_blocks(10, 2, 1)):
        assert interval(design).ci_status == "ok"
    group = [0] * 4 + [1] * 12  # 16 blocks, but four in the smaller group
    assert interval(Design.from_values([group], range(16), range(16))).ci_status == "too_few"


def test_no_interval_where_few_replicates_have_a_value():
    """Group 2 is asked in two of twelve blocks: every eighth draw or so lacks it."""
    group = np.array([0, 1] * 12 + [2, 2])
    block = np.concatenate([np.repeat(np.arange(12), 2), [0, 1]])
    design = Design.from_values([group], range(26), block)
    row = rows_by(resample(design, score_sums(np.arange(26.0)), ["mean"], 20, 400))
    assert row["mean", "2"].ci_status == "too_few_draws" and np.isnan(row["mean", "2"].ci_high)
    assert 300 < row["mean", "2"].n_bootstrap < 360
    assert row["mean", "0"].ci_status == "ok" and row["mean", "0"].n_bootstrap == 400


def test_relabelling_without_a_value_counts_as_extreme():
    """Two groups of two: relabelled so that both are constant, t has no variance to divide by."""
    design = Design.from_values([[0, 0, 1, 1]], range(4), range(4))
    row = resample(design, score_sums([0.0, 1, 0, 1]), ["pooled_t"], 300, 0)[0]
    assert row.value == 0 and row.n_permutations < 270 and np.isnan(row.p_value)
    # Four and four: three zeros on one side are observed, which 32 of 70 relabellings repeat; with all four
    # on one side, in 2 of 70, t has no value, and they are more extreme still.
    design = Design.from_values([[0] * 4 + [1] * 4], range(8), range(8))
    row = resample(design, score_sums([0.0, 0, 0, 1, 0, 1, 1, 1]), ["pooled_t"], 20_000, 0)[0]
    assert row.n_permutations == pytest.approx(20_000 * 68 / 70, abs=100)
    assert row.p_value == pytest.approx(34 / 70, abs=0.012)


def test_scores_of_a_group_that_are_all_alike_could_be_what_others_are():
    """Ten names are rated 8 throughout, ten 6: of each group 1 - 0.025^(1/10) = 0.31 may be otherwise.

    Where all are rated alike nothing tells how far apart ratings can be, and the interval has no width.
    """
    design = whole_blocks(20, 2, 3)

    def ends(values):
        rows = rows_by(resample(design, score_sums(values), ["mean", "range"], 0, 1000))
        columns = resample_columns(design, np.ones((60, 1)), values[:, None], 0, 1000, with_ratios=False)
        gap, mean = columns.disparities["range"], ("mean", "0")
        return [
            [rows["range", None].ci_low, rows["range", None].ci_high],
            [gap.ci_low[0], gap.ci_high[0]],
            [rows[mean].ci_low, rows[mean].ci_high],
            [columns.value_low[0, 0], columns.value_high[0, 0]],
        ]

    gap, columns_gap, mean, columns_mean = ends(np.where(design.group == 0, 8.0, 6.0))
    assert columns_gap == pytest.approx(gap, abs=0.06) and columns_mean == pytest.approx(mean, abs=0.06)
    assert 1.2 < gap[0] < 1.7 and gap[1] == 2
    assert 7.2 < mean[0] < 7.6 and mean[1] == 8
    assert ends(np.full(60, 8.0)) == [[0, 0], [0, 0], [8, 8], [8, 8]]
