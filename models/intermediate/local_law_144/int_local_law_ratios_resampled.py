"""Grain: one row per table_id, statistic, group_value ('' for the table). What chance gives."""

import math

import numpy as np
import pyarrow as pa

from ingest.inference.resampling import Design, resample, selection_sums
from ingest.keys import key

COLUMNS = {
    "table_id": pa.int64(),
    "statistic": pa.string(),
    "group_value": pa.string(),
    "value": pa.float64(),
    "status": pa.string(),
    "p_value": pa.float64(),
    "p_max": pa.float64(),
    "null_median": pa.float64(),
    "null_p05": pa.float64(),
    "ci_low": pa.float64(),
    "ci_high": pa.float64(),
    "resampling_unit": pa.string(),
    "n_units": pa.int64(),
}
STATISTICS = ("impact_ratio", "min_impact_ratio")
# As int_analyses_resampled names an analysis: where both compare the same groups, they draw the same.
IDENTITY = ("form", "suite", "category", "config_key", "axis", "feature")


def model(dbt, session):
    dbt.config(materialized="table")
    settings = {
        suite: values
        for suite, *values in dbt.ref("stg_suite__suites")
        .project("suite, seed, n_permutations, n_bootstrap")
        .fetchall()
    }
    tables: dict[int, tuple[tuple[str, ...], list[tuple[str, list[int]]]]] = {}
    for table_id, *identity, group_value, codes in (
        dbt.ref("int_local_law_groups_counted")
        .filter("exclusion_reason is null")
        .order("table_id, attribute_codes")
        .project(f"table_id, {', '.join(IDENTITY)}, group_value, attribute_codes")
        .fetchall()
    ):
        tables.setdefault(table_id, (tuple(identity), []))[1].append((group_value, codes))
    rows = (
        dbt.ref("int_local_law_answers_coded")
        .order("table_id, response_key")
        .project("table_id, group_code, prompt_code, block_code, value")
        .fetchnumpy()
    )
    ids = list(tables)
    starts, ends = (np.searchsorted(rows["table_id"], ids, side=side) for side in ("left", "right"))
    found: dict[str, list] = {name: [] for name in COLUMNS}
    for table_id, start, end in zip(ids, starts, ends, strict=True):
        identity, groups = tables[table_id]
        part = {name: column[start:end] for name, column in rows.items()}
        for result in _resampled(identity, part, groups, settings[identity[1]]):
            row = {**result._asdict(), "table_id": table_id, "group_value": result.group or ""}
            row["resampling_unit"] = result.unit
            for name, column in found.items():
                value = row[name]
                column.append(None if isinstance(value, float) and not math.isfinite(value) else value)
    return session.from_arrow(pa.table({n: pa.array(found[n], t) for n, t in COLUMNS.items()}))


def _resampled(identity, part, groups, settings):
    seed, n_permutations, n_bootstrap = settings
    codes = np.array([attribute_codes for _, attribute_codes in groups], dtype=np.int64)
    group = part["group_code"].astype(np.int64)
    design = Design(
        attributes=codes[group],
        group=group,
        prompt=part["prompt_code"].astype(np.int64),
        block=part["block_code"].astype(np.int64),
        labels=tuple(label for label, _ in groups),
    )
    return resample(
        design,
        selection_sums(part["value"]),
        STATISTICS,
        n_permutations=n_permutations,
        n_bootstrap=n_bootstrap,
        seed=int(key(seed, *identity)[:15], 16),
    )
