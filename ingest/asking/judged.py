"""What the gate judges of the tables to be, and over how many of them a verdict is corrected."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ingest.asking.designs import Question
from ingest.inference.planning import Limit, limit_for
from ingest.paths import PROJECT
from ingest.seeds import read_seed
from ingest.suite import Suite

AXIS_SEPARATOR = " & "
KINDS = {"any": ("single", "intersection"), "single": (), "intersection": ()}  # what else a limit replaces


class Judged(NamedTuple):
    """A limit of the gate's profile on a statistic, of axes of a kind: any, single or intersection."""

    metric: str
    statistic: str
    axis_kind: str
    limit: Limit

    def is_for(self, question: Question) -> bool:
        """Whether it judges a question."""
        kind = "intersection" if AXIS_SEPARATOR in question.axis else "single"
        return self.axis_kind in ("any", kind) and question.has_table_of(self.statistic)


def judged_by(suite: Suite) -> list[Judged]:
    """Return the limits of the suite's gate: its first profile's; its own `thresholds:` take their place.

    A limit beside the gate (`gate: false`) is none of them, and takes its place all the same.
    """
    name = suite.profiles[0]
    statistics = {row["metric"]: row["statistic"] for row in read_seed(PROJECT, "judged_metrics")}
    shipped = [
        (row["metric"], row["axis_kind"], _limit(row["red_limit"]), _limit(row["green_limit"]))
        for row in read_seed(PROJECT, "thresholds")
        if row["profile"] == name and row["is_gated"] == "true"
    ]
    own = [
        (limit.metric, limit.axes, limit.red_limit, limit.green_limit)
        for limit in suite.thresholds
        if (limit.profile or name) == name and limit.gate
    ]
    replaced = {
        (limit.metric, kind)
        for limit in suite.thresholds
        if (limit.profile or name) == name
        for kind in (limit.axes, *KINDS[limit.axes])
    }
    found = []
    for metric, axes, fail, passes in [*own, *(row for row in shipped if row[:2] not in replaced)]:
        # Failures are no outcome of a rule.
        if (statistic := statistics[metric]) and metric != "max_failure_gap":
            found.append(Judged(metric, statistic, axes, limit_for(statistic, fail, passes)))
    return found


def _limit(text: str) -> float | None:
    return float(text) if text else None


def n_together(suite: Suite, asked: Sequence[Question], judged: Sequence[Judged], category: str) -> int:
    """Return how many tables are corrected together with those of a question, at least 1.

    The suite's `families:` say over what: a config, one question to it, or all configs, simulated and real
    ones apart.
    """
    tables = [question for question in asked if any(one.is_for(question) for one in judged)]
    if suite.families.gate == "question":
        return max(1, sum(question.category == category for question in tables))
    if suite.families.gate == "config":
        return max(1, len(tables))
    kinds = Counter(config.backend == "simulated" for config in suite.grid)
    return max(1, len(tables) * max(kinds.values(), default=1))
