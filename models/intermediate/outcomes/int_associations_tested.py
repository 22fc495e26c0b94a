"""Grain: one row per analysis_id of kind outcome: p-values of tests that treat responses as independent."""

import numpy as np
import pyarrow as pa

from ingest.inference.resampling import chi_square_p, fisher_exact_p, monte_carlo_chi_square
from ingest.keys import key


def model(dbt, session):
    dbt.config(materialized="table")
    tests = dbt.ref("int_associations_computed").order("analysis_id").fetchnumpy()
    analyses = dbt.ref("int_analyses_listed")
    identity = {
        row[0]: (row[1:], row[2])
        for row in analyses.project(
            "analysis_id, seed, n_permutations, suite, category, config_key, axis, measure"
        ).fetchall()
    }
    cells = (
        dbt.ref("int_outcomes_counted")
        .order("analysis_id, attribute_codes, outcome")
        .project("analysis_id, n_cell")
        .fetchnumpy()
    )
    column = {
        name: np.ma.filled(np.ma.asarray(v, dtype=np.float64), np.nan)
        for name, v in tests.items()
        if name in ("chi_square", "chi_square_yates", "dof")
    }
    asymptotic = chi_square_p(column["chi_square"], column["dof"])
    yates = chi_square_p(column["chi_square_yates"], column["dof"])
    names = np.ma.filled(np.ma.asarray(tests["test"], dtype=object), "")
    p_value = asymptotic.copy()
    for i, (analysis_id, test) in enumerate(zip(tests["analysis_id"], names, strict=True)):
        if test not in ("fisher", "monte_carlo"):
            continue
        shape = int(tests["n_groups"][i]), int(tests["n_outcomes"][i])
        table = cells["n_cell"][cells["analysis_id"] == analysis_id].reshape(shape)
        seeded, n_permutations = identity[int(analysis_id)]
        if test == "fisher":
            p_value[i] = fisher_exact_p(table)
        else:
            p_value[i] = monte_carlo_chi_square(table, n_permutations, int(key(*seeded)[:15], 16))
    columns = {"p_value": p_value, "p_value_chi_square": asymptotic, "p_value_yates": yates}
    return session.from_arrow(
        pa.table(
            {
                "analysis_id": pa.array(tests["analysis_id"], pa.int64()),
                **{n: pa.array(v, pa.float64(), mask=~np.isfinite(v)) for n, v in columns.items()},
            }
        )
    )
