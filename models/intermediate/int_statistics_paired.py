"""Grain: one row per sample_id, statistic_id: Kendall's tau-b with the baseline, over all pairs of rows."""

import numpy as np
import pyarrow as pa

from ingest.ranks import kendall_tau_b


def model(dbt, session):
    dbt.config(materialized="table")
    statistics = dbt.ref("statistics").filter("stage = 'paired'").fetchall()
    ids = [row[dbt.ref("statistics").columns.index("statistic_id")] for row in statistics]
    samples = (
        dbt.ref("int_samples_listed").filter("has_baseline and calibration = 'none'").project("sample_id")
    )
    rows = (
        dbt.ref("int_values_coded")
        .filter("value is not null and baseline_value is not null")
        .set_alias("coded")
        .join(samples.set_alias("samples"), "sample_id")
        .project("sample_id, value, baseline_value")
        .order("sample_id, value, baseline_value")
        .fetchnumpy()
    )
    sample_ids, starts = np.unique(rows["sample_id"], return_index=True)
    tau = kendall_tau_b(rows["value"], rows["baseline_value"], starts)
    columns = {
        "sample_id": pa.array(np.repeat(sample_ids, len(ids)), pa.int64()),
        "statistic_id": pa.array(np.tile(ids, len(sample_ids)), pa.int32()),
        "value": pa.array(
            np.repeat(tau, len(ids)), pa.float64(), mask=~np.isfinite(np.repeat(tau, len(ids)))
        ),
    }
    return session.from_arrow(pa.table(columns))
