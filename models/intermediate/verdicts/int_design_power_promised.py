"""Grain: one row per profile, analysis_key, metric, gap. How likely each verdict is at that gap."""

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
from ingest.inference.tables import records, rows_by, types

SCHEMA = types(
    "profile string, analysis_key int64, metric string, gap double, power_to_fail double,"
    " power_to_pass double, gap_at_limit double, icc double, icc_source string, n_effective double,"
    " n_tables int64"
)


EFFECT_STEP = 0.05  # of a design effect's logarithm: what is drawn of one design serves all that are so near


def model(dbt, session):
    dbt.config(materialized="table")
    listed = dbt.ref("int_design_limits_listed").order("analysis_key, profile, metric")
    columns = "analysis_key, profile, n_tables, metric, statistic, red_limit, green_limit"
    limits = {}
    for (analysis_key, *profile), judged in rows_by(listed, columns, 3).items():
        limits.setdefault(analysis_key, {})[tuple(profile)] = judged
    # Configs that were asked alike follow each other: what is drawn for one serves the next.
    designs = records(
        dbt.ref("int_designs_laid_out").order("suite, category, measure, axis, measure_kind, config")
    )
    promised = cache(_promised)

    def promised_of(known, *drawn):
        return (known | found for found in promised(*drawn))

    kept = Kept(dbt, session, SCHEMA)
    for design in designs:
        icc = DEFAULT_ICC if design["icc"] is None else round(design["icc"], 2)
        sizes = (design[name] for name in ("n_groups", "n_units", "n_prompts", "n_repeats"))
        layout = Layout(*sizes, icc, design["is_shared"], design["n_together"])
        shares = tuple(round(share, 2) for share in design["outcome_shares"][1:])
        shares = (1 - sum(shares), *(shares or (0.0,)))
        known = {"icc": icc, "icc_source": "default" if design["icc"] is None else "these answers"}
        known |= {"analysis_key": design["analysis_key"], "n_effective": layout.effective_n}
        for (profile, n_tables), judged in limits.get(design["analysis_key"], {}).items():
            tests = tuple(sorted({limit_for(*limit).test for _, *limit in judged}))
            for metric, *limit in judged:
                head = known | {"profile": profile, "metric": metric, "n_tables": n_tables}
                kept.add(promised_of, head, layout.near(EFFECT_STEP), shares, tuple(limit), tests, n_tables)
    return kept.relation()


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
