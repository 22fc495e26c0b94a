"""Grain: one row per pair_id, analysis_key, group_value ('' for all): the treated config less the control."""

from ingest.inference.kept import Kept
from ingest.inference.sides import FIELDS, KEYS, keep_compared
from ingest.inference.tables import rows_by, types


def model(dbt, session):
    dbt.config(materialized="table")
    listed, answered = dbt.ref("int_treatment_shifts_listed"), dbt.ref("int_treatment_answers_coded")
    coded = answered.project("analysis_key, group_code, group_value, [group_code] as codes").distinct()
    groups = rows_by(coded.order("analysis_key, group_code"), "analysis_key, group_value, codes")
    kinds = listed.project("measure_kind").distinct().fetchall()
    kept = Kept(dbt, session, types(FIELDS), keys=KEYS)
    keep_compared(kept, listed, answered, groups, {kind: ["mean"] for (kind,) in kinds})
    return kept.relation()
