"""Grain: one row per analysis_key, item_code: the gap between groups in an item, and what chance gives.

The item -1 is whichever has the widest gap: what limits judge.
"""

import numpy as np

from ingest.inference.design import Design, resampling_unit
from ingest.inference.items import resample_items
from ingest.inference.kept import Kept
from ingest.inference.tables import parts, records, row_by, rows_by, seed_of, types

SCHEMA = types(
    "analysis_key int64, item_code int64, gap double, ci_low double, ci_high double, p_value double,"
    " p_max double, null_median double, null_p95 double, resampling_unit string, n_units int64,"
    " permutation_scheme string, null_p05 double, bound_low double, bound_high double, n_blocks int64,"
    " min_attainable_p double, tail double, null_tails list<float>"
)
MEASURED = ("gap", "ci_low", "ci_high", "p_value", "p_max", "null_median", "null_p95")


def model(dbt, session):
    dbt.config(materialized="table")
    settings = row_by(dbt.ref("stg_suite__suites"), "suite, seed, n_permutations, n_bootstrap")
    coded = dbt.ref("int_recommended_items_coded")
    of_analysis = "analysis_key, suite, category, config_key, axis"
    analyses = records(coded.project(of_analysis).distinct().order("analysis_key"))
    groups = rows_by(
        coded.project("analysis_key, group_code, group_value, attribute_codes")
        .distinct()
        .order("analysis_key, group_code"),
        "analysis_key, group_value, attribute_codes",
    )
    columns = "analysis_key, response_key, group_code, cell_code, block_code, item_code"
    rows = coded.order("analysis_key, response_key, item_code").project(columns).fetchnumpy()
    kept = Kept(dbt, session, SCHEMA)
    keys = [analysis["analysis_key"] for analysis in analyses]
    for analysis, part in zip(analyses, parts(rows, "analysis_key", keys), strict=True):
        kept.add(_resampled, analysis, groups[analysis["analysis_key"]], settings[analysis["suite"]], part)
    return kept.relation()


def _resampled(analysis, groups, settings, part):
    """Yield the rows of one analysis: none where nothing is drawn, or nothing can be shuffled."""
    seed, n_permutations, n_bootstrap = settings
    items = np.ma.filled(np.ma.asarray(part["item_code"], dtype=np.int64), -1)
    _, first, of_list = np.unique(part["response_key"], return_index=True, return_inverse=True)
    has_item = np.zeros((len(first), int(items.max()) + 1))
    has_item[of_list[items >= 0], items[items >= 0]] = 1
    codes = (part[f"{name}_code"][first] for name in ("group", "cell", "block"))
    design = Design.from_codes(groups, *codes)
    if len(groups) < 2 or not (n_permutations or n_bootstrap) or resampling_unit(design) == "response":
        return
    named = (analysis[name] for name in ("suite", "category", "config_key", "axis"))
    found = resample_items(
        design, has_item, n_permutations, n_bootstrap, seed_of(seed, "recommended items", *named)
    )
    shared = {
        "analysis_key": analysis["analysis_key"],
        "resampling_unit": found.unit,
        "n_units": found.n_units,
        "permutation_scheme": found.permutation,
    }
    for code in range(has_item.shape[1]):
        yield {**shared, "item_code": code, **{name: float(getattr(found, name)[code]) for name in MEASURED}}
    yield {**shared, "item_code": -1, **found.widest._asdict()}
