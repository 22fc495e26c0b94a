"""Variance components: published figures, balanced designs worked out by mean squares, and simulated ones."""

import tracemalloc

import numpy as np
import pytest

from ingest.inference.variance import _Model, variance_components

# Shrout & Fleiss (1979), Psychological Bulletin 86(2), table 2: six targets, each rated four times.
RATINGS = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], dtype=float
)


def one_way(values, group=None):
    """Components of values (blocks, repeats), each block one prompt."""
    block = np.repeat(np.arange(len(values)), values.shape[1])
    groups = np.zeros_like(block) if group is None else np.asarray(group)[block]
    return variance_components(groups, block, block, block, values.reshape(-1, 1))


def test_one_way_icc_is_the_published_one():
    found = one_way(RATINGS)
    assert found.icc == pytest.approx(0.17, abs=0.005)  # as printed
    assert found.icc == pytest.approx(0.1657418, abs=1e-7)  # (MSB - MSW) / (MSB + 3 MSW), 11.24 and 6.26
    assert (found.unit, found.n_units, found.mean_answers_per_unit) == ("block", 6, 4)
    assert found.block_share + found.repeat_share == pytest.approx(1)
    assert np.isnan([found.root_share, found.prompt_share, found.icc_low, found.design_effect]).all()
    assert found.ci_status == "too_few"


def test_nothing_depends_on_where_scores_lie():
    assert one_way(RATINGS + 1e6).icc == pytest.approx(one_way(RATINGS).icc, abs=1e-6)


def test_groups_are_no_variance_between_units():
    """Means of groups are taken out; two groups of equal blocks have Kish's design effect 1 + (m - 1) ICC."""
    values = np.vstack([RATINGS, RATINGS + 5])
    found = one_way(values, [0] * 6 + [1] * 6)
    assert found.icc == pytest.approx(0.1657418, abs=1e-7)
    assert found.design_effect == pytest.approx(1 + 3 * found.icc)


def test_crossed_roots_cancel_in_a_difference():
    """Roots that all groups share, each asked twice of each: mean squares of the two-way table.

    The roots differ by far more than the groups, but the difference of two groups does not vary by it.
    """
    root, group, repeat = (
        np.tile(np.repeat(np.arange(4), 4), 1),
        np.tile(np.repeat([0, 1], 2), 4),
        np.tile([0, 1], 8),
    )
    prompt = root * 2 + group
    shift = np.array([1.0, -1, 2, -2, 0, 1, -1, 1])[prompt]
    values = 4.0 * root + 3 * group + shift + np.where(repeat == 0, 0.5, -0.5)
    cells = np.zeros((4, 2))
    for one in range(8):
        cells[root[prompt == one][0], group[prompt == one][0]] = values[prompt == one].mean()
    mean = cells.mean()
    residual = cells - cells.mean(0) - cells.mean(1)[:, None] + mean
    between = 2 * ((cells.mean(1) - mean) ** 2).sum() * 2 / 3
    interaction, within = 2 * (residual**2).sum() / 3, 8 * 0.5 / 8
    expected = np.array([(between - interaction) / 4, (interaction - within) / 2, within])
    found = variance_components(group, root, root, prompt, values[:, None])
    shares = np.array([found.block_share, found.prompt_share, found.repeat_share])
    np.testing.assert_allclose(shares, expected / expected.sum())
    assert (found.unit, found.n_units) == ("prompt", 8)
    assert found.icc == pytest.approx(expected[1] / expected[1:].sum())
    difference = (2 * expected[1] / 4 + 2 * expected[2] / 8) / (expected.sum() * (2 / 8))
    assert found.design_effect == pytest.approx(difference)


def test_roots_are_told_from_names():
    """Each of 120 names is asked about by each of 40 texts, twice: what was put in is found."""
    rng = np.random.default_rng(5)
    name, root, _ = (one.ravel() for one in np.meshgrid(np.arange(120), np.arange(40), [0, 1], indexing="ij"))

    def spread(deviation, n):
        """Draws whose standard deviation is exactly this."""
        draws = rng.normal(size=n)
        return deviation * (draws - draws.mean()) / draws.std(ddof=1)

    values = spread(2, 40)[root] + spread(1, 120)[name] + rng.normal(0, 1, len(name))
    prompt = name * 40 + root
    values += spread(0.5, prompt.max() + 1)[prompt]
    found = variance_components(name % 2, root, name, prompt, values[:, None])
    shares = [found.root_share, found.block_share, found.prompt_share, found.repeat_share]
    np.testing.assert_allclose(shares, np.array([4, 1, 0.25, 1]) / 6.25, atol=0.02)


def test_indicators_of_two_outcomes_count_as_one():
    yes = np.array([[1, 1, 1], [0, 0, 1], [1, 0, 1], [0, 0, 0]], dtype=float)
    block = np.repeat(np.arange(4), 3)
    both = np.column_stack([yes.ravel(), 1 - yes.ravel()])
    found = variance_components(0 * block, block, block, block, both)
    assert found.icc == pytest.approx(one_way(yes).icc)


@pytest.mark.parametrize(
    ("values", "status", "ci_status"),
    [
        (np.ones((12, 3)), "zero_variance", "not_applicable"),
        (np.repeat(np.arange(12.0)[:, None], 3, axis=1), "ok", "at_bound"),
    ],
)
def test_what_does_not_vary(values, status, ci_status):
    found = one_way(values)
    assert (found.status, found.ci_status) == (status, ci_status)
    assert np.isnan(found.icc_low)
    assert found.icc == 1 or status == "zero_variance"


def test_without_repeats_prompts_are_in_the_rest():
    root, group = np.repeat(np.arange(12), 2), np.tile([0, 1], 12)
    found = variance_components(group, root, root, np.arange(24), np.arange(24.0)[:, None] % 5)
    assert (found.status, found.unit) == ("no_repeats", "prompt")
    assert np.isnan([found.icc, found.prompt_share]).all()
    assert found.block_share + found.repeat_share == pytest.approx(1)


@pytest.mark.parametrize("roots", [np.arange(24), np.arange(24) // 2])
def test_one_answer_a_block_tells_nothing_of_how_alike_answers_are(roots):
    block = np.arange(24)
    values = np.random.default_rng(1).random((24, 1))
    found = variance_components(block % 2, roots, block, block, values)
    assert (found.status, found.ci_status, found.unit) == ("no_repeats", "not_applicable", "block")
    assert np.isnan([found.icc, found.icc_low, found.block_share, found.prompt_share]).all()
    assert found.repeat_share == 1 and found.design_effect == pytest.approx(1)


@pytest.mark.parametrize(("n_blocks", "size", "kind"), [(20, 6, "normal"), (60, 6, "yes"), (40, 3, "yes")])
def test_interval_holds_the_true_icc(n_blocks, size, kind):
    """In 95 % of 300 draws, within what 300 can tell (three standard errors)."""
    rng = np.random.default_rng([7, n_blocks, size])
    icc, hits = 0.3, 0
    for _ in range(300):
        if kind == "normal":
            values = rng.normal(0, np.sqrt(icc), (n_blocks, 1)) + rng.normal(
                0, np.sqrt(1 - icc), (n_blocks, size)
            )
        else:
            rate = rng.beta(0.5 * (1 - icc) / icc, 0.5 * (1 - icc) / icc, (n_blocks, 1))
            values = (rng.random((n_blocks, size)) < rate).astype(float)
        found = one_way(values, np.arange(n_blocks) % 2)
        hits += found.icc_low <= icc <= found.icc_high
    assert 0.91 <= hits / 300 <= 0.99


def test_answers_to_one_prompt_alone_have_no_parts_to_leave_out():
    codes, sums = np.zeros(6, dtype=int), np.array([[0.0], [1.0], [1.0], [0.0], [1.0], [1.0]])
    found = variance_components(codes, codes, codes, codes, sums)
    assert (found.n_units, found.ci_status, found.repeat_share) == (1, "not_applicable", 1.0)
    assert np.isnan(found.icc_low) and np.isnan(found.design_effect)


def test_memory_does_not_grow_with_groups_times_answers():
    prompt = np.arange(8_000)
    group, root, block = prompt % 36, prompt // 36 % 12, np.random.default_rng(4).integers(0, 900, 8_000)
    tracemalloc.start()
    found = variance_components(group, root, block, prompt, np.sin(prompt)[:, None])
    (_, peak), _ = tracemalloc.get_traced_memory(), tracemalloc.stop()
    assert (
        found.n_units == 8_000
        and found.root_share + found.block_share + found.repeat_share == pytest.approx(1)
    )
    assert peak < 60e6  # the one-hot designs of all parts of the jackknife took 290 MB


def test_it_is_the_same_whichever_factor_is_eliminated():
    """The larger of roots and blocks is: thousands of roots, or of blocks, cost as little as a few."""
    rng = np.random.default_rng(8)
    group, root, block = (rng.integers(0, levels, 60) for levels in (3, 4, 7))
    n, sums = rng.integers(1, 4, 60).astype(float), rng.normal(size=(60, 2))
    one, other = _Model(block, [group, root], n), _Model(root, [group, block], n)
    assert one.rank == other.rank
    assert one.prompt_trace == pytest.approx(other.prompt_trace, abs=1e-9)
    assert one.explained(sums) == pytest.approx(other.explained(sums), abs=1e-9)
    design = np.column_stack([np.eye(levels)[code] for code, levels in ((group, 3), (root, 4), (block, 7))])
    weighed = np.sqrt(n)[:, None] * design
    hat = weighed @ np.linalg.pinv(weighed)
    assert one.rank == np.linalg.matrix_rank(design)
    assert one.prompt_trace == pytest.approx((np.diag(hat) * n).sum(), abs=1e-9)
    assert one.explained(sums) == pytest.approx(((hat @ (sums / np.sqrt(n)[:, None])) ** 2).sum(), abs=1e-9)
