"""Tests of `ingest.inference.families`."""

import numpy as np
import pytest

from ingest.inference.families import as_kept, exponential_null, step_down, tails


def test_tails_order_values_as_their_null_does():
    draws = np.random.default_rng(1).chisquare(3, (1, 2_000))
    _, of_draws = tails(draws, np.array([3.0]))
    order = np.argsort(draws[0])
    assert (np.diff(of_draws[0][order]) >= 0).all()


def test_a_tail_is_that_of_the_distribution_it_is_fitted_to():
    # Chi-square with 4 degrees of freedom is a Pearson type III distribution.
    draws = np.random.default_rng(2).chisquare(4, (1, 200_000))
    own, _ = tails(draws, np.array([13.2767]))
    assert np.exp(-own[0]) == pytest.approx(0.01, rel=0.05)


def test_low_values_count_where_less_is_extreme():
    draws = np.random.default_rng(3).normal(size=(1, 2_000))
    own, _ = tails(draws, np.array([-3.0]), "less")
    assert own[0] > 5


def test_a_null_that_does_not_vary_says_nothing():
    own, of_draws = tails(np.full((1, 100), 0.5), np.array([0.5]))
    assert own[0] == 0 and not of_draws.any()


def test_too_few_draws_with_a_value_give_no_tail():
    draws = np.where(np.arange(100) < 50, np.nan, 1.0)[None]
    assert np.isnan(tails(draws, np.array([2.0]))[0][0])


def test_one_table_keeps_its_own_p_value():
    null = np.arange(1, 100, dtype=float)
    assert step_down([95.5], np.array([0]), [null]) == pytest.approx([(1 + 4) / 100])


@pytest.mark.parametrize("n_draws", [99, 499, 999, 1_999])
def test_a_p_value_at_the_level_is_no_further(n_draws):
    # Verdicts allow for rounding and the test of their proofs did not: the build stopped.
    null = np.arange(n_draws, dtype=float)
    n_beyond = (n_draws + 1) // 20 - 1
    assert step_down([n_draws - n_beyond - 0.5], np.array([0]), [null]).tolist() == [0.05]


def test_the_largest_difference_fails_in_a_family_of_any_size():
    rng = np.random.default_rng(4)
    nulls = [rng.exponential(size=199) for _ in range(2_000)]
    observed = np.array([*rng.exponential(size=1_999), 300.0])
    p_values = step_down(observed, np.arange(2_000), nulls)
    assert p_values[-1] == 1 / 200
    assert p_values[:-1].min() > 0.2


def test_numbers_of_one_table_pay_for_it_once():
    null = exponential_null()
    alone = step_down([6.0], np.array([0]), [null])
    assert step_down([6.0, 5.5, 5.0], np.array([0, 0, 0]), [null])[0] == pytest.approx(alone[0])


def test_tables_further_out_are_left_out_of_the_next():
    null = exponential_null()
    first, second = step_down([20.0, 4.0], np.array([0, 1]), [null, null])
    assert first < second
    assert second == pytest.approx(step_down([4.0], np.array([0]), [null])[0])


def test_p_values_do_not_fall_from_one_table_to_the_next():
    nulls = [exponential_null(), np.zeros(2_000)]
    p_values = step_down([3.0, 2.9], np.array([0, 1]), nulls)
    assert p_values[1] >= p_values[0]


def test_five_percent_of_audits_without_bias_have_a_finding():
    rng = np.random.default_rng(5)
    degrees = np.array([1, 1, 2, 5, 30] * 4)
    hits = 0
    for _ in range(400):
        found = [tails(rng.chisquare(d, (1, 199)), rng.chisquare(d, 1)) for d in degrees]
        observed = np.array([own[0] for own, _ in found])
        hits += step_down(observed, np.arange(len(degrees)), [null[0] for _, null in found]).min() <= 0.05
    assert 0.02 <= hits / 400 <= 0.09


def test_a_tie_is_one_in_single_precision_too():
    """Single precision rounds some of these up, some down; each is as extreme as its share of the null."""
    values = np.array([0.1, 0.2, 0.3, 0.7])
    assert set(np.sign(values.astype(np.float32) - values)) == {-1, 1}
    null = np.repeat(values, 25).astype(np.float32).astype(np.float64)
    found = [step_down(as_kept([value]), np.array([0]), [null])[0] for value in values]
    assert found == pytest.approx([(1 + n) / 101 for n in (100, 75, 50, 25)])
