"""Grain: one row per pair_id, analysis_key, group_value ('' for all): the treated config less the control."""

from ingest.inference.kept import Kept
from ingest.inference.sides import FIELDS, compared, tables_of
from ingest.inference.tables import parts, rows_by, types


def model(dbt, session):
    dbt.config(materialized="table")
    tables = tables_of(dbt.ref("int_treatment_shifts_listed"))
    answered = dbt.ref("int_treatment_answers_coded")
    groups = rows_by(
        answered.project("analysis_key, group_code, group_value")
        .distinct()
        .order("analysis_key, group_code"),
        "analysis_key, group_value, group_code",
    )
    answers = (
        answered.order("analysis_key, prompt_code, repeat_index, config_run_key")
        .project(
            "analysis_key, config_run_key, prompt_code, repeat_index, group_code, block_code,"
            " outcome_code, value"
        )
        .fetchnumpy()
    )
    kept = Kept(dbt, session, types(FIELDS))
    for (analysis_key, pairs), part in zip(
        tables.items(), parts(answers, "analysis_key", list(tables)), strict=True
    ):
        labelled = [(label, [code]) for label, code in groups[analysis_key]]
        kept.add(compared, pairs, part, labelled, ["mean"])
    return kept.relation()
