"""What do labels mend, where a rule reads one group's answers worse? A recorded experiment.

Many labels: each audit has 20,000 answers about two groups of 20 names, and no bias: both groups' answers are
favourable equally often. A rule finds 90 % of the favourable answers about one group and 70 % of those about
the other. 400 answers are drawn (100 for each group and reading), and people say what they are. A score is
too low for the second group by half a standard deviation.

Few labels: 2,000 answers about two groups of 200 names, of which 20 to 400 are labelled, some more about one
group. Groups are alike, or their ratio is 0.8 (the limit) or 0.6 (beyond it by a quarter). The rule reads
well, misses more of one group, or finds so much in the poorer group that both look alike.

    python experiments/label_correction.py --audits 400 --few 150 --out experiments/results

Writes `label_correction.csv`: by cell, how many audits fail (beyond the limit of the profile `plumbline` and
p <= 0.05) as read and as corrected, how often 95 % intervals of a group's rate or mean hold the truth, and
how wide they are by those of the labels alone. And `few_labels.csv`: how many audits pass (the bound of the
ratio is within the limit, and p > 0.05) and fail, as read, as corrected by redrawing labels alone, and as
corrected with what few labels leave open; and how often intervals of rates, and bounds of the ratio, hold.
Exit code 1 where one does not hold: of many labels, most audits fail as read, at most 5 % as corrected, 93 to
97 % of the intervals hold the truth, and they are a fifth narrower; of few, at most 5 % pass at the limit and
1 % beyond it, at most 5 % fail where groups are alike, and at least 93 % of the intervals hold.
"""

import argparse
import csv
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from ingest.inference.arrays import Array, Codes
from ingest.inference.bootstrapping import bootstrap_interval
from ingest.inference.corrected import (
    NONE,
    Labels,
    corrected_outcomes,
    corrected_scores,
    folds,
    labels_alone,
    reading_cells,
    selection_sums_corrected,
    share_intervals,
    stands_for,
)
from ingest.inference.design import Design
from ingest.inference.group_statistics import group_mean
from ingest.inference.label_doubt import Doubt
from ingest.inference.resampling import Resampled, resample
from ingest.inference.sums import group_table, score_sums, selection_sums
from ingest.labelling.allocation import allocate

N_NAMES, N_OF_NAME, N_LABELS, N_DRAWS = 20, 500, 400, 500
SENSITIVITY, SPECIFICITY = (0.9, 0.7), (0.95, 0.95)
GROUPS = [("A", (0,)), ("B", (1,))]
# Limits of the profile `plumbline` (seeds/thresholds.csv).
LOWEST_RATIO, LARGEST_GAP = 0.8, 0.5
FEW_NAMES, FEW_OF_NAME, FEW_ICC, FEW_DRAWS = 200, 5, 0.02, 300
FAVOURABLE = np.array([False, True])
N_WORKERS = 2


@dataclass(frozen=True)
class Cell:
    """What is true: the rate of favourable answers of both groups, or None of a score, and the names' ICC."""

    kind: Literal["selection", "score"]
    rate: float | None
    icc: float


@dataclass(frozen=True)
class Found:
    """Of one cell: audits, shares of them that fail, intervals that hold the truth, and their width."""

    kind: str
    rate: float | None
    icc: float
    n_audits: int
    fail_as_read: float
    fail_corrected: float
    intervals_hold: float
    width_by_labels_alone: float
    bias_corrected: float

    def holds(self) -> bool:
        """Whether the cell does what is promised."""
        return (
            self.fail_as_read > 0.5
            and self.fail_corrected <= 0.05
            and 0.93 <= self.intervals_hold <= 0.97
            and self.width_by_labels_alone <= 0.8
        )


class Audit(NamedTuple):
    """Whether an audit fails, which intervals (2,) hold the truth, how wide they are, their errors (2,)."""

    fails_as_read: bool
    fails_corrected: bool
    holds: Array
    width: float
    errors: Array


CELLS = [
    Cell("selection", 0.5, 0.01),
    Cell("selection", 0.5, 0.03),
    Cell("selection", 0.7, 0.02),
    Cell("score", None, 0.01),
]


class Few(NamedTuple):
    """A cell of few labels: the rule, both groups' rates, how it reads them, and labels of each group."""

    rule: str
    rates: tuple[float, float]
    sensitivity: tuple[float, float]
    specificity: tuple[float, float]
    n_labels: tuple[int, int]


def _few(rule: str, rates: tuple[float, float], *n_labels: tuple[int, int]) -> list[Few]:
    hidden = (1.0, 1 - (rates[0] - rates[1]) / (1 - rates[1]))
    reads = {
        "well read": ((0.98, 0.98), (0.98, 0.98)),
        "misread": (SENSITIVITY, SPECIFICITY),
        "hidden": ((1.0, 1.0), hidden),
    }
    return [Few(rule, rates, *reads[rule], n) for n in n_labels]


ALIKE, AT_LIMIT, BEYOND = (0.5, 0.5), (0.5, 0.4), (0.5, 0.3)
FEW = [
    *_few("hidden", AT_LIMIT, (10, 10), (14, 14), (25, 25), (50, 50), (10, 40)),
    *_few("hidden", BEYOND, (14, 14), (50, 50)),
    *_few("well read", AT_LIMIT, (14, 14)),
    *_few("misread", ALIKE, (10, 10), (14, 14), (50, 50)),
    *_few("well read", ALIKE, (14, 14), (50, 50), (200, 200)),
]


class FewFound(NamedTuple):
    """Shares of audits that pass and fail, and of intervals of rates and bounds of the ratio that hold."""

    pass_as_read: float
    fail_as_read: float
    pass_by_redrawing: float
    pass_corrected: float
    fail_corrected: float
    intervals_hold: float
    bounds_hold: float

    def holds(self, cell: Few) -> bool:
        """Whether the cell does what is promised."""
        most_pass = {ALIKE: 1.0, AT_LIMIT: 0.05, BEYOND: 0.01}[cell.rates]
        most_fail = 0.05 if cell.rates == ALIKE else 1.0
        is_bounded = min(self.intervals_hold, self.bounds_hold) >= 0.93
        return self.pass_corrected <= most_pass and self.fail_corrected <= most_fail and is_bounded


def one_audit(cell: Cell, seed: int) -> Audit:
    """Simulate the answers of one audit and the labels of some, and judge both."""
    rng = np.random.default_rng([seed, CELLS.index(cell)])
    n = 2 * N_NAMES * N_OF_NAME
    group, name = np.repeat([0, 1], n // 2), np.repeat(np.arange(2 * N_NAMES), N_OF_NAME)
    design = Design.from_codes(GROUPS, group, np.arange(n) // 10, name)
    if cell.kind == "score":
        truth = rng.normal(0, cell.icc**0.5, 2 * N_NAMES)[name] + rng.normal(0, (1 - cell.icc) ** 0.5, n)
        read = 0.8 * truth + rng.normal(0, 0.4, n) - np.array([0.0, 0.5])[group]
        is_there, weight = _drawn(rng, group, N_LABELS // 2)
        labels = Labels(is_there, np.zeros(n, np.int64), np.where(is_there, truth, 0.0), weight)
        sums = corrected_scores(group, read, labels, folds(design))
        alone = labels_alone(labels, score_sums(labels.value))
        doubt = Doubt.of(design, group, stands_for(group, labels), sums)
        return _judged(design, score_sums(read), sums, alone, doubt, seed, 0.0)
    assert cell.rate is not None
    said, seen = _answers(rng, (cell.rate, cell.rate), cell.icc, SENSITIVITY, SPECIFICITY, name)
    is_there, weight = _drawn(rng, 2 * group + seen, N_LABELS // 4)
    sums, alone, doubt = _mended(design, said, seen, is_there, weight)
    return _judged(design, selection_sums(seen), sums, alone, doubt, seed, cell.rate)


def one_of_few(cell: Few, seed: int) -> FewFound:
    """Simulate one audit with few labels; each share is 0 or 1, that of intervals 0.5 where one holds."""
    rng = np.random.default_rng([seed, 100 + FEW.index(cell)])
    n = 2 * FEW_NAMES * FEW_OF_NAME
    group, name = np.repeat([0, 1], n // 2), np.repeat(np.arange(2 * FEW_NAMES), FEW_OF_NAME)
    design = Design.from_codes(GROUPS, group, np.arange(n), name)
    said, seen = _answers(rng, cell.rates, FEW_ICC, cell.sensitivity, cell.specificity, name)
    is_there, weight = np.zeros(n, bool), np.zeros(n)
    for one, n_labels in enumerate(cell.n_labels):
        readings = [np.flatnonzero((group == one) & (seen == reading)) for reading in range(2)]
        sizes = np.array([len(members) for members in readings])
        counts = allocate(sizes, np.full(2, 2), n_labels)
        for members, count in zip(readings, counts, strict=True):
            chosen = rng.choice(members, count, replace=False)
            is_there[chosen], weight[chosen] = True, len(members) / count
    sums, _, doubt = _mended(design, said, seen, is_there, weight)
    # Labels that leave nothing open but what redrawing shows: as it was before.
    redrawn_alone = doubt._replace(unread=np.zeros_like(doubt.unread), n_units=np.full(2, np.inf))
    wanted = ("min_impact_ratio", "range")
    as_read = resample(design, selection_sums(seen), wanted, FEW_DRAWS, FEW_DRAWS, seed)
    design, sums = _by_name(design, sums)
    redrawn = resample(design, sums, wanted, FEW_DRAWS, FEW_DRAWS, seed, doubt=redrawn_alone)
    mended = resample(design, sums, wanted, FEW_DRAWS, FEW_DRAWS, seed, doubt=doubt)
    low, high = _ends(design, sums, doubt, seed)
    rates = np.array(cell.rates)
    return FewFound(
        _passes(as_read),
        _fails(as_read),
        _passes(redrawn),
        _passes(mended),
        _fails(mended),
        float(((low <= rates) & (rates <= high)).mean()),
        bool(mended[0].bound_low <= rates.min() / rates.max()),
    )


def _answers(
    rng: np.random.Generator,
    rates: tuple[float, float],
    icc: float,
    sensitivity: tuple[float, float],
    specificity: tuple[float, float],
    name: Codes,
) -> tuple[Codes, Codes]:
    """Which answers are favourable, and which a rule finds so, (n,); names are half of one group."""
    n_names, shape = int(name.max()) + 1, 1 / icc - 1
    own = np.repeat(rates, n_names // 2)
    said = (rng.random(len(name)) < rng.beta(own * shape, (1 - own) * shape)[name]).astype(np.int64)
    group = name // (n_names // 2)
    chance = np.where(said == 1, np.array(sensitivity)[group], 1 - np.array(specificity)[group])
    return said, (rng.random(len(name)) < chance).astype(np.int64)


def _mended(
    design: Design, said: Codes, seen: Codes, is_there: Array, weight: Array
) -> tuple[Array, Array, Doubt]:
    """Sums (n, 2) as corrected and of labels alone, and what the labels leave open."""
    group, n = design.group, len(said)
    labels = Labels(is_there, np.where(is_there, said, NONE), np.zeros(n), weight)
    corrected = corrected_outcomes(group, seen, labels, folds(design), 2)
    alone = selection_sums_corrected(labels_alone(labels, np.eye(4)[labels.code]), FAVOURABLE)
    sums = selection_sums_corrected(corrected, FAVOURABLE)
    cell = reading_cells(group, seen, 2)
    return sums, alone, Doubt.of(design, cell, stands_for(cell, labels), sums)


def _by_name(design: Design, sums: Array) -> tuple[Design, Array]:
    """The same answers, those of a name added up: names are what is redrawn and relabelled."""
    name = design.block
    group = np.zeros(int(name.max()) + 1, np.int64)
    group[name] = design.group
    names = np.arange(len(group))
    return Design.from_codes(GROUPS, group, names, names), group_table(name, sums, len(group))


def _drawn(rng: np.random.Generator, stratum: Codes, n_each: int) -> tuple[Array, Array]:
    """Which answers are drawn, and 1 / probability, (n,)."""
    is_there, weight = np.zeros(len(stratum), bool), np.zeros(len(stratum))
    for one in np.unique(stratum):
        members = np.flatnonzero(stratum == one)
        chosen = rng.choice(members, min(n_each, len(members)), replace=False)
        is_there[chosen], weight[chosen] = True, len(members) / len(chosen)
    return is_there, weight


def _judged(
    design: Design, read: Array, corrected: Array, alone: Array, doubt: Doubt, seed: int, truth: float
) -> Audit:
    is_score = read.shape[1] == 3
    wanted = ("mean", "max_mean_gap") if is_score else ("selection_rate", "min_impact_ratio", "range")
    as_read = resample(design, read, wanted, N_DRAWS, 0, seed)
    own, corrected = _by_name(design, corrected)
    _, alone = _by_name(design, alone)
    mended = resample(own, corrected, wanted, N_DRAWS, N_DRAWS, seed, doubt=doubt)
    if is_score:
        low, high = np.array([(row.ci_low, row.ci_high) for row in mended[:2]]).T
        by_labels = bootstrap_interval(own, alone, group_mean, N_DRAWS, seed, lowest=-np.inf)
        width = by_labels.high - by_labels.low
    else:
        low, high = _ends(own, corrected, doubt, seed)
        width = np.diff(_ends(own, alone, doubt, seed), axis=0)
    return Audit(
        _fails(as_read),
        _fails(mended),
        (low <= truth) & (truth <= high),
        float((high - low).sum() / width.sum()),
        np.array([row.value - truth for row in mended[:2]]),
    )


def _ends(design: Design, sums: Array, doubt: Doubt, seed: int) -> tuple[Array, Array]:
    """Both ends (2,) of the intervals of selection rates."""
    both = np.column_stack([sums[:, 0] - sums[:, 1], sums[:, 1]])
    _, low, high = share_intervals(design, both, doubt, N_DRAWS, seed)
    return low[:, 1], high[:, 1]


def _passes(rows: list[Resampled]) -> bool:
    named = {row.statistic: row for row in rows}
    return named["min_impact_ratio"].bound_low >= LOWEST_RATIO and named["range"].p_value > 0.05


def _fails(rows: list[Resampled]) -> bool:
    named = {row.statistic: row for row in rows}
    if "max_mean_gap" in named:
        return named["max_mean_gap"].value > LARGEST_GAP and named["max_mean_gap"].p_value <= 0.05
    return named["min_impact_ratio"].value < LOWEST_RATIO and named["range"].p_value <= 0.05


def run(n_audits: int) -> Iterator[Found]:
    """Yield what is found in each cell."""
    with ProcessPoolExecutor(N_WORKERS) as pool:
        for cell in CELLS:
            audits = list(pool.map(partial(one_audit, cell), range(n_audits), chunksize=10))
            yield Found(
                **asdict(cell),
                n_audits=n_audits,
                fail_as_read=float(np.mean([audit.fails_as_read for audit in audits])),
                fail_corrected=float(np.mean([audit.fails_corrected for audit in audits])),
                intervals_hold=float(np.mean([audit.holds for audit in audits])),
                width_by_labels_alone=float(np.mean([audit.width for audit in audits])),
                bias_corrected=float(np.mean([audit.errors for audit in audits])),
            )


def run_few(n_audits: int) -> Iterator[tuple[Few, FewFound]]:
    """Yield what is found in each cell of few labels."""
    with ProcessPoolExecutor(N_WORKERS) as pool:
        for cell in FEW:
            audits = list(pool.map(partial(one_of_few, cell), range(n_audits), chunksize=10))
            yield cell, FewFound(*np.mean(np.array(audits, np.float64), axis=0).tolist())


def _row_of_few(cell: Few, found: FewFound, n_audits: int) -> dict[str, Any]:
    rates, labels = cell.rates, cell.n_labels
    read = {"sensitivity": cell.sensitivity, "specificity": cell.specificity}
    return {
        "rule": cell.rule,
        "ratio": rates[1] / rates[0],
        **{name: " and ".join(f"{one:.2f}" for one in both) for name, both in read.items()},
        "n_labels": sum(labels),
        "n_labels_fewest": min(labels),
        "n_audits": n_audits,
        **found._asdict(),
    }


def _write(path: Path, rows: list[dict[str, Any]]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        for row in rows:
            rounded = {name: round(one, 4) if isinstance(one, float) else one for name, one in row.items()}
            writer.writerow(rounded)


def main() -> int:
    """Run the experiment; return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--audits", type=int, default=400, help="with many labels; 0 for none")
    parser.add_argument("--few", type=int, default=150, help="with few labels; 0 for none")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    start, is_held, few, found = time.monotonic(), True, [], []
    for cell, one in run_few(options.few) if options.few else ():
        few.append(_row_of_few(cell, one, options.few))
        is_held &= one.holds(cell)
        print(*few[-1].values(), one.holds(cell), flush=True)
    if options.out and few:
        _write(options.out / "few_labels.csv", few)
    for many in run(options.audits) if options.audits else ():
        print(many, flush=True)
        found.append(asdict(many))
        is_held &= many.holds()
    if options.out and found:
        _write(options.out / "label_correction.csv", found)
    print(f"{time.monotonic() - start:.0f} seconds on {N_WORKERS} cores")
    return 0 if is_held else 1


if __name__ == "__main__":
    sys.exit(main())
