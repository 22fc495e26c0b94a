"""Grain: one row per audit_key, number_key, of numbers with an interval: has it changed by then?

Where all audits have the same answers, as after a changed limit, it cannot have, and has no row.
"""

import numpy as np
import pyarrow as pa

from ingest.inference.arrays import dense, first_rows
from ingest.inference.over_time import Kept, scanned
from ingest.inference.tables import table_of_columns, types

OF_NUMBER = ("series_key", "number_key", "n_looks", "is_look", "audit_key", "place")
OF_LOOK = (
    "coalesce(answers, '') as answers",
    "is_read_by_people",
    "coalesce(compared_groups, '') as between",
)
READ = ("value", "ci_low", "ci_high", "n", "n_units")
SCHEMA = types(
    "audit_key string, number_key string, statistic double, p_sequential double, shift double,"
    " changed_place int64, changed_place_low int64, changed_place_high int64"
)


def model(dbt, session):
    dbt.config(materialized="table")
    numbers = dbt.ref("int_audit_numbers_placed").filter(
        "value is not null and ci_low is not null and ci_high is not null and n > 0"
    )
    # As Arrow, texts as codes: to sort so many, or to have them in Python, takes longer than all else.
    # Audits of old versions may not say of which answers they are: these are others than those that do.
    rows = numbers.project(", ".join((*OF_NUMBER, *OF_LOOK, *READ))).to_arrow_table()
    series, answers = _codes(rows, "series_key", "number_key"), _codes(rows, "answers")
    is_other = answers != answers[first_rows(series)[series]]
    several = np.bincount(series, is_other)[series] > 0
    order = np.lexsort((rows["place"].to_numpy(), series))
    order = order[several[order]]
    rows = rows.take(order)
    looks = scanned(
        Kept(
            series=series[order],
            places=rows["place"].to_numpy(),
            answers=answers[order],
            kinds=_codes(rows, "is_read_by_people", "between"),
            readings=np.column_stack([rows[name].to_numpy() for name in READ]).astype(np.float64),
            n_looks=rows["n_looks"].to_numpy(),
            is_plan=rows["is_look"].to_numpy(),
        )
    )
    told = [*looks[:3], *(pa.array(places, mask=places == 0) for places in looks[3:])]
    columns = dict(zip(SCHEMA.names, (rows["audit_key"], rows["number_key"], *told), strict=True))
    return session.from_arrow(table_of_columns([columns] if rows.num_rows else [], SCHEMA))


def _codes(rows, *names):
    """What each row has in these columns, as a number: 0, 1, …"""
    codes = [rows[name].combine_chunks().dictionary_encode().indices.to_numpy() for name in names]
    return dense(codes[0].astype(np.int64) * rows.num_rows + codes[-1])
