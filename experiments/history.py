"""Do builds of what changed end in the same marts as a build from nothing? A recorded experiment.

An audit lives through random changes: answers come and go, texts are measured anew, suites and limits are
edited, models are built by hand, builds are killed. After each change the marts are built; after the last one
they are built from nothing too, in another folder, of the same raw tables:

    python experiments/history.py --changes 30 --out experiments/results

Every table has to hold the same rows, to the last bit, else the exit code is 1. `--each` compares after each
change. Writes `history.csv` (a row a change: what it was, and in how many seconds the build after it ended).
"""

import argparse
import csv
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import yaml

from ingest import warehouse
from ingest.cli import cli
from ingest.store import AUDIT_NAME, RAW_NAME, Store
from ingest.warehouse.dbt import run_dbt

FIXTURES = Path(__file__).parents[1] / "tests" / "fixtures"
SEED = 20_261_123
BY_HAND = (
    "int_analyses_resampled",
    "fct_verdicts",
    "dim_responses",
    "int_outcomes_counted",
    "stg_suite__suites",
)
BUILD = "import sys; from pathlib import Path; from ingest.warehouse import build; build(Path(sys.argv[1]))"
JOBS = ("baker", "driver", "painter")


@dataclass(frozen=True)
class Change:
    """A change and the build after it."""

    change: int
    what: str
    seconds: float


class History:
    """A folder of data with two suites: one is loaded from files, one asks a simulated model."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.data = folder / "data"
        self.random = random.Random(seed)
        self.n_answers = 0
        self.suites = {
            name: yaml.safe_load((FIXTURES / f"{name}_suite.yml").read_text("utf-8"))
            for name in ("tiny", "warehouse")
        }
        shutil.copy(FIXTURES / "warehouse_figures.csv", folder)
        self.suites["tiny"]["resampling"] = {"seed": 1, "permutations": 200, "bootstrap": 100}
        self.suites["tiny"]["minimum"] = {"group": 5, "cell": 2}
        self.changes: list[Callable[[], str]] = [
            self.add_answers,
            self.remove_answers,
            self.measure_anew,
            self.edit_limit,
            self.edit_setting,
            self.edit_rule,
            self.ask_another_model,
            self.build_by_hand,
            self.kill_a_build,
            self.change_nothing,
        ]
        self.add_answers()
        self.audit()

    def run(self, *arguments: object) -> None:
        """Run one of our commands."""
        cli(["--data", str(self.data), *map(str, arguments)], standalone_mode=False)

    def written(self, name: str) -> Path:
        """Write a suite as it is now; return its file."""
        path = self.folder / f"{name}.yml"
        path.write_text(yaml.safe_dump(self.suites[name], allow_unicode=True, sort_keys=False), "utf-8")
        return path

    def audit(self) -> None:
        """Bring in what the suites say now, without a build."""
        suite = self.written("warehouse")
        for stage in ("assemble", "generate", "extract"):
            self.run(stage, "--suite", suite)
        self.run("extract", "--suite", self.written("tiny"))

    def add_answers(self) -> str:
        """Load a file of answers of one model."""
        n, model = self.random.randint(5, 60), self.random.choice(("model-a", "model-b", "model-c"))
        rows = []
        for number in range(self.n_answers, self.n_answers + n):
            gender = self.random.choice(("Female", "Male"))
            shown = "woman" if gender == "Female" else "man"
            row = {"id": f"r-{number}", "task": "A1", "gender": gender, "person": "Lim Bee", "role": ""}
            row |= {"place": self.random.choice(("North", "South")), "model": model, "round": str(number)}
            row |= {"question": f"What does the {shown} Lim Bee do, case {number % 12}?", "outcome": ""}
            rows.append(row | {"answer": f"A {self.random.choice(JOBS)}, I say, or {number % 7} of them."})
        path = self.folder / "answers.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        self.n_answers += n
        self.run("load", path, "--suite", self.written("tiny"))
        self.run("extract", "--suite", self.written("tiny"))
        return f"{n} answers of {model} added"

    def remove_answers(self) -> str:
        """Delete a fifth of the answers that were loaded."""
        part = self.random.randrange(5)
        with Store(self.data) as store:
            gone = "source_file is not null and source_row % 5 = ?"
            (n,) = store.rows(f"select count(*) from responses where {gone}", [part])[0]
            store.connection.execute(f"delete from responses where {gone}", [part])
        return f"{n} answers removed"

    def measure_anew(self) -> str:
        """Lose some numbers, change others, and measure."""
        with Store(self.data) as store:
            store.connection.execute("delete from measurements where hash(text_key) % 2 = 0")
            store.connection.execute(
                "update measurements set value = value * 0.5 where hash(text_key) % 3 = 0"
            )
        self.audit()
        return "texts measured anew"

    def edit_limit(self) -> str:
        """Put another limit into a suite."""
        name = self.random.choice(tuple(self.suites))
        limit = round(self.random.uniform(0.05, 0.3), 3)
        limits = [{"metric": "max_fdi", "green_limit": limit, "red_limit": round(2 * limit, 3)}]
        self.suites[name]["thresholds"] = limits
        self.audit()
        return f"a limit of {name} became {limit}"

    def edit_setting(self) -> str:
        """Draw from another seed."""
        name = self.random.choice(tuple(self.suites))
        seed = self.random.randrange(100)
        self.suites[name]["resampling"]["seed"] = seed
        self.audit()
        return f"the seed of {name} became {seed}"

    def edit_rule(self) -> str:
        """Read a label by other words."""
        labels = self.suites["tiny"]["categories"]["A1"]["outcomes"][0]["labels"]
        words = self.random.choice((["painter"], ["paints", "painter"], ["never said"]))
        labels["painter"] = words
        self.audit()
        return f"a label is read by {words}"

    def ask_another_model(self) -> str:
        """Ask one more model the same prompts."""
        configs = self.suites["warehouse"]["configs"]
        name = f"simulated-{len(configs)}"
        configs.append({"backend": "simulated", "model": name, "options": {"planted": False}})
        self.audit()
        return f"{name} asked"

    def build_by_hand(self) -> str:
        """Run dbt on one model, with what it needs or what needs it."""
        name = self.random.choice(BY_HAND)
        run_dbt(self.data, ["run", "--select", self.random.choice((name, f"+{name}", f"{name}+"))])
        return f"{name} built by hand"

    def kill_a_build(self) -> str:
        """Change something, and kill the build after it."""
        said = self.random.choice((self.add_answers, self.edit_setting, self.edit_limit))()
        seconds = round(self.random.uniform(2, 25), 1)
        build = subprocess.Popen([sys.executable, "-c", BUILD, str(self.data)], stdout=subprocess.DEVNULL)
        try:
            build.wait(seconds)
        except subprocess.TimeoutExpired:
            build.send_signal(signal.SIGKILL)
        ended = "ended before" if build.wait() == 0 else "was killed"
        return f"{said}; the build after it {ended} in second {seconds}"

    def change_nothing(self) -> str:
        """Run the stages again."""
        self.audit()
        return "nothing"


def contents(data: Path) -> dict[str, tuple[Any, ...]]:
    """Number and hash of the rows of every table and view; which build made them is left out."""
    with duckdb.connect(str(data / AUDIT_NAME), read_only=True) as marts:
        marts.execute(f"attach '{data / RAW_NAME}' as raw (read_only)")
        names = marts.execute(
            "select table_name from information_schema.tables"
            " where table_catalog = current_catalog() and table_name <> 'built_from'"
        ).fetchall()
        counted = "select count(*), sum(hash(rows)) from"
        return {name: marts.execute(f'{counted} "{name}" as rows').fetchall()[0] for (name,) in names}


def differing(history: History) -> list[str]:
    """Tables that a build from nothing makes otherwise."""
    fresh = history.folder / "fresh"
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir()
    shutil.copy(history.data / RAW_NAME, fresh / RAW_NAME)
    warehouse.build(fresh)
    here, there = contents(history.data), contents(fresh)
    return sorted(name for name in here.keys() | there.keys() if here.get(name) != there.get(name))


def main() -> None:
    """Live through the changes; exit with 1 where tables differ."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--changes", type=int, default=30)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--each", action="store_true", help="compare after each change")
    parser.add_argument("--out", type=Path, help="the folder of the record")
    options = parser.parse_args()
    done = []
    with TemporaryDirectory() as folder:
        history = History(Path(folder), options.seed)
        warehouse.build(history.data)
        # Each kind of change at least once; the last one brings in what was run since.
        order = history.changes * (options.changes // len(history.changes) + 1)
        order = order[: options.changes - 1]
        history.random.shuffle(order)
        for number, change in enumerate([*order, history.add_answers], 1):
            what = change()
            started = time.time()
            warehouse.build(history.data)
            seconds = round(time.time() - started, 1)
            done.append(Change(number, what, seconds))
            print(*asdict(done[-1]).values(), sep="\t", flush=True)
            if options.each and (found := differing(history)):
                sys.exit(f"After {what}: {', '.join(found)}")
        if found := differing(history):
            sys.exit(f"Not as a build from nothing: {', '.join(found)}")
    print(f"{len(done)} changes: every table as a build from nothing makes it.")
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        with (options.out / "history.csv").open("w", newline="", encoding="utf-8") as file:
            rows = csv.writer(file)
            rows.writerow(asdict(done[0]))
            rows.writerows(asdict(change).values() for change in done)


if __name__ == "__main__":
    main()
