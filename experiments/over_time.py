"""Does `plumbline watch` say rightly what changed? Series of twelve looks, with a planted shift and without.

.venv/bin/python experiments/over_time.py [--series 2000]      -> experiments/results/over_time.csv

Each look asks so many roots about two groups, in two questions. Roots differ (a standard deviation of 0.7 in
log-odds), so their answers resemble one another. Three numbers are judged of each question, with intervals
of units drawn again as in an audit: six numbers, corrected by Holm, that hang together. From the seventh
look on one group's log-odds are others in the first question. Found: a number of that question raises an
alarm at look 7 to 10, and none did before.
"""

import argparse
import csv
from pathlib import Path

import numpy as np

from ingest.inference.drawing import intervals
from ingest.inference.group_statistics import STATISTICS
from ingest.inference.over_time import watched

N_LOOKS, CHANGED, BY = 12, 7, 10
N_QUESTIONS, N_DRAWS, SPREAD, BASE = 2, 200, 0.7, -0.4
NUMBERS = ("max_share_gap", "cramers_v", "max_jsd_nats_pooled")
OUT = Path(__file__).parent / "results" / "over_time.csv"


def look(rng, n_series, n_roots, repeats, log_odds):
    """Values and interval ends (series, numbers) of one question at one look."""
    root = rng.normal(BASE, SPREAD, (n_series, n_roots))
    logit = np.stack([root, root + log_odds], axis=-1)
    yes = rng.binomial(repeats, 1 / (1 + np.exp(-logit))).astype(float)
    units = np.stack([yes, repeats - yes], axis=-1)  # (series, roots, groups, outcomes)
    observed = _values(units.sum(1))
    ends = np.empty((n_series, len(NUMBERS), 2))
    for series in range(n_series):
        times = rng.multinomial(n_roots, np.full(n_roots, 1 / n_roots), N_DRAWS).astype(float)
        tables = (times @ units[series].reshape(n_roots, -1)).reshape(N_DRAWS, 2, 2)
        ends[series] = intervals(_values(tables).T, observed[series], n_roots)
    return observed, ends


def _values(tables):
    return np.stack([STATISTICS[name].of(tables) for name in NUMBERS], axis=-1)


def holm(p_values):
    """Whether each of the p-values (m,) is at most 0.05 after Holm."""
    order = np.argsort(p_values)
    adjusted = np.maximum.accumulate((len(p_values) - np.arange(len(p_values))) * p_values[order])
    is_found = np.empty(len(p_values), dtype=bool)
    is_found[order] = adjusted <= 0.05
    return is_found


def simulate(n_series, n_roots, repeats, before, after, seed):
    """One row: how many series raised an alarm, found the shift in time, and placed it rightly."""
    rng = np.random.default_rng(seed)
    gap_before, gap_after = (_gap(log_odds) for log_odds in (before, after))
    values, ends = [], []
    for place in range(1, N_LOOKS + 1):
        shifted = after if place >= CHANGED else before
        parts = [
            look(rng, n_series, n_roots, repeats, shifted if q == 0 else before) for q in range(N_QUESTIONS)
        ]
        values.append(np.concatenate([part[0] for part in parts], axis=1))
        ends.append(np.concatenate([part[1] for part in parts], axis=1))
    value, end = np.stack(values, axis=-1), np.stack(ends, axis=2)
    n_any = n_early = n_found = n_wrong = n_placed = 0
    n_answers = np.full(N_LOOKS, 2 * n_roots * repeats)
    for series in range(n_series):
        found = watched(value[series], *np.moveaxis(end[series], -1, 0), n_answers, n_roots, N_LOOKS)
        p_values = found.p_value[:, 1:].T
        alarms = np.array([holm(row) for row in p_values])  # (looks from the second, numbers)
        when = np.flatnonzero(alarms.any(axis=1))
        n_any += bool(len(when))
        n_wrong += bool(alarms[:, len(NUMBERS) :].any())
        if not len(when):
            continue
        first = when[0] + 2
        n_early += first < CHANGED
        if CHANGED <= first <= BY and alarms[: BY - 1, : len(NUMBERS)].any():
            n_found += 1
            number = int(np.flatnonzero(alarms[when[0]])[0])
            at = (number, first - 1)
            n_placed += bool(found.changed_from[at] <= CHANGED <= found.changed_to[at])
    return {
        "n_series": n_series, "roots_a_look": n_roots, "repeats": repeats, "gap_before": round(gap_before, 3),
        "gap_from_look_7": round(gap_after, 3), "any_alarm": n_any / n_series,
        "alarm_before_look_7": float(n_early / n_series), "found_by_look_10": n_found / n_series,
        "alarm_of_the_other_question": n_wrong / n_series,
        "look_7_in_the_range": n_placed / n_found if n_found else "",
    }  # fmt: skip


def _gap(log_odds):
    """Difference of the groups' shares over all roots there could be."""
    root = np.random.default_rng(0).normal(BASE, SPREAD, 1_000_000)
    return float((1 / (1 + np.exp(-root - log_odds)) - 1 / (1 + np.exp(-root))).mean())


def main():
    """Run every setting and write its row."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--series", type=int, default=2000)
    n_series = parser.parse_args().series
    settings = [
        (roots, repeats, before, after)
        for roots, repeats in ((20, 3), (40, 3))
        for before, after in ((0.0, 0.0), (1.0, 1.0), (0.0, 0.7), (0.0, 1.0), (0.0, 1.4), (1.0, 0.0))
    ]
    rows = []
    for place, (roots, repeats, before, after) in enumerate(settings):
        rows.append(simulate(n_series, roots, repeats, before, after, [20, place]))
        print(rows[-1], flush=True)
    with OUT.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
