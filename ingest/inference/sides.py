"""Two configs' answers to the same repeat of the same prompt, from coded answers to rows of a table."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from duckdb import DuckDBPyRelation

from ingest.inference.design import Design
from ingest.inference.differences import resample_differences
from ingest.inference.sums import sums_of
from ingest.inference.tables import Columns, parts, records, seed_of, where

FIELDS = (
    "pair_id int64, analysis_key int64, statistic string, group_value string, value_a double, value_b double,"
    " difference double, status string, p_value double, p_exchanged double, p_relabelled double,"
    " null_median double, null_p05 double, null_p95 double, ci_low double, ci_high double, ci_status string,"
    " n int64, n_unpaired_a int64, n_unpaired_b int64, n_groups int64, resampling_unit string,"
    " n_units int64, n_units_differing int64, min_attainable_p double"
)
CODED = (
    "analysis_key, config_run_key, prompt_code, repeat_index, group_code, cell_code, block_code,"
    " outcome_code, value"
)
IDENTITY = ("measure_kind", "suite", "category", "measure", "axis")  # a draw depends on what is compared


def tables_of(
    listed: DuckDBPyRelation, answered: DuckDBPyRelation
) -> Iterator[tuple[int, list[dict[str, Any]], Columns]]:
    """Each table of answers: its `analysis_key`, the pairs to be compared in it, its coded answers."""
    pairs: dict[int, list[dict[str, Any]]] = {}
    for row in records(listed.order("analysis_key, pair_id")):
        pairs.setdefault(row["analysis_key"], []).append(row)
    answers = answered.order("analysis_key, prompt_code, repeat_index, config_run_key").project(CODED)
    found = parts(answers.fetchnumpy(), "analysis_key", list(pairs))
    for (analysis_key, compared_there), part in zip(pairs.items(), found, strict=True):
        yield analysis_key, compared_there, part


def compared(
    pairs: list[dict[str, Any]],
    part: Columns,
    groups: Sequence[tuple[str, Sequence[int]]],
    statistics: Sequence[str],
) -> Iterator[dict[str, Any]]:
    """Yield the differences of each pair of configs, on the same repeat of the same prompt.

    `part` holds the coded answers of one table, `groups` its groups with the codes of their attributes.
    """
    settings = pairs[0]
    answer = np.column_stack([part["prompt_code"], part["repeat_index"]])
    _, first, row = np.unique(answer, axis=0, return_index=True, return_inverse=True)
    row = row.ravel()
    sides, side = np.unique(part["config_run_key"], return_inverse=True)
    has = np.zeros((len(sides), len(first)), dtype=bool)
    has[side, row] = True
    kind = settings["measure_kind"]
    sums = sums_of("outcome" if kind == "status" else kind, part["outcome_code"], part["value"])
    sums_by_side = np.zeros((len(sides), len(first), sums.shape[1]))
    sums_by_side[side, row] = sums
    place = {config_run_key: index for index, config_run_key in enumerate(sides.tolist())}
    columns = where({name: part[f"{name}_code"] for name in ("group", "cell", "block")}, first)
    labels = [label for label, _ in groups]

    # Pairs that lack the same answers are drawn at once.
    together: dict[bytes, list[dict[str, Any]]] = {}
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
        used: list[int] = sorted(
            {place[pair[side]] for pair in members for side in ("config_run_a", "config_run_b")}
        )
        results = resample_differences(
            Design.from_codes(groups, *where(columns, kept).values()),
            sums_by_side[used][:, kept],
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
