"""Benchmarks of diagnosis on ready measurements: against SAGED's diagnoser, with resampling, and in growth.

One table for all, `saged_table.py`'s. Our side is one process, `plumbline audit --responses` of the three
marts that hold what the peer computes, with everything they are made from but no tests; into an empty folder
each time, by a project that has built them before, as any build but a checkout's first. Against the peer the
seeds declare its 46 statistics and its disparities, elsewhere all of ours: 65 and 15. Resampling is
`plumbline load` and one `dbt build`, whose JSON says what each model costs.
"""

import csv
import json
import math
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
from measuring import BIN, MB, ROOT, Cost, Measurement, Options, measure, median, record, total
from peers.saged_fetch import Peer, PeerMissingError, fetch
from saged_table import FEATURES, PROMPTS, Size, write_suite, write_table

DRIVER = ROOT / "bench" / "peers" / "saged_diagnosis.py"
MARTS = ("fct_summary_statistics", "fct_selection_rates", "fct_disparities")
RESAMPLING_MODELS = ("int_feature_analyses_resampled", "int_analyses_resampled")
QUICK_FEATURES = 3
SMALL = Size(features=QUICK_FEATURES)
DRAWS = 1_000
# Databases, what queries spill, and the table itself.
DISK_BYTES_PER_MEASUREMENT = 300
DISK_BYTES_AT_LEAST = 2_000_000_000
WRITE_MARTS = """
import sys, duckdb
folder, *marts = sys.argv[1:]
with duckdb.connect(f"{folder}/audit.duckdb", read_only=True) as audit:
    for mart in marts:
        audit.table(mart).write_parquet(f"{folder}/{mart}.parquet")
"""
LIMITS = {"memory_mb": 2_000, "growth": 10.5, "faster": 60, "resampling_s": 60}
FULL_LIMITS = {"seconds": 1_800, "memory_mb": 8_000, "exponent": 1.02}


@dataclass(frozen=True)
class Run:
    """What one load and build cost, what writing the marts to files costs beyond, and what they left."""

    stages: dict[str, Cost]
    writing: Cost
    disk_mb: float
    model_seconds: dict[str, float]


def project_of_the_peer(folder: Path) -> Path:
    """Copy the project and leave in its seeds what the peer computes too."""
    project = folder / "project"
    for name in ("ingest", "macros", "models", "seeds", "tests"):
        shutil.copytree(ROOT / name, project / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("dbt_project.yml", "profiles.yml", "selectors.yml"):
        shutil.copy(ROOT / name, project)
    for name in ("statistics", "selection_standards", "selection_methods", "disparities"):
        file = project / "seeds" / f"{name}.csv"
        with file.open(newline="") as lines:
            header, *rows = csv.reader(lines)
        with file.open("w", newline="") as lines:
            peer = header.index("peer")
            csv.writer(lines).writerows([header, *(row for row in rows if row[peer])])
    return project


def run_ours(
    size: Size,
    resamples: int,
    look: Callable[[Path], None] | None = None,
    project: Path = ROOT,
    settings: Mapping[str, str] | None = None,
) -> Run:
    """Write the table, load it, build the marts; `look` may read the folder before it is removed.

    `settings` are of the environment, such as those that have Spark build.
    """
    refuse_without_room(size)
    with TemporaryDirectory(prefix="plumbline-bench-") as folder:
        data = Path(folder)
        table, suite = data / "measurements.parquet", data / "suite.yml"
        write_table(table, size)
        write_suite(suite, size, resamples, resamples)
        select = ["--select", *(f"+{mart}" for mart in MARTS)]
        kinds = ["--resource-type", "model", "--resource-type", "seed"]
        places = ["--project-dir", project, "--profiles-dir", project]
        places += ["--target-path", data / "target", "--log-path", data / "logs"]
        if resamples:
            commands = {
                "load": [BIN / "plumbline", "load", table, "--suite", suite],
                "dbt build": [BIN / "dbt", "build", *select, *kinds, *places],
            }
        else:
            marts = [word for mart in MARTS for word in ("--mart", mart)]
            commands = {"audit": [BIN / "plumbline", "audit", suite, "--responses", table, *marts]}
        # What dbt has parsed counts while its environment is the same, which `plumbline` sets.
        environment = {"PYTHONPATH": str(project), "AUDIT_GATE": "warn", **(settings or {})}
        if resamples:
            measure([BIN / "dbt", "--no-write-json", "parse", *places], data, environment)
        elif size != SMALL:
            build_before(project, tuple((settings or {}).items()))
        measure([sys.executable, "-m", "compileall", "-q", project / "ingest"], data)
        stages = {}
        for stage, command in commands.items():
            stages[stage] = measure(command, data, environment)
            said = f"{size.measurements:,} measurements, {resamples} resamples, {stage}: {stages[stage]}"
            print(f"  {said}", file=sys.stderr, flush=True)
        said_by_dbt = data / "target" / "run_results.json"
        results = json.loads(said_by_dbt.read_text())["results"] if said_by_dbt.exists() else []
        seconds = {result["unique_id"].split(".")[-1]: result["execution_time"] for result in results}
        # Marts may be views: a build need not have put their rows together.
        writing = measure([sys.executable, "-c", WRITE_MARTS, data, *MARTS], data)
        disk = sum(path.stat().st_size for path in data.glob("*.duckdb")) / MB
        if look is not None:
            look(data)
        return Run(stages, writing, disk, seconds)


@cache
def build_before(project: Path, settings: tuple[tuple[str, str], ...]) -> None:
    """Make these marts of a few measurements: only a checkout's first build has dbt write their queries."""
    run_ours(SMALL, 0, project=project, settings=dict(settings))


def refuse_without_room(size: Size) -> None:
    """Raise SystemExit where the folder for temporary files is too small for a table of this size."""
    needed = max(DISK_BYTES_AT_LEAST, DISK_BYTES_PER_MEASUREMENT * size.measurements)
    free = shutil.disk_usage(tempfile.gettempdir()).free
    if free < needed:
        raise SystemExit(
            f"{size.measurements:,} measurements need about {needed / 1e9:.0f} GB of disk in "
            f"{tempfile.gettempdir()}, where {free / 1e9:.0f} GB are free. TMPDIR names another folder."
        )


def in_words(size: Size) -> str:
    """Return what a table holds."""
    return f"{size.responses:,} responses x {size.features} features = {size.measurements:,} measurements"


def middle(runs: Sequence[Run]) -> Cost:
    """Median over runs of the sum of their stages."""
    return median([total(list(run.stages.values())) for run in runs])


# ---------------------------------------------------------------------------------------- benchmarks


def benchmark_diagnosis(options: Options) -> list[Measurement]:
    """Every statistic and disparity of 1.4 million measurements, raw and calibrated, ours and SAGED's."""
    size = SMALL if options.is_quick else Size(features=FEATURES)
    try:
        peer = fetch(options.cache, options.peer)
    except PeerMissingError as reason:
        print(f"  SAGED could not be had, nothing is compared: {reason}", file=sys.stderr, flush=True)
        peer = None
    with TemporaryDirectory(prefix="plumbline-bench-") as folder:
        theirs = run_peer(peer, size, Path(folder)) if peer else None
        compared: list[tuple[int, int, float]] = []

        def compare(data: Path) -> None:
            if theirs is not None and not compared:
                compared.append(differences(data / "audit.duckdb", Path(folder) / "out" / "summary.csv"))

        project = project_of_the_peer(Path(folder))
        runs = [run_ours(size, 0, compare, project) for _ in range(options.repeats)]
    ours, out, n = middle(runs), median([run.writing for run in runs]), len(runs)
    limits = {} if options.is_quick else LIMITS
    what = f"load and build without resampling: {in_words(size)}, raw and calibrated"
    memory = limits.get("memory_mb")
    line, beyond = partial(record, runs=n), "the three marts written as Parquet, beyond"
    lines = [
        line("diagnosis.seconds", what, ours.seconds, "s", cost=ours),
        line("diagnosis.memory", "the same, peak RSS", ours.peak_rss_mb, "MB", memory, cost=ours),
        line("diagnosis.writing", beyond, out.seconds, "s", cost=out),
    ]
    if peer is None or theirs is None:
        return lines
    n_compared, n_apart, largest = compared[0]
    same = f"the same table, 46 statistics and their disparities with SAGED's diagnoser, {peer.what}"
    faster = f"SAGED's seconds over ours, whole processes; SAGED: {peer.what}"
    agreed = f"values of SAGED's 46 statistics that ours miss by more than 1e-9, of {n_compared:,}"
    wall, cpu = theirs.seconds / ours.seconds, theirs.cpu_seconds / ours.cpu_seconds
    at_least = partial(line, cost=ours, is_least=True)
    return [
        *lines,
        record("diagnosis.peer", same, theirs.seconds, "s", cost=theirs, made_with=peer.versions),
        at_least("diagnosis.faster_wall", f"{faster} (wall, at least)", wall, "x", limits.get("faster")),
        line("diagnosis.faster_cpu", f"{faster} (CPU)", cpu, "x", cost=ours),
        record(
            "diagnosis.agreement", f"{agreed}; largest miss {largest:.1e}", n_apart, "values", cost=theirs
        ),
    ]


def run_peer(peer: Peer, size: Size, folder: Path) -> Cost:
    """Run the peer once on the table, as a process of its own."""
    table = folder / "measurements.parquet"
    write_table(table, size)
    command = [peer.python, DRIVER, "--saged", peer.folder, "--table", table, "--out", folder / "out"]
    cost = measure(command, folder)
    print(f"  SAGED, {in_words(size)}: {cost}", file=sys.stderr, flush=True)
    return cost


def benchmark_resampling(options: Options) -> list[Measurement]:
    """1,000 permutations and 1,000 bootstrap draws of the disparities of 1.4 million measurements."""
    counted: list[tuple[int, int]] = []

    def count(data: Path) -> None:
        with duckdb.connect(str(data / "audit.duckdb"), read_only=True) as audit:
            sql = """
                select count(*), count(distinct (config, feature, calibration, statistic, parameters))
                from fct_disparities
                where p_value is not null
            """
            counted.append(audit.execute(sql).fetchone())

    runs = [run_ours(Size(), DRAWS, count) for _ in range(options.repeats)]
    build = median([run.stages["dbt build"] for run in runs])
    n_disparities, n_families = counted[0]
    alone = sorted(sum(run.model_seconds[model] for model in RESAMPLING_MODELS) for run in runs)
    what = f"dbt build with {DRAWS:,} permutations and {DRAWS:,} bootstrap draws: "
    what += f"{n_disparities:,} disparities of {n_families:,} statistics; {in_words(Size())}"
    models = f"the models that resample, of the same build: {' + '.join(RESAMPLING_MODELS)}"
    line = partial(record, cost=build, runs=len(runs))
    return [
        line("resampling.seconds", what, build.seconds, "s", LIMITS["resampling_s"]),
        line("resampling.models", models, alone[len(runs) // 2], "s"),
        line("resampling.memory", "the same build, peak RSS", build.peak_rss_mb, "MB"),
    ]


def benchmark_growth(options: Options) -> list[Measurement]:
    """14 million measurements against 1.4 million: ten times the prompts of each group."""
    large = Size(prompts=10 * PROMPTS)
    refuse_without_room(large)
    runs: dict[Size, list[Run]] = {Size(): [], large: []}
    for _ in range(options.repeats):
        for size, found in runs.items():
            found.append(run_ours(size, 0))
    once, tenfold = middle(runs[Size()]), middle(runs[large])
    limit, line = LIMITS["growth"], partial(record, cost=tenfold, runs=options.repeats)
    what = f"{in_words(large)} over {Size().measurements:,}"
    wall, cpu = tenfold.seconds / once.seconds, tenfold.cpu_seconds / once.cpu_seconds
    return [
        line("growth.wall", f"{what}, wall seconds", wall, "x", limit),
        line("growth.cpu", f"{what}, CPU seconds", cpu, "x", limit),
        line("growth.memory", "14 million, peak RSS", tenfold.peak_rss_mb, "MB"),
        line("growth.disk", "14 million, both databases", runs[large][0].disk_mb, "MB"),
    ]


def benchmark_full(options: Options) -> list[Measurement]:
    """140 million measurements, once, and a hundredth of them."""
    size = Size(prompts=100 * PROMPTS)
    refuse_without_room(size)
    once, run = run_ours(Size(), 0), run_ours(size, 0)
    few, cost = middle([once]), middle([run])
    what = f"load and build without resampling: {in_words(size)}"
    exponent = math.log(cost.seconds / few.seconds, size.measurements / Size().measurements)
    line, limits = partial(record, cost=cost), FULL_LIMITS
    return [
        line("full.seconds", what, cost.seconds, "s", limits["seconds"]),
        line("full.memory", "the same, peak RSS", cost.peak_rss_mb, "MB", limits["memory_mb"]),
        line("full.disk", "the same, both databases", run.disk_mb, "MB"),
        line(
            "full.growth", "from a hundredth of them, wall seconds", exponent, "exponent", limits["exponent"]
        ),
    ]


# ------------------------------------------------------------------------------------------ agreement


def differences(audit: Path, summary: Path) -> tuple[int, int, float]:
    """Compare every value of the peer's with ours; return how many, how many apart by > 1e-9, the largest.

    A value that only one side has counts as apart. The seeds name each statistic as the peer does; its
    `bin_20` takes ten bins all the same.
    """
    with duckdb.connect(str(audit), read_only=True) as connection:
        return connection.execute(
            """
            with theirs as (
                unpivot (
                    select * exclude (domain, source_tag)
                    from read_csv($1, header = true, all_varchar = true)
                )
                on columns(* exclude (concept, statistics, feature, calibrated))
                into name config value said
            ),

            ours as (
                select statistics.peer, config, feature, calibration, group_value, value
                from fct_summary_statistics as found
                inner join statistics
                    on
                        found.statistic = statistics.statistic
                        and found.parameters = coalesce(statistics.parameters, '')
                where statistics.peer is not null
                union all
                select
                    'sr_' || methods.peer || '_sd_' || standards.peer, config, feature, calibration,
                    group_value, selection_rate
                from fct_selection_rates as found
                inner join selection_methods as methods on found.method = methods.method
                inner join selection_standards as standards on found.standard = standards.standard
                where methods.peer is not null
            ),

            paired as (
                select try_cast(theirs.said as double) as their_value, ours.value as our_value
                from theirs
                full join ours
                    on
                        replace(theirs.statistics, 'bin_20', 'bin_10') = ours.peer
                        and theirs.config = ours.config
                        and theirs.feature = ours.feature
                        and theirs.concept = ours.group_value
                        and case theirs.calibrated when 'True' then 'baseline' else 'none' end
                        = ours.calibration
            )

            select
                count(their_value),
                count(*) filter (
                    (their_value is null) <> (our_value is null) or abs(their_value - our_value) > 1e-9
                ),
                max(abs(their_value - our_value))
            from paired
            """,
            [str(summary)],
        ).fetchone()
