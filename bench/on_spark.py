"""Benchmark of the same marts on Spark, in a session of this machine's own; they have to be DuckDB's."""

import shutil
import subprocess
import sys
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from diagnosis import MARTS, SMALL, in_words, middle, run_ours
from measuring import ROOT, Measurement, Options, record, versions
from saged_table import PROMPTS, Size

SESSION = {
    "PLUMBLINE_TARGET": "spark",
    "SPARK_MASTER": "local[2]",
    "PLUMBLINE_MEMORY": "8GB",  # the driver's is all there is where workers are threads of it
}


def benchmark_spark(options: Options) -> list[Measurement]:
    """1.4 million measurements on Spark, local[2], once; all marts held against DuckDB's."""
    return _on_spark("spark", SMALL if options.is_quick else Size())


def benchmark_spark_growth(options: Options) -> list[Measurement]:
    """14 million measurements on Spark, local[2], once; all marts held against DuckDB's."""
    return _on_spark("spark_growth", SMALL if options.is_quick else Size(prompts=10 * PROMPTS))


def _on_spark(name: str, size: Size) -> list[Measurement]:
    if find_spec("pyspark") is None or shutil.which("java") is None:
        print(f"{name}: not measured: make java and scripts/spark.sh install what it needs", file=sys.stderr)
        return []
    with TemporaryDirectory(prefix="plumbline-bench-") as folder:
        places = {engine: Path(folder, engine) for engine in ("duckdb", "spark")}
        duckdb, spark = (
            middle([run_ours(size, 0, lambda data, to=place: _keep(data, to), settings=settings)])
            for place, settings in zip(places.values(), ({}, SESSION), strict=True)
        )
        equal = _compared(**places)
    what = f"load and build without resampling on Spark, local[2]: {in_words(size)}; {equal}"
    line = partial(record, cost=spark, made_with=f"{versions()}, pyspark {version('pyspark')}")
    memory = f"the same, peak RSS, of a heap of at most {SESSION['PLUMBLINE_MEMORY']}"
    slower = "the same on DuckDB: Spark's wall seconds over these"
    # Java's CPU seconds are not among those of the process that started it.
    return [
        replace(line(f"{name}.seconds", what, spark.seconds, "s"), cpu_seconds=None),
        replace(line(f"{name}.memory", memory, spark.peak_rss_mb, "MB"), cpu_seconds=None),
        record(f"{name}.duckdb", slower, spark.seconds / duckdb.seconds, "x", cost=duckdb),
    ]


def _keep(data: Path, place: Path) -> None:
    place.mkdir()
    shutil.move(data / "audit.duckdb", place)


def _compared(duckdb: Path, spark: Path) -> str:
    """Return the words for equal marts, row by row within 1e-9. Raises SystemExit where they differ."""
    command = [sys.executable, "scripts/same_marts.py", duckdb, spark, "--tables", *MARTS]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"Spark's marts are not DuckDB's:\n{done.stdout}{done.stderr}")
    return f"{done.stdout.splitlines()[-1]} to DuckDB's"
