"""Tests of `ingest.inference.strata`: groups that differ in another attribute too."""

import numpy as np
import pytest

from ingest.inference.design import Design
from ingest.inference.relabelling import plan_for
from ingest.inference.resampling import resample
from ingest.inference.strata import confounding, spread_out, standardised, stratum_of
from ingest.inference.sums import group_table, selection_sums


def crossed(n: int = 60, share: float = 0.8):
    """Two groups of n names; the first has `share` of its names in stratum 1, the second the rest."""
    group = np.repeat([0, 1], n)
    own = np.arange(n) < share * n
    stratum = np.concatenate([own, ~own]).astype(np.int64)
    row = np.arange(2 * n)
    return Design(group[:, None], group, row, row, ("F", "M")), stratum


def test_balanced_attributes_are_not_confounded():
    assert confounding(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])) == pytest.approx(0, abs=1e-9)
    assert confounding(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1])) == pytest.approx(1)
    assert confounding(np.array([0, 0, 1, 1]), np.zeros(4, dtype=np.int64)) == 0


def test_groups_that_tell_their_stratum_are_confounded_by_1_and_no_more():
    for n in range(1, 40):
        country = np.repeat(np.arange(6), n)
        assert 1 - 1e-9 < confounding(country, country // 3) <= 1


def test_rates_are_averaged_over_strata():
    # Stratum 0: 1 of 2 and 3 of 4; stratum 1: 8 of 8 and 1 of 2.
    sums = np.array([[2, 1, 8, 8], [4, 3, 2, 1]], dtype=float)
    found = standardised(sums, "selection", 2)
    assert found[:, 0].tolist() == [10, 6]
    assert (found[:, 1] / found[:, 0]).tolist() == pytest.approx([0.75, 0.625])


def test_a_stratum_that_a_group_lacks_is_left_out():
    sums = np.array([[2, 1, 8, 8], [4, 3, 0, 0]], dtype=float)
    found = standardised(sums, "selection", 2)
    assert (found[:, 1] / found[:, 0]).tolist() == pytest.approx([0.5, 0.75])


def test_without_a_common_stratum_nothing_is_compared():
    assert np.isnan(standardised(np.array([[2.0, 1, 0, 0], [0, 0, 4, 3]]), "selection", 2)).all()


def test_rows_keep_their_stratum():
    stratum = np.array([1, 0, 2, 1])
    sums = selection_sums([1, 0, 1, 0])
    spread = spread_out(sums, stratum)
    assert stratum_of(spread, 2).tolist() == stratum.tolist()
    assert spread.reshape(4, 3, 2).sum(1).tolist() == sums.tolist()


def test_labels_are_shuffled_within_strata():
    design, stratum = crossed()
    plan = plan_for(design, "prompt", stratum)
    labels = plan.labeller([1, 2])(50)
    for one in labels:
        assert group_table(one, np.eye(2)[stratum], 2).tolist() == [[12, 48], [48, 12]]


def test_an_effect_of_the_other_attribute_is_not_laid_to_the_group():
    rng = np.random.default_rng(7)
    design, stratum = crossed(200)
    sums = selection_sums(rng.random(400) < np.where(stratum == 1, 0.8, 0.4))
    names = ["min_impact_ratio", "range"]
    raw, adjusted = (
        next(row for row in resample(design, sums, names, 499, 500, 1, strata=strata) if row.group is None)
        for strata in (None, stratum)
    )
    assert raw.value < 0.8 and raw.p_value < 0.01
    assert adjusted.value > 0.8 and adjusted.p_value > 0.05
    assert adjusted.bound_low < adjusted.value
