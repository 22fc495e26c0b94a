"""Audits that were built are kept: what each judged stays when its marts are made anew."""

from pathlib import Path

import pyarrow as pa

from ingest.keys import key
from ingest.store import Store, utc_now
from ingest.warehouse.marts import Warehouse

KEPT_IN = ("audits", "audit_numbers", "runs")  # raw tables
HASHES = ("build_hash", "thresholds_hash", "suites_hash", "answers_hash", "readings_hash", "labels_hash")
# A number that labels correct, or that is taken at equal weights, is judged so: the interval is that one's.
# `answers_key` tells whether two audits of a number are of the same answers, whatever else a folder holds.
# `compared_groups` are those between which a number of an axis lies: where others are, it is another number.
# Of measurements that came without texts, these are the answers. Where nobody failed there is no verdict on
# failures: kept is a gap of 0, to which later ones are compared.
NUMBERS = """
    with said as (
        select
            suite, category, config, is_simulated,
            concat_ws(' ', response_key, response_status, coalesce(response, '')) as said
        from dim_responses
        union all
        select
            suite, category, config, is_simulated,
            concat_ws(
                ' ', response_key, feature, coalesce(value, 'nan'), coalesce(baseline_value, 'nan')
            ) as said
        from fct_measurements
        semi join (from dim_responses where response is null) as textless using (response_key)
    ),

    answers as (
        select
            suite, category, config, is_simulated,
            count(*) || ' ' || sum(md5_number_lower(said)) as answers_key
        from said
        group by all
    ),

    compared as (
        select
            suite, category, config, is_simulated, axis, measure,
            string_agg(distinct group_value, chr(31) order by group_value) as compared_groups
        from int_analyses_listed
        inner join int_analysis_groups_coded using (analysis_key)
        group by all
    ),

    numbers as (
        select
            suite, category, config, is_simulated, measure, axis, metric, group_value,
            coalesce(adjusted_value, value) as value, unit, direction, ci_low, ci_high,
            n, coalesce(n_units, n_blocks) as n_units, p_family, verdict,
            measure_check = 'corrected' as is_corrected
        from fct_verdicts
        where is_gate_profile and not is_control
        union all by name
        select
            suite, category, config, is_simulated, 'response_status' as measure, axis, metric,
            '' as group_value, 0 as value, unit, direction, if(ci_high is null, null, 0) as ci_low, ci_high,
            n, n_units, 'not_applicable' as verdict, false as is_corrected
        from int_failure_gaps_absent
    )
    select
        suite, category, config, is_simulated, measure, axis, metric, group_value, value, unit, direction,
        ci_low, ci_high, n, n_units, p_family, verdict, answers_key, is_corrected,
        case when group_value = '' or regexp_matches(metric, '^(min|max)_') then compared_groups end
            as compared_groups
    from numbers
    left join answers using (suite, category, config, is_simulated)
    left join compared using (suite, category, config, is_simulated, axis, measure)
    order by all
"""


def keep_audit(
    data: Path, built: Path | None = None, plan: str | None = None, look: int | None = None
) -> bool:
    """Keep what an audit judged in the raw tables of `data`; return whether it is not how things stood.

    `built` is the folder of its marts, `data` where it is None. An audit is named by its fingerprint, so what
    is built again is not kept again, unless others came between: then it has come back, and is named by how
    often, too. A look is named by its number in its plan as well. What dbt alone built has no fingerprint and
    is not kept.
    """
    with Warehouse(built or data) as marts:
        (build,) = marts.rows(f"select fingerprint, plumbline_version, {', '.join(HASHES)} from dim_builds")
        numbers: pa.Table = marts.connection.execute(NUMBERS).to_arrow_table()
    if build["fingerprint"] is None or not numbers.num_rows:
        return False
    named = ["audit", build["fingerprint"], plan, look]
    with Store(data) as store:
        there = store.rows(
            """
            select fingerprint = $1 from audits
            where plan_key is not distinct from $2 and look is not distinct from $3
            order by rowid desc  -- as they were kept: a clock may be set back
            """,
            named[1:],
        )
        is_same = [is_same for (is_same,) in there]
        if is_same[:1] == [True] or (plan is not None and any(is_same)):
            return False
        audit_key = key(*named, *([sum(is_same)] if any(is_same) else []))
        detail = {"fingerprint": build["fingerprint"], "plan": plan, "look": look}
        with store.run("audit", detail) as run_id, store.transaction():
            row = {**build, "audit_key": audit_key, "plan_key": plan, "look": look}
            store.append("audits", [{**row, "audited_at": utc_now(), "run_id": run_id}])
            of_audit = pa.array([audit_key] * numbers.num_rows, pa.string())
            store.append_arrow("audit_numbers", numbers.append_column("audit_key", of_audit))
    return True
