"""Tests of `ingest.inference.adjusted`: what verdicts get of groups that differ in another attribute too."""

import numpy as np
import pytest

from ingest.inference.adjusted import adjusted
from ingest.inference.design import Design
from ingest.inference.resampling import resample
from ingest.inference.sums import selection_sums

OPTIONS = {"n_permutations": 199, "n_bootstrap": 200, "seed": 3}
SHOWN = ("ci_low", "ci_high", "null_p05", "null_median", "null_p95")


def test_interval_and_chance_are_of_the_number_at_equal_weights():
    # Four in five women but one in five men are asked about where eight in ten are chosen, else four in ten.
    group, own = np.repeat([0, 1], 100), np.arange(100) < 80
    stratum = np.concatenate([own, ~own]).astype(np.int64)
    row = np.arange(200)
    design = Design(group[:, None], group, row, row, ("F", "M"))
    sums = selection_sums(np.random.default_rng(7).random(200) < np.where(stratum == 1, 0.8, 0.4))

    own_columns = adjusted(design, sums, "selection", stratum, OPTIONS)["min_impact_ratio", ""]
    plain, weighted = (
        resample(design, sums, ["min_impact_ratio"], strata=strata, **OPTIONS)[0]
        for strata in (None, stratum)
    )
    shown = [own_columns[f"adjusted_{name}"] for name in SHOWN]
    assert shown == pytest.approx([getattr(weighted, name) for name in SHOWN])
    assert shown[0] < own_columns["adjusted_value"] < shown[1]
    # As read the ratio lies so far below that its interval does not hold the one at equal weights.
    assert plain.ci_high < own_columns["adjusted_value"]
    assert not set(SHOWN) & own_columns.keys()  # those stay what they are beside the plain number
