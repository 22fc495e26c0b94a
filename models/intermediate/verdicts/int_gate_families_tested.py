"""Grain: one row per profile, suite, category, config_key, measure, axis, metric, group_value."""

import numpy as np

from ingest.inference.families import as_kept, exponential_null, step_down
from ingest.inference.tables import lists, table_of_columns, types, where

KEYS = ("profile", "suite", "category", "config_key", "measure", "axis", "metric", "group_value")
SCHEMA = types(
    ", ".join(f"{name} string" for name in KEYS) + ", n_tests int64, n_tables int64, p_family double"
)


def model(dbt, session):
    dbt.config(materialized="table")
    tests = (
        dbt.ref("int_gate_tests_listed")
        .project(
            f"{', '.join(KEYS)}, hash(profile, family_key) as family, table_key, p_value, tail, null_tails"
        )
        .to_arrow_table()
    )
    columns = {name: tests[name].to_numpy() for name in tests.column_names if name != "null_tails"}
    columns["null_tails"] = lists(tests["null_tails"])
    _, family = np.unique(columns["family"], return_inverse=True)
    rows = np.split(np.argsort(family, kind="stable"), np.cumsum(np.bincount(family))[:-1])
    tested = table_of_columns([_tested(where(columns, of_one)) for of_one in rows], SCHEMA)
    return session.from_arrow(tested).order(", ".join(KEYS))


def _tested(family):
    """The tests of one family with their corrected p-values.

    Each is at least the p-value of the test that its tail comes from: of a smallest ratio, the range's.
    """
    tails = family["tail"]
    # A number that comes without its relabellings has a p-value that is uniform under no difference.
    own = np.where(np.isfinite(tails), as_kept(tails), -np.log(family["p_value"]))
    tables, table = np.unique(family["table_key"], return_inverse=True)
    nulls = [_null(family["null_tails"][table == index]) for index in range(len(tables))]
    corrected = step_down(own, table, nulls)
    n = len(own)
    sizes = {"n_tests": np.full(n, n), "n_tables": np.full(n, len(tables)), "p_family": corrected}
    return {name: family[name] for name in KEYS} | sizes


def _null(draws):
    """The highest tail of a table's numbers under each relabelling."""
    given = [one for one in draws if one is not None]
    return np.max(given, axis=0) if given else exponential_null()
