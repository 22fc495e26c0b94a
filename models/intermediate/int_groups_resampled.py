"""Grain: one row per analysis_id, statistic, group_value ('' for the axis). What chance alone gives."""

import math

import numpy as np
import pyarrow as pa

from ingest.keys import key
from ingest.stats import (
    Design,
    outcome_sums,
    resample,
    score_sums,
    selection_sums,
    statistics_of,
)

COLUMNS = {
    "analysis_id": pa.int64(),
    "statistic": pa.string(),
    "group_value": pa.string(),
    "value": pa.float64(),
    "status": pa.string(),
    "p_value": pa.float64(),
    "p_max": pa.float64(),
    "null_median": pa.float64(),
    "null_p05": pa.float64(),
    "null_p95": pa.float64(),
    "ci_low": pa.float64(),
    "ci_high": pa.float64(),
    "ci_status": pa.string(),
    "n_units": pa.int64(),
    "n_permutations": pa.int64(),
    "n_bootstrap": pa.int64(),
    "resampling_unit": pa.string(),
    "permutation_scheme": pa.string(),
    "min_attainable_p": pa.float64(),
}
SUMS = {"outcome": "outcomes", "score": "score", "selection": "selection"}


def model(dbt, session):
    dbt.config(materialized="table")
    analyses = dbt.ref("int_analyses_listed").order("analysis_id").fetchall()
    fields = dbt.ref("int_analyses_listed").columns
    rows = (
        dbt.ref("int_responses_coded")
        .order("analysis_id, response_key")
        .project("analysis_id, group_code, prompt_code, block_code, outcome_code, value")
        .fetchnumpy()
    )
    groups: dict[int, list[tuple[str, list[int]]]] = {}
    for analysis_id, group_value, codes in (
        dbt.ref("int_groups_coded")
        .order("analysis_id, group_code")
        .project("analysis_id, group_value, attribute_codes")
        .fetchall()
    ):
        groups.setdefault(analysis_id, []).append((group_value, codes))

    ids = [a[fields.index("analysis_id")] for a in analyses]
    starts, ends = (np.searchsorted(rows["analysis_id"], ids, side=side) for side in ("left", "right"))
    table: dict[str, list] = {name: [] for name in COLUMNS}
    for record, start, end in zip(analyses, starts, ends, strict=True):
        analysis = dict(zip(fields, record, strict=True))
        if start == end:
            continue
        part = {name: column[start:end] for name, column in rows.items()}
        for result in _resampled(analysis, part, groups[analysis["analysis_id"]]):
            row = {
                **result._asdict(),
                "analysis_id": analysis["analysis_id"],
                "group_value": result.group or "",
            }
            row |= {"resampling_unit": result.unit, "permutation_scheme": result.permutation}
            for name, column in table.items():
                value = row[name]
                column.append(None if isinstance(value, float) and not math.isfinite(value) else value)
    return session.from_arrow(pa.table({n: pa.array(table[n], t) for n, t in COLUMNS.items()}))


def _resampled(analysis, part, groups):
    """Resample one analysis; its seed depends on what it is, not on how many others there are."""
    codes = np.array([attribute_codes for _, attribute_codes in groups], dtype=np.int64)
    group = part["group_code"].astype(np.int64)
    design = Design(
        attributes=codes[group],
        group=group,
        prompt=part["prompt_code"].astype(np.int64),
        block=part["block_code"].astype(np.int64),
        labels=tuple(label for label, _ in groups),
    )
    if analysis["kind"] == "outcome":
        outcome = part["outcome_code"].astype(np.int64)
        sums = outcome_sums(outcome, int(outcome.max()) + 1)
    else:
        sums = {"score": score_sums, "selection": selection_sums}[analysis["kind"]](part["value"])
    identity = [analysis[f] for f in ("seed", "kind", "suite", "category", "config_key", "axis", "measure")]
    return resample(
        design,
        sums,
        statistics_of(SUMS[analysis["kind"]]),
        n_permutations=analysis["n_permutations"],
        n_bootstrap=analysis["n_bootstrap"],
        seed=int(key(*identity)[:15], 16),
    )
