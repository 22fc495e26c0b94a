"""Measure what the pipeline costs, against the limits it has to keep.

    python bench/run.py          # all but the last four below, into bench/results.md and .csv
    python bench/run.py --only audit --repeats 1 --out trial.md
    python bench/run.py --only load --scale 0.1 --out trial.md    # a tenth of the records, without limits
    python bench/run.py --only stereotypes_growth    # a million texts
    python bench/run.py --only spark          # 1.4 million measurements on Spark
    python bench/run.py --only spark_growth   # 14 million: long
    python bench/run.py --only full           # 140 million measurements: long, and much disk

Each stage runs as its own process through the command line, on at most two cores, in a temporary folder.
Seconds are wall time; CPU seconds stand beside them, because other work on the machine slows the one and
hardly the other. Peak RSS is the largest sum over a stage's process and its descendants, looked at ten times
a second, or the largest single process if that is more. A benchmark is one function and one row of
`BENCHMARKS`. Exit code 1 where a limit is not kept.

The peers that `diagnosis` and `stereotypes` are compared with are fetched when these run, into a cache
folder (`peers/saged_fetch.py`).
"""

import argparse
import csv
import json
import os
import random
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from diagnosis import benchmark_diagnosis, benchmark_full, benchmark_growth, benchmark_resampling
from generation import FEW, MANY, N_ASKED, SENDERS, start, throughput
from loading import benchmark_load
from measuring import BIN, ROOT, Cost, Measurement, Options, measure, median, record, total, versions
from on_spark import benchmark_spark, benchmark_spark_growth
from scoring import N_ANSWERS, N_DISTINCT, ONE_THREAD, ROUNDS, distinct, share
from site_cost import benchmark_site
from stereotypes import benchmark_stereotypes, benchmark_stereotypes_growth
from waiting import benchmark_waiting

from ingest.suite import Suite, load_suite

SUITE = ROOT / "suites" / "fair_sea.yml"
PUBLISHED = ROOT.parent / "shared" / "oracles" / "fair_sea" / "responses.csv"
CORES = 2
SEED = 20_260_101

Rows = list[dict[str, str]]


# --------------------------------------------------------------------------------------------- rows


def source_rows(path: Path | None) -> tuple[Rows, str]:
    """Return response rows in the published layout, and words for where they are from."""
    path = path or (PUBLISHED if PUBLISHED.exists() else None)
    if path is None:
        rows = invented_rows(load_suite(SUITE, None))
        return rows, f"{len(rows):,} invented rows of the published answers' shape"
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    if path == PUBLISHED:
        return rows, f"the {len(rows):,} published FAIR-SEA answers"
    return rows, f"{len(rows):,} rows of {path.name}"


def invented_rows(suite: Suite) -> Rows:
    """Rows with the published answers' numbers of prompts, repeats, distinct texts and words a text."""
    texts_and_words = {
        "D1": (235, 7), "D2": (33, 1), "D3": (8, 1), "D4": (68, 2),
        "I1": (123, 2), "I2": (14, 2), "I3": (600, 55), "I4": (26, 1),
    }  # fmt: skip
    words = ("calm", "late", "neat", "loud", "early", "kind", "blunt", "careful", "quick", "steady")
    draw = random.Random(SEED)
    attributes = suite.attributes
    rows = []
    for category, (n_texts, n_words) in texts_and_words.items():
        labels = [label for outcome in suite.categories[category].outcomes for label in outcome.labels or []]
        pool = []
        for number in range(n_texts):
            said = [draw.choice(words) for _ in range(n_words)]
            pool.append(" ".join([*said, f"{number}.", *([draw.choice(labels)] if labels else [])]))
        people = [
            (gender, race, nationality, None if category.startswith("D") else name)
            for gender in attributes["gender"]
            for race in attributes["race"]
            for nationality, name in (
                [(n, 0) for n in attributes["nationality"]]
                if category.startswith("D")
                else [("Singaporean", n) for n in range(10)]
            )
        ]
        for gender, race, nationality, name in people:
            who = f"{gender} {race} {nationality}" if name is None else f"Person {gender} {race} {name}"
            for model in ("model-a", "model-b"):
                for repeat in range(1, 6):
                    ident = (
                        f"{category}-{gender}-{race}-{nationality}-{repeat}"
                        if name is None
                        else f"{category}-{nationality}-{race}-{gender}-{who.replace(' ', '_')}-{repeat}"
                    )
                    row = {"Gender": gender, "Race": race, "Nationality": nationality, "model": model}
                    row |= {"prompt_text": f"Question {category} about {who}?", "prompt_id_full": ident}
                    rows.append(row | {"llm_output": draw.choice(pool)})
    return rows


def scaled_rows(rows: Rows, factor: int) -> Rows:
    """Return `factor` times the rows and distinct texts: the same prompts, further repeats, other texts."""
    highest = max(int(row["prompt_id_full"].rsplit("-", 1)[1]) for row in rows)
    more = []
    for copy in range(factor):
        for row in rows:
            stem, repeat = row["prompt_id_full"].rsplit("-", 1)
            ident = f"{stem}-{int(repeat) + copy * highest}"
            text = row["llm_output"] + " indeed" * copy
            more.append(row | {"prompt_id_full": ident, "llm_output": text})
    return more


# ---------------------------------------------------------------------------------------- benchmarks


Stages = dict[str, Cost]
Benchmark = Callable[[Options], list[Measurement]]


def run_stages(rows: Rows) -> Stages:
    """Load, measure and build these rows in an empty folder; costs by stage."""
    with TemporaryDirectory(prefix="plumbline-bench-") as folder:
        data = Path(folder)
        file = data / "responses.csv"
        with file.open("w", newline="") as output:
            writer = csv.DictWriter(output, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        dbt = [BIN / "dbt", "build", "--project-dir", ROOT, "--profiles-dir", ROOT]
        commands = {
            "load": [BIN / "plumbline", "load", file, "--suite", SUITE],
            "extract": [BIN / "plumbline", "extract", "--suite", SUITE],
            "dbt build": [*dbt, "--target-path", data / "target", "--log-path", data / "logs"],
        }
        costs = {}
        for stage, command in commands.items():
            costs[stage] = measure(command, data)
            print(f"  {len(rows):,} rows, {stage}: {costs[stage]}", file=sys.stderr, flush=True)
        return costs


def benchmark_audit(options: Options) -> list[Measurement]:
    """Load, measure and build 3,840 answers, and twice as many."""
    rows, source = source_rows(options.responses)
    repeats = options.repeats
    # In turn, so that a busy spell of the machine meets both sizes.
    runs: dict[int, list[Stages]] = {1: [], 2: []}
    for _ in range(repeats):
        for factor, costs in runs.items():
            costs.append(run_stages(scaled_rows(rows, factor)))
    totals = {factor: median([total(list(c.values())) for c in costs]) for factor, costs in runs.items()}
    once, twice = totals[1], totals[2]
    line = partial(record, runs=repeats)
    what, growth = f"load, extract, dbt build: {source}", "twice the rows and texts over once"
    cpu, wall = twice.cpu_seconds / once.cpu_seconds, twice.seconds / once.seconds
    results = [
        line("audit.seconds", what, once.seconds, "s", 90, cost=once),
        line("audit.memory", "the same, peak RSS", once.peak_rss_mb, "MB", 2000, cost=once),
        line("audit.growth_cpu", f"{growth}, CPU seconds", cpu, "x", 2.1, cost=twice),
        line("audit.growth_wall", f"{growth}, wall seconds", wall, "x", 2.1, cost=twice),
    ]
    for stage in runs[1][0]:
        for factor, label in ((1, "once"), (2, "twice")):
            cost = median([costs[stage] for costs in runs[factor]])
            name = f"audit.{stage.replace(' ', '_')}.{label}"
            what = f"{stage}, {factor * len(rows):,} rows"
            results.append(line(name, what, cost.seconds, "s", cost=cost))
    return results


def plumbline(arguments: Sequence[str], data: Path, settings: Mapping[str, str] | None = None) -> Cost:
    """Measure a command of plumbline."""
    return measure([BIN / "plumbline", *arguments], data, settings)


def benchmark_generate(options: Options) -> list[Measurement]:
    """Ask a server on loopback: how near to its limit, and how soon with 100,000 prompts pending."""
    repeats = options.repeats
    runs = [throughput(plumbline) for _ in range(repeats)]
    shares = statistics.median(run.per_second / run.limit for run in runs)
    cost = median([run.cost for run in runs])
    few, many = ([start(n, plumbline) for _ in range(repeats)] for n in (FEW, MANY))
    few_cost, many_cost = (median([run.cost for run in runs]) for runs in (few, many))
    what = f"{N_ASKED:,} prompts, {SENDERS} senders, a server of 50 ms and 16 slots"
    first = f"from the command to the first request, {MANY:,} pending"
    seconds = statistics.median(run.seconds for run in many)
    peak, growth = (
        f"peak RSS with {MANY:,} pending over {FEW:,}",
        many_cost.peak_rss_mb / few_cost.peak_rss_mb,
    )
    cpu_ms = 1e3 * cost.cpu_seconds / N_ASKED
    line = partial(record, runs=repeats)
    return [
        # A share that has to be reached, as a limit that has to be kept.
        line(
            "generate.below_limit",
            f"{what}: what it stays below its limit",
            1 - shares,
            "share",
            0.1,
            cost=cost,
        ),
        line("generate.cpu_ms", "CPU milliseconds a request", cpu_ms, "ms", cost=cost),
        line("generate.start", first, seconds, "s", 3, cost=many_cost),
        # What grows is DuckDB's cache of its file (20 MB at 100,000); requests are paged.
        line("generate.memory", peak, growth, "x", 1.25, cost=many_cost),
    ]


def benchmark_scoring(options: Options) -> list[Measurement]:
    """Measure texts with a classifier and an encoder against the bare models, and a million answers."""

    def rounds(*arguments: str) -> list[dict[str, float]]:
        command = [sys.executable, ROOT / "bench" / "scoring.py", *arguments]
        done = subprocess.run(command, env=os.environ | ONE_THREAD, check=True, stdout=subprocess.PIPE)
        return json.loads(done.stdout)

    models = {"minilm": "the NumPy encoder"}
    if find_spec("torch") and find_spec("transformers"):
        models = {"sentiment": "a classifier of DistilBERT's size on the processor", **models}
    else:
        print("scoring: no classifier is measured, since torch is not installed", file=sys.stderr)
    results = []
    for scorer, what in models.items():
        found = share(rounds, scorer)
        name = {"sentiment": "classifier", "minilm": "encoder"}[scorer]
        rate = f"{found.extraction:,.1f} of {found.bare:,.1f} texts a processor second, batch {found.batch}"
        whole = f"extract over the bare model at its best batch, one thread: {what}; {rate}"
        torch = f"{versions()}, torch {version('torch')}" if scorer == "sentiment" else None
        cost = Cost(found.seconds, found.cpu_seconds, found.peak_rss_mb)
        line = partial(record, cost=cost, runs=ROUNDS, is_least=True, made_with=torch)
        results.append(line(f"scoring.{name}", whole, found.extraction / found.bare, "x", 0.9))
    runs = [distinct(plumbline) for _ in range(options.repeats)]
    what = f"extract with vader, CPU: {N_ANSWERS:,} answers of {N_DISTINCT:,} texts over each text once"
    growth = statistics.median(many.cpu_seconds / few.cpu_seconds for few, many in runs)
    cost = median([many for _, many in runs])
    return [*results, record("scoring.distinct", what, growth, "x", 1.1, cost=cost, runs=options.repeats)]


BENCHMARKS: dict[str, Benchmark] = {
    "audit": benchmark_audit,
    "waiting": benchmark_waiting,
    "load": benchmark_load,
    "generate": benchmark_generate,
    "scoring": benchmark_scoring,
    "diagnosis": benchmark_diagnosis,
    "resampling": benchmark_resampling,
    "growth": benchmark_growth,
    "full": benchmark_full,
    "spark": benchmark_spark,
    "spark_growth": benchmark_spark_growth,
    "site": benchmark_site,
    "stereotypes": benchmark_stereotypes,
    "stereotypes_growth": benchmark_stereotypes_growth,
}
ONLY_WHEN_ASKED = {"full", "spark", "spark_growth", "stereotypes_growth"}


# ------------------------------------------------------------------------------------------ results


def cells(measurement: Measurement) -> dict[str, str]:
    """Return a measurement as text."""
    return {
        name: "" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)
        for name, value in asdict(measurement).items()
    }


def merged(path: Path, found: Sequence[Measurement], names: Sequence[str]) -> list[dict[str, str]]:
    """Rows of an earlier results file that these benchmarks did not measure again, and the new ones."""
    kept = []
    if path.exists():
        with path.open(newline="") as file:
            kept = [row for row in csv.DictReader(file) if row["name"].split(".")[0] not in names]
    return [*kept, *(cells(measurement) for measurement in found)]


def as_table(rows: Sequence[dict[str, str]]) -> str:
    """Return the results as Markdown, what they were measured on below."""
    shown = ["name", "what", "measured", "unit", "limit", "ratio", "seconds", "cpu_seconds", "peak_rss_mb"]
    shown += ["runs", "date"]
    lines = [shown, ["---"] * len(shown), *([row[name] for name in shown] for row in rows)]
    places = sorted({f"{row['date']}: {row['machine']}; {row['versions']}" for row in rows})
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return table + "\n\n" + "\n".join(f"- {place}" for place in places) + "\n"


HEAD = """# What it costs

Written by `make bench` (`bench/run.py`, which says how each figure is taken). Medians over `runs` runs;
`ratio` is measured over limit, or limit over measured where the limit is a least: above 1 it is not kept.
Wall seconds depend on what else the machine does, CPU seconds hardly.

"""


def write_results(out: Path, rows: Sequence[dict[str, str]]) -> None:
    """Write the results as Markdown, and as CSV beside it."""
    out.parent.mkdir(parents=True, exist_ok=True)
    with out.with_suffix(".csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Measurement)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    out.write_text(HEAD + as_table(rows))


def main() -> None:
    """Run the benchmarks and write their results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=sorted(BENCHMARKS), help="run only this benchmark")
    parser.add_argument(
        "--out", type=Path, default=ROOT / "bench" / "results.md", help="a .csv lies beside it"
    )
    parser.add_argument("--repeats", type=int, default=3, help="runs of each, of which the median counts")
    parser.add_argument("--responses", type=Path, help="response rows in the published layout")
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "plumbline-bench"
    parser.add_argument("--peer", type=Path, help="a checkout of SAGED-Bias to use instead of fetching one")
    parser.add_argument("--cache", type=Path, default=cache, help="where what is fetched is kept")
    parser.add_argument(
        "--quick", action="store_true", help="diagnosis: 3 features instead of 45, without limits"
    )
    parser.add_argument("--scale", type=float, default=1.0, help="load: this part of the records, up to 1")
    arguments = parser.parse_args()
    if arguments.repeats < 1:
        parser.error("--repeats must be at least 1")
    if not 0.001 <= arguments.scale <= 1:
        parser.error("--scale is from 0.001 to 1")
    is_part = arguments.quick or arguments.scale < 1
    if is_part and arguments.out == parser.get_default("out"):
        parser.error("--quick and --scale need --out: their figures do not belong among the results")
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:CORES])
    names = [arguments.only] if arguments.only else [n for n in BENCHMARKS if n not in ONLY_WHEN_ASKED]
    options = Options(
        arguments.repeats,
        arguments.responses,
        arguments.peer and arguments.peer.resolve(),
        arguments.cache.resolve(),
        arguments.quick,
        arguments.scale,
    )
    found = []
    for name in names:
        print(f"{name}: {BENCHMARKS[name].__doc__}", file=sys.stderr, flush=True)
        measured = BENCHMARKS[name](options)
        found += measured
        # One after another: a later benchmark that ends in an error takes nothing with it.
        write_results(arguments.out, merged(arguments.out.with_suffix(".csv"), measured, [name]))
    print(arguments.out.read_text())
    over = [m.name for m in found if m.ratio is not None and m.ratio > 1]
    if over:
        raise SystemExit(f"Over the limit: {', '.join(over)}")


if __name__ == "__main__":
    main()
