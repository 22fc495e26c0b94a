"""Grain: one row per analysis_key, group_value, outcome_code: what chance gives in each cell of a table."""

import numpy as np

from ingest.inference.cells import resample_cells
from ingest.inference.design import Design
from ingest.inference.kept import Kept
from ingest.inference.strata import CONFOUNDED, confounding
from ingest.inference.tables import OF_ANALYSIS, analysis_seed, records, rows_by, types, with_answers

SCHEMA = types(
    "analysis_key int64, group_value string, outcome_code int64, residual double, residual_within double,"
    " p_value double, p_max double, null_p95 double, resampling_unit string, n_units int64,"
    " permutation_scheme string, min_attainable_p double"
)


def model(dbt, session):
    dbt.config(materialized="table")
    listed = dbt.ref("int_analyses_listed").filter("measure_kind = 'outcome' and n > 0")
    analyses = records(listed.order("analysis_key").project(OF_ANALYSIS))
    groups = rows_by(
        dbt.ref("int_analysis_groups_coded").order("analysis_key, group_code"),
        "analysis_key, group_value, attribute_codes",
    )
    answers = dbt.ref("int_analysis_responses_coded")
    columns = "group_code, cell_code, block_code, stratum_code, outcome_code"
    kept = Kept(dbt, session, SCHEMA)
    for analysis, part in with_answers(analyses, answers, columns):
        kept.add(_resampled, analysis, groups[analysis["analysis_key"]], part)
    return kept.relation()


def _resampled(analysis, groups, part):
    """Yield the rows of one analysis."""
    outcome = part["outcome_code"]
    codes = (part[f"{name}_code"] for name in ("group", "cell", "block"))
    design, strata = Design.from_codes(groups, *codes), part["stratum_code"]
    found = resample_cells(
        design,
        outcome,
        int(np.max(outcome)) + 1,
        n_permutations=analysis["n_permutations"],
        seed=analysis_seed(analysis),
        strata=strata if confounding(design.group, strata) > CONFOUNDED else None,
    )
    for group, outcome_code in np.ndindex(found.residual.shape):
        yield {
            "analysis_key": analysis["analysis_key"],
            "group_value": found.labels[group],
            "outcome_code": outcome_code,
            **{
                name: float(getattr(found, name)[group, outcome_code])
                for name in ("residual", "residual_within", "p_value", "p_max", "null_p95")
            },
            "resampling_unit": found.unit,
            "n_units": found.n_units,
            "permutation_scheme": found.permutation,
            "min_attainable_p": float(found.min_attainable_p[group]),
        }
