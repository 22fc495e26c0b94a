"""Grain: one row per analysis_key of probabilities, group_value, reference."""

import numpy as np

from ingest.inference.kept import Kept
from ingest.inference.log_odds import contrast, fit_log_odds, log_odds
from ingest.inference.tables import records, rows_by, types, with_answers

SCHEMA = types(
    "analysis_key int64, group_value string, reference string, log_odds double, value double,"
    " standard_error double, ci_low double, ci_high double, p_value double, dof double, variance_root double,"
    " variance_slope double, variance_block double, variance_residual double, status string, n_units int64,"
    " n_extreme int64"
)


def model(dbt, session):
    dbt.config(materialized="table")
    probable = dbt.ref("stg_suite__outcome_rules").filter("is_probability")
    features = set(probable.project("suite, category, feature").distinct().fetchall())
    named = "analysis_key, suite, category, axis, measure"
    listed = dbt.ref("int_analyses_listed").filter("measure_kind = 'score' and n > 0").order("analysis_key")
    analyses = [
        row
        for row in records(listed.project(named))
        if (row["suite"], row["category"], row["measure"]) in features
    ]
    groups = rows_by(
        dbt.ref("int_analysis_groups_coded").order("analysis_key, group_code"),
        "analysis_key, group_value, n + n_missing",
    )
    references = rows_by(
        dbt.ref("int_reference_groups_listed").order("suite, axis"),
        "suite, axis, reference_kind, group_value",
        n_keys=2,
    )
    roots = rows_by(
        dbt.ref("int_analysis_roots_coded").order("analysis_key, prompt_code"), "analysis_key, root_code"
    )
    answers = dbt.ref("int_analysis_responses_coded")
    columns = "group_code, prompt_code, block_code, value"
    kept = Kept(dbt, session, SCHEMA)
    for analysis, part in with_answers(analyses, answers, columns):
        key = analysis["analysis_key"]
        chosen = references.get((analysis["suite"], analysis["axis"]), [])
        kept.add(_fitted, key, groups[key], [code for (code,) in roots[key]], chosen, part)
    return kept.relation()


def _fitted(analysis_key, groups, roots, chosen, part):
    """Yield the rows of one analysis; `roots` are of each prompt."""
    labels = [group for group, _ in groups]
    prompt = np.asarray(part["prompt_code"])
    values, is_moved = log_odds(part["value"])
    first = np.unique(prompt, return_index=True)[1]
    means = np.bincount(prompt, values) / np.bincount(prompt)
    of_prompt = [np.asarray(part[name])[first] for name in ("group_code", "block_code")]
    fitted = fit_log_odds(means, of_prompt[0], np.asarray(roots), of_prompt[1])
    shared = {
        "analysis_key": analysis_key,
        "dof": fitted.dof,
        **{f"variance_{name}": fitted.variances.get(name) for name in ("root", "slope", "block")},
        "variance_residual": fitted.residual,
        "status": fitted.status,
        "n_units": fitted.n_units,
        "n_extreme": int(is_moved.sum()),
    }
    own = np.eye(len(labels))
    for reference, weights in _references(chosen, groups):
        for label, row, mean in zip(labels, own, fitted.means.tolist(), strict=True):
            found = {"group_value": label, "reference": reference, "log_odds": mean}
            if label != reference and len(labels) > 1:
                found["value"] = float((row - weights) @ fitted.means)
                if fitted.status == "ok":
                    found |= contrast(fitted, row - weights)._asdict()
            yield {**shared, **found}


def _references(chosen, groups):
    """Yield what groups are compared with, by weights of their means: the mean of all, and a group."""
    labels = [group for group, _ in groups]
    yield "pooled", np.full(len(labels), 1 / len(labels))
    for kind, label in chosen:
        if kind == "most_populous":
            label = max(groups, key=lambda group: group[1])[0]
        if label in labels:
            yield label, np.eye(len(labels))[labels.index(label)]
