"""Hostile text in all that others write, and a second model in a second role: what the site is tested with.

python tests/helpers/hostile.py FOLDER     # spoils the report tables of a warehouse
"""

import sys
from pathlib import Path

import duckdb

from ingest.store import AUDIT_NAME

PAYLOAD = "<img src=x onerror=alert(1)><script>alert(1)</script>{{7*7}}{7*7}${7*7}=cmd()'\"`"
# What people or models write must reach the site as text. These columns hold names of ours.
STRUCTURE = {
    name
    for line in (
        "suite category axis attribute metric rule rule_kind outcome_set measure feature profile",
        "gate_profile verdict direction unit better mart column axis_kind spec status outcome_status",
        "response_status run_status exposure sex test effect unbiased_effect area resampling_unit group_keys",
        "response_id run_id command text_variant form axis_role calibration statistic parameters disparity",
        "unequal_end place concentration part kind design cell topic_set pool segment",
        "target_list counting word warning metric_kind measure_kind floor_status p_status source_kind",
        "changed_parts verdict_a verdict_b state",
        "benchmark condition ci_status figure_kind",
        "side term forms meaning lacks measure_check coverage page_url framework_url",
        "treatment_kind asking_order",
    )
    for name in line.split()
}
# Enough of them that the overview and the pages of measurements have two models in two roles.
TWINNED = ["rpt_configs", "rpt_categories", "rpt_verdicts", "rpt_nulls"]
TWINNED += ["rpt_disparities", "rpt_measurements", "rpt_summary_statistics", "rpt_responses"]
TWIN = {
    "config": "'second (judge)'",
    "model": "'second'",
    "role": "'judge'",
    "config_key": "'second'",
    "responses_slug": "left(responses_slug, -8) || '00000002'",
}

KEYS = [
    ("rpt_groups", "group_key", "axis", "group_value"),
    ("rpt_topics", "group_key", "axis", "group_value"),
    ("rpt_responses", "outcome_key", "outcome_set", "coalesce(outcome, outcome_status)"),
]


def poison(connection: duckdb.DuckDBPyConnection) -> None:
    columns = connection.execute(
        """
        select table_name, column_name, data_type from duckdb_columns()
        where table_name like 'rpt\\_%' escape '\\' order by table_name, column_index
        """
    ).fetchall()
    for table in TWINNED:
        own = {name for owner, name, _ in columns if owner == table}
        replaced = ", ".join(f"{value} as {name}" for name, value in TWIN.items() if name in own)
        one = "category = (select max(category) from rpt_categories)" if "category" in own else "true"
        connection.execute(
            f"""
            insert into {table} select * replace ({replaced}) from {table}
            where config <> 'baseline' and {one}
            """
        )
    # Links name groups and outcomes by keys of their text: what was right stays right.
    for table, key, of, text in KEYS:
        right = f"left(md5({of} || ':' || {text}{{}}), 8)"
        connection.execute(
            f"update {table} set {key} = {right.format(' || ?')} where {key} = {right.format('')}", [PAYLOAD]
        )
    connection.execute(
        """
        update rpt_responses set group_keys = keys.all_keys
        from (
            select prompt_key, string_agg(group_key, ' ' order by group_key) as all_keys
            from rpt_groups group by prompt_key
        ) as keys
        where keys.prompt_key = rpt_responses.prompt_key
        """
    )
    for table, name, kind in columns:
        if kind == "VARCHAR" and name not in STRUCTURE and not name.endswith(("_slug", "_key")):
            # That a licence is missing is shown as such.
            text = f'"{name}"' if name == "licence" else f"coalesce(\"{name}\", '')"
            connection.execute(f'update "{table}" set "{name}" = {text} || ?', [PAYLOAD])
    connection.execute(
        """
        insert into rpt_rejects (reject_key, suite, source_file, source_row, reason, detail, n_found)
        values ('k', 's', ?, 1, ?, ?, 1)
        """,
        [PAYLOAD] * 3,
    )


if __name__ == "__main__":
    with duckdb.connect(str(Path(sys.argv[1]) / AUDIT_NAME)) as audit:
        poison(audit)
