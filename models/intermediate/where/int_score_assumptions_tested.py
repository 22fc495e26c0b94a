"""Grain: one row per analysis_key of scores: what tests of means assume, tested."""

from ingest.inference.kept import Kept
from ingest.inference.linear import assumptions
from ingest.inference.tables import parts, types

SCHEMA = types(
    "analysis_key int64, normality_test string, normality double, normality_p double, equal_variance double,"
    " equal_variance_p double"
)


def model(dbt, session):
    dbt.config(materialized="table")
    listed = dbt.ref("int_analyses_listed").filter("measure_kind = 'score' and n > 0").order("analysis_key")
    keys = [key for (key,) in listed.project("analysis_key").fetchall()]
    answers = (
        dbt.ref("int_analysis_responses_coded")
        .order("analysis_key, response_key")
        .project("analysis_key, group_code, value")
        .fetchnumpy()
    )
    kept = Kept(dbt, session, SCHEMA)
    for key, part in zip(keys, parts(answers, "analysis_key", keys), strict=True):
        kept.add(_tested, key, part)
    return kept.relation()


def _tested(key, part):
    """Yield the row of one analysis."""
    yield {"analysis_key": key, **assumptions(part["value"], part["group_code"])._asdict()}
