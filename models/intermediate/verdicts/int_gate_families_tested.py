"""Grain: one row per profile, suite, category, config_key, measure, axis, metric, group_value."""

import numpy as np

from ingest.inference.families import as_kept, exponential_null, step_down
from ingest.inference.tables import numbers, parts, table_of_columns, types

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
        .order(f"family, table_key, {', '.join(KEYS)}")
        .fetchnumpy()
    )
    families = parts(tests, "family", np.unique(tests["family"]))
    return session.from_arrow(table_of_columns([_tested(family) for family in families], SCHEMA))


def _tested(family):
    """The tests of one family with their corrected p-values.

    Each is at least the p-value of the test that its tail comes from: of a smallest ratio, the range's.
    """
    p_values, tails = numbers(family["p_value"]), numbers(family["tail"])
    # A number that comes without its relabellings has a p-value that is uniform under no difference.
    own = np.where(np.isfinite(tails), as_kept(tails), -np.log(p_values))
    tables, table = np.unique(family["table_key"], return_inverse=True)
    nulls = [_null(family["null_tails"][table == index]) for index in range(len(tables))]
    corrected = step_down(own, table, nulls)
    n = len(own)
    sizes = {"n_tests": np.full(n, n), "n_tables": np.full(n, len(tables)), "p_family": corrected}
    return {name: family[name] for name in KEYS} | sizes


def _null(draws):
    """The highest tail of a table's numbers under each relabelling."""
    given = [np.asarray(one, dtype=np.float64) for one in draws if np.ndim(one)]
    return np.max(given, axis=0) if given else exponential_null()
