"""Grain: one row per family_id, statistic_key, disparity, group_id (null for a disparity): chance alone."""

import numpy as np
import pyarrow as pa

from ingest.keys import key
from ingest.stats import Design, resample_columns, resampling_unit

COLUMNS = {
    "family_id": pa.int64(),
    "statistic_key": pa.int32(),
    "disparity": pa.string(),
    "group_id": pa.int64(),
    "p_value": pa.float64(),
    "null_median": pa.float64(),
    "null_p05": pa.float64(),
    "null_p95": pa.float64(),
    "ci_low": pa.float64(),
    "ci_high": pa.float64(),
    "resampling_unit": pa.string(),
    "n_units": pa.int64(),
}


def model(dbt, session):
    dbt.config(materialized="table")
    statistics = dbt.ref("statistics").filter("statistic = 'mean'").project("statistic_id").fetchone()
    settings = {
        suite: values
        for suite, *values in dbt.ref("stg_suite__suites")
        .project("suite, seed, n_permutations, n_bootstrap, minimum_cell")
        .fetchall()
    }
    groups = (
        dbt.ref("int_groups_listed")
        .project("group_id, comparison_id, suite, category, config_key, axis, group_value, attribute_codes")
        .order("group_id")
        .fetchall()
    )
    summed = dbt.ref("int_prompts_summed")
    sums = {
        name: int(name.removeprefix("rate_sum_")) for name in summed.columns if name.startswith("rate_sum_")
    }
    sums["mean_sum"] = statistics[0]
    rows = summed.order("group_id, prompt_id, family_id").fetchnumpy()
    comparisons: dict[int, list] = {}
    for group in groups:
        comparisons.setdefault(group[1], []).append(group)
    parts = []
    for members in comparisons.values():
        ids = np.array([group[0] for group in members])
        # Groups of a comparison have consecutive numbers.
        start, end = np.searchsorted(rows["group_id"], [ids[0], ids[-1] + 1])
        if start == end:
            continue
        part = {name: column[start:end] for name, column in rows.items()}
        parts += _comparison(part, members, sums, settings[members[0][2]])
    tables = [
        pa.table({n: pa.array(part[n], t, from_pandas=True) for n, t in COLUMNS.items()}) for part in parts
    ]
    empty = pa.table({n: pa.array([], t) for n, t in COLUMNS.items()})
    return session.from_arrow(pa.concat_tables([empty, *tables]))


def _comparison(part, members, sums, settings):
    """Resample all columns of one axis under one config that compare the same groups."""
    seed, n_permutations, n_bootstrap, minimum_cell = settings
    if not (n_permutations or n_bootstrap):
        return []
    ids = np.array([group[0] for group in members])
    codes = np.array([group[7] for group in members], dtype=np.int64)
    prompts, first, row = np.unique(part["prompt_id"], return_index=True, return_inverse=True)
    families, column = np.unique(part["family_id"], return_inverse=True)
    group = np.searchsorted(ids, part["group_id"][first])
    block = part["block_id"][first].astype(np.int64)
    counts = np.zeros((len(prompts), len(families)))
    counts[row, column] = part["n"]
    by_group = np.zeros((len(ids), len(families)))
    np.add.at(by_group, group, counts)
    compared, pattern = np.unique(by_group >= minimum_cell, axis=1, return_inverse=True)
    seed = int(key(seed, "disparities", *members[0][2:6])[:15], 16)
    found = []
    for index, is_compared in enumerate(compared.T):
        kept = np.flatnonzero(is_compared[group])
        chosen = np.flatnonzero(pattern.ravel() == index)
        if is_compared.sum() < 2:
            continue
        design = Design(
            attributes=codes[group[kept]],
            group=np.searchsorted(np.flatnonzero(is_compared), group[kept]),
            prompt=kept.astype(np.int64),
            block=block[kept],
            labels=tuple(members[g][6] for g in np.flatnonzero(is_compared)),
        )
        # Where each group has one prompt, only its repeats vary: int_groups_resampled covers what is judged.
        if resampling_unit(design) == "response":
            continue
        names = list(sums)
        stacked = []
        for name in names:
            values = np.zeros_like(counts)
            values[row, column] = part[name]
            stacked.append(values[np.ix_(kept, chosen)])
        result = resample_columns(
            design,
            np.tile(counts[np.ix_(kept, chosen)], len(names)),
            np.hstack(stacked),
            n_permutations=n_permutations,
            n_bootstrap=n_bootstrap,
            seed=seed,
        )
        keys = np.repeat([sums[name] for name in names], len(chosen))
        found += _rows(result, np.tile(families[chosen], len(names)), keys, ids[is_compared])
    return found


def _rows(result, families, keys, ids):
    n = len(families)
    nothing = np.full(n, np.nan)
    shared = {"resampling_unit": [result.unit] * n, "n_units": np.full(n, result.n_units)}
    shared |= {"family_id": families, "statistic_key": keys}
    for disparity, columns in result.disparities.items():
        measured = columns._asdict()
        del measured["value"]
        yield {**shared, **measured, "disparity": [disparity] * n, "group_id": [None] * n}
    ends = {
        "group_value": (result.value_low, result.value_high),
        "impact_ratio": (result.ratio_low, result.ratio_high),
    }
    for name, (low, high) in ends.items():
        for group_id, group_low, group_high in zip(ids, low, high, strict=True):
            no_p = dict.fromkeys(("p_value", "null_median", "null_p05", "null_p95"), nothing)
            own = {"ci_low": group_low, "ci_high": group_high, "group_id": np.full(n, group_id)}
            yield {**shared, **no_p, **own, "disparity": [name] * n}
