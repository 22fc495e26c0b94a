"""Grain: one row per pair_id, analysis_key, statistic, group_value ('' for the axis): b less a."""

from ingest.inference.kept import Kept
from ingest.inference.sides import FIELDS, KEYS, keep_compared
from ingest.inference.tables import rows_by, types


def model(dbt, session):
    dbt.config(materialized="table")
    rows = rows_by(dbt.ref("compared_statistics").order("kind, statistic"), "kind, statistic")
    statistics = {kind: [name for (name,) in names] for kind, names in rows.items()}
    listed = dbt.ref("int_config_differences_listed").filter("reason is null")
    answered = dbt.ref("int_config_run_answers_coded")
    coded = answered.project("analysis_key, group_code, group_value, attribute_codes").distinct()
    groups = rows_by(coded.order("analysis_key, group_code"), "analysis_key, group_value, attribute_codes")
    kept = Kept(dbt, session, types(FIELDS), keys=KEYS)
    keep_compared(kept, listed, answered, groups, statistics)
    return kept.relation()
