"""Relabellings against the enumeration of all of them."""

from itertools import permutations, product

import numpy as np
import pytest
from designs import mixed, rows_by, whole_blocks, within_blocks

from ingest.inference.design import Design
from ingest.inference.group_statistics import dbi, eta_squared, group_mean
from ingest.inference.resampling import resample
from ingest.inference.studentised import cell_rows, widest_gaps
from ingest.inference.sums import group_table, score_sums, selection_sums


def test_p_values_of_placebos_are_not_too_small_beside_a_group_of_one_block():
    """Answers are one per block; dealing blocks to groups at random must not look like an effect."""
    rng = np.random.default_rng(30)
    block = np.repeat(np.arange(21), 5)
    values = rng.normal(size=21)[block]
    p_values = []
    for copy in range(100):
        label = rng.permutation([0] * 10 + [1] * 10 + [2])[block]
        design = Design.from_values([label], block, block)
        p_values.append(resample(design, score_sums(values), ["anova_f"], 99, 0, copy)[0].p_value)
    assert np.mean(np.array(p_values) <= 0.05) < 0.15


def test_scheme_is_named():
    def scheme(design):
        row = resample(design, score_sums(np.arange(len(design.group))), ["range"], 5, 0)[0]
        return row.unit, row.permutation

    assert scheme(whole_blocks(4, 2, 3)) == ("block", "whole_blocks")
    assert scheme(within_blocks(3, 4)) == ("block", "within_blocks")
    assert scheme(mixed(4, 2)) == ("block", "blocks_and_within")
    assert scheme(within_blocks(1, 4, 2)) == ("prompt", "prompts")
    # Male & Malay was never asked: recombining would make it.
    values = [["F", "F", "M", "M"] * 3, ["Malay", "Thai", "Thai", "Indian"] * 3]
    block = np.repeat(np.arange(6), 2)
    assert scheme(Design.from_values(values, range(12), block)) == ("block", "prompts")


def shuffles(labels):
    return sorted(set(permutations(labels)))


def relabellings(design, scheme):
    """Every distinct relabelling, by prompt; each response is a prompt of its own here."""
    blocks = [np.flatnonzero(design.block == block) for block in np.unique(design.block)]
    if scheme == "prompts":
        yield from shuffles(design.group)
    elif scheme == "whole_blocks":
        for labels in shuffles([design.group[rows[0]] for rows in blocks]):
            yield np.repeat(labels, [len(rows) for rows in blocks])
    elif scheme == "within_blocks":
        for parts in product(*[shuffles(design.group[rows]) for rows in blocks]):
            yield np.concatenate(parts)
    else:
        first, second = design.attributes.T
        for fixed in shuffles([first[rows[0]] for rows in blocks]):
            for parts in product(*[shuffles(second[rows]) for rows in blocks]):
                yield np.repeat(fixed, [len(rows) for rows in blocks]) * 2 + np.concatenate(parts)


SMALL = {
    "whole_blocks": [whole_blocks(6, 2, 2), whole_blocks(6, 3, 1), whole_blocks(7, 2, 1)],
    "within_blocks": [within_blocks(3, 3), within_blocks(2, 2, 2), within_blocks(5, 2)],
    "blocks_and_within": [mixed(4, 1), mixed(5, 1), mixed(4, 2)],
    "prompts": [
        Design.from_values([[0, 0, 0, 1, 1, 2, 2]], range(7), [0, 0, 0, 1, 1, 2, 2]),
        within_blocks(1, 2, 3),
    ],
}


CASES = [(scheme, design) for scheme, designs in SMALL.items() for design in designs]


@pytest.mark.parametrize(("scheme", "design"), CASES)
def test_p_values_and_null_match_full_enumeration(scheme, design):
    n = len(design.group)
    values = np.random.default_rng(7).normal(size=n) + 2 * (design.group == 0)
    sums, k = score_sums(values), len(design.labels)
    names = ["dbi", "range", "eta_squared"]
    rows = rows_by(resample(design, sums, names, 4000, 0, seed=3))
    assert rows["range", None].permutation == scheme
    relabelled = [np.asarray(g) for g in relabellings(design, scheme)]
    tables = np.stack([group_table(g, sums, k) for g in relabelled])
    table = group_table(design.group, sums, k)
    is_unlike = np.ptp(np.bincount(design.group)) > 0  # a gap is then judged in standard errors, too
    spreads = cell_rows("score", sums)
    in_errors = widest_gaps(np.stack([group_table(g, spreads, k) for g in relabelled])) * is_unlike
    own_in_errors = widest_gaps(group_table(design.group, spreads, k)) * is_unlike - 1e-9
    # A group's own gap is held against its own of each relabelling, an axis's against the widest.
    exact_in_errors = (in_errors >= own_in_errors).mean(0) * is_unlike
    exact_of_widest = (in_errors.max(-1, keepdims=True) >= own_in_errors).mean(0) * is_unlike
    for name, function in (
        ("eta_squared", eta_squared),
        ("range", lambda t: np.ptp(group_mean(t), axis=-1)),
    ):
        null = function(tables)
        exact = (null >= function(table) - 1e-9).mean()
        assert rows[name, None].p_value == pytest.approx(max(exact, exact_of_widest.min()), abs=0.035)
        low, high = (np.quantile(null, q, method=m) for q, m in ((0.45, "lower"), (0.55, "higher")))
        assert low - 1e-9 <= rows[name, None].null_median <= high + 1e-9
        low, high = (np.quantile(null, q, method=m) for q, m in ((0.93, "lower"), (0.97, "higher")))
        assert low - 1e-9 <= rows[name, None].null_p95 <= high + 1e-9
    null = np.abs(dbi(tables))
    for g, label in enumerate(design.labels):
        observed = abs(dbi(table)[g]) - 1e-9
        row = rows["dbi", label]
        p_value, highest = (null[:, g] >= observed).mean(), (null.max(-1) >= observed).mean()
        assert row.p_value == pytest.approx(max(p_value, exact_in_errors[g]), abs=0.035)
        assert row.p_max == pytest.approx(max(highest, exact_of_widest[g]), abs=0.035)
        assert row.p_max >= row.p_value


@pytest.mark.parametrize(("scheme", "design"), CASES)
def test_smallest_attainable_p_is_that_of_the_most_extreme_relabelling(scheme, design):
    """On data without accidental ties, the most extreme relabelling and its mirror images give that p."""
    sums = score_sums(np.random.default_rng(8).normal(size=len(design.group)) ** 3)
    k = len(design.labels)
    tables = np.stack([group_table(np.asarray(g), sums, k) for g in relabellings(design, scheme)])
    rows = rows_by(resample(design, sums, ["dbi", "eta_squared"], 99_999, 0, chunk_bytes=2**24))

    def smallest(null):
        return (null >= null.max() - 1e-9).mean()

    assert rows["eta_squared", None].min_attainable_p == pytest.approx(smallest(eta_squared(tables)))
    for g, label in enumerate(design.labels):
        expected = smallest(np.abs(dbi(tables))[:, g])
        assert rows["dbi", label].min_attainable_p == pytest.approx(expected)


def test_smallest_attainable_p_of_known_designs():
    def smallest(design, name="range", b=2000):
        sums = selection_sums(np.arange(len(design.group)) % 3 > 0)
        return resample(design, sums, [name], b, 0)[0].min_attainable_p

    assert smallest(whole_blocks(6, 2, 1)) == pytest.approx(2 / 20)
    assert smallest(whole_blocks(6, 2, 1), "impact_ratio") == pytest.approx(1 / 20)
    assert smallest(Design.from_values([range(6)], range(6), range(6))) == 1
    assert smallest(within_blocks(75, 21)) == 1 / 2001
    assert smallest(within_blocks(75, 21), b=99) == 1 / 100
    assert smallest(within_blocks(3, 2)) == pytest.approx(2 / 8)


def test_repeats_of_a_prompt_move_together():
    """Six prompts of 50 equal answers are six facts, not three hundred."""
    prompt = np.repeat(np.arange(6), 50)
    design = Design.from_values([prompt // 3], prompt, prompt)
    row = resample(design, selection_sums(prompt // 3), ["range"], 1000, 0)[0]
    assert row.value == 1 and row.n == 300 and row.n_units == 6
    assert row.min_attainable_p == pytest.approx(0.1)
    assert 0.07 < row.p_value < 0.13
