"""Grain: one row per suite, category, config_key, outcome_set, published_label, group_value with answers."""

import numpy as np

from ingest.inference.constants import ALPHA
from ingest.inference.design import Design, resampling_unit
from ingest.inference.rates import parts, rates_over_units
from ingest.inference.sums import group_table
from ingest.inference.tables import rows_by, table_of, types

KEYS = ("suite", "category", "config_key", "outcome_set")
SCHEMA = types(
    ", ".join(f"{name} string" for name in KEYS)
    + ", published_label string, group_value string, share_low double, share_high double,"
    " share_of_outcome_low double, share_of_outcome_high double"
)


def model(dbt, session):
    dbt.config(materialized="table")
    keys = ", ".join(KEYS)
    figures = rows_by(
        dbt.ref("int_census_shares_counted").order(f"{keys}, published_label, group_value"),
        f"{keys}, published_label, group_value, figure",
        len(KEYS),
    )
    answers = rows_by(
        dbt.ref("int_census_answers_listed"),
        f"{keys}, published_label, group_value, prompt_key, block_key",
        len(KEYS),
    )
    rows = [
        {**dict(zip(KEYS, identity, strict=True)), **row}
        for identity, published in figures.items()
        if identity in answers
        for row in _bounded(answers[identity], published)
    ]
    return session.from_arrow(table_of(rows, SCHEMA))


def _bounded(answers, published):
    """Yield 95 % intervals of shares of a group's answers, and of an outcome's, weighted to the figures."""
    answered, groups, prompts, blocks = zip(*answers, strict=True)
    design = Design.from_values([groups], prompts, blocks)
    units = design.units(resampling_unit(design))
    n_groups, n_units = len(design.labels), int(units.max()) + 1
    sizes = np.array([sum(figure for _, of, figure in published if of == group) for group in design.labels])

    def by_unit(chosen):
        cells = group_table(design.group * n_units + units, chosen[:, None], n_groups * n_units)
        return cells.reshape(n_groups, n_units)

    counted = by_unit(np.ones(len(answers)))
    for label in dict.fromkeys(label for label, *_ in published):
        rates = rates_over_units(by_unit(np.array(answered) == label), counted, ALPHA / 2)
        low, high = parts(rates, sizes)
        for index, group in enumerate(design.labels):
            yield {
                "published_label": label,
                "group_value": group,
                "share_low": float(rates.low[index]),
                "share_high": float(rates.high[index]),
                "share_of_outcome_low": float(low[index]),
                "share_of_outcome_high": float(high[index]),
            }
