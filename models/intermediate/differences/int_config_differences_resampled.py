"""Grain: one row per pair_id, analysis_key, statistic, group_value ('' for the axis): b less a."""

import numpy as np

from ingest.inference.design import Design
from ingest.inference.differences import resample_differences
from ingest.inference.kept import Kept
from ingest.inference.sums import sums_of
from ingest.inference.tables import parts, records, rows_by, seed_of, types, where

SCHEMA = types(
    "pair_id int64, analysis_key int64, statistic string, group_value string, value_a double, value_b double,"
    " difference double, status string, p_value double, p_exchanged double, p_relabelled double,"
    " null_median double, null_p05 double, null_p95 double, ci_low double, ci_high double, ci_status string,"
    " n int64, n_unpaired_a int64, n_unpaired_b int64, n_groups int64, resampling_unit string,"
    " n_units int64, n_units_differing int64, min_attainable_p double"
)
IDENTITY = ("measure_kind", "suite", "category", "measure", "axis")


def model(dbt, session):
    dbt.config(materialized="table")
    statistics = rows_by(dbt.ref("compared_statistics").order("kind, statistic"), "kind, statistic")
    listed = dbt.ref("int_config_differences_listed").filter("reason is null").order("analysis_key, pair_id")
    tables: dict[int, list[dict]] = {}
    for row in records(listed):
        tables.setdefault(row["analysis_key"], []).append(row)
    answered = dbt.ref("int_config_run_answers_coded")
    groups = {}
    if tables:
        coded = answered.project("analysis_key, group_code, group_value, attribute_codes").distinct()
        groups = rows_by(
            coded.order("analysis_key, group_code"), "analysis_key, group_value, attribute_codes"
        )
    answers = (
        answered.order("analysis_key, prompt_code, repeat_index, config_run_key")
        .project(
            "analysis_key, config_run_key, prompt_code, repeat_index, group_code, block_code,"
            " outcome_code, value"
        )
        .fetchnumpy()
    )
    kept = Kept(dbt, session, SCHEMA)
    for (analysis_key, pairs), part in zip(
        tables.items(), parts(answers, "analysis_key", list(tables)), strict=True
    ):
        if len(part["analysis_key"]):
            names = [name for (name,) in statistics[pairs[0]["measure_kind"]]]
            kept.add(_compared, pairs, part, groups[analysis_key], names)
    return kept.relation()


def _compared(pairs, part, groups, statistics):
    """Yield the differences of each pair of configs, on the same repeat of the same prompt."""
    settings = pairs[0]
    cell = np.column_stack([part["prompt_code"], part["repeat_index"]])
    _, first, row = np.unique(cell, axis=0, return_index=True, return_inverse=True)
    row = row.ravel()
    sides, side = np.unique(part["config_run_key"], return_inverse=True)
    has = np.zeros((len(sides), len(first)), dtype=bool)
    has[side, row] = True
    sums = sums_of(settings["measure_kind"], part["outcome_code"], part["value"])
    sums_by_side = np.zeros((len(sides), len(first), sums.shape[1]))
    sums_by_side[side, row] = sums
    place = {config_run_key: index for index, config_run_key in enumerate(sides.tolist())}
    columns = where({name: part[f"{name}_code"] for name in ("group", "prompt", "block")}, first)
    labels = [label for label, _ in groups]

    # Pairs that lack the same answers are drawn at once.
    together: dict[bytes, list[dict]] = {}
    for pair in pairs:
        if pair["config_run_a"] not in place or pair["config_run_b"] not in place:
            continue
        kept = has[place[pair["config_run_a"]]] & has[place[pair["config_run_b"]]]
        n_by_group = np.bincount(columns["group"][kept], minlength=len(groups))
        kept &= (n_by_group >= settings["minimum_cell"])[columns["group"]]
        together.setdefault(kept.tobytes(), []).append(pair)
    for name, members in together.items():
        kept = np.flatnonzero(np.frombuffer(name, dtype=bool))
        if not len(kept):
            continue
        used = sorted({place[pair[side]] for pair in members for side in ("config_run_a", "config_run_b")})
        results = resample_differences(
            Design.from_codes(groups, **where(columns, kept)),
            sums_by_side[np.ix_(used, kept)],
            statistics,
            [
                (used.index(place[pair["config_run_a"]]), used.index(place[pair["config_run_b"]]))
                for pair in members
            ],
            n_permutations=settings["n_permutations"],
            n_bootstrap=settings["n_bootstrap"],
            # A draw depends on what is compared, not on who.
            seed=seed_of(settings["seed"], "sides", *(settings[f] for f in IDENTITY)),
        )
        n_groups = len(np.unique(columns["group"][kept]))
        for pair, differences in zip(members, results, strict=True):
            for result in differences:
                of_group = has
                if result.group is not None:
                    of_group = has & (columns["group"] == labels.index(result.group))
                n = int(result.n)
                yield {
                    **result.row(),
                    "pair_id": pair["pair_id"],
                    "analysis_key": pair["analysis_key"],
                    "n": n,
                    "n_unpaired_a": int(of_group[place[pair["config_run_a"]]].sum()) - n,
                    "n_unpaired_b": int(of_group[place[pair["config_run_b"]]].sum()) - n,
                    "n_groups": n_groups,
                }
