"""Grain: one row per audit_key_a, audit_key_b, number_key: with intervals, between the same groups."""

from ingest.inference.over_time import moved
from ingest.inference.tables import table_of_columns, types

KEYS = ("audit_key_a", "audit_key_b", "number_key")
SCHEMA = types(
    ", ".join(f"{name} string" for name in KEYS)
    + ", difference double, ci_low double, ci_high double, p_value double"
)
ENDS = tuple(f"{name}_{side}" for side in "ab" for name in ("value", "ci_low", "ci_high"))


def model(dbt, session):
    dbt.config(materialized="table")
    alike = ["not has_other_groups", *(f"{end} is not null" for end in ENDS)]
    paired = dbt.ref("int_audit_numbers_paired").filter(" and ".join(alike))
    found = paired.order(", ".join(KEYS)).project(", ".join((*KEYS, *ENDS))).fetchnumpy()
    before, after = ([found[end] for end in ENDS if end.endswith(side)] for side in ("_a", "_b"))
    change = moved(before, after)
    columns = {name: found[name] for name in KEYS}
    columns |= {"difference": change.difference, "ci_low": change.low, "ci_high": change.high}
    return session.from_arrow(table_of_columns([columns | {"p_value": change.p_value}], SCHEMA))
