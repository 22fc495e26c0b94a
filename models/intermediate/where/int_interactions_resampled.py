"""Grain: one row per analysis_key of an axis of several attributes: what they do together."""

import numpy as np

from ingest.inference.interactions import interaction
from ingest.inference.kept import Kept
from ingest.inference.tables import OF_ANALYSIS, analysis_seed, records, rows_by, types, with_answers

SCHEMA = types(
    "analysis_key int64, group_value string, outcome_code int64, departure double, share double,"
    " status string, p_value double, null_median double, null_p95 double, dof int64, n_units int64"
)


def model(dbt, session):
    dbt.config(materialized="table")
    crossed = dbt.ref("int_analyses_listed").filter("n_attributes > 1 and n > 0 and not is_control")
    analyses = records(crossed.order("analysis_key").project(OF_ANALYSIS))
    groups = rows_by(
        dbt.ref("int_analysis_groups_coded").order("analysis_key, group_code"),
        "analysis_key, group_value, attribute_codes",
    )
    answers = dbt.ref("int_analysis_responses_coded")
    columns = "group_code, block_code, outcome_code, value"
    kept = Kept(dbt, session, SCHEMA)
    for analysis, part in with_answers(analyses, answers, columns):
        kept.add(_resampled, analysis, groups[analysis["analysis_key"]], part)
    return kept.relation()


def _resampled(analysis, groups, part):
    """Yield the row of one analysis."""
    labels, codes = zip(*groups, strict=True)
    group = np.asarray(part["group_code"], dtype=np.int64)
    values = np.asarray(part["value"], dtype=np.float64)[:, None]
    if analysis["measure_kind"] == "outcome":
        values = np.eye(int(np.max(part["outcome_code"])) + 1)[part["outcome_code"]]
    found = interaction(
        np.array(codes, dtype=np.int64)[group],
        group,
        np.asarray(part["block_code"], dtype=np.int64),
        values,
        analysis["n_permutations"],
        analysis_seed(analysis),
    )
    cell, column = np.unravel_index(np.abs(found.departure).argmax(), found.departure.shape)
    is_ok = found.status == "ok"
    yield {
        "analysis_key": analysis["analysis_key"],
        "group_value": labels[cell] if is_ok else "",
        "outcome_code": int(column),
        "departure": float(found.departure[cell, column]) if is_ok else None,
        **{
            name: getattr(found, name)
            for name in ("share", "status", "p_value", "null_median", "null_p95", "dof", "n_units")
        },
    }
