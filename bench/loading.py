"""Loads at the sizes that one machine is to hold, and an audit of many groups and configs.

All are of 500 groups and 200 models, every text another. Time grows linearly where the exponent is 1: from a
tenth of the records to all, CPU seconds grow by 10 to its power. Each size is measured once, for it takes
minutes, and its files are removed before the next.
"""

import math
import shutil
import sys
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import yaml
from measuring import BIN, MB, Cost, Measurement, Options, measure, record

GROUPS, MODELS = 500, 200
JOBS = ("baker", "driver", "nurse")
LIMITS = {"memory_mb": 4_000, "exponent": 1.1}
DISK_BYTES_PER_RESPONSE = 500  # beside its text
COPIES = 3  # of its text: the file, what is staged, what is kept


@dataclass(frozen=True)
class Size:
    """How many responses, of how many characters, in which kind of file."""

    name: str
    responses: int
    characters: int
    kind: str

    @property
    def what(self) -> str:
        """What is loaded, in words."""
        return f"{self.responses:,} answers of {self.characters:,} characters by {self.kind}"

    @property
    def disk_bytes(self) -> int:
        """What the file and the databases take."""
        return self.responses * (DISK_BYTES_PER_RESPONSE + COPIES * self.characters)

    def part(self, share: float) -> "Size":
        """The same with a part of the responses."""
        return Size(self.name, round(self.responses * share), self.characters, self.kind)


SIZES = (
    Size("parquet", 10_000_000, 60, "Parquet"),
    Size("csv", 1_000_000, 60, "CSV"),
    Size("long", 20_000, 100_000, "Parquet"),
)
BUILT = Size("build", 2 * GROUPS * MODELS, 60, "Parquet")
WRITE = """
    copy (
        select
            'J1' as task,
            'group ' || i % $groups as people,
            'model ' || i // $groups % $models as model,
            i // $groups // $models as round,
            'Which job does somebody of group ' || i % $groups || ' get?' as question,
            left(
                $jobs[1 + (i * 7 % 3)] || '. ' || i || ' ' || repeat(md5(i::varchar), $parts), $characters
            ) as answer
        from range($responses) as numbers (i)
    ) to '{path}' ({options})
"""


def write_suite(path: Path) -> None:
    """Write the suite that tells Plumbline what the files' columns are."""
    outcomes = [
        {"set": name, "kind": "pattern", "at": at, "labels": {job: [job] for job in JOBS}}
        for name, at in (("job", "anywhere"), ("first", "beginning"))
    ]
    suite = {
        "suite": "load_bench",
        "title": "Many groups, many models",
        "version": 1,
        "attributes": {"people": {f"group {number}": {} for number in range(GROUPS)}},
        "axes": ["people"],
        "columns": {
            "response": "answer",
            "prompt": "question",
            "model": "model",
            "category": "task",
            "repeat": "round",
            "attributes": {"people": "people"},
        },
        "categories": {"J1": {"title": "Which job", "outcomes": outcomes}},
    }
    path.write_text(yaml.safe_dump(suite, sort_keys=False))


def write_answers(path: Path, size: Size) -> None:
    """Write a file of responses in bounded memory."""
    values = {
        "groups": GROUPS,
        "models": MODELS,
        "jobs": list(JOBS),
        "responses": size.responses,
        "characters": size.characters,
        "parts": 1 + size.characters // 32,
    }
    # A group of rows is written as a whole.
    rows = max(2_048, min(100_000, 16_000_000 // size.characters))
    options = f"format parquet, row_group_size {rows}" if size.kind == "Parquet" else "format csv"
    with duckdb.connect(config={"memory_limit": "2GB", "threads": 1}) as writer:
        writer.execute(WRITE.format(path=path, options=options), values)


def run(size: Size, is_audited: bool = False) -> Cost:
    """Load a file of this size into an empty folder, or audit it; return what that cost."""
    free = shutil.disk_usage(tempfile.gettempdir()).free
    if free < size.disk_bytes:
        raise SystemExit(
            f"{size.what} need about {size.disk_bytes / 1e9:.0f} GB of disk in {tempfile.gettempdir()}, "
            f"where {free / 1e9:.0f} GB are free. TMPDIR names another folder."
        )
    with TemporaryDirectory(prefix="plumbline-bench-") as folder:
        data = Path(folder)
        suite, file = data / "suite.yml", data / f"answers.{size.kind.lower()}"
        write_suite(suite)
        write_answers(file, size)
        command = [BIN / "plumbline", "load", file, "--suite", suite]
        if is_audited:
            command = [BIN / "plumbline", "audit", suite, "--responses", file, "--no-site"]
        cost = measure(command, data)
        written = sum(path.stat().st_size for path in data.glob("*.duckdb")) / MB
        print(f"  {size.what}: {cost}, databases of {written:,.0f} MB", file=sys.stderr, flush=True)
        return cost


def benchmark_load(options: Options) -> list[Measurement]:
    """10 million answers by Parquet, a million by CSV, long ones; 500 groups and 200 configs judged."""
    is_whole = options.scale == 1
    memory = LIMITS["memory_mb"] if is_whole else None
    exponent = LIMITS["exponent"] if is_whole else None
    results = []
    for size in (size.part(options.scale) for size in SIZES):
        tenth, whole = run(size.part(0.1)), run(size)
        growth = math.log10(whole.cpu_seconds / tenth.cpu_seconds)
        name, line = f"load.{size.name}", partial(record, cost=whole)
        results += [
            line(f"{name}.seconds", f"load: {size.what}", whole.seconds, "s"),
            line(f"{name}.memory", "the same, peak RSS", whole.peak_rss_mb, "MB", memory),
            line(f"{name}.growth", "from a tenth of them, CPU seconds", growth, "exponent", exponent),
        ]
    built = BUILT.part(options.scale)
    cost = run(built, is_audited=True)
    what = f"audit: {GROUPS} groups x {MODELS} configs, {built.what}"
    return [
        *results,
        record("load.build.seconds", what, cost.seconds, "s", cost=cost),
        record("load.build.memory", "the same, peak RSS", cost.peak_rss_mb, "MB", memory, cost=cost),
    ]
