"""Grain: one row per analysis_key, test of scores: p-values as if responses were independent."""

import numpy as np

from ingest.inference.distributions import f_p, t_p
from ingest.inference.tables import numbers, table_of_columns, types

SCHEMA = types("analysis_key int64, test string, p_value double")


def model(dbt, session):
    dbt.config(materialized="table")
    tests = dbt.ref("int_score_tests_computed").order("analysis_key, test").fetchnumpy()
    value, dof, within = (numbers(tests[name]) for name in ("value", "dof", "dof_within"))
    names = np.asarray(tests["test"], dtype=object)
    p_value = np.where(names == "anova", f_p(value, dof, within), t_p(value, dof))
    columns = {"analysis_key": tests["analysis_key"], "test": names, "p_value": p_value}
    return session.from_arrow(table_of_columns([columns], SCHEMA))
