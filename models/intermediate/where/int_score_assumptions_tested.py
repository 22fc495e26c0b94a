"""Grain: one row per analysis_key of scores: what tests of means assume, tested."""

from ingest.inference.kept import Kept
from ingest.inference.linear import assumptions
from ingest.inference.tables import records, types, with_answers

SCHEMA = types(
    "analysis_key int64, normality_test string, normality double, normality_p double, equal_variance double,"
    " equal_variance_p double"
)


def model(dbt, session):
    dbt.config(materialized="table")
    listed = dbt.ref("int_analyses_listed").filter("measure_kind = 'score' and n > 0").order("analysis_key")
    answers = dbt.ref("int_analysis_responses_coded")
    columns = "group_code, value"
    kept = Kept(dbt, session, SCHEMA)
    for analysis, part in with_answers(records(listed.project("analysis_key")), answers, columns):
        kept.add(_tested, analysis["analysis_key"], part)
    return kept.relation()


def _tested(key, part):
    """Yield the row of one analysis."""
    yield {"analysis_key": key, **assumptions(part["value"], part["group_code"])._asdict()}
