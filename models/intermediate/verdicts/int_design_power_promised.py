"""Grain: one row per profile, analysis_key, metric, gap. How likely each verdict is at that gap."""

from ingest.inference.planning import (
    DEFAULT_ICC,
    GAPS,
    Layout,
    gap_at,
    limit_for,
    power_to_fail,
    power_to_pass,
)
from ingest.inference.tables import records, rows_by, table_of, types

SCHEMA = types(
    "profile string, analysis_key int64, metric string, gap double, power_to_fail double,"
    " power_to_pass double, gap_at_limit double, icc double, icc_source string, n_effective double,"
    " n_tables int64"
)


def model(dbt, session):
    dbt.config(materialized="table")
    limits = rows_by(
        dbt.ref("int_design_limits_listed").order("analysis_key, profile, metric"),
        "analysis_key, profile, n_tables, metric, statistic, red_limit, green_limit",
    )
    # Configs that were asked alike follow each other: what is drawn for one serves the next.
    designs = records(
        dbt.ref("int_designs_laid_out").order("suite, category, measure, axis, measure_kind, config")
    )
    rows = [row for design in designs for row in _promised(design, limits.get(design["analysis_key"], ()))]
    return session.from_arrow(table_of(rows, SCHEMA))


def _promised(design, limits):
    """Yield what each profile's limits give on one layout."""
    icc = DEFAULT_ICC if design["icc"] is None else round(design["icc"], 2)
    sizes = (design[name] for name in ("n_groups", "n_units", "n_prompts", "n_repeats"))
    layout = Layout(*sizes, icc, design["is_shared"])
    shares = tuple(round(share, 2) for share in design["outcome_shares"][1:])
    shares = (1 - sum(shares), *(shares or (0.0,)))
    known = {"icc": icc, "icc_source": "default" if design["icc"] is None else "these answers"}
    known |= {"analysis_key": design["analysis_key"], "n_effective": layout.effective_n}
    profiles = {
        head: [row[2:] for row in limits if row[:2] == head] for head in dict.fromkeys(r[:2] for r in limits)
    }
    judged = {
        head: [limit_for(statistic, fail, passes) for _, statistic, fail, passes in own]
        for head, own in profiles.items()
    }
    at_limit = {limit: gap_at(limit, shares, layout.n_groups) for own in judged.values() for limit in own}
    # What is drawn of a gap serves every profile.
    for gap in (0.0, *GAPS):
        for (profile, n_tables), own in judged.items():
            to_fail = power_to_fail(layout, shares, gap, own, n_tables)
            to_pass = power_to_pass(layout, shares, gap, own, n_tables)
            for index, (metric, *_) in enumerate(profiles[profile, n_tables]):
                yield known | {
                    "profile": profile,
                    "metric": metric,
                    "gap": gap,
                    "power_to_fail": to_fail[index],
                    "power_to_pass": to_pass[index],
                    "gap_at_limit": at_limit[own[index]],
                    "n_tables": n_tables,
                }
