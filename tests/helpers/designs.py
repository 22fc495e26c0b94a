"""Designs and tables that several tests of inference start from."""

import numpy as np

from ingest.inference.design import Design
from ingest.inference.sums import score_sums

NAN = float("nan")


def close(actual, expected, tolerance=1e-6):
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance)


def scores_table(*groups):
    return np.stack([score_sums(group).sum(0) for group in groups])


def rows_by(results):
    return {(row.statistic, row.group): row for row in results}


def within_blocks(n_blocks, n_groups, repeats=1):
    """Every block asks about every group, `repeats` prompts each."""
    row = np.arange(n_blocks * n_groups * repeats)
    return Design.from_values([row % n_groups], row, row // (n_groups * repeats))


def whole_blocks(n_blocks, n_groups, size):
    """A block belongs to one group, as a person's name does."""
    block = np.repeat(np.arange(n_blocks), size)
    return Design.from_values([block % n_groups], np.arange(len(block)), block)


def mixed(n_blocks, size):
    """A block fixes the first attribute (2 values); the second (2 values) varies inside it."""
    row = np.arange(n_blocks * 2 * size)
    block = row // (2 * size)
    return Design.from_values([block % 2, row % 2], row, block)
