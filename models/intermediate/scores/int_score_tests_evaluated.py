"""Grain: one row per analysis_id, test of kind score: p-values as if responses were independent."""

import numpy as np

from ingest.inference.distributions import f_p, t_p
from ingest.inference.tables import numbers, table_of_columns, types

SCHEMA = types("analysis_id int64, test string, p_value double")


def model(dbt, session):
    dbt.config(materialized="table")
    tests = dbt.ref("int_score_tests_computed").order("analysis_id, test").fetchnumpy()
    value, dof, within = (numbers(tests[name]) for name in ("value", "dof", "dof_within"))
    names = np.asarray(tests["test"], dtype=object)
    p_value = np.where(names == "anova", f_p(value, dof, within), t_p(value, dof))
    columns = {"analysis_id": tests["analysis_id"], "test": names, "p_value": p_value}
    return session.from_arrow(table_of_columns([columns], SCHEMA))
