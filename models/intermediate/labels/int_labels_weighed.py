"""Grain: one row per suite, category, config_key, outcome_set, axis, annotators, group, metric, outcome."""

import numpy as np

from ingest.inference.design import Design, resampling_unit
from ingest.inference.rates import labels_worth
from ingest.inference.tables import rows_by, table_of, types

KEYS = ("suite", "category", "config_key", "outcome_set", "axis", "annotator_a", "annotator_b")
SCHEMA = types(
    ", ".join(f"{name} string" for name in KEYS)
    + ", group_value string, metric string, outcome string, label_worth double"
)


def model(dbt, session):
    dbt.config(materialized="table")
    keys = ", ".join(KEYS)
    read = f"{keys}, metric, outcome, group_value, prompt_key, block_key, weight, x"
    errors = dbt.ref("int_label_errors_listed").project("*, '' as annotator_a, '' as annotator_b")
    rows = [
        {**dict(zip(KEYS, identity, strict=True)), **row}
        for listed in (errors, dbt.ref("int_label_pairs_listed"))
        for identity, labels in rows_by(
            listed.order(f"{keys}, metric, outcome, response_key"), read, len(KEYS)
        ).items()
        for row in _weighed(labels)
    ]
    return session.from_arrow(table_of(rows, SCHEMA))


def _weighed(labels):
    """Yield what part of a group's labels tell as much, by what they are asked about."""
    metrics, outcomes, groups, prompts, blocks, weights, errors = zip(*labels, strict=True)
    design = Design.from_values([groups], prompts, blocks)
    unit = design.units(resampling_unit(design))
    weight, x = np.array(weights, dtype=np.float64), np.array(errors, dtype=np.float64)
    asked = np.array([*zip(metrics, outcomes, strict=True)])
    names, of_row = np.unique(asked, axis=0, return_inverse=True)
    for index, (metric, outcome) in enumerate(names.tolist()):
        chosen = of_row.ravel() == index
        worth = labels_worth(
            design.group[chosen],
            unit[chosen],
            weight[chosen],
            x[chosen],
            metric not in ("mean_error", "minus_distance"),
        )
        for group, label_worth in enumerate(worth.tolist()):
            if label_worth > 0:
                of_group = design.labels[group]
                yield {
                    "group_value": of_group,
                    "metric": metric,
                    "outcome": outcome,
                    "label_worth": label_worth,
                }
