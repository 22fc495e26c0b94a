"""Grain: one row per suite, category, config_key, outcome_set, sex: divergence from the census."""

import numpy as np

from ingest.inference.design import Design
from ingest.inference.group_statistics import jsd_nats_to
from ingest.inference.resampling import bootstrap_interval
from ingest.inference.sums import group_table, outcome_sums
from ingest.inference.tables import row_by, rows_by, seed_of, table_of, types

KEYS = ("suite", "domain", "category", "config_key", "config", "model", "role", "is_simulated", "outcome_set")
SCHEMA = types(
    "suite string, domain string, category string, config_key string, config string, model string,"
    " role string, is_simulated bool, outcome_set string, sex string, jsd_nats double, ci_low double,"
    " ci_high double, ci_status string, resampling_unit string, n_units int64, n int64, minimum_group int64"
)


def model(dbt, session):
    dbt.config(materialized="table")
    settings = row_by(dbt.ref("stg_suite__suites"), "suite, seed, n_bootstrap, minimum_group")
    cells = rows_by(
        dbt.ref("int_census_shares_counted"),
        f"{', '.join(KEYS)}, published_label, sex, employed_thousands",
        len(KEYS),
    )
    answers = rows_by(
        dbt.ref("int_census_answers_listed").order("response_key"),
        "suite, category, config_key, outcome_set, published_label, sex, prompt_key, block_key",
        4,
    )
    rows = []
    for identity in sorted(cells):
        record = dict(zip(KEYS, identity, strict=True))
        found = answers.get(tuple(record[k] for k in ("suite", "category", "config_key", "outcome_set")), [])
        if found:
            seed, n_bootstrap, minimum_group = settings[record["suite"]]
            seed = seed_of(seed, "ground_truth", *identity[:4], record["outcome_set"])
            census = {(label, sex): employed for label, sex, employed in cells[identity]}
            rows += [
                {**record, **result, "minimum_group": minimum_group}
                for result in _compared(found, census, n_bootstrap, seed)
            ]
    return session.from_arrow(table_of(rows, SCHEMA))


def _compared(answers, census, n_bootstrap, seed):
    """Divergence of each sex's answers from its census shares."""
    answered, sexes, prompts, blocks = zip(*answers, strict=True)
    labels = sorted({label for label, _ in census})
    design = Design.from_values([sexes], prompts, blocks)
    sums = outcome_sums([labels.index(label) for label in answered], len(labels))
    shares = np.array([[census[label, sex] for label in labels] for sex in design.labels])
    shares /= shares.sum(axis=1, keepdims=True)

    def divergence(tables):
        return jsd_nats_to(tables, shares)

    table = group_table(design.group, sums, len(design.labels))
    interval = bootstrap_interval(design, sums, divergence, n_bootstrap, seed)
    for i, sex in enumerate(design.labels):
        yield {
            "sex": sex,
            "jsd_nats": float(divergence(table)[i]),
            "ci_low": float(interval.low[i]),
            "ci_high": float(interval.high[i]),
            "ci_status": interval.status,
            "resampling_unit": interval.unit,
            "n_units": interval.n_units,
            "n": int(table[i].sum()),
        }
