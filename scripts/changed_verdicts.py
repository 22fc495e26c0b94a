#!/usr/bin/env python
"""Verdicts of two warehouses that differ, as Markdown: `scripts/changed_verdicts.py TITLE BEFORE AFTER`.

BEFORE and AFTER are data folders of the same answers. V and its bias-corrected form count as one metric.
"""

import sys
from itertools import groupby

import duckdb

KEYS = "profile, suite, category, config, measure, axis, metric"
CHANGED = f"""
with before as (
    select distinct on ({KEYS}) * replace (if(metric = 'cramers_v', 'cramers_v_corrected', metric) as metric)
    from old.fct_verdicts order by {KEYS}, verdict
),
after as (select distinct on ({KEYS}) * from new.fct_verdicts order by {KEYS}, verdict)
select before.verdict, after.verdict, profile, config, category || ' ' || measure, axis, metric,
    after.reason
from before inner join after using ({KEYS})
where before.verdict <> after.verdict
order by all
"""
HEAD = "| profile | config | question | axis | metric | reason |\n| --- | --- | --- | --- | --- | --- |"


def main() -> None:
    """Print what changed."""
    title, before, after = sys.argv[1:]
    with duckdb.connect() as connection:
        for name, folder in (("old", before), ("new", after)):
            connection.execute(f"attach '{folder}/audit.duckdb' as {name} (read_only)")
        rows = connection.execute(CHANGED).fetchall()
        n_same = connection.execute(
            f"select count(*) from (select distinct {KEYS} from new.fct_verdicts)"
        ).fetchone()[0] - len(rows)
    print(f"## {title}\n\nChanged: {len(rows)}. Unchanged or new: {n_same}.\n")
    for (old, new), found in groupby(rows, key=lambda row: row[:2]):
        lines = [f"| {' | '.join(str(cell).replace('|', '&#124;') for cell in row[2:])} |" for row in found]
        print(f"### {old} → {new}: {len(lines)}\n\n{HEAD}\n" + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
