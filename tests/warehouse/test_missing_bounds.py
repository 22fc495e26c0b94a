"""Bounds of what missing answers could do, against every way to fill them in (SPEC INF-11)."""

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
import pytest

from ingest.inference.group_statistics import dbi, fdi, jsd_nats
from ingest.inference.sums import score_sums
from ingest.metrics_page.sql import Sql
from ingest.paths import PROJECT

MISSING = {name: "varchar" for name in ("suite", "category", "config_key", "measure", "axis", "group_value")}
ANALYSES = """
    select 1 as analysis_key, 'score' as measure_kind, 's' as suite, 'C' as category, 'k' as config_key,
        'warmth' as measure, 'axis' as axis, {n_possible_outcomes} as n_possible_outcomes
"""


def database(
    missing: Sequence[int],
    silent: Sequence[tuple[int, str | None, float | None, int]],
    n_possible_outcomes: int = 0,
) -> Sql:
    """Return tables where so many answers are missing of each group, and those that were read of silent ones:
    of a group, an outcome, a value, how often."""
    sql = Sql(PROJECT)
    sql.connection.execute("set ieee_floating_point_ops = false")
    sql.query("int_analyses_listed", ANALYSES.format(n_possible_outcomes=n_possible_outcomes))
    named = ("s", "C", "k", "warmth", "axis")
    sql.table(
        "int_missing_answers_counted",
        MISSING | {"n_missing": "bigint"},
        [(*named, str(group), int(n)) for group, n in enumerate(missing)],
    )
    sql.table(
        "int_silent_answers_counted",
        {
            "analysis_key": "bigint",
            "group_value": "varchar",
            "outcome": "varchar",
            "value": "double",
            "n_read": "bigint",
        },
        [(1, str(group), outcome, value, n) for group, outcome, value, n in silent],
    )
    return sql


def fillings(n: int, n_outcomes: int) -> Iterator[np.ndarray]:
    """Every count of outcomes that n answers can give."""
    for given in product(range(n + 1), repeat=n_outcomes):
        if sum(given) == n:
            yield np.array(given)


@pytest.mark.parametrize("seed", range(12))
def test_deviations_stay_within_their_bounds_and_reach_the_highest(seed):
    rng = np.random.default_rng(seed)
    n_outcomes, n_read = int(rng.integers(1, 4)), 3 - seed % 2
    table = rng.integers(0, 5, size=(3, n_outcomes)) + (np.arange(n_outcomes) == 0)
    table[n_read:] = rng.integers(0, 2, size=n_outcomes) * (seed % 4 == 1)
    table[0] += table.sum(0) == 0
    missing = rng.integers(0, 3, size=3) + np.array([1, 0, n_read == 2])
    silent = [(g, str(j), None, int(n)) for (g, j), n in np.ndenumerate(table) if g >= n_read and n]
    n_possible = n_outcomes + seed % 3  # some rules have a label that nobody gave, or two
    sql = database(missing, silent or [(g, None, None, 0) for g in range(n_read, 3)], n_possible)
    types = {"analysis_key": "bigint", "group_value": "varchar", "outcome": "varchar"}
    sql.table(
        "int_outcomes_counted",
        types | {"n_cell": "bigint"},
        [(1, str(g), str(j), int(cell)) for (g, j), cell in np.ndenumerate(table[:n_read])],
    )
    sql.model("int_deviations_bounded")
    found = {
        (row["group_value"], row["metric"]): (row["bound_low"], row["bound_high"])
        for row in sql.rows("select * from int_deviations_bounded")
    }
    # Where all say the same, what is missing may be another answer.
    table = np.pad(table, ((0, 0), (0, max(n_possible, 2) - n_outcomes)))
    filled = np.stack(
        [
            table + np.stack(rows)
            for rows in product(*(list(fillings(int(n), table.shape[1])) for n in missing))
        ]
    )
    for metric, values in (("fdi", fdi(filled)), ("jsd_nats", jsd_nats(filled))):
        for group in range(3):
            low, high = found[str(group), metric]
            assert high == pytest.approx(values[:, group].max(), abs=1e-9)
            assert low <= values[:, group].min() + 1e-9
        low, high = found["", f"max_{metric}"]
        assert high == pytest.approx(values.max(), abs=1e-9)
        assert low <= values.max(axis=1).min() + 1e-9


@pytest.mark.parametrize("seed", range(8))
def test_means_and_shifts_stay_within_their_bounds(seed):
    rng = np.random.default_rng(seed)
    n_read = 3 - seed % 2
    sizes = rng.integers(1, 6, size=3) * np.array([1, 1, n_read == 3 or seed % 4 == 1])
    scores = [np.round(rng.random(size), 2) for size in sizes]
    missing = rng.integers(0, 3, size=3) + np.array([1, 0, n_read == 2])
    silent = [(g, None, float(x), 1) for g in range(n_read, 3) for x in scores[g]]
    sql = database(missing, silent or [(g, None, None, 0) for g in range(n_read, 3)])
    types = {"analysis_key": "bigint", "group_value": "varchar", "n_group": "bigint", "n_groups": "bigint"}
    sql.table(
        "int_scores_computed",
        types | dict.fromkeys(("mean", "variance"), "double"),
        [
            (1, str(g), len(x), n_read, float(x.mean()), float(x.var(ddof=1)) if len(x) > 1 else None)
            for g, x in enumerate(scores[:n_read])
        ],
    )
    sql.query(
        "int_features_listed",
        "select 's' as suite, 'C' as category, 'warmth' as feature, 0.0 as range_low, 1.0 as range_high",
    )
    sql.model("int_score_shifts_bounded")
    found = {row["group_value"]: row for row in sql.rows("select * from int_score_shifts_bounded")}
    tables = []
    for given in product((0.0, 0.5, 1.0), repeat=int(missing.sum())):
        parts = np.split(np.array(given), np.cumsum(missing)[:-1])
        tables.append([score_sums(np.concatenate(both)).sum(0) for both in zip(scores, parts, strict=True)])
    filled = np.array(tables)
    means, shifts = filled[..., 1] / filled[..., 0], dbi(filled)
    for group in range(3):
        row = found[str(group)]
        assert row["mean_low"] == pytest.approx(means[:, group].min())
        assert row["mean_high"] == pytest.approx(means[:, group].max())
        assert row["dbi_low"] <= np.nanmin(shifts[:, group]) + 1e-9
        assert row["dbi_high"] >= np.nanmax(shifts[:, group]) - 1e-9
        # Not so wide that nothing is said: within what any group of its size could reach.
        most = np.sqrt(filled[0, :, 0].sum() / filled[0, group, 0])
        assert max(abs(row["dbi_low"]), abs(row["dbi_high"])) <= most
