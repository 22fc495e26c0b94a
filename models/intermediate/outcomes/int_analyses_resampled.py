"""Grain: one row per analysis_id, statistic, group_value ('' for the axis). What chance alone gives."""

import math

import numpy as np
import pyarrow as pa

from ingest.inference.resampling import (
    Design,
    bootstrap_interval,
    group_mean,
    group_table,
    outcome_sums,
    resample,
    score_sums,
    selection_sums,
    statistics_of,
)
from ingest.keys import key

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
        dbt.ref("int_analysis_responses_coded")
        .order("analysis_id, response_key")
        .project("analysis_id, group_code, prompt_code, block_code, outcome_code, value")
        .fetchnumpy()
    )
    groups: dict[int, list[tuple[str, list[int]]]] = {}
    for analysis_id, group_value, codes in (
        dbt.ref("int_analysis_groups_coded")
        .order("analysis_id, group_code")
        .project("analysis_id, group_value, attribute_codes")
        .fetchall()
    ):
        groups.setdefault(analysis_id, []).append((group_value, codes))

    references = {
        (suite, axis): (kind, group_value)
        for suite, axis, kind, group_value in dbt.ref("stg_suite__references")
        .project("suite, axis, reference_kind, group_value")
        .fetchall()
    }

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
            _append(table, row)
        reference = references.get((analysis["suite"], analysis["axis"]))
        if analysis["kind"] == "selection" and reference is not None:
            for row in _to_chosen(analysis, part, groups[analysis["analysis_id"]], *reference):
                _append(table, row)
    return session.from_arrow(pa.table({n: pa.array(table[n], t) for n, t in COLUMNS.items()}))


def _append(table, row):
    for name, column in table.items():
        value = row.get(name)
        column.append(None if isinstance(value, float) and not math.isfinite(value) else value)


def _design(part, groups):
    codes = np.array([attribute_codes for _, attribute_codes in groups], dtype=np.int64)
    group = part["group_code"].astype(np.int64)
    return Design(
        attributes=codes[group],
        group=group,
        prompt=part["prompt_code"].astype(np.int64),
        block=part["block_code"].astype(np.int64),
        labels=tuple(label for label, _ in groups),
    )


def _seed(analysis):
    """A seed that depends on what an analysis is, not on how many others there are."""
    identity = [analysis[f] for f in ("seed", "kind", "suite", "category", "config_key", "axis", "measure")]
    return int(key(*identity)[:15], 16)


def _to_chosen(analysis, part, groups, kind, group_value):
    """Yield each group's ratio to the group that the suite chose, with its interval, where it is compared."""
    design = _design(part, groups)
    n_by_group = np.bincount(design.group, minlength=len(groups))
    chosen = group_value
    if kind == "most_populous":
        _, chosen = min(zip(-n_by_group, design.labels, strict=True))
    if chosen not in design.labels:
        return
    index = design.labels.index(chosen)
    sums = selection_sums(part["value"])

    def ratios(tables):
        rates = group_mean(tables)
        divisor = rates[..., [index]]
        return np.divide(rates, divisor, out=np.full_like(rates, np.nan), where=divisor > 0)

    observed = ratios(group_table(design.group, sums, len(groups)))
    interval = bootstrap_interval(design, sums, ratios, analysis["n_bootstrap"], _seed(analysis), "others")
    for position, label in enumerate(design.labels):
        yield {
            "analysis_id": analysis["analysis_id"],
            "statistic": "chosen_ratio",
            "group_value": label,
            "value": float(observed[position]),
            "status": "ok" if math.isfinite(observed[position]) else "zero_denominator",
            "ci_low": float(interval.low[position]),
            "ci_high": float(interval.high[position]),
            "ci_status": interval.status,
            "resampling_unit": interval.unit,
            "n_units": interval.n_units,
        }


def _resampled(analysis, part, groups):
    """Resample one analysis."""
    design = _design(part, groups)
    if analysis["kind"] == "outcome":
        outcome = part["outcome_code"].astype(np.int64)
        sums = outcome_sums(outcome, int(outcome.max()) + 1)
    else:
        sums = {"score": score_sums, "selection": selection_sums}[analysis["kind"]](part["value"])
    return resample(
        design,
        sums,
        statistics_of(SUMS[analysis["kind"]]),
        n_permutations=analysis["n_permutations"],
        n_bootstrap=analysis["n_bootstrap"],
        seed=_seed(analysis),
    )
