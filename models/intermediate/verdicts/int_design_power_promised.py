"""Grain: one row per promise_key, gap. How likely each verdict is at that gap."""

from functools import cache

from ingest.inference.kept import Kept
from ingest.inference.planning import (
    DEFAULT_ICC,
    GAPS,
    Layout,
    gap_at,
    limit_for,
    power_to_fail,
    power_to_pass,
)
from ingest.inference.tables import records, types

SCHEMA = types(
    "promise_key string, gap double, power_to_fail double, power_to_pass double, gap_at_limit double,"
    " icc double, icc_source string, n_effective double"
)
# What is drawn of one design serves all of its limits, which follow each other.
DESIGN = "outcome_shares, n_groups, n_units, n_prompts, n_repeats, icc, is_shared, n_together"
LIMIT = "statistic, red_limit, green_limit, statistics, n_tables"

EFFECT_STEP = 0.05  # of a design effect's logarithm: what is drawn of one design serves all that are so near


def model(dbt, session):
    dbt.config(materialized="table")
    columns = f"{DESIGN}, promise_key, {LIMIT}"
    asked = dbt.ref("int_design_limits_listed").project(columns).distinct().order(f"{DESIGN}, promise_key")
    kept = Kept(dbt, session, SCHEMA)
    for one in records(asked):
        icc = DEFAULT_ICC if one["icc"] is None else round(one["icc"], 2)
        sizes = (one[name] for name in ("n_groups", "n_units", "n_prompts", "n_repeats"))
        layout = Layout(*sizes, icc, one["is_shared"], one["n_together"])
        shares = tuple(round(share, 2) for share in one["outcome_shares"][1:])
        shares = (1 - sum(shares), *(shares or (0.0,)))
        known = {"promise_key": one["promise_key"], "icc": icc, "n_effective": layout.effective_n}
        known["icc_source"] = "default" if one["icc"] is None else "these answers"
        limit = (one["statistic"], one["red_limit"], one["green_limit"])
        tests = tuple(sorted({limit_for(statistic, None, None).test for statistic in one["statistics"]}))
        kept.add(_promised_of, known, layout.near(EFFECT_STEP), shares, limit, tests, one["n_tables"])
    return kept.relation()


def _promised_of(known, *drawn):
    return (known | found for found in _promised(*drawn))


@cache
def _promised(layout, shares, judged, tests, n_tables):
    """Rows of one layout, profile and limit; `judged` has its statistic, fail and pass."""
    limit = limit_for(*judged)
    at_limit = gap_at(limit, shares, layout.n_groups)
    return [
        {
            "gap": gap,
            "power_to_fail": power_to_fail(layout, shares, gap, limit, n_tables, frozenset(tests)),
            "power_to_pass": power_to_pass(layout, shares, gap, limit, n_tables, frozenset(tests)),
            "gap_at_limit": at_limit,
        }
        for gap in (0.0, *GAPS)
    ]
