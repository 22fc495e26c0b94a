"""Grain: one row per pair_id, analysis_key, group_value ('' for all): the treated config less the control."""

from ingest.inference.kept import Kept
from ingest.inference.sides import FIELDS, compared, tables_of
from ingest.inference.tables import rows_by, types


def model(dbt, session):
    dbt.config(materialized="table")
    answered = dbt.ref("int_treatment_answers_coded")
    coded = answered.project("analysis_key, group_code, group_value").distinct()
    groups = rows_by(coded.order("analysis_key, group_code"), "analysis_key, group_value, group_code")
    kept = Kept(dbt, session, types(FIELDS))
    for analysis_key, pairs, part in tables_of(dbt.ref("int_treatment_shifts_listed"), answered):
        labelled = [(label, [code]) for label, code in groups[analysis_key]]
        kept.add(compared, pairs, part, labelled, ["mean"])
    return kept.relation()
