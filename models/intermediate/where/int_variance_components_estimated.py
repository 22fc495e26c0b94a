"""Grain: one row per analysis_key. Where the answers inside groups vary: roots, blocks, prompts, repeats."""

from ingest.inference.kept import Kept
from ingest.inference.sums import outcome_sums
from ingest.inference.tables import records, rows_by, types, with_answers
from ingest.inference.variance import variance_components

SCHEMA = types(
    "analysis_key int64, root_share double, block_share double, prompt_share double, repeat_share double,"
    " icc double, icc_low double, icc_high double, status string, ci_status string, unit string,"
    " n_units int64, mean_answers_per_unit double, design_effect double"
)


def model(dbt, session):
    dbt.config(materialized="table")
    listed = dbt.ref("int_analyses_listed").filter("n > 0").order("analysis_key")
    analyses = records(listed.project("analysis_key, measure_kind, suite, category, axis, measure"))
    roots = rows_by(
        dbt.ref("int_analysis_roots_coded").order("analysis_key, prompt_code"), "analysis_key, root_code"
    )
    answers = dbt.ref("int_analysis_responses_coded")
    columns = "group_code, prompt_code, block_code, outcome_code, value"
    together = with_answers(analyses, answers, columns)
    # What many configs answered is laid out alike: such analyses follow each other, and share the layout.
    alike = ("suite", "category", "axis", "measure_kind", "measure")
    kept = Kept(dbt, session, SCHEMA)
    for analysis, part in sorted(together, key=lambda one: [one[0][name] for name in alike]):
        kept.add(_estimated, analysis, [code for (code,) in roots[analysis["analysis_key"]]], part)
    return kept.relation()


def _estimated(analysis, root, part):
    """Yield the row of one analysis; `root` is of each prompt."""
    is_outcome = analysis["measure_kind"] == "outcome"
    code = part["outcome_code"]
    values = outcome_sums(code, int(code.max()) + 1) if is_outcome else part["value"][:, None]
    prompt = part["prompt_code"]
    found = variance_components(
        part["group_code"], [root[one] for one in prompt], part["block_code"], prompt, values
    )
    yield {"analysis_key": analysis["analysis_key"], **found._asdict()}
