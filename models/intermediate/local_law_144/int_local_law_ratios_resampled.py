"""Grain: one row per analysis_key, statistic, group_value ('' for the table). What chance gives."""

from ingest.inference.design import Design
from ingest.inference.kept import Kept
from ingest.inference.resampling import resample
from ingest.inference.sums import selection_sums
from ingest.inference.tables import analysis_seed, parts, row_by, rows_by, types

SCHEMA = types(
    "analysis_key int64, statistic string, group_value string, value double, status string, p_value double,"
    " p_max double, null_median double, null_p05 double, ci_low double, ci_high double,"
    " resampling_unit string, n_units int64"
)
STATISTICS = ("impact_ratio", "min_impact_ratio")
# As int_analyses_resampled names an analysis: where both compare the same groups, they draw the same.
IDENTITY = ("measure_kind", "suite", "category", "config_key", "axis", "measure")


def model(dbt, session):
    dbt.config(materialized="table")
    settings = row_by(dbt.ref("stg_suite__suites"), "suite, seed, n_permutations, n_bootstrap")
    counted = dbt.ref("int_local_law_groups_counted").filter("exclusion_reason is null")
    groups = rows_by(
        counted.order("analysis_key, attribute_codes"), "analysis_key, group_value, attribute_codes"
    )
    named = counted.project("*, feature as measure")
    identities = row_by(named, f"analysis_key, {', '.join(IDENTITY)}")
    answers = (
        dbt.ref("int_local_law_answers_coded")
        .order("analysis_key, response_key")
        .project("analysis_key, group_code, cell_code, block_code, value")
        .fetchnumpy()
    )
    kept = Kept(dbt, session, SCHEMA)
    for analysis_key, part in zip(groups, parts(answers, "analysis_key", list(groups)), strict=True):
        identity = dict(zip(IDENTITY, identities[analysis_key], strict=True))
        kept.add(_resampled, analysis_key, identity, settings[identity["suite"]], groups[analysis_key], part)
    return kept.relation()


def _resampled(analysis_key, identity, settings, groups, part):
    """Yield the rows of one analysis; settings are seed, permutations, bootstrap draws."""
    seed, n_permutations, n_bootstrap = settings
    results = resample(
        Design.from_codes(groups, part["group_code"], part["cell_code"], part["block_code"]),
        selection_sums(part["value"]),
        STATISTICS,
        n_permutations=n_permutations,
        n_bootstrap=n_bootstrap,
        seed=analysis_seed({"seed": seed, **identity}),
    )
    yield from ({"analysis_key": analysis_key, **result.row()} for result in results)
