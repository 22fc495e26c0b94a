"""The study of validity: `python -m experiments.validity --out data/study`."""

import argparse
import csv
import multiprocessing
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from experiments.validity.cells import AUDITS, QUICK_AUDITS, SEED, Cell, cells
from experiments.validity.judge import Audit, compare
from experiments.validity.simulate import check, run
from experiments.validity.tables import as_text, read_row, write_csv, write_md


def main() -> None:
    """Run the study."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("data/study"), help="where to write")
    parser.add_argument(
        "--audits", type=int, help=f"audits a design (default {min(AUDITS.values())} or more)"
    )
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_AUDITS} audits a design")
    parser.add_argument("--jobs", type=int, default=2, help="designs at the same time (default 2)")
    arguments = parser.parse_args()
    fixed = QUICK_AUDITS if arguments.quick else arguments.audits
    audits = {part: fixed or n for part, n in AUDITS.items()}
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    arguments.out.mkdir(parents=True, exist_ok=True)
    path = arguments.out / "study_validity.csv"
    wanted, ran_on = list(cells()), f"{datetime.now(UTC):%Y-%m-%d}"
    started = time.monotonic()
    rows: list[dict[str, Any]] = []
    first: dict[Cell, list[Audit]] = {}
    with ProcessPoolExecutor(arguments.jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        checked = pool.submit(check, wanted, min(audits.values()))
        order = sorted(wanted, key=lambda c: -c.size)
        futures = {pool.submit(run, cell, audits[cell.part]): cell for cell in order}
        for done, future in enumerate(as_completed(futures), start=1):
            own, first[futures[future]] = future.result()
            rows += own
            seconds = time.monotonic() - started
            print(f"{done} of {len(wanted)} designs, {seconds:.0f} s", file=sys.stderr, flush=True)
        write_csv(path, [as_text(row | {"ran_on": ran_on}) for row in rows])
        for cell, piped in checked.result().items():
            shared = cell.columns() | {"part": "pipeline", "n_audits": audits[cell.part], "seed": SEED}
            rows += [shared | row for row in compare(cell, first[cell], piped)]
    write_csv(path, [as_text(row | {"ran_on": ran_on}) for row in rows])
    with path.open(newline="", encoding="utf-8") as file:
        rows = [read_row(row) for row in csv.DictReader(file)]
    command = "python -m experiments.validity" + (f" --audits {fixed}" if fixed else "")
    write_md(arguments.out / "validity.md", rows, command)


if __name__ == "__main__":
    main()
