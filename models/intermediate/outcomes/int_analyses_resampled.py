"""Grain: one row per analysis_key, statistic, group_value ('' for the axis). What chance alone gives."""

import math

import numpy as np

from ingest.inference.adjusted import adjusted
from ingest.inference.arrays import divide
from ingest.inference.bootstrapping import bootstrap_interval
from ingest.inference.bounds import Silent
from ingest.inference.design import Design
from ingest.inference.group_statistics import group_mean, statistics_of
from ingest.inference.kept import Kept
from ingest.inference.resampling import resample
from ingest.inference.sums import group_table, selection_sums, sums_of
from ingest.inference.tables import (
    OF_ANALYSIS,
    OF_SILENT,
    analysis_seed,
    records,
    row_by,
    rows_by,
    types,
    with_answers,
)

SCHEMA = types(
    "analysis_key int64, statistic string, group_value string, value double, status string, p_value double,"
    " p_max double, null_median double, null_p05 double, null_p95 double, ci_low double, ci_high double,"
    " ci_status string, n_units int64, n_permutations int64, n_bootstrap int64, resampling_unit string,"
    " permutation_scheme string, min_attainable_p double, bound_low double, bound_high double,"
    " value_low double, value_high double, n_blocks int64, tail double, null_tails list<float>,"
    " confounding double, adjusted_value double, p_adjusted double, adjusted_ci_low double,"
    " adjusted_ci_high double, adjusted_null_p05 double, adjusted_null_median double,"
    " adjusted_null_p95 double"
)


def model(dbt, session):
    dbt.config(materialized="table")
    analyses = records(dbt.ref("int_analyses_listed").order("analysis_key").project(OF_ANALYSIS))
    groups = rows_by(
        dbt.ref("int_analysis_groups_coded").order("analysis_key, group_code"),
        "analysis_key, group_value, attribute_codes, n_missing",
    )
    silent = rows_by(dbt.ref("int_silent_answers_counted").order(OF_SILENT), OF_SILENT)
    references = row_by(
        dbt.ref("stg_suite__references"), "suite, axis, reference_kind, group_value", n_keys=2
    )
    scales = row_by(
        dbt.ref("int_features_listed"), "suite, category, feature, range_low, range_high", n_keys=3
    )
    answers = dbt.ref("int_analysis_responses_coded")
    columns = "group_code, cell_code, block_code, stratum_code, outcome_code, value"
    kept = Kept(dbt, session, SCHEMA)
    for analysis, part in with_answers(analyses, answers, columns):
        if len(part["value"]):
            reference = references.get((analysis["suite"], analysis["axis"]))
            scale = scales.get((analysis["suite"], analysis["category"], analysis["measure"]))
            name = analysis["analysis_key"]
            kept.add(_resampled, analysis, groups[name], silent.get(name, []), reference, scale, part)
    return kept.relation()


def _resampled(analysis, groups, silent, reference, scale, part):
    """Yield the rows of one analysis; `silent` are answers of groups that are not among them, `reference` the
    kind and value of the group that a suite chose, `scale` the ends of scores, where they are known."""
    named, kind = {"analysis_key": analysis["analysis_key"]}, analysis["measure_kind"]
    codes = (part[f"{name}_code"] for name in ("group", "cell", "block"))
    *labels, missing = zip(*groups, strict=True)
    design = Design.from_codes(list(zip(*labels, strict=True)), *codes)
    n_bootstrap, seed = analysis["n_bootstrap"], analysis_seed(analysis)
    sums = sums_of(kind, part["outcome_code"], part["value"])
    options = {
        "n_permutations": analysis["n_permutations"],
        "n_bootstrap": n_bootstrap,
        "seed": seed,
        "missing": missing,
        "silent": Silent.of(kind, silent),
        "n_outcomes": analysis["n_possible_outcomes"],
        "scale": scale if kind == "score" and scale is not None and None not in scale else None,
    }
    found = [result.row() for result in resample(design, sums, statistics_of(kind), **options)]
    at_equal_weights = adjusted(design, sums, kind, part["stratum_code"], options)
    for row in found:
        yield {**named, **row, **at_equal_weights.get((row["statistic"], row["group_value"]), {})}
    if kind == "selection" and reference is not None:
        sums = selection_sums(part["value"])
        chosen = _to_chosen(design, sums, missing, *reference, n_bootstrap, seed)
        yield from ({**named, **row} for row in chosen)


def _to_chosen(design, sums, missing, kind, group_value, n_bootstrap, seed):
    """Yield each group's ratio to the group that the suite chose, with its interval, where it is compared."""
    chosen = group_value
    if kind == "most_populous":
        n_asked = np.bincount(design.group, minlength=len(design.labels)) + missing
        _, chosen = min(zip(-n_asked, design.labels, strict=True))
    if chosen not in design.labels:
        return
    index = design.labels.index(chosen)

    def ratios(tables):
        rates = group_mean(tables)
        return divide(rates, rates[..., [index]])

    observed = ratios(group_table(design.group, sums, len(design.labels)))
    interval = bootstrap_interval(design, sums, ratios, n_bootstrap, seed, "others", kind="selection")
    for position, label in enumerate(design.labels):
        yield {
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
