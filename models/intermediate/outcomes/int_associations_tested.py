"""Grain: one row per analysis_key of outcomes: p-values of tests that treat responses as independent."""

import numpy as np

from ingest.inference.distributions import chi_square_p, fisher_exact_p, monte_carlo_chi_square
from ingest.inference.tables import numbers, parts, row_by, seed_of, table_of_columns, types

SCHEMA = types("analysis_key int64, p_value double, p_value_chi_square double, p_value_yates double")


def model(dbt, session):
    dbt.config(materialized="table")
    tests = dbt.ref("int_associations_computed").order("analysis_key").fetchnumpy()
    settings = row_by(
        dbt.ref("int_analyses_listed"),
        "analysis_key, seed, n_permutations, suite, category, config_key, axis, measure",
    )
    cells = (
        dbt.ref("int_outcomes_counted")
        .order("analysis_key, attribute_codes, outcome")
        .project("analysis_key, n_cell")
        .fetchnumpy()
    )
    dof = numbers(tests["dof"])
    asymptotic, yates = (chi_square_p(numbers(tests[n]), dof) for n in ("chi_square", "chi_square_yates"))
    p_value = asymptotic.copy()
    names = np.ma.filled(np.ma.asarray(tests["test"], dtype=object), "")
    for i, (test, part) in enumerate(
        zip(names, parts(cells, "analysis_key", tests["analysis_key"]), strict=True)
    ):
        if test not in ("fisher", "monte_carlo"):
            continue
        table = part["n_cell"].reshape(int(tests["n_groups"][i]), int(tests["n_outcomes"][i]))
        if test == "fisher":
            p_value[i] = fisher_exact_p(table)
        else:
            seed, n_permutations, *identity = settings[tests["analysis_key"][i]]
            p_value[i] = monte_carlo_chi_square(
                table, n_permutations, seed_of(seed, n_permutations, *identity)
            )
    columns = {"p_value": p_value, "p_value_chi_square": asymptotic, "p_value_yates": yates}
    return session.from_arrow(table_of_columns([{"analysis_key": tests["analysis_key"], **columns}], SCHEMA))
