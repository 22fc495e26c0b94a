"""Two configs' answers to the same repeat of the same prompt, from coded answers to rows of a table."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from duckdb import DuckDBPyRelation

from ingest.inference.design import Design
from ingest.inference.differences import resample_differences
from ingest.inference.kept import PART, PLACE, Kept, digest
from ingest.inference.sums import sums_of
from ingest.inference.tables import Columns, parts, records, seed_of, where

FIELDS = (
    "pair_id int64, analysis_key int64, statistic string, group_value string, value_a double, value_b double,"
    " difference double, status string, p_value double, p_exchanged double, p_relabelled double,"
    " null_median double, null_p05 double, null_p95 double, ci_low double, ci_high double, ci_status string,"
    " n int64, n_unpaired_a int64, n_unpaired_b int64, n_groups int64, resampling_unit string,"
    " n_units int64, n_units_differing int64, min_attainable_p double, key_place int64"
)
KEYS = ("pair_id", "analysis_key")  # places in an order of all pairs and tables
CODED = (
    "analysis_key, config_run_key, prompt_code, repeat_index, group_code, cell_code, block_code,"
    " outcome_code, value"
)
IDENTITY = ("measure_kind", "suite", "category", "measure", "axis")  # a draw depends on what is compared
SETTINGS = (*IDENTITY, "seed", "n_permutations", "n_bootstrap", "minimum_cell")


def keep_compared(
    kept: Kept,
    listed: DuckDBPyRelation,
    answered: DuckDBPyRelation,
    groups: Mapping[int, Sequence[tuple[str, Sequence[int]]]],
    statistics: Mapping[str, Sequence[str]],
) -> None:
    """Add to a table the differences of each listed pair of configs in each table of answers.

    `groups` are those of a table with the codes of their attributes, `statistics` those of a kind of measure.
    A pair that is there of the same answers is kept, whoever else answered.
    """
    pairs: dict[int, list[dict[str, Any]]] = {}
    for row in records(listed.order("analysis_key, pair_id")):
        pairs.setdefault(row["analysis_key"], []).append(row)
    answers = answered.order("analysis_key, prompt_code, repeat_index, config_run_key").project(CODED)
    found = parts(answers.fetchnumpy(), "analysis_key", list(pairs))
    times: Counter[str] = Counter()  # two configs may answer word for word alike
    for (analysis_key, compared_there), part in zip(pairs.items(), found, strict=True):
        answered_by = {side: digest(_answers_of(part, side)) for side in set(part["config_run_key"].tolist())}
        labelled, names = groups.get(analysis_key, []), statistics[compared_there[0]["measure_kind"]]
        asked = []
        for pair in compared_there:
            if answered_by.keys() >= set(_sides(pair)):
                settings = [pair[name] for name in SETTINGS]
                inputs = digest(settings, [answered_by[side] for side in _sides(pair)], labelled, names)
                keys = {"pair_id": [pair["pair_id"]], "analysis_key": [analysis_key]}
                asked.append(([inputs, times[inputs]], pair, keys))
                times[inputs] += 1
        kept.add_each(compared, asked, part, labelled, names)


def _sides(pair: Mapping[str, Any]) -> tuple[int, int]:
    return pair["config_run_a"], pair["config_run_b"]


def _answers_of(part: Columns, side: int) -> Columns:
    """A config's answers, without the key by which it goes here."""
    own = where(part, part["config_run_key"] == side)
    return {name: values for name, values in own.items() if name not in ("analysis_key", "config_run_key")}


def compared(
    pairs: list[dict[str, Any]],
    part: Columns,
    groups: Sequence[tuple[str, Sequence[int]]],
    statistics: Sequence[str],
) -> Iterator[dict[str, Any]]:
    """Yield the differences of each pair of configs, on the same repeat of the same prompt.

    `part` holds the coded answers of one table, `groups` its groups with the codes of their attributes. A row
    says by its place which of the pairs it is of.
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
    together: dict[bytes, list[tuple[int, int, int]]] = {}
    for number, pair in enumerate(pairs):
        a, b = (place[side] for side in _sides(pair))
        kept = has[a] & has[b]
        n_by_group = np.bincount(columns["group"][kept], minlength=len(groups))
        kept &= (n_by_group >= settings["minimum_cell"])[columns["group"]]
        together.setdefault(kept.tobytes(), []).append((number, a, b))
    for name, members in together.items():
        kept = np.flatnonzero(np.frombuffer(name, dtype=bool))
        if not len(kept):
            continue
        used = sorted({side for _, *sides_of_pair in members for side in sides_of_pair})
        results = resample_differences(
            Design.from_codes(groups, *where(columns, kept).values()),
            sums_by_side[used][:, kept],
            statistics,
            [(used.index(a), used.index(b)) for _, a, b in members],
            n_permutations=settings["n_permutations"],
            n_bootstrap=settings["n_bootstrap"],
            # A draw depends on what is compared, not on who.
            seed=seed_of(settings["seed"], "sides", *(settings[f] for f in IDENTITY)),
        )
        n_groups = len(np.unique(columns["group"][kept]))
        for (number, a, b), differences in zip(members, results, strict=True):
            for result in differences:
                of_group = has
                if result.group is not None:
                    of_group = has & (columns["group"] == labels.index(result.group))
                n = int(result.n)
                yield {
                    **result.row(),
                    PART: number,
                    PLACE: 0,
                    "n": n,
                    "n_unpaired_a": int(of_group[a].sum()) - n,
                    "n_unpaired_b": int(of_group[b].sum()) - n,
                    "n_groups": n_groups,
                }
