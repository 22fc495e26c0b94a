"""Grain: one row per audit_key, number_key, of numbers with an interval: has it changed by then?

Where all audits have the same answers, as after a changed limit, it cannot have, and has no row.
"""

from ingest.inference.over_time import Kept, scanned
from ingest.inference.tables import rows_by, table_of_columns, types

OF_NUMBER = "over (partition by series_key, number_key)"
SCHEMA = types(
    "audit_key string, number_key string, statistic double, p_sequential double, shift double,"
    " changed_place int64, changed_place_low int64, changed_place_high int64"
)


def model(dbt, session):
    dbt.config(materialized="table")
    numbers = dbt.ref("int_audit_numbers_placed").filter(
        "value is not null and ci_low is not null and ci_high is not null and n > 0"
    )
    # Audits of old versions may not say of which answers they are: these are others than those that do.
    several = " < ".join(f"{end}(coalesce(answers, '')) {OF_NUMBER}" for end in ("min", "max"))
    numbers = numbers.project(f"*, {several} as has_several").filter("has_several")
    found = rows_by(
        numbers.order("series_key, number_key, place"),
        "series_key, number_key, n_looks, is_look, audit_key, place, answers, is_read_by_people,"
        " compared_groups, value, ci_low, ci_high, n, n_units",
        2,
    )
    rows = [row for (_, number_key), looks in found.items() for row in _scanned(number_key, looks)]
    columns = [dict(zip(SCHEMA.names, zip(*rows, strict=True), strict=True))] if rows else []
    return session.from_arrow(table_of_columns(columns, SCHEMA))


def _scanned(number_key, looks):
    n_looks, is_look, *_ = looks[0]
    kept = [Kept(*row[2:5], row[5:7], *row[7:]) for row in looks]
    for audit_key, look in scanned(kept, n_looks, is_look):
        yield (audit_key, number_key, *look[:3], *(place or None for place in look[3:]))
