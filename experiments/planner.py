"""Does the planner promise what is found? A recorded experiment, not a test.

    python -m experiments.planner --out data/study

Audits are simulated name by name: what a name's answers have in common is drawn from a Dirichlet distribution
(for two outcomes a beta), so that they correlate by the layout's ICC. Each audit is resampled by
`ingest.inference` and judged as a verdict is: `fail` beyond the fail limit and more than chance at the level
that so many tables leave to one; `pass` where the one-sided 95 % bound lies within the pass limit. Writes
`planner.csv` and `planner.md`: promised and found, by layout, gap and limit.
"""

import argparse
import csv
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from experiments.validity.tables import table, wilson
from ingest.inference.constants import ALPHA
from ingest.inference.design import Design
from ingest.inference.planning import (
    Layout,
    Limit,
    Shares,
    limit_for,
    power_to_fail,
    power_to_pass,
    truth,
)
from ingest.inference.resampling import resample
from ingest.inference.sums import outcome_sums, selection_sums

SEED = 20_261_122
AUDITS = 400
PERMUTATIONS, BOOTSTRAP = 999, 500  # five times as many where several tables share the level
WITHIN = 0.05  # how far found may lie from promised


class Cell(NamedTuple):
    """One design with its truth, and what is judged of it."""

    layout: Layout
    shares: Shares
    gap: float
    statistic: str
    fail: float
    passes: float
    n_tables: int = 1

    @property
    def limit(self) -> Limit:
        """What a verdict asks."""
        return limit_for(self.statistic, self.fail, self.passes)

    @property
    def is_selection(self) -> bool:
        """Whether the answers are favourable or not."""
        return self.statistic == "min_impact_ratio"


def cells() -> Iterator[Cell]:
    """Yield every design of the study."""
    even, third = (0.5, 0.5), (0.3, 0.4, 0.3)
    # Of two groups with two outcomes the FDI is half the gap.
    for n_names, gap in ((10, 0.3), (20, 0.3), (40, 0.2), (60, 0.2), (150, 0.1), (60, 0.0), (120, 0.0)):
        yield Cell(Layout(2, n_names, 2, 3, 0.3), even, gap, "max_fdi_pooled", 0.0, 0.075)
        yield Cell(Layout(2, n_names, 2, 3, 0.3), (0.7, 0.3), gap, "min_impact_ratio", 0.8, 0.8)
    for n_names, gap in ((20, 0.3), (60, 0.2), (60, 0.0), (150, 0.0)):
        yield Cell(Layout(2, n_names, 1, 6, 0.1), even, gap, "max_fdi_pooled", 0.05, 0.05, 20)
        yield Cell(Layout(4, n_names, 1, 6, 0.3), (0.8, 0.2), gap, "min_impact_ratio", 0.8, 0.8, 20)
        yield Cell(Layout(3, n_names, 2, 2, 0.3), third, gap, "max_fdi_pooled", 0.15, 0.2)
        yield Cell(Layout(3, n_names, 2, 2, 0.3), third, gap, "cramers_v", 0.1, 0.3, 5)
    for n_roots, gap in ((12, 0.3), (24, 0.2), (24, 0.0)):
        yield Cell(Layout(2, n_roots, 9, 3, 0.3, True), even, gap, "max_fdi_pooled", 0.05, 0.075, 20)
        yield Cell(Layout(6, n_roots, 3, 3, 0.3, True), third, gap, "max_fdi_pooled", 0.15, 0.2, 20)


def design_of(layout: Layout) -> Design:
    """The design whose answers `draw` gives, in their order: groups, units, prompts, repeats."""
    sizes = (layout.n_groups, layout.n_units, round(layout.n_prompts), round(layout.n_repeats))
    group, unit, prompt, _ = (codes.ravel() for codes in np.indices(sizes))
    own = (group * sizes[1] + unit) * sizes[2] + prompt
    block = unit if layout.is_shared else group * sizes[1] + unit
    return Design(group[:, None], group, own, block, tuple(f"G{g + 1:02}" for g in range(sizes[0])))


def draw(cell: Cell, rng: np.random.Generator) -> np.ndarray:
    """Codes of one audit's answers, (n,)."""
    layout = cell.layout
    n_clusters, n_answers = layout.n_units, round(layout.n_prompts * layout.n_repeats)
    if layout.is_shared:
        n_clusters, n_answers = layout.n_units * round(layout.n_prompts), round(layout.n_repeats)
    shares = np.maximum(np.repeat(truth(cell.shares, cell.gap, layout.n_groups), n_clusters, axis=0), 1e-9)
    own = rng.standard_gamma(shares * (1 - layout.icc) / layout.icc) + 1e-300
    edges = np.cumsum(own / own.sum(1, keepdims=True), axis=1)[:, None, :-1]
    codes: np.ndarray = (rng.random((len(own), n_answers, 1)) > edges).sum(-1)
    return codes.ravel()


def judge(cell: Cell, codes: np.ndarray, design: Design, seed: int) -> tuple[bool, bool]:
    """Whether an audit ends in `fail`, and in `pass`."""
    limit = cell.limit
    sums = selection_sums(codes == 0) if cell.is_selection else outcome_sums(codes, len(cell.shares))
    names = sorted({limit.statistic, limit.test})
    n_permutations = PERMUTATIONS if cell.n_tables == 1 else 5 * PERMUTATIONS
    rows = {row.statistic: row for row in resample(design, sums, names, n_permutations, BOOTSTRAP, seed)}
    own, test = rows[limit.statistic], rows[limit.test]
    alpha = 1 - (1 - ALPHA) ** (1 / cell.n_tables)
    is_beyond = own.value < cell.fail if limit.is_lower_worse else own.value > cell.fail
    is_within = own.bound_low >= cell.passes if limit.is_lower_worse else own.bound_high <= cell.passes
    return bool(is_beyond and test.p_value <= alpha), bool(is_within)


def run(cell: Cell, n_audits: int = AUDITS) -> dict[str, Any]:
    """Simulate a cell: what was promised, and how many audits ended so."""
    design = design_of(cell.layout)
    rng = np.random.default_rng([SEED, *map(ord, repr(cell))])
    found = np.array([judge(cell, draw(cell, rng), design, index) for index in range(n_audits)])
    truth_of = (cell.layout, cell.shares, cell.gap, [cell.limit])
    (to_fail,), (to_pass,) = power_to_fail(*truth_of, cell.n_tables), power_to_pass(*truth_of)
    layout = cell.layout._asdict() | {"shares": " ".join(f"{share:g}" for share in cell.shares)}
    asked = {name: getattr(cell, name) for name in ("gap", "statistic", "fail", "passes", "n_tables")}
    return layout | asked | {
        "promised_fail": to_fail,
        "n_fail": int(found[:, 0].sum()),
        "promised_pass": to_pass,
        "n_pass": int(found[:, 1].sum()),
        "n_audits": n_audits,
    }  # fmt: skip


def page(rows: Sequence[dict[str, Any]]) -> str:
    """The results as a page."""
    lines, distances, excesses = [], [], []
    for row in rows:
        line = [row["statistic"], row["n_groups"], row["n_units"], "shared" if row["is_shared"] else "own"]
        line += [f"{row['n_prompts']} × {row['n_repeats']}", row["icc"], row["shares"]]
        line += [f"{100 * row['gap']:g}", row["n_tables"], row["n_audits"]]
        for verdict in ("fail", "pass"):
            promised, found = row[f"promised_{verdict}"], row[f"n_{verdict}"] / row["n_audits"]
            low, high = wilson(row[f"n_{verdict}"], row["n_audits"])
            distances.append(abs(promised - found))
            excesses.append(max(low - promised, promised - high))
            line += [f"{promised:.1%}", f"{found:.1%} ({low:.1%} to {high:.1%})"]
        lines.append([str(cell) for cell in line])
    head = ["judged", "groups", "units a group", "units are", "prompts × repeats", "ICC", "shares", "gap"]
    head += ["tables", "audits", "fail promised", "fail found", "pass promised", "pass found"]
    return f"""# Does the planner promise what is found?

Written by `python -m experiments.planner`, seed {SEED}. Of {len(distances)} promises
{sum(distance <= WITHIN for distance in distances)} lie within {100 * WITHIN:g} points of what was found, and
{sum(excess <= WITHIN for excess in excesses)} within {100 * WITHIN:g} points of its 95 % interval (Wilson's,
in brackets); the largest distance is {100 * max(distances):.1f} points.

{table(head, lines)}
"""


def main() -> None:
    """Run the study."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("data/study"), help="where to write")
    parser.add_argument("--audits", type=int, default=AUDITS, help=f"audits a design (default {AUDITS})")
    parser.add_argument("--jobs", type=int, default=2, help="designs at the same time (default 2)")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    wanted = list(cells())
    with ProcessPoolExecutor(arguments.jobs) as pool:
        rows = list(pool.map(run, wanted, [arguments.audits] * len(wanted)))
    with (arguments.out / "planner.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    (arguments.out / "planner.md").write_text(page(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
