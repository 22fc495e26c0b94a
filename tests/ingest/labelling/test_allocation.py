"""How many answers of each stratum are drawn."""

import numpy as np
import pytest

from ingest.labelling.allocation import allocate


def test_numbers_are_whole_within_their_bounds_and_add_up():
    random = np.random.default_rng(1)
    for _ in range(300):
        sizes = random.integers(1, 10 ** random.integers(1, 6), size=random.integers(1, 60))
        least = np.minimum(sizes, random.integers(0, 5, size=len(sizes)))
        total = int(random.integers(least.sum(), sizes.sum() + 1))
        found = allocate(sizes, least, total)
        assert found.sum() == total
        assert (found >= least).all() and (found <= sizes).all()


def test_between_the_bounds_numbers_go_with_the_square_root_of_the_size():
    found = allocate(np.array([100, 400, 10_000, 4]), np.array([2, 2, 2, 2]), 265)
    assert found.tolist() == [20, 40, 201, 4]


def test_equal_strata_differ_by_one_at_most_and_the_first_gets_more():
    assert allocate(np.array([9, 9, 9]), np.array([0, 0, 0]), 10).tolist() == [4, 3, 3]


def test_what_the_bounds_do_not_allow_is_refused():
    for total in (3, 21):
        with pytest.raises(ValueError, match="lies outside 4 to 20"):
            allocate(np.array([10, 10]), np.array([2, 2]), total)
