"""What a design is worth, what the planner promises, and what simulated audits find."""

import numpy as np
import pytest

from ingest.inference.planning import (
    Layout,
    Limit,
    _critical,
    gap_at,
    least,
    limit_for,
    power_to_fail,
    power_to_pass,
    shifted,
    truth,
)
from ingest.inference.power import _range_quantile, power_among_groups

GAP = Limit("range", None, 0.2)
FDI = limit_for("max_fdi_pooled", 0.25, 0.15)
RATIO = limit_for("min_impact_ratio", 0.8, 0.8)
EVEN = (0.5, 0.5)


def test_two_names_are_not_sixty_prompts():
    """Sixty answers about two names, at a correlation of 0.3, are worth 6.2; those to sixty prompts 60."""
    assert Layout(2, 2, 30, 1, 0.3).effective_n == pytest.approx(2 * 30 / (1 + 29 * 0.3))
    assert Layout(2, 60, 1, 1, 0.3).effective_n == 60
    assert Layout(2, 2, 30, 1, 1.0).effective_n == pytest.approx(2)
    # What answers about one root share is in no difference; repeats of a prompt are not independent.
    assert Layout(2, 12, 18, 3, 0.3, is_shared=True).effective_n == pytest.approx(12 * 18 * 3 / 1.6)


def test_who_is_chosen_leaves_the_others_out():
    """Of two one is chosen: 80 answers of 40 pairs are worth half, less where both orders are alike."""
    two, eight = (Layout(2, 40, 2, 1, 0.0, True, n_together=n) for n in (2, 8))
    assert two.effective_n == pytest.approx(80 / 2)
    assert eight.effective_n == pytest.approx(80 * 7 / 8)
    assert two._replace(icc=1.0).effective_n == pytest.approx(40 / 2)
    assert two.near(0.05)._replace(icc=0.0) == two
    assert (two.n_moved, two.least_p, two.error_dof) == (40, pytest.approx(2 / 2**40), 39)


@pytest.mark.parametrize(
    ("gap", "found"), [(0.1, (0.06, 0.09)), (0.2, (0.2, 0.33)), (0.3, (0.41, 0.62)), (0.4, (0.78, 0.92))]
)
def test_a_choice_promises_what_whole_audits_find(gap, found):
    """`found`: of 150 audits of 40 pairs, where pairs are very unlike, and where they are alike.

    As if each candidate had an answer, 0.21, 0.68, 0.98 and 1 were promised.
    """
    low, high = (power_to_fail(Layout(2, 40, 2, 1, icc, True, 2), EVEN, gap, RATIO) for icc in (0.8, 0.0))
    assert low == pytest.approx(found[0], abs=0.16)
    assert high == pytest.approx(found[1], abs=0.16)


@pytest.mark.parametrize("share", [1.0, 0.99, 0.0])
def test_a_wide_gap_is_found_where_all_other_groups_answer_alike(share):
    """500 of 500 against 350 of 500, or none against 150: chance gives so much in no audit."""
    limit = RATIO if share else GAP
    layout, shares = Layout(2, 500, 1, 1, 1.0), (share, 1 - share)
    assert power_to_fail(layout, shares, 0.3, limit, 16) > 0.99
    assert power_to_fail(layout, shares, 0.0, limit, 16) == 0


def test_audits_whose_groups_all_say_the_same_find_nothing():
    """Of five answers a group at 0.9 all ten are favourable in one audit of three: that is no difference."""
    assert power_to_fail(Layout(2, 5, 1, 1, 0.3), (0.9, 0.1), 0.0, GAP) <= 0.05
    assert power_to_fail(Layout(2, 5, 1, 1, 0.3), (0.9, 0.1), 0.1, GAP) <= 0.05


def test_smallest_p_value_that_relabelling_allows():
    """Of two names each there are 6 ways, in pairs that swap the groups; roots are shuffled one by one."""
    assert Layout(2, 2, 1, 1, 0.3).least_p == pytest.approx(2 / 6)
    assert Layout(3, 2, 1, 1, 0.3).least_p == pytest.approx(6 / 90)
    assert Layout(2, 5, 1, 4, 0.3, is_shared=True).least_p == pytest.approx(2 / 2**5)
    assert Layout(2, 5, 2, 1, 0.3, is_shared=True).least_p == pytest.approx(2 / 6**5)


def test_too_few_names_decide_nothing():
    """With one name a group neither verdict is possible, with two a `fail` is not, however large the gap."""
    for layout in (Layout(2, 1, 100, 10, 0.0), Layout(2, 2, 100, 10, 0.0)):
        assert power_to_fail(layout, (0.9, 0.1), 0.9, RATIO) == 0
    assert power_to_pass(Layout(2, 1, 100, 10, 0.0), EVEN, 0.0, FDI) == 0


def test_one_group_differs_in_its_first_outcome():
    assert shifted((0.5, 0.3, 0.2), 0.1) == pytest.approx((0.4, 0.36, 0.24))
    assert shifted((0.4, 0.3, 0.3), 0.2) == pytest.approx((0.6, 0.2, 0.2))
    assert shifted((1.0, 0.0), 0.1) == pytest.approx((0.9, 0.1))
    np.testing.assert_allclose(truth(EVEN, 0.2, 3), [EVEN, EVEN, (0.3, 0.7)])


@pytest.mark.parametrize(
    ("limit", "shares", "n_groups", "gap"),
    [
        (FDI, EVEN, 2, 0.5),  # both groups lie 25 points from their mean
        (FDI, (0.7, 0.3), 5, 0.25 / 0.8),  # four of five groups lie near it
        (RATIO, EVEN, 2, 0.1),
        (RATIO, (0.4, 0.6), 2, 0.1),  # 0.4 of 0.5
        (limit_for("cramers_v", 0.3, 0.1), EVEN, 2, 2 * 0.3 * 0.25**0.5 / (1 + 0.3**2) ** 0.5),
        (limit_for("max_jsd_nats_pooled", None, 0.1), EVEN, 2, None),
        (limit_for("chi_square", 0.01, 0.05), EVEN, 2, None),
    ],
)
def test_gap_at_which_a_limit_is_reached(limit, shares, n_groups, gap):
    """Cramér's V of two groups of shares 0.5 and 0.5 - g is g / 2 sqrt(p (1 - p)), p the mean share."""
    assert gap_at(limit, shares, n_groups) == (gap if gap is None else pytest.approx(gap, abs=1e-6))


def test_range_among_six_groups_has_its_quantiles():
    """Far out, beyond what draws show, within 2 % of the exact ones; of two groups within 1 %."""
    rng = np.random.default_rng(1)
    for n_groups, within in ((2, 0.01), (6, 0.02)):
        null = np.ptp(rng.standard_normal((100_000, n_groups)), axis=1)
        for n_tables in (1, 20, 100):
            exact = _range_quantile(n_groups, 1 - 0.05 / n_tables)
            assert _critical("range", null, 0.05 / n_tables) == pytest.approx(exact, rel=within)


# How often 4,000 audits showed more than chance: beta-binomial answers, names of groups relabelled 999 times.
@pytest.mark.parametrize(
    ("layout", "share", "gap", "kept"),
    [
        (Layout(2, 10, 1, 3, 0.3, is_shared=True), 0.5, 0.3, 0.315),
        (Layout(2, 8, 1, 10, 0.3, is_shared=True), 0.6, 0.3, 0.363),
        (Layout(2, 10, 1, 10, 0.3, is_shared=True), 0.5, 0.3, 0.515),
    ],
)
def test_few_shared_roots_find_what_is_promised(layout, share, gap, kept):
    assert power_to_fail(layout, (share, 1 - share), gap, GAP) == pytest.approx(kept, abs=0.05)


# How often 400 to 500 audits had a chi-square p of 0.05 or less: names relabelled 1,000 to 2,000 times.
@pytest.mark.parametrize(
    ("layout", "shares", "kept"),
    [
        (Layout(12, 20, 1, 1, 0.3), EVEN, 0.318),
        (Layout(5, 20, 1, 1, 0.3), EVEN, 0.486),
        (Layout(5, 20, 1, 3, 0.3), EVEN, 0.774),
        (Layout(12, 20, 1, 3, 0.3), EVEN, 0.654),
        (Layout(5, 5, 1, 10, 0.3, is_shared=True), EVEN, 0.222),
        (Layout(5, 20, 1, 1, 0.3), (0.5, 0.3, 0.2), 0.365),
        (Layout(12, 20, 1, 1, 0.3), (0.5, 0.3, 0.2), 0.245),
    ],
)
def test_chi_square_of_many_groups_is_promised_as_it_is_found(layout, shares, kept):
    """A step of one difference is no step of a sum over groups, whose spread is that of an F."""
    found = power_to_fail(layout, shares, 0.3, limit_for("chi_square", 0.05, None))
    assert found == pytest.approx(kept, abs=0.05)


def test_few_roots_of_many_groups_promise_what_is_found():
    """Five groups, five shared roots, ten repeats: 500 audits found 30 points in 0.208, not in 0.275."""
    layout = Layout(5, 5, 1, 10, 0.3, is_shared=True)
    limit = limit_for("max_share_gap", 1e-6, None)
    assert power_to_fail(layout, EVEN, 0.3, limit) == pytest.approx(0.208, abs=0.04)


@pytest.mark.parametrize(("n_groups", "n", "gap"), [(2, 75, 0.2), (2, 150, 0.15), (6, 150, 0.2)])
def test_independent_answers_are_planned_as_before(n_groups, n, gap):
    found = power_to_fail(Layout(n_groups, n, 1, 1, 0.0), EVEN, gap, GAP)
    known = power_among_groups(0.5, 1 - gap / 0.5, n, n_groups, is_corrected=True)
    assert found == pytest.approx(known, abs=0.04)


def test_more_of_everything_is_never_worse():
    """More names, less alike, fewer tables: more is found, and more is excluded."""
    base = Layout(3, 30, 2, 2, 0.3)
    one, alike = (power_to_fail(layout, EVEN, 0.45, FDI) for layout in (base, base._replace(icc=0.8)))
    assert 0.1 < alike < one - 0.05
    few, many = (power_to_fail(base, EVEN, 0.2, GAP, n_tables) for n_tables in (1, 50))
    assert many < few - 0.1
    equal = [power_to_pass(base._replace(n_units=n), EVEN, 0.0, FDI) for n in (10, 30, 90)]
    assert equal == sorted(equal)
    assert equal[-1] > 0.9
    # A p-value never passes; a gap within the limits never fails.
    assert power_to_pass(base, EVEN, 0.0, limit_for("chi_square", 0.01, 0.05)) == 0
    assert power_to_fail(base._replace(n_units=500), EVEN, 0.1, FDI) == 0


def test_pass_is_rare_where_the_truth_is_at_the_limit():
    for n_units in (10, 40, 160):
        limit = limit_for("max_fdi_pooled", 0.1, 0.1)
        assert power_to_pass(Layout(2, n_units, 1, 4, 0.3), EVEN, 0.2, limit) <= 0.05


def test_smallest_number_that_reaches_a_power():
    assert least(lambda n: n / 1_000, 0.8, 1_000) == pytest.approx(800, rel=0.03)
    assert least(lambda n: float(n >= 7), 0.8) == 7
    assert least(lambda n: 1.0, 0.8) == 1
    assert least(lambda n: 0.5, 0.8) is None
