"""What is counted over the audits of a cell, each with the share that it must have."""

import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import cache
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from experiments.validity.cells import PROFILES, SEED, Cell, tables
from experiments.validity.simulate import SHARED, Audit, Audits, draw, lose, pipe
from ingest.inference.constants import RELATIVE_SLACK
from ingest.inference.group_statistics import STATISTICS
from ingest.inference.planning import Layout, Limit, limit_for, power_to_fail, power_to_pass
from ingest.keys import key
from ingest.paths import PROJECT
from ingest.seeds import read_seed
from ingest.warehouse import Warehouse

DRAWS = 4_000  # audits whose mean estimate is an interval's target
FAR, FAR_GAP = 1.5, 0.6  # times as far from equality as the fail limit; rates of 0.2 and 0.8
PLENTY = 400  # units
FOLLOWED, MOST_MORE = 60, 1_500  # audits whose reasons are followed; units that are still collected
WITHIN = 0.05  # of its promise
# What must hold: lowest and highest share. Of a promise it lies around it.
REQUIRED = {
    "false_alarm": (0.0, 0.05),
    "pass_at_limit": (0.0, 0.05),
    "pass_beyond": (0.0, 0.01),
    "interval": (0.93, 0.97),
    "bound": (0.95, 1.0),
    "fail_far": (0.95, 1.0),
    "pass_equal": (0.9, 1.0),
    "advice": (0.8, 1.0),
}
# Statistics whose intervals are looked at, by kind; of a group those of the last one, which differs.
INTERVALS = {
    "outcome": ("cramers_v", "cramers_v_corrected", "fdi_pooled", "max_fdi_pooled", "mean_fdi_pooled",
                "jsd_nats_pooled", "max_jsd_nats_pooled", "max_share_gap"),
    "selection": ("selection_rate", "impact_ratio", "min_impact_ratio", "range"),
    "score": ("mean", "dbi", "max_abs_dbi", "max_mean_gap"),
}  # fmt: skip
VERDICTS = """
    select config, cast(substr(category, 2) as integer) as question, profile, measure, metric, verdict, reason
    from fct_verdicts
    where suite = $suite and axis = $axis
"""
N_TABLES = """
    select profile, max(n_tables) as n_tables
    from int_gate_families_tested
    where suite = $suite and axis = $axis
    group by profile
"""
RESAMPLED = """
    select
        statistic, group_value, ci_low, ci_high, bound_low, bound_high, measure_kind,
        cast(substr(category, 2) as integer) as question
    from int_analyses_resampled
    inner join int_analyses_listed using (analysis_key)
    where suite = $suite and axis = $axis and measure <> 'response_status'
"""
MORE_UNITS = re.compile(r"about ([\d,]+) more [\w ]+ a group")
TOO_MANY = "a group would not decide"
PART_READ = re.compile(r"a group would decide, with ([\d]+) % of the missing answers read")
MORE_ANSWERS = re.compile(r"(?:About|:) ([\d,]+) (?:of them|more) would have to be")
Row = dict[str, Any]


class Judged(NamedTuple):
    """A profile's limits on a metric, and what is computed of endless answers to the cell."""

    profile: str
    metric: str
    statistic: str
    kind: str
    limit: Limit
    excess: float  # of the truth over the pass limit: 0 where groups are equal, 1 at the limit
    red_excess: float


@cache
def judged(cell: Cell, profile: str) -> dict[str, Judged]:
    """The limits of a profile on single attributes, by metric."""
    statistics = {row["metric"]: row["statistic"] for row in read_seed(PROJECT, "judged_metrics")}
    shipped = [
        (row["metric"], *(float(row[name]) if row[name] else None for name in ("red_limit", "green_limit")))
        for row in read_seed(PROJECT, "thresholds")
        if row["profile"] == profile and row["axis_kind"] != "intersection"
    ]
    of_v = next((row[1:] for row in shipped if row[0] == "cramers_v_corrected"), (None, None))
    found = {}
    for metric, red, green in shipped:
        if not (statistic := statistics[metric]):
            continue
        kind = next(k for k in ("outcome", "selection", "score") if k in STATISTICS[statistic].kinds)
        if kind == "score" and not cell.is_scored:
            continue
        # Of a p-value the size of its association is what is true.
        is_p, no_failure = metric == "chi_square_p", metric == "max_failure_gap"
        sized = "cramers_v" if is_p else statistic
        value = float(STATISTICS[sized].of(tables(kind, cell.truth * 1e9)))
        is_less = STATISTICS[statistic].extreme == "less"
        far = 0.0 if no_failure or not np.isfinite(value) else abs(value - is_less)
        excess = [
            0.0 if end is None else far / abs(end - is_less) for end in (of_v if is_p else (red, green))
        ]
        limit = limit_for(statistic, red, green)._replace(fail=red)
        found[metric] = Judged(profile, metric, statistic, kind, limit, excess[1], excess[0])
    return found


def layout(cell: Cell) -> Layout:
    """What the planner is told of the cell. Of shared roots its ICC leaves out what goes for all groups."""
    icc = cell.icc * (1 - SHARED) if cell.is_shared else cell.icc
    return Layout(cell.n_groups, cell.n_units, 1, cell.n_answers, icc, cell.is_shared)


def row(
    part: str, n: int, n_hits: int, low: float | None = None, high: float | None = None, **own: Any
) -> Row:
    """What was counted, and between which shares it must lie."""
    least, most = REQUIRED.get(part, (low, high))
    return {"part": part, "n": n, "n_hits": n_hits, "lowest": least, "highest": most} | own


def of_verdicts(cell: Cell, verdicts: Sequence[Row], n_audits: int) -> Iterator[Row]:
    """Yield false alarms, and how many verdicts are what they must, or must not, be."""
    for profile in PROFILES:
        own = [v for v in verdicts if v["profile"] == profile]
        unbiased = [v for v in own if cell.is_unbiased or v["question"] > cell.n_biased]
        if unbiased:
            alarms = {v["config"] for v in unbiased if v["verdict"] == "fail"}
            yield row("false_alarm", n_audits, len(alarms), profile=profile)
        if cell.crossing is not None:
            continue
        for metric, limit in judged(cell, profile).items():
            given = [v["verdict"] for v in own if v["metric"] == metric and v["question"] <= cell.n_biased]
            about = {"profile": profile, "metric": metric}
            for part, verdict, is_asked in (
                ("pass_at_limit", "pass", 1 - RELATIVE_SLACK <= limit.excess < 1.25 - RELATIVE_SLACK),
                ("pass_beyond", "pass", limit.excess >= 1.25 - RELATIVE_SLACK),
                ("fail_far", "fail", limit.red_excess >= FAR and cell.gap >= FAR_GAP),
                ("pass_equal", "pass", cell.gap == 0 and cell.n_units >= PLENTY),
            ):
                if is_asked and given:
                    yield row(part, len(given), given.count(verdict), target=limit.excess, **about)


def of_power(cell: Cell, verdicts: Sequence[Row], n_tables: dict[str, int]) -> Iterator[Row]:
    """Yield the planner's promises with what was found."""
    for profile in PROFILES:
        own = judged(cell, profile)
        for kind in ("outcome", "selection"):
            limits = [one for one in own.values() if one.kind == kind and one.metric != "max_failure_gap"]
            shares = cell.shares if kind == "outcome" else (cell.shares[0], 1 - cell.shares[0])
            tests = frozenset(one.limit.test for one in limits)
            for one in limits:
                asked = (layout(cell), shares, cell.gap, one.limit, n_tables.get(profile, 1), tests)
                to_fail, to_pass = power_to_fail(*asked), power_to_pass(*asked)
                given = [
                    v["verdict"]
                    for v in verdicts
                    if (v["profile"], v["metric"]) == (profile, one.metric) and v["question"] <= cell.n_biased
                ]
                for verdict, promise in (("fail", to_fail), ("pass", to_pass)):
                    limit = one.limit.fail if verdict == "fail" else one.limit.passes
                    if given and limit is not None and (cell.gap > 0 or verdict == "pass"):
                        yield row(
                            f"power_to_{verdict}", len(given), given.count(verdict), max(promise - WITHIN, 0),
                            min(promise + WITHIN, 1), profile=profile, metric=one.metric, target=promise,
                        )  # fmt: skip


def mean_estimates(cell: Cell) -> dict[str, float]:
    """What the cell's audits give on average: of the axis, or of the last group."""
    n_questions, n_outcomes = min(cell.n_questions, cell.n_biased), len(cell.shares)
    counts = []
    for audit in range(DRAWS // n_questions):
        # Numbers that no audit of the study has.
        codes = lose(cell, audit + 10**6, draw(cell, audit + 10**6))
        by_question = [[group[:, question] for question in range(n_questions)] for group in codes]
        counts.append([[np.bincount(own[own >= 0], minlength=n_outcomes) for own in g] for g in by_question])
    of_groups = np.moveaxis(np.array(counts, dtype=np.float64), 1, 2)
    of_groups = of_groups.reshape(-1, *of_groups.shape[2:])
    found = {}
    for kind, names in INTERVALS.items():
        if kind == "score" and not cell.is_scored:
            continue
        for name in names:
            values = STATISTICS[name].of(tables(kind, of_groups))
            found[name] = float(np.nanmean(values[..., -1] if STATISTICS[name].level == "group" else values))
    return found


def of_intervals(cell: Cell, resampled: Sequence[Row]) -> Iterator[Row]:
    """Yield how many intervals hold what the design gives on average, and bounds what is true."""
    targets = mean_estimates(cell)
    last = cell.groups[-1]["group"]
    for name, target in targets.items():
        statistic = STATISTICS[name]
        is_group = statistic.level == "group"
        kind = next(kind for kind, names in INTERVALS.items() if name in names)
        # The highest group has no ratio to itself: any without bias, the last where its answer is commoner.
        if name == "impact_ratio" and (cell.gap == 0 or cell.shares[0] < 0.5):
            continue
        own = [
            r
            for r in resampled
            if (r["measure_kind"], r["statistic"]) == (kind, name)
            and r["question"] <= cell.n_biased
            and r["group_value"] == (last if is_group else "")
        ]
        ends = np.array([(r["ci_low"], r["ci_high"]) for r in own if r["ci_low"] is not None]).reshape(-1, 2)
        if len(ends):
            n_hits = int(((ends[:, 0] <= target) & (target <= ends[:, 1])).sum())
            yield row("interval", len(ends), n_hits, metric=name, target=target)
        if not statistic.tested_by:
            continue
        truth = float(np.nan_to_num(statistic.of(tables(kind, cell.truth * 1e9)), nan=0.0))
        side = "bound_low" if statistic.extreme == "less" else "bound_high"
        bounds = np.array([r[side] for r in own if r[side] is not None])
        if len(bounds):
            holds = bounds <= truth + 1e-9 if side == "bound_low" else bounds >= truth - 1e-9
            yield row("bound", len(bounds), int(holds.sum()), metric=name, target=truth)


def follow(cell: Cell, audit: int, reason: str) -> Audit | None:
    """The audit after what its reason asks for was collected; None where that is more than can be."""
    more, answers, part = (asked.search(reason) for asked in (MORE_UNITS, MORE_ANSWERS, PART_READ))
    n_more = int(more.group(1).replace(",", "")) if more else 0
    if n_more > MOST_MORE or TOO_MANY in reason:
        return None
    codes = draw(cell, audit, cell.n_units + n_more)
    lost = lose(cell, audit, codes)
    n_missing = [int((own < 0).sum()) for own in lost]
    n_read = int(answers.group(1).replace(",", "")) if answers else 0
    if part:
        n_read = ceil(int(part.group(1)) / 100 * sum(n_missing))
    chosen = np.zeros(sum(n_missing), dtype=bool)
    chosen[np.random.default_rng([cell.seed(), audit, 4]).permutation(len(chosen))[:n_read]] = True
    for own, whole, is_read in zip(lost, codes, np.split(chosen, np.cumsum(n_missing)[:-1]), strict=True):
        places = np.argwhere(own < 0)[is_read]
        own[tuple(places.T)] = whole[tuple(places.T)]
    return lost


class Found(NamedTuple):
    """What the warehouse has of a cell; `n_tables` are corrected together, by profile."""

    verdicts: list[Row]
    n_tables: dict[str, int]
    resampled: list[Row]


def found(audits: dict[Cell, Audits]) -> dict[Cell, Found]:
    """Take audits through the pipeline; return what comes out, by cell."""
    with (
        TemporaryDirectory(prefix="plumbline-study-") as folder,
        Warehouse(pipe(audits, Path(folder))) as warehouse,
    ):

        def rows(sql: str, cell: Cell) -> list[Row]:
            cursor = warehouse.connection.execute(sql, {"suite": cell.suite, "axis": cell.axis})
            names = [column[0] for column in cursor.description]
            return [dict(zip(names, values, strict=True)) for values in cursor.fetchall()]

        return {
            cell: Found(
                rows(VERDICTS, cell),
                {row["profile"]: row["n_tables"] for row in rows(N_TABLES, cell)},
                rows(RESAMPLED, cell) if cell.has_intervals else [],
            )
            for cell in audits
        }


def tells(reason: str) -> bool:
    """Whether a reason says in numbers what would decide, or that nothing sensible would."""
    return bool(MORE_UNITS.search(reason) or MORE_ANSWERS.search(reason) or TOO_MANY in reason)


def asking(cell: Cell, verdicts: Sequence[Row]) -> list[Row]:
    """The first verdicts that are inconclusive, of the cell's metric whose advice is followed."""
    own = [v for v in verdicts if (v["profile"], v["metric"]) == cell.advice]
    open_ones = [v for v in own if v["verdict"] == "inconclusive"]
    return sorted(open_ones, key=lambda v: str(v["config"]))[:FOLLOWED]


def collected(cell: Cell, asked: Sequence[Row]) -> Audits:
    """Audits with what their reasons ask for, of those that ask for what can be collected."""
    told = [v for v in asked if tells(v["reason"])]
    after = {v["config"]: follow(cell, int(v["config"][1:]), v["reason"]) for v in told}
    return {config: audit for config, audit in after.items() if audit is not None}


def run(cells: dict[Cell, int]) -> dict[Cell, list[Row]]:
    """Simulate and count cells, each with so many audits."""
    drawn = {
        cell: {f"A{audit:05}": lose(cell, audit, draw(cell, audit)) for audit in range(n_audits)}
        for cell, n_audits in cells.items()
    }
    first = found(drawn)
    asked = {cell: asking(cell, own.verdicts) for cell, own in first.items() if cell.advice}
    after = {cell: audits for cell, verdicts in asked.items() if (audits := collected(cell, verdicts))}
    second = found(after) if after else {}
    rows: dict[Cell, list[Row]] = {}
    for cell, own in first.items():
        rows[cell] = list(of_verdicts(cell, own.verdicts, cells[cell]))
        if cell.is_planned:
            rows[cell] += of_power(cell, own.verdicts, own.n_tables)
        if own.resampled:
            rows[cell] += of_intervals(cell, own.resampled)
        if cell.advice:
            audits = after.get(cell, {})
            # A reason without a number decides nothing; more than can be collected says nothing of it.
            silent = [v for v in asked[cell] if not tells(v["reason"])]
            decided = [
                v
                for v in (second[cell].verdicts if cell in second else [])
                if (v["profile"], v["metric"]) == cell.advice and v["verdict"] != "inconclusive"
            ]
            about = {"profile": cell.advice[0], "metric": cell.advice[1]}
            rows[cell].append(row("advice", len(audits) + len(silent), len(decided), **about))
    return rows


def kept(out: Path, cell: Cell, n_audits: int) -> Path:
    """Return where a cell's rows are kept."""
    return out / "cells" / f"{key('cell', SEED, repr(cell), n_audits)[:12]}.json"


def run_and_keep(out: Path, cells: dict[Cell, int]) -> None:
    """Simulate cells, keep their rows, and what the pipeline says in `study.log`."""
    with (out / "study.log").open("a") as log:
        for stream in (sys.stdout, sys.stderr):
            os.dup2(log.fileno(), stream.fileno())
    for cell, rows in run(cells).items():
        shared = cell.columns() | {
            "n_audits": cells[cell],
            "seed": SEED,
            "ran_on": f"{datetime.now(UTC):%Y-%m-%d}",
        }
        path = kept(out, cell, cells[cell])
        path.write_text(json.dumps([shared | row for row in rows]), encoding="utf-8")
