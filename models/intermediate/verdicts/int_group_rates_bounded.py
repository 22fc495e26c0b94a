"""Grain: one row per suite, category, config_key, measure, axis, metric, group_value."""

import numpy as np

from ingest.inference.arrays import divide
from ingest.inference.rates import differences, rates_over_units, ratios
from ingest.inference.sums import group_table
from ingest.inference.tables import rows_by, table_of, types

KEYS = ("suite", "category", "config_key", "config", "measure", "axis", "metric")
COUNTS = ("n_selected", "n", "n_missing_low", "n_missing_high", "n_missing")
SCHEMA = types(
    ", ".join(f"{name} string" for name in KEYS)
    + ", group_value string, value double, bound_low double, bound_high double, value_low double,"
    " value_high double, n int64, n_missing int64, n_blocks int64"
)


def model(dbt, session):
    dbt.config(materialized="table")
    counted = dbt.ref("int_unit_rates_counted")
    keys = ", ".join(KEYS)
    found = rows_by(
        counted.order(f"{keys}, group_value, block_key"),
        f"{keys}, group_value, block_key, is_reference, {', '.join(COUNTS)}",
        len(KEYS),
    )
    rows = [
        {**dict(zip(KEYS, identity, strict=True)), **row}
        for identity, units in found.items()
        for row in _bounded(identity, units)
    ]
    return session.from_arrow(table_of(rows, SCHEMA))


def _bounded(identity, units):
    """Yield each group's rate and, where there is a reference, the difference and the ratio to it."""
    groups, blocks, is_reference, *counts = zip(*units, strict=True)
    labels, group = np.unique(groups, return_inverse=True)
    block = np.unique(blocks, return_inverse=True)[1]
    counts = np.array(counts, dtype=np.float64).T
    n_blocks = int(block.max()) + 1
    cells = group_table(group * n_blocks + block, counts, len(labels) * n_blocks)
    selected, n, *_ = np.moveaxis(cells.reshape(len(labels), n_blocks, -1), -1, 0)
    n_selected, total, missing_low, missing_high, missing = group_table(group, counts, len(labels)).T
    rates = rates_over_units(selected, n)
    ends = divide(n_selected, total + missing_low), divide(n_selected + missing_high, total + missing_high)
    known = {"n": total, "n_missing": missing, "n_blocks": rates.n_units}
    yield from _rows(labels, known, rates.value, (rates.low, rates.high), ends)
    if not any(is_reference):
        return
    reference = int(group[is_reference.index(True)])
    both = {name: np.minimum(column, column[reference]) for name, column in known.items()}
    both["n_missing"] = missing + missing[reference]
    others = np.arange(len(labels)) != reference
    *_, measure, _, metric = identity
    own = {"measure": f"{measure}, {metric.replace('_', ' ')}"}
    low, high = ends
    for name, value, bounds, worst in (
        (
            "parity_difference",
            rates.value - rates.value[reference],
            differences(rates, reference),
            (low - high[reference], high - low[reference]),
        ),
        (
            "parity_ratio",
            divide(rates.value, rates.value[reference]),
            ratios(rates, reference),
            (divide(low, high[reference]), divide(high, low[reference])),
        ),
    ):
        for row, is_other in zip(_rows(labels, both, value, bounds, worst), others, strict=True):
            if is_other:
                yield {**row, **own, "metric": name}


def _rows(labels, known, value, bounds, ends):
    for index, label in enumerate(labels.tolist()):
        yield {
            "group_value": label,
            "value": float(value[index]),
            **{f"bound_{end}": float(one[index]) for end, one in zip(("low", "high"), bounds, strict=True)},
            **{f"value_{end}": float(one[index]) for end, one in zip(("low", "high"), ends, strict=True)},
            **{name: int(column[index]) for name, column in known.items()},
        }
