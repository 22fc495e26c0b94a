"""The mixed model of log odds: against statsmodels, against exact balanced designs, against a truth."""

import warnings

import numpy as np
import pytest
import scipy.stats

from ingest.inference.log_odds import EXTREME, contrast, fit_log_odds, log_odds

EFFECTS = np.array([0.0, 0.5, -0.3])


def drawn(rng, n_roots=25, n_prompts=4, slope=0.5, kept=1.0, effects=EFFECTS):
    """Log odds of prompts, and codes of group and root, of a truth that is known."""
    n_groups = len(effects)
    root = np.repeat(np.arange(n_roots), n_groups * n_prompts)
    group = np.tile(np.repeat(np.arange(n_groups), n_prompts), n_roots)
    y = 1 + effects[group] + rng.normal(0, 1, n_roots)[root]
    y = y + slope * rng.normal(0, 1, (n_roots, n_groups))[root, group] + rng.normal(0, 0.7, len(root))
    chosen = rng.random(len(y)) < kept
    return y[chosen], group[chosen], np.unique(root[chosen], return_inverse=True)[1]


def fit(y, group, root, block=None):
    return fit_log_odds(y, group, root, np.arange(len(y)) if block is None else block)


def peers(y, group, root, **parts):
    import pandas as pd  # here: every worker collects this file, and one runs it
    from statsmodels.formula.api import mixedlm

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frame = pd.DataFrame({"y": y, "group": group, "root": root})
        return mixedlm("y ~ C(group)", frame, groups="root", re_formula="1", **parts).fit(reml=True)


@pytest.mark.parametrize("kept", [1.0, 0.8])
def test_slopes_by_root_are_those_of_statsmodels(kept):
    y, group, root = drawn(np.random.default_rng(1), kept=kept)
    ours, theirs = fit(y, group, root), peers(y, group, root, vc_formula={"slope": "0 + C(group)"})
    assert ours.status == "ok"
    assert ours.variances["root"] == pytest.approx(theirs.cov_re.iloc[0, 0], rel=2e-3)
    assert ours.variances["slope"] == pytest.approx(theirs.vcomp[0], rel=2e-3)
    assert ours.residual == pytest.approx(theirs.scale, rel=1e-3)
    for k in (1, 2):
        weights = np.eye(3)[k] - np.eye(3)[0]
        found = contrast(ours, weights)
        assert found.value == pytest.approx(theirs.fe_params.iloc[k], abs=1e-4)
        assert found.standard_error == pytest.approx(theirs.bse_fe.iloc[k], rel=3e-3)
        # statsmodels takes the normal distribution, whose intervals are too short for few roots.
        assert found.p_value > theirs.pvalues.iloc[k]


def deviance(y, group, parts, variances, residual):
    """-2 log of the restricted likelihood, but for a constant, from the whole covariance of y."""
    x = np.eye(int(group.max()) + 1)[group]
    covariance = residual * np.eye(len(y))
    for name, codes in parts.items():
        covariance += variances[name] * np.equal.outer(codes, codes)
    weighted = np.linalg.solve(covariance, np.column_stack([x, y]))
    inner = x.T @ weighted[:, :-1]
    left = y - x @ np.linalg.solve(inner, x.T @ weighted[:, -1])
    logs = sum(np.linalg.slogdet(one)[1] for one in (covariance, inner))
    return logs + left @ np.linalg.solve(covariance, left)


def test_no_part_stays_at_0_where_more_of_it_is_likelier():
    for seed in range(60):
        y, group, root = drawn(np.random.default_rng(seed), n_roots=8, n_prompts=2)
        found = fit(y, group, root)
        parts = {"root": root, "slope": root * 3 + group}
        own = deviance(y, group, parts, found.variances, found.residual)
        for name in parts:
            more = found.variances | {name: found.variances[name] + 1e-3 * found.residual}
            assert deviance(y, group, parts, more, found.residual) > own - 1e-6, (seed, name)


def test_one_prompt_a_root_and_group_has_no_slope():
    y, group, root = drawn(np.random.default_rng(2), n_prompts=1, kept=0.9)
    ours, theirs = fit(y, group, root), peers(y, group, root)
    assert set(ours.variances) == {"root"}
    assert ours.residual == pytest.approx(theirs.scale, rel=1e-3)
    assert contrast(ours, [-1, 1, 0]).value == pytest.approx(theirs.fe_params.iloc[1], abs=1e-4)
    assert contrast(ours, [-1, 1, 0]).standard_error == pytest.approx(theirs.bse_fe.iloc[1], rel=1e-3)


def test_two_groups_of_the_same_roots_are_a_paired_t_test():
    y, group, root = drawn(np.random.default_rng(3), n_prompts=1, effects=np.array([0.0, 0.4]))
    found = contrast(fit(y, group, root), [-1, 1])
    paired = scipy.stats.ttest_rel(y[group == 1], y[group == 0])
    assert found.p_value == pytest.approx(paired.pvalue, rel=1e-5)
    interval = paired.confidence_interval()
    assert (found.ci_low, found.ci_high) == pytest.approx((interval.low, interval.high), rel=1e-5)


def test_prompts_of_a_cell_are_no_more_than_their_mean_where_groups_differ_by_root():
    y, group, root = drawn(np.random.default_rng(4), effects=np.array([0.0, 0.4]))
    fitted = fit(y, group, root)
    cells = np.array([[y[(root == r) & (group == g)].mean() for g in (0, 1)] for r in range(25)])
    paired = scipy.stats.ttest_rel(cells[:, 1], cells[:, 0])
    assert fitted.dof == 24 and fitted.variances["slope"] > 0
    assert contrast(fitted, [-1, 1]).p_value == pytest.approx(paired.pvalue, rel=1e-4)


def test_names_that_lie_in_groups_are_the_units():
    rng = np.random.default_rng(5)
    block = np.repeat(np.arange(16), 6)
    group, root = block // 8, np.tile(np.arange(6), 16)
    y = rng.normal(0, 1, 16)[block] + rng.normal(0, 0.5, 6)[root] + rng.normal(0, 0.5, len(block))
    fitted = fit(y, group, root, block)
    means = np.array([y[block == one].mean() for one in range(16)])
    expected = scipy.stats.ttest_ind(means[8:], means[:8])
    assert {"root", "slope", "block"} == set(fitted.variances)
    # What a root adds for a group is nearly nothing here, so names are what counts.
    assert 13 < fitted.dof < 15
    assert contrast(fitted, [-1, 1]).p_value == pytest.approx(expected.pvalue, rel=0.1)


def test_many_levels_give_what_few_do(monkeypatch):
    rows = drawn(np.random.default_rng(8), kept=0.8)
    dense = fit(*rows)
    monkeypatch.setattr("ingest.inference.reml.DENSE", 0)
    sparse = fit(*rows)
    assert sparse.means == pytest.approx(dense.means, abs=1e-6) and sparse.dof == dense.dof
    assert sparse.covariance == pytest.approx(dense.covariance, rel=1e-4)


def test_intervals_hold_the_truth_as_often_as_they_say():
    rng, inside = np.random.default_rng(6), []
    for _ in range(100):
        y, group, root = drawn(rng, n_roots=10, n_prompts=2, kept=0.9)
        found = contrast(fit(y, group, root), [-1, 1, 0])
        inside.append(found.ci_low < EFFECTS[1] < found.ci_high)
    assert 0.90 <= np.mean(inside) <= 0.99


def test_without_a_difference_few_p_values_are_small():
    rng = np.random.default_rng(7)
    small = [
        contrast(fit(*drawn(rng, n_roots=8, n_prompts=2, effects=np.zeros(2))), [-1, 1]).p_value < 0.05
        for _ in range(100)
    ]
    assert np.mean(small) <= 0.1


@pytest.mark.parametrize(
    ("y", "group", "root", "status"),
    [
        ([1.0, 2.0], [0, 0], [0, 1], "single_group"),
        ([1.0, 2.0], [0, 1], [0, 0], "too_few"),
        ([1.0, 2.0, 1.0, 2.0, 1.0, 2.0], [0, 1, 0, 1, 0, 1], [0, 0, 1, 1, 2, 2], "zero_variance"),
    ],
)
def test_what_cannot_be_fitted_says_why(y, group, root, status):
    fitted = fit(np.array(y), np.array(group), np.array(root))
    assert fitted.status == status and not np.isfinite(fitted.residual)


def test_roots_that_explain_all_leave_no_interval_that_is_believed():
    root = np.repeat(np.arange(10), 2)
    group = np.tile([0, 1], 10)
    fitted = fit(np.arange(10.0)[root] + 0.5 * group, group, root)
    assert fitted.status == "zero_variance" and np.diff(fitted.means) == pytest.approx(0.5, abs=1e-3)


def test_certainty_is_held_within_bounds():
    values, is_moved = log_odds([0.0, 1.0, 0.5, EXTREME])
    edge = np.log(EXTREME / (1 - EXTREME))
    assert values == pytest.approx([edge, -edge, 0, edge]) and is_moved.tolist() == [True, True, False, False]
