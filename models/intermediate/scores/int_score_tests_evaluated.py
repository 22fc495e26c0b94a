"""Grain: one row per analysis_id, test of kind score: p-values as if responses were independent."""

import numpy as np
import pyarrow as pa

from ingest.inference.resampling import f_p, t_p


def model(dbt, session):
    dbt.config(materialized="table")
    tests = (
        dbt.ref("int_score_tests_computed")
        .order("analysis_id, test")
        .project("analysis_id, test, value, dof, dof_within")
        .fetchnumpy()
    )
    value, dof, within = (
        np.ma.filled(np.ma.asarray(tests[name], dtype=np.float64), np.nan)
        for name in ("value", "dof", "dof_within")
    )
    is_anova = np.asarray(tests["test"], dtype=object) == "anova"
    p_value = np.where(is_anova, f_p(value, dof, within), t_p(value, dof))
    return session.from_arrow(
        pa.table(
            {
                "analysis_id": pa.array(tests["analysis_id"], pa.int64()),
                "test": pa.array(list(tests["test"]), pa.string()),
                "p_value": pa.array(p_value, pa.float64(), mask=~np.isfinite(p_value)),
            }
        )
    )
