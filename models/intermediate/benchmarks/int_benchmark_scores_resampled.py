"""Grain: one row per suite, category, config_key, metric, condition. What other units and chance give."""

import numpy as np

from ingest.inference.benchmarks import resampled_score
from ingest.inference.kept import Kept
from ingest.inference.tables import row_by, rows_by, seed_of, types

IDENTITY = ("suite", "category", "config_key", "metric", "condition")
SCHEMA = types(
    "suite string, category string, config_key string, metric string, condition string, value double,"
    " ci_low double, ci_high double, p_value double, null_median double, null_p05 double, null_p95 double"
)


def model(dbt, session):
    dbt.config(materialized="table")
    settings = row_by(dbt.ref("stg_suite__suites"), "suite, seed, n_permutations, n_bootstrap")
    declared = row_by(
        dbt.ref("benchmark_scores"), "metric, condition, formula, part_1, part_2, n_options", n_keys=2
    )
    names = ", ".join(IDENTITY)
    scores = rows_by(
        dbt.ref("int_benchmark_parts_listed").order(f"{names}, block_key"),
        f"{names}, x_1, y_1, n_1, x_2, y_2, n_2",
        n_keys=len(IDENTITY),
    )
    kept = Kept(dbt, session, SCHEMA)
    for identity, units in scores.items():
        kept.add(_resampled, list(identity), settings[identity[0]], declared[identity[3:]], units)
    return kept.relation()


def _resampled(identity, settings, declared, units):
    """Yield the row of one score; settings are seed, permutations, bootstrap draws."""
    seed, n_permutations, n_bootstrap = settings
    formula, part_1, part_2, n_options = declared
    found = resampled_score(
        formula,
        (part_1, part_2 or ""),
        int(n_options),
        np.array(units, dtype=np.float64),
        n_permutations,
        n_bootstrap,
        # Scores of one config are drawn alike.
        seed_of(seed, "benchmark", *identity[:3]),
    )
    yield {**dict(zip(IDENTITY, identity, strict=True)), **found._asdict()}
