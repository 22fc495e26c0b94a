"""Are Spark's marts DuckDB's?   scripts/spark_parity.py FOLDER SUITE...

Brings in the answers of each suite (simulated ones, where the suite says so), builds them on DuckDB in
FOLDER/duckdb and on Spark in FOLDER/spark, and compares all marts and report tables (scripts/same_marts.py).
Exits 1 where a build fails or a number differs. Spark is `local[2]` with 2 GB, unless SPARK_MASTER and
PLUMBLINE_SPARK_CONF say otherwise. Data tests are left out, for on equal tables they say the same; --tests
runs them.

    scripts/spark_parity.py /tmp/parity tests/fixtures/warehouse_suite.yml suites/fair_sea.yml --roots 4
"""

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = (
    "import sys; from pathlib import Path; from ingest.warehouse import run_dbt; "
    "sys.exit(not run_dbt(Path(sys.argv[1]), ['build', *sys.argv[2:]]))"
)
# Small data: what Spark compiles, proves and writes down for each query takes longer than to do without.
SMALL = (
    "spark.sql.codegen.wholeStage=false spark.sql.codegen.factoryMode=NO_CODEGEN"
    " spark.sql.adaptive.enabled=false spark.sql.shuffle.partitions=2"
    " spark.sql.constraintPropagation.enabled=false spark.sql.lightweightPlanChangeValidation=false"
    " spark.sql.ui.explainMode=simple spark.sql.maxPlanStringLength=0"
    " 'spark.driver.extraJavaOptions=-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m'"
)
SPARK = {"SPARK_MASTER": "local[2]", "PLUMBLINE_SPARK_CONF": SMALL}


def run(title: str, command: Sequence[str | Path], target: str = "duckdb") -> int:
    """Run a command and say how long it took; return its exit status."""
    start = time.monotonic()
    environment = SPARK | os.environ | {"PLUMBLINE_TARGET": target}
    done = subprocess.run([str(part) for part in command], cwd=ROOT, env=environment, check=False)
    print(f"== {title}: {time.monotonic() - start:.0f} s, exit {done.returncode}", flush=True)
    return done.returncode


def answers(data: Path, suite: Path, roots: int | None, responses: Path | None = None) -> None:
    """Bring in a suite's prompts, its answers, those of a file, and their measurements."""
    plumbline = [Path(sys.executable).with_name("plumbline"), "--data", data]
    some = ["--roots", str(roots)] if roots else []
    given = [["load", str(responses)]] if responses else []
    for stage in (["assemble", *some], ["generate"], *given, ["extract"]):
        if run(f"{stage[0]} {suite.name}", [*plumbline, *stage, "--suite", suite]):
            sys.exit(1)


def main() -> int:
    """Build twice, compare, and return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("suites", type=Path, nargs="+")
    parser.add_argument("--roots", type=int, help="at most this many roots of each category")
    parser.add_argument("--responses", type=Path, help="a file of more answers, to the last suite")
    parser.add_argument("--tests", action="store_true", help="run data tests on Spark, too")
    options = parser.parse_args()
    duckdb, spark = options.folder.resolve() / "duckdb", options.folder.resolve() / "spark"
    for suite in options.suites:
        is_last = suite == options.suites[-1]
        answers(duckdb, suite.resolve(), options.roots, options.responses if is_last else None)
    spark.mkdir(parents=True, exist_ok=True)
    shutil.copy(duckdb / "raw.duckdb", spark / "raw.duckdb")
    chosen = ["--exclude", "tag:fairness_gate", "--exclude-resource-type", "unit_test"]
    tables = [*chosen, "--exclude-resource-type", "test"]
    builds = [
        ("DuckDB", duckdb, tables, "duckdb"),
        ("Spark", spark, chosen if options.tests else tables, "spark"),
    ]
    with ThreadPoolExecutor() as beside:  # Spark leaves some of two cores to DuckDB
        ends = [
            beside.submit(run, title, [sys.executable, "-c", BUILD, data, *nodes], target)
            for title, data, nodes, target in builds
        ]
    if any(end.result() for end in ends):
        return 1
    return run("compared", [sys.executable, "scripts/same_marts.py", duckdb, spark])


if __name__ == "__main__":
    sys.exit(main())
