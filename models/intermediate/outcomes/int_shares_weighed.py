"""Grain: one row per share_of, suite, category, config_key, measure, axis, group_value, outcome."""

import numpy as np

from ingest.inference.arrays import divide
from ingest.inference.constants import ALPHA
from ingest.inference.rates import answers_worth
from ingest.inference.sums import group_table
from ingest.inference.tables import rows_by, table_of, types

KEYS = ("share_of", "suite", "category", "config_key", "measure", "axis")
SCHEMA = types(
    ", ".join(f"{name} string" for name in KEYS) + ", group_value string, outcome string, answer_worth double"
)


def model(dbt, session):
    dbt.config(materialized="table")
    counted = dbt.ref("int_share_units_counted")
    keys = ", ".join(KEYS)
    found = rows_by(
        counted.order(f"{keys}, group_value, unit_key, outcome"),
        f"{keys}, group_value, unit_key, outcome, n",
        len(KEYS),
    )
    rows = [
        {**dict(zip(KEYS, identity, strict=True)), **row}
        for identity, units in found.items()
        for row in _weighed(units)
    ]
    return session.from_arrow(table_of(rows, SCHEMA))


def _weighed(units):
    """Yield how many independent answers one of a group's answers is worth, of each outcome's share."""
    groups, keys, outcomes, n = zip(*units, strict=True)
    labels, group = np.unique(groups, return_inverse=True)
    names, unit = np.unique(keys, return_inverse=True)
    outcome_labels, outcome = np.unique(outcomes, return_inverse=True)
    cell = group * len(names) + unit
    n = np.array(n, dtype=np.float64)

    def by_unit(chosen):
        found = group_table(cell[chosen], n[chosen, None], len(labels) * len(names))
        return found.reshape(len(labels), len(names))

    counted = by_unit(np.full(len(n), True))
    for index, label in enumerate(outcome_labels.tolist()):
        worth = divide(answers_worth(by_unit(outcome == index), counted, ALPHA / 2), counted.sum(1))
        for of_group, answer_worth in zip(labels.tolist(), worth.tolist(), strict=True):
            yield {"group_value": of_group, "outcome": label, "answer_worth": answer_worth}
