"""Grain: one row per suite, category, config_key, outcome_set, sex: divergence from the census."""

import math

import numpy as np
import pyarrow as pa

from ingest.inference.resampling import Design, bootstrap_interval, group_table, jsd_nats_to, outcome_sums
from ingest.keys import key

KEYS = ("suite", "domain", "category", "config_key", "config", "model", "role", "is_simulated", "outcome_set")
SCHEMA = pa.schema(
    [(name, pa.bool_() if name == "is_simulated" else pa.string()) for name in KEYS]
    + [
        ("sex", pa.string()),
        ("jsd_nats", pa.float64()),
        ("ci_low", pa.float64()),
        ("ci_high", pa.float64()),
        ("ci_status", pa.string()),
        ("resampling_unit", pa.string()),
        ("n_units", pa.int64()),
        ("n", pa.int64()),
        ("minimum_group", pa.int64()),
    ]
)


def model(dbt, session):
    dbt.config(materialized="table")
    census: dict[tuple, dict[tuple[str, str], float]] = {}
    names: dict[tuple, tuple] = {}
    cells = dbt.ref("int_census_shares_counted")
    for row in cells.project(f"{', '.join(KEYS)}, published_label, sex, employed_thousands").fetchall():
        *identity, label, sex, employed = row
        names[tuple(identity)] = tuple(identity)
        census.setdefault(tuple(identity), {})[label, sex] = employed
    settings = {
        row[0]: row[1:]
        for row in dbt.ref("stg_suite__suites").project("suite, seed, n_bootstrap, minimum_group").fetchall()
    }
    answers: dict[tuple, list[tuple]] = {}
    for row in dbt.ref("int_census_answers_listed").order("response_key").fetchall():
        answers.setdefault(row[:4], []).append(row[5:])

    rows = []
    for identity in sorted(census):
        record = dict(zip(KEYS, identity, strict=True))
        found = answers.get(tuple(record[k] for k in ("suite", "category", "config_key", "outcome_set")), [])
        if found:
            seed, n_bootstrap, minimum_group = settings[record["suite"]]
            seed = int(
                key(seed, "ground_truth", *(record[k] for k in KEYS[:4]), record["outcome_set"])[:15], 16
            )
            rows += [
                {**record, **result, "minimum_group": minimum_group}
                for result in _compared(found, census[identity], n_bootstrap, seed)
            ]
    return session.from_arrow(pa.Table.from_pylist(rows, schema=SCHEMA))


def _compared(answers, census, n_bootstrap, seed):
    """Divergence of each sex's answers from its census shares; `answers` are (label, sex, prompt, block)."""
    labels = sorted({label for label, _ in census})
    design = Design.from_values(
        [[sex for _, sex, _, _ in answers]], [p for _, _, p, _ in answers], [b for _, _, _, b in answers]
    )
    sums = outcome_sums([labels.index(label) for label, _, _, _ in answers], len(labels))
    shares = np.array([[census[label, sex] for label in labels] for sex in design.labels])
    shares /= shares.sum(axis=1, keepdims=True)

    def divergence(tables):
        return jsd_nats_to(tables, shares)

    table = group_table(design.group, sums, len(design.labels))
    interval = bootstrap_interval(design, sums, divergence, n_bootstrap, seed)
    for i, sex in enumerate(design.labels):
        low, high = float(interval.low[i]), float(interval.high[i])
        yield {
            "sex": sex,
            "jsd_nats": float(divergence(table)[i]),
            "ci_low": low if math.isfinite(low) else None,
            "ci_high": high if math.isfinite(high) else None,
            "ci_status": interval.status,
            "resampling_unit": interval.unit,
            "n_units": interval.n_units,
            "n": int(table[i].sum()),
        }
