"""Does a build on Spark survive a machine? A recorded experiment.

A standalone cluster on loopback: a master, and two workers as processes of their own. A suite is built on it
until the first tasks of a resampling model run; then one worker, its executor and its Python processes are
killed with SIGKILL, as if its machine were gone. The build has to end, and every mart has to equal DuckDB's:

    python experiments/spark_cluster.py --out experiments/results

Ends with exit code 1 where it does not, or where the kill hit no task. Writes `spark_cluster.md`.
"""

import argparse
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pyspark

from scripts import spark_parity

ROOT = Path(__file__).resolve().parents[1]
SUITE = ROOT / "tests" / "fixtures" / "warehouse_suite.yml"
MODEL = "int_feature_analyses_resampled"
PATIENCE = 1800  # seconds
LOOPBACK = "127.0.0.1"
OPTIONS = (
    f"{spark_parity.SMALL} spark.driver.host={LOOPBACK} spark.driver.bindAddress={LOOPBACK}"
    " spark.executor.memory=1g spark.executor.extraJavaOptions=-XX:TieredStopAtLevel=1"
    " spark.eventLog.enabled=true spark.eventLog.compress=false spark.eventLog.dir={events}"
)


def free_port() -> int:
    """Return a port that nobody has now."""
    with socket.socket() as listening:
        listening.bind((LOOPBACK, 0))
        return int(listening.getsockname()[1])


def daemon(stack: ExitStack, folder: Path, name: str, *arguments: str) -> subprocess.Popen[bytes]:
    """Start a process of Spark's in a session of its own; it ends with the stack."""
    home = Path(pyspark.__file__).parent
    environment = os.environ | {"SPARK_LOCAL_IP": LOOPBACK, "SPARK_HOME": str(home)}
    log = stack.enter_context((folder / f"{name}.log").open("wb"))
    process = subprocess.Popen(
        [str(home / "bin" / "spark-class"), *arguments],
        stdout=log,
        stderr=subprocess.STDOUT,
        env=environment,
        start_new_session=True,
    )
    stack.callback(kill_machine, process.pid)
    return process


def machine(session: int) -> dict[int, str]:
    """Return the processes of a session with their command lines: a worker, its executors, their Pythons."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if os.getsid(int(entry.name)) == session:
                    command = (entry / "cmdline").read_bytes().replace(b"\0", b" ")
                    found[int(entry.name)] = command.decode("utf-8", "replace")
            except (ProcessLookupError, FileNotFoundError, PermissionError):
                continue
    return found


def kill_machine(session: int) -> list[str]:
    """Kill all processes of a session at once; return what they were."""
    there = machine(session)
    for process in there:
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            continue
    return list(there.values())


def started(log: Path, model: str) -> bool:
    """Whether dbt has begun to make a model."""
    return log.exists() and f"START python table model audit.{model} " in log.read_text("utf-8", "replace")


def waits(folder: Path) -> Counter[str]:
    """How the tasks of a build ended, by Spark's own record of events."""
    reasons: Counter[str] = Counter()
    for file in folder.rglob("*"):
        if file.is_file() and not file.name.startswith("appstatus"):
            for line in file.read_text("utf-8", "replace").splitlines():
                if '"Event":"SparkListenerTaskEnd"' in line:
                    reasons[json.loads(line)["Task End Reason"]["Reason"]] += 1
    return reasons


def main() -> int:
    """Build, kill, compare, record; return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--suite", type=Path, default=SUITE)
    parser.add_argument("--duckdb", type=Path, help="data folder that is built on DuckDB already")
    parser.add_argument("--model", default=MODEL, help="the model in whose tasks the worker dies")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    with TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        duckdb, spark, events = options.duckdb or folder / "duckdb", folder / "spark", folder / "events"
        for place in (spark, events):
            place.mkdir()
        if options.duckdb is None:
            spark_parity.answers(duckdb, options.suite, None)
            if spark_parity.run("DuckDB", [sys.executable, "-c", spark_parity.BUILD, duckdb, *TABLES]):
                return 1
        shutil.copy(duckdb / "raw.duckdb", spark / "raw.duckdb")

        port = free_port()
        master = f"spark://{LOOPBACK}:{port}"
        named = ("--host", LOOPBACK, "--port")
        ui = ("--webui-port", "0")
        daemon(stack, folder, "master", "org.apache.spark.deploy.master.Master", *named, str(port), *ui)
        workers = [
            daemon(
                stack, folder, f"worker{i}", "org.apache.spark.deploy.worker.Worker", *named, "0", *ui,
                "--cores", "1", "--memory", "1g", "--work-dir", str(folder / f"work{i}"), master,
            )
            for i in (1, 2)
        ]  # fmt: skip
        environment = os.environ | {
            "PLUMBLINE_TARGET": "spark",
            "SPARK_MASTER": master,
            "SPARK_LOCAL_IP": LOOPBACK,
            "PLUMBLINE_SPARK_CONF": OPTIONS.format(events=events),
        }
        start = time.monotonic()
        build = subprocess.Popen(
            [sys.executable, "-c", spark_parity.BUILD, str(spark), *TABLES], env=environment, cwd=ROOT
        )
        stack.callback(build.kill)
        log = spark / "logs" / "dbt.log"
        while build.poll() is None and not started(log, options.model):
            time.sleep(0.1)
        # A task has a process of Python's; give it a moment to be in the middle of what it does.
        while build.poll() is None and not any("pyspark" in one for one in machine(workers[0].pid).values()):
            time.sleep(0.05)
        time.sleep(1.0)
        killed_at = time.monotonic() - start
        killed = kill_machine(workers[0].pid)
        status = build.wait(PATIENCE)
        seconds = time.monotonic() - start
        print(f"killed {len(killed)} processes at {killed_at:.0f} s; exit {status} at {seconds:.0f} s")
        if status:
            return 1
        compared = subprocess.run(
            [sys.executable, str(ROOT / "scripts" / "same_marts.py"), str(duckdb), str(spark)],
            capture_output=True,
            text=True,
            check=False,
        )
        print(compared.stdout)
        ended = waits(events)
        lost = ended.total() - ended["Success"]
        options.out.mkdir(parents=True, exist_ok=True)
        (options.out / "spark_cluster.md").write_text(
            f"# A worker is killed in the middle of a build on Spark\n\n"
            f"Made by `experiments/spark_cluster.py` on {datetime.now(UTC):%Y-%m-%d}: a standalone master and"
            f" two workers on loopback, one core and 1 GB each; {os.cpu_count()} cores in all, load"
            f" {os.getloadavg()[0]:.1f} at the end.\n\n"
            f"| | |\n| --- | --- |\n"
            f"| suite | {options.suite.name} |\n"
            f"| killed in | `{options.model}`, {killed_at:.0f} s after the start |\n"
            f"| processes killed | {len(killed)}: a worker, its executor, Python |\n"
            f"| tasks | {ended['Success']:,} done, {lost:,} lost and run again |\n"
            f"| the build ended after | {seconds:.0f} s |\n"
            f"| compared with DuckDB's | {compared.stdout.strip().splitlines()[-1]} |\n"
        )
        if not lost:
            print("The kill hit no task: nothing was shown.")
        return compared.returncode or int(not lost)


TABLES = ("--exclude", "tag:fairness_gate", "--exclude-resource-type", "unit_test",
          "--exclude-resource-type", "test")  # fmt: skip

if __name__ == "__main__":
    sys.exit(main())
