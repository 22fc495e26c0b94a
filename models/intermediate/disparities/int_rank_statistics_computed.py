"""Grain: one row per group_feature_key, statistic_id: rank correlations with the baseline (SPEC SUM-11)."""

import numpy as np

from ingest.inference.rank_correlation import kendall_tau_b, spearman_rho
from ingest.inference.tables import table_of_columns, types

SCHEMA = types("group_feature_key int64, statistic_id int32, value double")
CORRELATIONS = {"kendall": kendall_tau_b, "spearman": spearman_rho}
CHUNK_ROWS = 4_000_000


def model(dbt, session):
    dbt.config(materialized="table")
    statistics = (
        dbt.ref("statistics").filter("stage = 'paired'").project("statistic_id, statistic").fetchall()
    )
    # A calibrated baseline is constant: nothing correlates with it.
    samples = (
        dbt.ref("int_group_features_listed")
        .filter("has_baseline and calibration = 'none'")
        .project("group_feature_key")
    )
    pairs = (
        dbt.ref("int_feature_values_coded")
        .filter("value is not null and baseline_value is not null")
        .set_alias("coded")
        .join(samples.set_alias("samples"), "group_feature_key")
        .project("group_feature_key, value, baseline_value")
    )
    listed = samples.order("group_feature_key").fetchnumpy()["group_feature_key"]
    n_chunks = max(1, -(-dbt.ref("int_feature_values_coded").shape[0] // CHUNK_ROWS))
    parts = []
    for chunk in np.array_split(listed, n_chunks):
        if len(chunk):
            within = f"group_feature_key between {int(chunk[0])} and {int(chunk[-1])}"
            parts += _correlations(pairs.filter(within), statistics)
    return session.from_arrow(table_of_columns(parts, SCHEMA))


def _correlations(pairs, statistics):
    rows = pairs.order("group_feature_key").fetchnumpy()
    keys, starts = np.unique(rows["group_feature_key"], return_index=True)
    for statistic_id, name in statistics:
        yield {
            "group_feature_key": keys,
            "statistic_id": np.full(len(keys), statistic_id),
            "value": CORRELATIONS[name](rows["value"], rows["baseline_value"], starts),
        }
