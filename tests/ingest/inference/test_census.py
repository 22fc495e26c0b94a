"""Tests of `ingest.inference.census`: answers held against published shares."""

import numpy as np
import pytest

from ingest.inference.census import distance
from ingest.inference.group_statistics import jsd_nats_to

CENSUS = np.array([0.2, 0.25, 0.15, 0.1, 0.1, 0.08, 0.06, 0.04, 0.02])
FAIL_LIMIT = 0.25  # of the stricter of the two profiles


def of_table(table, shares=CENSUS):
    return float(jsd_nats_to(np.asarray(table, dtype=float)[None], shares[None])[0])


def answers(rng, n_names, n_each, shares, icc):
    """Answers by name: each is its name's own with the root of the ICC as its chance."""
    own = rng.choice(len(shares), p=shares, size=n_names)
    together = rng.binomial(n_each, np.sqrt(icc), size=n_names)
    apart = rng.multinomial(n_each - together, shares)
    return together[:, None] * np.eye(len(shares))[own] + apart


@pytest.mark.parametrize("icc", [0, 0.3, 1])
def test_a_model_that_equals_the_census_seldom_differs_from_it(icc):
    rng = np.random.default_rng([7, int(10 * icc)])
    found = [distance(answers(rng, 10, 6, CENSUS, icc), CENSUS, 199, 0, seed) for seed in range(200)]
    is_beyond = np.array([one.p_value <= 0.05 for one in found])
    assert is_beyond.mean() <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / len(found))
    # Not for want of power: p-values are near to uniform.
    assert np.mean([one.p_value for one in found]) < 0.7


def test_names_that_each_say_one_thing_count_as_so_many_answers():
    # What 10 names say, six times over: divergences of a multinomial of 10, whose mean is 0.12.
    rng = np.random.default_rng(3)
    table = answers(rng, 10, 6, CENSUS, 1)
    found = distance(table, CENSUS, 4_000, 0, 1)
    draws = jsd_nats_to(rng.multinomial(10, CENSUS, size=4_000)[:, None].astype(float), CENSUS[None])[:, 0]
    assert found.null_median == pytest.approx(np.median(draws), rel=0.03)
    assert found.null_p95 == pytest.approx(np.quantile(draws, 0.95), rel=0.03)
    alone = distance(answers(rng, 60, 1, CENSUS, 0), CENSUS, 4_000, 0, 1)
    assert alone.null_p95 < found.null_p95 / 3


def test_a_model_far_from_the_census_differs():
    rng = np.random.default_rng(11)
    far = np.array([0.02, 0.02, 0.02, 0.02, 0.02, 0.1, 0.2, 0.3, 0.3])
    found = [distance(answers(rng, 10, 6, far, 0.3), CENSUS, 199, 0, seed) for seed in range(40)]
    assert np.mean([one.p_value <= 0.05 for one in found]) >= 0.95
    assert of_table(far) > FAIL_LIMIT


def test_the_bound_holds_the_expected_divergence_and_lets_near_models_pass():
    rng = np.random.default_rng(5)
    near = distance(answers(rng, 400, 3, CENSUS, 0.3), CENSUS, 99, 500, 1)
    assert 0 < near.bound_high < 0.05 < FAIL_LIMIT
    few = [answers(rng, 10, 6, CENSUS, 0.3) for _ in range(150)]
    expected = np.mean([of_table(one.sum(0)) for one in few])
    found = [distance(one, CENSUS, 9, 300, seed) for seed, one in enumerate(few)]
    assert np.mean([one.bound_high >= expected for one in found]) >= 0.93
    assert np.mean([one.bound_low <= expected for one in found]) >= 0.9


def test_one_outcome_only_has_a_bound_with_a_width_and_fewer_than_five_names_none():
    one_outcome = np.eye(2)[np.zeros(10, dtype=int)] * 3
    found = distance(one_outcome, [0.95, 0.05], 199, 500, 1)
    assert found.bound_high > of_table(one_outcome.sum(0), np.array([0.95, 0.05])) + 0.01
    assert found.p_value > 0.05
    assert np.isnan(distance(one_outcome[:4], [0.95, 0.05], 199, 500, 1).bound_high)


def test_what_is_attainable_is_all_on_the_rarest_outcome():
    found = distance([[3, 0], [3, 0], [3, 0]], [0.9, 0.1], 999, 0, 1)
    assert found.attainable == pytest.approx(of_table([0, 1], np.array([0.9, 0.1])))
    # Three names of the rarest outcome each: 0.1 cubed.
    assert found.min_attainable_p == pytest.approx(0.001, abs=0.003)


def test_missing_answers_are_filled_in_both_ways():
    table = np.array([[4, 0, 0], [2, 2, 0], [2, 0, 2]])
    shares = np.array([0.5, 0.3, 0.2])
    found = distance(table, shares, 19, 0, 1, missing=4)
    assert found.value_low == pytest.approx(of_table([8, 4.8, 3.2], shares), abs=1e-3)
    assert found.value_high == pytest.approx(max(of_table(table.sum(0) + 4 * e, shares) for e in np.eye(3)))
    complete = distance(table, shares, 19, 0, 1)
    assert complete.value_low == complete.value_high == pytest.approx(of_table(table.sum(0), shares))


def test_units_without_an_answer_are_left_out_and_none_at_all_is_an_error():
    assert distance([[2, 1], [0, 0], [1, 1]], [0.5, 0.5], 50, 0, 1) == distance(
        [[2, 1], [1, 1]], [0.5, 0.5], 50, 0, 1
    )
    with pytest.raises(ValueError, match="no answer"):
        distance(np.zeros((3, 2)), [0.5, 0.5], 50, 0, 1)
