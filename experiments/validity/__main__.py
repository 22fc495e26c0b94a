"""The study of validity: `python -m experiments.validity --out data/study`."""

import argparse
import json
import multiprocessing
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from tempfile import TemporaryDirectory

from experiments.validity.cells import AUDITS, QUICK, Cell, cells
from experiments.validity.count import kept, run_and_keep
from experiments.validity.tables import write_csv, write_md
from ingest.warehouse import read_project

BATCH = 300_000  # answers in one build


def batches(sizes: dict[Cell, int], most: float) -> list[dict[Cell, int]]:
    """Cells that share a build: the largest first, at most so many answers unless one has more."""
    found: list[dict[Cell, int]] = []
    room = 0.0
    for cell in sorted(sizes, key=lambda cell: -cell.answers * sizes[cell]):
        n_answers = cell.answers * sizes[cell]
        if not found or n_answers > room:
            found.append({})
            room = most
        found[-1][cell] = sizes[cell]
        room -= n_answers
    return found


def in_a_process(out: Path, cells: dict[Cell, int]) -> None:
    """Simulate cells in a process of its own: dbt runs once at a time in one, and keeps what it has read."""
    process = multiprocessing.get_context("spawn").Process(target=run_and_keep, args=(out, cells))
    process.start()
    process.join()
    if process.exitcode:
        raise SystemExit(f"{', '.join(cell.name for cell in cells)}: stopped; {out / 'study.log'} says why.")


def main() -> None:
    """Run the study."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("data/study"), help="where to write")
    parser.add_argument("--audits", type=int, default=AUDITS, help=f"audits of a cell (default {AUDITS})")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK:.0%} of the audits")
    parser.add_argument("--jobs", type=int, default=2, help="cells at the same time (default 2)")
    parser.add_argument("--cell", action="append", default=[], help="only this cell; may be repeated")
    arguments = parser.parse_args()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    (arguments.out / "cells").mkdir(parents=True, exist_ok=True)
    base = arguments.audits * (QUICK if arguments.quick else 1)
    wanted = [cell for cell in cells() if not arguments.cell or cell.name in arguments.cell]
    sizes = {cell: max(10, round(base * cell.parts)) for cell in wanted}
    with TemporaryDirectory() as empty:
        read_project(Path(empty))  # what dbt reads is kept for all cells
    started = time.monotonic()
    lacking = {cell: n for cell, n in sizes.items() if not kept(arguments.out, cell, n).exists()}
    with ThreadPoolExecutor(arguments.jobs) as pool:
        futures = {
            pool.submit(in_a_process, arguments.out, batch): batch for batch in batches(lacking, BATCH)
        }
        done = len(sizes) - len(lacking)
        for future in as_completed(futures):
            future.result()
            done += len(futures[future])
            took = f"{done} of {len(wanted)} cells, {time.monotonic() - started:.0f} s"
            print(took, file=sys.stderr, flush=True)
    rows = [
        row
        for cell in wanted
        for row in json.loads(kept(arguments.out, cell, sizes[cell]).read_text("utf-8"))
    ]
    write_csv(arguments.out / "study_validity.csv", rows)
    command = f"python -m experiments.validity --audits {base:.0f}"
    write_md(arguments.out / "validity.md", rows, command)


if __name__ == "__main__":
    main()
