"""Grain: one row per audit_key_a, audit_key_b, number_key: with intervals, between the same groups."""

import pyarrow as pa

from ingest.inference.over_time import moved

KEYS = ("audit_key_a", "audit_key_b", "number_key")
ENDS = tuple(f"{name}_{side}" for side in "ab" for name in ("value", "ci_low", "ci_high"))
FOUND = ("difference", "ci_low", "ci_high", "p_value")


def model(dbt, session):
    dbt.config(materialized="table")
    alike = ["not has_other_groups", *(f"{end} is not null" for end in ENDS)]
    paired = dbt.ref("int_audit_numbers_paired").filter(" and ".join(alike))
    # As Arrow: of so many keys, texts in Python would take longer than all else.
    numbers = paired.project(", ".join((*KEYS, *ENDS))).to_arrow_table()
    before, after = ([numbers[end] for end in ENDS if end.endswith(side)] for side in ("_a", "_b"))
    tested = numbers.select(KEYS)
    for name, column in zip(FOUND, moved(before, after), strict=True):
        tested = tested.append_column(name, pa.array(column, from_pandas=True))
    return session.from_arrow(tested)
