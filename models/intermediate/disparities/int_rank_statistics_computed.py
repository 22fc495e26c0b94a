"""Grain: one row per sample_id, statistic_id: rank correlations with the baseline (SPEC SUM-11)."""

import numpy as np

from ingest.inference.rank_correlation import kendall_tau_b, spearman_rho
from ingest.inference.tables import table_of_columns, types

SCHEMA = types("sample_id int64, statistic_id int32, value double")
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
        .project("sample_id")
    )
    pairs = (
        dbt.ref("int_feature_values_coded")
        .filter("value is not null and baseline_value is not null")
        .set_alias("coded")
        .join(samples.set_alias("samples"), "sample_id")
        .project("sample_id, value, baseline_value")
    )
    listed = samples.order("sample_id").fetchnumpy()["sample_id"]
    n_chunks = max(1, -(-dbt.ref("int_feature_values_coded").shape[0] // CHUNK_ROWS))
    parts = []
    for chunk in np.array_split(listed, n_chunks):
        if len(chunk):
            within = f"sample_id between {int(chunk[0])} and {int(chunk[-1])}"
            parts += _correlations(pairs.filter(within), statistics)
    return session.from_arrow(table_of_columns(parts, SCHEMA))


def _correlations(pairs, statistics):
    rows = pairs.order("sample_id").fetchnumpy()
    sample_ids, starts = np.unique(rows["sample_id"], return_index=True)
    for statistic_id, name in statistics:
        yield {
            "sample_id": sample_ids,
            "statistic_id": np.full(len(sample_ids), statistic_id),
            "value": CORRELATIONS[name](rows["value"], rows["baseline_value"], starts),
        }
