"""Which models compare each row of one table with each of another, where a key would find the few that match?

DATA is a folder (`--data`) that was audited. Of every model that was built there DuckDB is asked how it would
run its query. A `left join` whose condition has an equality, and beside it what speaks of one side alone or
mixes both, is run as nested loops: time grows with the square. What speaks of the left side belongs into the
key, `case when is_usable then text_key end = texts.text_key`: null equals nothing. Prints what it finds, and
exits 1 where there is any.

    scripts/nested_loops.py data
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb

from ingest.paths import PROJECT
from ingest.warehouse import run_dbt

COMPILED = Path("target", "compiled")
EQUALITY = re.compile(r"\(\w+ = \w+\)")
# Short on one side, whatever is audited.
FEW = {
    "assert_verdicts_follow_their_thresholds": "limits of profiles",
    "fct_planted": "what a simulated model has planted",
    "int_topics_measured": "clusterings of a suite",
}


def nested_loops(database: duckdb.DuckDBPyConnection, query: str) -> list[str]:
    """Return the conditions of a query's outer joins that have a key and are run as nested loops."""
    ((_, plan),) = database.execute(f"explain (format json) {query}").fetchall()
    return [
        found["Condition"]
        for operator, found in _operators(json.loads(plan))
        if operator == "BLOCKWISE_NL_JOIN"
        and found["Join Type"] != "INNER"
        and EQUALITY.search(found["Condition"])
    ]


def _operators(plans: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    for plan in plans:
        yield plan["name"].strip(), plan["extra_info"]
        yield from _operators(plan["children"])


def main(data: Path) -> int:
    """Have dbt write every query of the project, and look through them; return the exit status."""
    # An audit of a project that is known has dbt write few of them, or none.
    n_written = len([*(data / COMPILED).rglob("*.sql")])
    if n_written < len([*(PROJECT / "models").rglob("*.sql")]) and not run_dbt(data, ["compile"]):
        return 1
    return look_through(data)


def look_through(data: Path) -> int:
    """Look through the queries that dbt wrote for `data`; return the exit status."""
    queries = sorted((data / COMPILED).rglob("*.sql"))
    n_found = n_models = 0
    with duckdb.connect(str(data / "audit.duckdb"), read_only=True) as database:
        database.execute(f"attach '{data / 'raw.duckdb'}' as raw (read_only)")
        # An empty table would hide what is done with a full one.
        database.execute("set disabled_optimizers = 'statistics_propagation,empty_result_pullup'")
        for path in queries:
            # Tests of a YAML file repeat what its models do; hooks are no queries.
            if path.parent.suffix == ".yml" or path.parent.name == "hooks" or path.stem in FEW:
                continue
            n_models += 1
            for condition in nested_loops(database, path.read_text("utf-8")):
                n_found += 1
                print(f"{path.name}: nested loops over {condition}")
    print(f"{n_models} models and tests, {n_found} joins as nested loops.")
    return 1 if n_found or not n_models else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
