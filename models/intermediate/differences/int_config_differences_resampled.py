"""Grain: one row per pair_id, table_id, statistic, group_value ('' for the axis). One side less the other."""

import math

import numpy as np
import pyarrow as pa

from ingest.inference.resampling import Design, outcome_sums, resample_differences, score_sums, selection_sums
from ingest.keys import key

COLUMNS = {
    "pair_id": pa.int64(),
    "table_id": pa.int64(),
    "statistic": pa.string(),
    "group_value": pa.string(),
    "value_a": pa.float64(),
    "value_b": pa.float64(),
    "difference": pa.float64(),
    "status": pa.string(),
    "p_value": pa.float64(),
    "p_exchanged": pa.float64(),
    "p_relabelled": pa.float64(),
    "null_median": pa.float64(),
    "null_p05": pa.float64(),
    "null_p95": pa.float64(),
    "ci_low": pa.float64(),
    "ci_high": pa.float64(),
    "ci_status": pa.string(),
    "n": pa.int64(),
    "n_unpaired_a": pa.int64(),
    "n_unpaired_b": pa.int64(),
    "n_groups": pa.int64(),
    "resampling_unit": pa.string(),
    "n_units": pa.int64(),
    "n_units_differing": pa.int64(),
    "min_attainable_p": pa.float64(),
}
IDENTITY = ("kind", "suite", "category", "measure", "axis")


def model(dbt, session):
    dbt.config(materialized="table")
    statistics: dict[str, list[str]] = {}
    for kind, statistic in (
        dbt.ref("compared_statistics").project("kind, statistic").order("kind, statistic").fetchall()
    ):
        statistics.setdefault(kind, []).append(statistic)
    listed = dbt.ref("int_config_differences_listed").filter("reason is null").order("table_id, pair_id")
    tables: dict[int, list[dict]] = {}
    for record in listed.fetchall():
        row = dict(zip(listed.columns, record, strict=True))
        tables.setdefault(row["table_id"], []).append(row)
    answered = dbt.ref("int_config_run_answers_coded")
    groups: dict[int, list[tuple[str, list[int]]]] = {}
    if tables:
        for table_id, group_value, codes in (
            answered.project("table_id, group_code, group_value, attribute_codes")
            .distinct()
            .order("table_id, group_code")
            .project("table_id, group_value, attribute_codes")
            .fetchall()
        ):
            groups.setdefault(table_id, []).append((group_value, codes))
    rows = (
        answered.order("table_id, prompt_code, repeat_index, side_id")
        .project("table_id, side_id, prompt_code, repeat_index, group_code, block_code, outcome_code, value")
        .fetchnumpy()
    )
    found: dict[str, list] = {name: [] for name in COLUMNS}
    for table_id, pairs in tables.items():
        start, end = np.searchsorted(rows["table_id"], [table_id, table_id + 1])
        if start == end:
            continue
        part = {name: column[start:end] for name, column in rows.items()}
        for row in _compared(pairs, part, groups[table_id], statistics[pairs[0]["kind"]]):
            for name, column in found.items():
                value = row.get(name)
                column.append(None if isinstance(value, float) and not math.isfinite(value) else value)
    return session.from_arrow(pa.table({n: pa.array(found[n], t) for n, t in COLUMNS.items()}))


def _compared(pairs, part, groups, statistics):
    """Yield the differences of each pair of sides, on the same repeat of the same prompt."""
    settings = pairs[0]
    cell = np.column_stack([part["prompt_code"], part["repeat_index"]])
    _, first, row = np.unique(cell, axis=0, return_index=True, return_inverse=True)
    row = row.ravel()
    sides, side = np.unique(part["side_id"], return_inverse=True)
    has = np.zeros((len(sides), len(first)), dtype=bool)
    has[side, row] = True
    sums = _sums(settings["kind"], part)
    sums_of = np.zeros((len(sides), len(first), sums.shape[1]))
    sums_of[side, row] = sums
    place = {side_id: index for index, side_id in enumerate(sides.tolist())}
    columns = {name: part[f"{name}_code"][first].astype(np.int64) for name in ("group", "prompt", "block")}
    codes = np.array([attribute_codes for _, attribute_codes in groups], dtype=np.int64)
    labels = [label for label, _ in groups]

    # Pairs that lack the same answers are drawn at once.
    together: dict[bytes, list[dict]] = {}
    kept_by = {}
    for pair in pairs:
        if pair["side_a"] not in place or pair["side_b"] not in place:
            continue
        kept = has[place[pair["side_a"]]] & has[place[pair["side_b"]]]
        n_by_group = np.bincount(columns["group"][kept], minlength=len(groups))
        kept &= (n_by_group >= settings["minimum_cell"])[columns["group"]]
        together.setdefault(kept.tobytes(), []).append(pair)
        kept_by[kept.tobytes()] = kept
    for name, members in together.items():
        kept = np.flatnonzero(kept_by[name])
        if not len(kept):
            continue
        used = sorted({place[pair[side]] for pair in members for side in ("side_a", "side_b")})
        group = columns["group"][kept]
        results = resample_differences(
            Design(
                attributes=codes[group],
                group=group,
                prompt=columns["prompt"][kept],
                block=columns["block"][kept],
                labels=tuple(labels),
            ),
            sums_of[np.ix_(used, kept)],
            statistics,
            [(used.index(place[pair["side_a"]]), used.index(place[pair["side_b"]])) for pair in members],
            n_permutations=settings["n_permutations"],
            n_bootstrap=settings["n_bootstrap"],
            # A draw depends on what is compared, not on who.
            seed=int(key(settings["seed"], "sides", *(settings[f] for f in IDENTITY))[:15], 16),
        )
        n_groups = len(np.unique(group))
        for pair, differences in zip(members, results, strict=True):
            for result in differences:
                of_group = (
                    has if result.group is None else has & (columns["group"] == labels.index(result.group))
                )
                n = int(result.n)
                yield {
                    **result._asdict(),
                    "pair_id": pair["pair_id"],
                    "table_id": pair["table_id"],
                    "group_value": result.group or "",
                    "n": n,
                    "n_unpaired_a": int(of_group[place[pair["side_a"]]].sum()) - n,
                    "n_unpaired_b": int(of_group[place[pair["side_b"]]].sum()) - n,
                    "n_groups": n_groups,
                    "resampling_unit": result.unit,
                }


def _sums(kind, part):
    if kind == "outcome":
        outcome = part["outcome_code"].astype(np.int64)
        return outcome_sums(outcome, int(outcome.max()) + 1)
    return {"score": score_sums, "selection": selection_sums}[kind](part["value"])
