"""Grain: one row per audit_key, number_key, of numbers with an interval: has it changed by then?"""

from ingest.inference.over_time import watched
from ingest.inference.tables import rows_by, table_of, types

SCHEMA = types(
    "audit_key string, number_key string, statistic double, p_sequential double, shift double,"
    " changed_place int64, changed_place_low int64, changed_place_high int64"
)


def model(dbt, session):
    dbt.config(materialized="table")
    numbers = dbt.ref("int_audit_numbers_placed").filter(
        "value is not null and ci_low is not null and ci_high is not null and n > 0"
    )
    found = rows_by(
        numbers.order("series_key, number_key, place"),
        "series_key, number_key, audit_key, place, is_look, n_looks, value, ci_low, ci_high, n, n_units",
        2,
    )
    rows = [row for (_, number_key), looks in found.items() for row in _scanned(number_key, looks)]
    return session.from_arrow(table_of(rows, SCHEMA))


def _scanned(number_key, looks):
    """Rows of one number: of a plan in one go; of whole audits in plans that share an end."""
    _, _, is_look, n_looks, *_ = looks[0]
    step = max(n_looks - 1, 1)
    starts = [0] if is_look else range(0, max(len(looks) - 1, 1), step)
    for start in starts:
        part = looks[start : start + n_looks]
        audit_keys, places, _, _, *series = zip(*part, strict=True)
        for index, look in enumerate(watched(*series, n_looks)):
            if index == 0 and start > 0:
                continue
            yield {
                "audit_key": audit_keys[index],
                "number_key": number_key,
                "statistic": look.statistic,
                "p_sequential": look.p_value,
                "shift": look.shift,
                "changed_place": _place(places, look.changed_at),
                "changed_place_low": _place(places, look.changed_from),
                "changed_place_high": _place(places, look.changed_to),
            }


def _place(places, number):
    return places[number - 1] if number else None
