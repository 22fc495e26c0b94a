"""Grain: one row per suite, category, judge, attribute, group_a, group_b, label. What chance gives."""

import numpy as np

from ingest.inference.flips import mean_shift
from ingest.inference.kept import Kept
from ingest.inference.tables import row_by, rows_by, seed_of, types

IDENTITY = ("suite", "category", "judge", "attribute", "group_a", "group_b", "label")
SCHEMA = types(
    "suite string, category string, judge string, attribute string, group_a string, group_b string,"
    " label string, value double, ci_low double, ci_high double, p_value double, null_p05 double,"
    " null_p95 double, n_units int64, min_attainable_p double"
)


def model(dbt, session):
    dbt.config(materialized="table")
    settings = row_by(dbt.ref("stg_suite__suites"), "suite, seed, n_permutations, n_bootstrap")
    names = ", ".join(IDENTITY)
    shifts = rows_by(
        dbt.ref("int_judge_shifts_listed").filter("n_texts > 0").order(f"{names}, content_key"),
        f"{names}, shift, n_texts",
        n_keys=len(IDENTITY),
    )
    kept = Kept(dbt, session, SCHEMA)
    for identity, units in shifts.items():
        kept.add(_resampled, list(identity), settings[identity[0]], units)
    return kept.relation()


def _resampled(identity, settings, units):
    """Yield the row of one shift; settings are seed, permutations, bootstrap draws."""
    seed, n_permutations, n_bootstrap = settings
    sums, counts = np.array(units, dtype=np.float64).T
    # Labels of one judge are drawn alike.
    found = mean_shift(sums, counts, n_permutations, n_bootstrap, seed_of(seed, "judge", *identity[:-1]))
    yield {**dict(zip(IDENTITY, identity, strict=True)), **found._asdict()}
