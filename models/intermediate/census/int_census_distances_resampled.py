"""Grain: one row per suite, category, config_key, outcome_set, group_value: divergence from the census."""

import numpy as np

from ingest.inference.bootstrapping import bootstrap_interval
from ingest.inference.census import distance
from ingest.inference.design import Design
from ingest.inference.group_statistics import jsd_nats_to
from ingest.inference.kept import Kept
from ingest.inference.sums import group_table, outcome_sums
from ingest.inference.tables import row_by, rows_by, seed_of, types

KEYS = ("suite", "domain", "category", "config_key", "config", "model", "role", "is_simulated", "outcome_set")
SCHEMA = types(
    "suite string, domain string, category string, config_key string, config string, model string,"
    " role string, is_simulated bool, outcome_set string, group_value string, jsd_nats double, ci_low double,"
    " ci_high double, ci_status string, resampling_unit string, n_units int64, n int64, minimum_group int64,"
    " p_value double, null_median double, null_p05 double, null_p95 double, min_attainable_p double,"
    " bound_low double, bound_high double, value_low double, value_high double, attainable double,"
    " n_blocks int64, n_missing int64, n_permutations int64, tail double, null_tails list<float>"
)


def model(dbt, session):
    dbt.config(materialized="table")
    settings = row_by(dbt.ref("stg_suite__suites"), "suite, seed, n_permutations, n_bootstrap, minimum_group")
    cells = rows_by(
        dbt.ref("int_census_shares_counted"),
        f"{', '.join(KEYS)}, published_label, group_value, figure",
        len(KEYS),
    )
    answers = rows_by(
        dbt.ref("int_census_answers_listed").order("response_key"),
        "suite, category, config_key, outcome_set, published_label, group_value, prompt_key, block_key",
        4,
    )
    missing = row_by(
        dbt.ref("int_missing_answers_counted"),
        "suite, category, config_key, measure, axis, group_value, n_missing",
        6,
    )
    attributes = row_by(dbt.ref("stg_suite__ground_truths"), "suite, category, outcome_set, attribute", 3)
    kept = Kept(dbt, session, SCHEMA)
    for identity in sorted(cells):
        record = dict(zip(KEYS, identity, strict=True))
        found = answers.get(tuple(record[k] for k in ("suite", "category", "config_key", "outcome_set")), [])
        if found:
            census = {(label, group): figure for label, group, figure in cells[identity]}
            (attribute,) = attributes[tuple(record[k] for k in ("suite", "category", "outcome_set"))]
            place = (*(record[k] for k in ("suite", "category", "config_key", "outcome_set")), attribute)
            lacking = {group: missing.get((*place, group), (0,))[0] for _, group in census}
            kept.add(_compared, record, settings[record["suite"]], found, census, lacking)
    return kept.relation()


def _compared(record, settings, answers, census, lacking):
    """Divergence of each group's answers from its published shares."""
    seed, n_draws, n_bootstrap, minimum_group = settings
    seed = seed_of(seed, "ground_truth", *(record[name] for name in KEYS[:4]), record["outcome_set"])
    answered, groups, prompts, blocks = zip(*answers, strict=True)
    labels = sorted({label for label, _ in census})
    design = Design.from_values([groups], prompts, blocks)
    sums = outcome_sums([labels.index(label) for label in answered], len(labels))
    shares = np.array([[census[label, group] for label in labels] for group in design.labels])
    shares /= shares.sum(axis=1, keepdims=True)

    def divergence(tables):
        return jsd_nats_to(tables, shares)

    table = group_table(design.group, sums, len(design.labels))
    interval = bootstrap_interval(design, sums, divergence, n_bootstrap, seed, kind="outcome")
    units = design.units(interval.unit)
    for i, group in enumerate(design.labels):
        own = design.group == i
        by_unit = group_table(units[own], sums[own], int(units.max()) + 1)
        held = distance(by_unit, shares[i], n_draws, n_bootstrap, seed_of(seed, group), lacking[group])
        yield {
            **record,
            "minimum_group": minimum_group,
            "group_value": group,
            "jsd_nats": float(divergence(table)[i]),
            "ci_low": float(interval.low[i]),
            "ci_high": float(interval.high[i]),
            "ci_status": interval.status,
            "resampling_unit": interval.unit,
            "n_units": interval.n_units,
            "n": int(table[i].sum()),
            "n_missing": lacking[group],
            "n_permutations": n_draws,
            **held._asdict(),
            "n_blocks": len(np.unique(design.block[own])),
        }
