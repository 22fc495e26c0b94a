"""Are the permutation p-values of placebo attributes uniform? A recorded experiment, not a test.

An attribute dealt at random has nothing to do with the answers, so its p-values should be uniform, whatever
the answers are and however much those of one block resemble each other. Real answers are kept; only the
attribute is invented, many times, in the ways a real one can lie over blocks:

    python experiments/placebo.py --data data          # a warehouse that `plumbline audit` has built

==================  ===============================================================================
deal                the invented attribute
==================  ===============================================================================
whole_blocks        dealt evenly to blocks (names, identical prompt texts) as a whole
uneven              two large groups and one of a single block, dealt to blocks as a whole
within_blocks       dealt inside each block, to its prompts
crossed             two attributes: one dealt to whole blocks, one inside each
real_shape          a real axis's own labels, moved: what is fixed in a block goes to another block, what
                    varies inside one is shuffled there; so with the real sizes and the real combinations
answers             for real axes that are not tested by blocks: the labels stay, the answers are shuffled
                    over whatever unit the test uses
==================  ===============================================================================

Writes `placebo_uniformity.csv` (one row a design and statistic) and `placebo_uniformity.md` (pooled).
"""

import argparse
import csv
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path

import numpy as np
from scipy import stats as distributions

from experiments.validity.tables import wilson
from ingest.errors import PlumblineError
from ingest.inference.arrays import Array, Codes, dense, row_codes
from ingest.inference.constants import ABSOLUTE_SLACK, MIN_VALID_RATE, PERMUTATION_STREAM, RELATIVE_SLACK
from ingest.inference.design import Design, canonical, resampling_unit
from ingest.inference.distributions import chi_square_p, f_p, t_p
from ingest.inference.drawing import p_values
from ingest.inference.group_statistics import (
    STATISTICS,
    anova_dof,
    anova_f,
    chi_square,
    chi_square_dof,
    welch_dof,
    welch_t,
)
from ingest.inference.registry import evaluate
from ingest.inference.relabelling import plan_for
from ingest.inference.resampling import resample
from ingest.inference.sums import group_table, relabelled_tables, sums_of
from ingest.keys import key
from ingest.warehouse import Warehouse

SEED = 20_260_101
COPIES = 200
PERMUTATIONS = 499
CHECKED_EVERY = 50  # copies, on which the p-values are compared with those of `resample` itself
LEVELS = (0.01, 0.05, 0.10)
GROUPS = (2, 3, 6)
CROSSED = ((2, 2), (2, 3), (3, 2))
BY_BLOCKS = ("whole_blocks", "within_blocks", "blocks_and_within")
TESTED = {
    "outcome": ("chi_square", "max_fdi_pooled", "max_jsd_nats_pooled"),
    "score": ("max_abs_dbi", "anova_f"),
    "selection": ("min_impact_ratio", "range"),
}

ROWS = """
select
    measure_kind as kind, category, config, measure, axis, attribute_codes, prompt_key, block_key, outcome,
    value
from int_responses_analysed
where not is_excluded and (cast(? as varchar) is null or suite = ?)
order by measure_kind, category, config, measure, axis_position, axis, response_key
"""


@dataclass(frozen=True)
class Axis:
    """One analysis as the warehouse makes it: `attributes` (n, A), `prompt`, `block` (n,), `sums` (n, J)."""

    kind: str
    category: str
    config: str
    measure: str
    axis: str
    attributes: Codes
    prompt: Codes
    block: Codes
    sums: Array

    @property
    def identity(self) -> tuple[str, ...]:
        """What the answers are, whatever the axis."""
        return self.kind, self.category, self.config, self.measure

    def design(self, attributes: Codes) -> Design:
        """Return the design of these answers with other attributes (n, A)."""
        group = row_codes(attributes)
        labels = tuple(str(g) for g in range(int(group.max()) + 1))
        return Design(attributes, group, self.prompt, self.block, labels)


@dataclass
class Result:
    """The p-values of one statistic over all copies of one design."""

    deal: str
    n_groups: int
    shape: str
    axis: Axis
    statistic: str
    permutation: str
    p: np.ndarray
    p_random: np.ndarray
    p_rows: np.ndarray


def read_axes(data: Path, suite: str | None) -> list[Axis]:
    """Read every analysis of the warehouse, answers in an order that depends on the rows alone."""
    with Warehouse(data) as warehouse:
        rows = warehouse.rows(ROWS, [suite, suite])
    axes = []
    for identity, members in groupby(
        rows, key=lambda r: (r["kind"], r["category"], r["config"], r["measure"], r["axis"])
    ):
        part = list(members)
        columns = {name: np.array([row[name] for row in part]) for name in part[0]}
        keys = (dense(columns[name]) for name in ("prompt_key", "block_key"))
        outcome = dense(columns["outcome"]) if identity[0] == "outcome" else None
        sums = sums_of(identity[0], outcome, columns["value"])
        axes.append(Axis(*identity, columns["attribute_codes"], *keys, sums))
    return axes


# ------------------------------------------------------------------------------------------- deals


def varies_within(codes: np.ndarray, block: Codes) -> bool:
    """Whether one block holds two values."""
    return len(np.unique(np.column_stack([block, codes]), axis=0)) > len(np.unique(block))


def deal_to_blocks(axis: Axis, n_groups: int, rng: np.random.Generator) -> np.ndarray:
    """Deal groups evenly to blocks, (n,)."""
    return (rng.permutation(int(axis.block.max()) + 1) % n_groups)[axis.block]


def deal_unevenly(axis: Axis, n_groups: int, rng: np.random.Generator) -> np.ndarray:
    """Deal groups to blocks, (n,), the last group to one block only."""
    label = np.arange(int(axis.block.max()) + 1) % (n_groups - 1)
    label[-1] = n_groups - 1
    return rng.permutation(label)[axis.block]


def deal_within(axis: Axis, n_groups: int, rng: np.random.Generator) -> np.ndarray:
    """Deal groups inside each block to its prompts, as evenly as they go, (n,)."""
    label = np.zeros(int(axis.prompt.max()) + 1, dtype=np.int64)
    for block in range(int(axis.block.max()) + 1):
        prompts = np.unique(axis.prompt[axis.block == block])
        label[prompts] = rng.permutation(max(n_groups, len(prompts)))[: len(prompts)] % n_groups
    return label[axis.prompt]


def move_labels(axis: Axis, rng: np.random.Generator) -> Codes:
    """Move a real axis's labels, (n, A): over blocks what is fixed in them, inside them what varies.

    Written without `ingest.inference.resampling`, so that a fault in what moves where there would show here.
    """
    moved = axis.attributes.copy()
    varying = [varies_within(column, axis.block) for column in axis.attributes.T]
    fixed = np.flatnonzero(~np.array(varying))
    varied = np.flatnonzero(varying)
    n_blocks = int(axis.block.max()) + 1
    first_of_block = np.array([np.argmax(axis.block == b) for b in range(n_blocks)])
    moved[:, fixed] = axis.attributes[first_of_block[rng.permutation(n_blocks)]][axis.block][:, fixed]
    for block in range(n_blocks) if len(varied) else ():
        prompts = np.unique(axis.prompt[axis.block == block])
        source = dict(zip(prompts, rng.permutation(prompts), strict=True))
        for prompt in prompts:
            row = np.argmax(axis.prompt == source[prompt])
            moved[np.ix_(axis.prompt == prompt, varied)] = axis.attributes[row, varied]
    return moved


def shuffle_answers(axis: Axis, unit: str, rng: np.random.Generator) -> Array | None:
    """Sums (n, J) moved over responses, or over prompts with all their repeats.

    None where prompts have different numbers of answers and therefore cannot swap them.
    """
    if unit == "responses":
        return axis.sums[rng.permutation(len(axis.sums))]
    by_prompt = np.argsort(axis.prompt, kind="stable")
    n_prompts = int(axis.prompt.max()) + 1
    if len(set(np.bincount(axis.prompt))) > 1:
        return None
    rows = by_prompt.reshape(n_prompts, -1)
    moved = np.empty_like(axis.sums)
    moved[rows.ravel()] = axis.sums[rows[rng.permutation(n_prompts)].ravel()]
    return moved


Deal = Callable[[np.random.Generator], tuple[Design, Array] | None]


def designs(axes: Sequence[Axis]) -> Iterator[tuple[str, int, str, Axis, Deal]]:
    """Yield deal, number of groups, shape, the answers, and a function that makes one copy."""
    for _, members in groupby(axes, key=lambda axis: axis.identity):
        own = list(members)
        whole = max(own, key=lambda axis: len(axis.sums))
        yield from _invented(whole)
        seen = set()
        for axis in own:
            partition = row_codes(axis.attributes)
            n_groups = int(partition.max()) + 1
            if n_groups < 2 or partition.tobytes() in seen:
                continue  # an attribute with one value adds nothing to an axis
            seen.add(partition.tobytes())
            yield ("real_shape", n_groups, axis.axis, axis, _moved(axis))
            design, _ = canonical(axis.design(axis.attributes), axis.sums)
            scheme = plan_for(design, resampling_unit(design)).scheme
            if scheme not in BY_BLOCKS:
                yield ("answers", n_groups, axis.axis, axis, _shuffled(axis, scheme))


def _invented(whole: Axis) -> Iterator[tuple[str, int, str, Axis, Deal]]:
    has_room = bool((np.bincount(whole.block[np.unique(whole.prompt, return_index=True)[1]]) > 1).all())
    for k in GROUPS:
        yield ("whole_blocks", k, str(k), whole, _dealt(whole, (deal_to_blocks, k)))
        if has_room:
            yield ("within_blocks", k, str(k), whole, _dealt(whole, (deal_within, k)))
    yield ("uneven", 3, "3", whole, _dealt(whole, (deal_unevenly, 3)))
    for fixed, varied in CROSSED if has_room else ():
        deal = _dealt(whole, (deal_to_blocks, fixed), (deal_within, varied))
        yield ("crossed", fixed * varied, f"{fixed} x {varied}", whole, deal)


def _dealt(axis: Axis, *deals: tuple[Callable[[Axis, int, np.random.Generator], np.ndarray], int]) -> Deal:
    return lambda rng: (axis.design(np.column_stack([deal(axis, k, rng) for deal, k in deals])), axis.sums)


def _moved(axis: Axis) -> Deal:
    return lambda rng: (axis.design(move_labels(axis, rng)), axis.sums)


def _shuffled(axis: Axis, scheme: str) -> Deal:
    def make(rng: np.random.Generator) -> tuple[Design, Array] | None:
        sums = shuffle_answers(axis, scheme, rng)
        return None if sums is None else (axis.design(axis.attributes), sums)

    return make


# ---------------------------------------------------------------------------------------- p-values


def permute(
    design: Design, sums: Array, names: Sequence[str], n: int, seed: int
) -> tuple[str, np.ndarray, np.ndarray]:
    """Return what was shuffled, and by statistic (S,) the p-value and how many relabellings tie with it.

    The steps of `ingest.inference`, which keeps the p-value only; ties need the relabelled values.
    """
    chosen = [STATISTICS[name] for name in names]
    design, rows = canonical(design, sums)
    plan = plan_for(design, resampling_unit(design))
    table = group_table(design.group, rows, len(design.labels))
    observed = evaluate(chosen, table[None])[:, 0]
    cells = group_table(plan.cell, rows, int(plan.cell.max()) + 1)
    relabel = plan.labeller([seed, PERMUTATION_STREAM])
    draws = evaluate(chosen, relabelled_tables(relabel(n), cells, len(design.labels)))
    p, ties = np.full(len(chosen), np.nan), np.zeros(len(chosen))
    for index, (statistic, value, null) in enumerate(zip(chosen, observed, draws, strict=True)):
        if not np.isfinite(value) or np.isfinite(null).sum() < MIN_VALID_RATE * n:
            continue
        p[index] = p_values(null[None], observed[index : index + 1], statistic.extreme)[0]
        slack = RELATIVE_SLACK * abs(value) + ABSOLUTE_SLACK
        ties[index] = (np.abs(null - value) <= slack).sum()
    return plan.scheme, p, ties


def check(design: Design, sums: Array, names: Sequence[str], p: np.ndarray, seed: int) -> None:
    """Stop unless `resample` gives the same p-values."""
    results = resample(design, sums, names, n_permutations=PERMUTATIONS, n_bootstrap=0, seed=seed)
    expected = np.array([result.p_value for result in results])
    if not np.array_equal(expected, p, equal_nan=True):
        raise SystemExit(f"not what `resample` gives: {p} instead of {expected}")


def p_of_rows(axis: Axis, design: Design, sums: Array) -> float:
    """Return the textbook p-value, which takes every response for an independent one."""
    table = group_table(design.group, sums, len(design.labels))
    if axis.kind == "outcome":
        return float(chi_square_p(chi_square(table), chi_square_dof(table)))
    if axis.kind == "selection":
        counts = np.column_stack([table[:, 1], table[:, 0] - table[:, 1]])
        return float(chi_square_p(chi_square(counts), chi_square_dof(counts)))
    if len(table) == 2:
        return float(t_p(welch_t(table), welch_dof(table)))
    return float(f_p(anova_f(table), *anova_dof(table)))


def run(deal: str, n_groups: int, shape: str, axis: Axis, make: Deal, copies: int) -> list[Result]:
    """Test every copy of one design."""
    # F needs three groups.
    names = [name for name in TESTED[axis.kind] if not (name == "anova_f" and n_groups < 3)]
    found: dict[str, list[tuple[np.ndarray, np.ndarray, float]]] = {}
    for copy in range(copies):
        seed = int(key(SEED, deal, shape, *axis.identity, copy)[:15], 16)
        rng = np.random.default_rng([seed, 0])
        made = make(rng)
        if made is None:
            return []
        design, sums = made
        scheme, p, ties = permute(design, sums, names, PERMUTATIONS, seed)
        if copy % CHECKED_EVERY == 0:
            check(design, sums, names, p, seed)
        # The observed value is one of 1 + B exchangeable ones: its place among those that tie is drawn.
        strictly = p * (PERMUTATIONS + 1) - 1 - ties
        p_random = (strictly + rng.random(len(names)) * (ties + 1)) / (PERMUTATIONS + 1)
        found.setdefault(scheme, []).append((p, p_random, p_of_rows(axis, design, sums)))
    results = []
    for scheme, values in found.items():
        columns = [np.array(column) for column in zip(*values, strict=True)]
        results += [
            Result(deal, n_groups, shape, axis, name, scheme, columns[0][:, i], columns[1][:, i], columns[2])
            for i, name in enumerate(names)
        ]
    return results


# ----------------------------------------------------------------------------------------- records


def summary(p: np.ndarray, p_random: np.ndarray, p_rows: np.ndarray) -> dict[str, float]:
    """Shares at or below each level with their intervals, and distances from uniform."""
    has_p = np.isfinite(p)
    p, p_random = p[has_p], p_random[has_p]
    row: dict[str, float] = {"n": len(has_p), "n_with_p": len(p)}
    if not len(p):
        return row
    for level in LEVELS:
        n_hit = int((p <= level + 1e-12).sum())
        low, high = wilson(n_hit, len(p))
        row |= {f"share_{level:.2f}": n_hit / len(p), f"low_{level:.2f}": low, f"high_{level:.2f}": high}
    for name, values in (("", p), ("_random", p_random)):
        test = distributions.kstest(values, "uniform")
        row |= {f"ks{name}": float(test.statistic), f"ks_p{name}": float(test.pvalue)}
    # Only smaller p-values than uniform ones would be an error of the test.
    row["ks_p_too_small"] = float(distributions.kstest(p, "uniform", alternative="greater").pvalue)
    rows = p_rows[np.isfinite(p_rows)]
    row["n_rows"] = len(rows)
    if len(rows):
        row["rows_share_0.05"] = float((rows <= 0.05).mean())
        row["rows_low_0.05"], row["rows_high_0.05"] = wilson(int((rows <= 0.05).sum()), len(rows))
    return row


def pool(results: Sequence[Result]) -> dict[str, float]:
    """Summarise several designs of one statistic together; their copies were dealt independently."""
    return summary(*(np.concatenate([getattr(r, f) for r in results]) for f in ("p", "p_random", "p_rows")))


def write_csv(path: Path, results: Sequence[Result]) -> list[dict[str, float]]:
    """Write one row per design and statistic; return their summaries."""
    rows = []
    for result in results:
        axis = result.axis
        head = {name: getattr(result, name) for name in ("deal", "shape", "n_groups")}
        head |= {name: getattr(axis, name) for name in ("kind", "category", "config", "measure")}
        head |= {"n_responses": len(axis.sums), "n_blocks": len(np.unique(axis.block))}
        head |= {"permutation": result.permutation, "statistic": result.statistic}
        rows.append(head | pool([result]))
    names = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, names, restval="", lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow({n: f"{v:.6g}" if isinstance(v, float) else v for n, v in row.items()})
    return rows


def table(results: Sequence[Result], by: Callable[[Result], tuple[str, ...]], head: Sequence[str]) -> str:
    """Pool results by the parts of `by` into a Markdown table."""
    names = [*head, "designs", "p-values", "≤ .01", "≤ .05", "≤ .10", "KS p, too small"]
    names += ["KS, ties drawn", "its p"]
    lines = [names, ["---"] * len(names)]
    for parts, members in groupby(sorted(results, key=by), key=by):
        own = list(members)
        row = pool(own)
        if not row["n_with_p"]:
            continue
        shares = [
            f"{row[f'share_{level:.2f}']:.4f} [{row[f'low_{level:.2f}']:.4f}, {row[f'high_{level:.2f}']:.4f}]"
            for level in LEVELS
        ]
        numbers = [f"{row['ks_p_too_small']:.3f}", f"{row['ks_random']:.4f}", f"{row['ks_p_random']:.3f}"]
        lines.append([*parts, str(len(own)), f"{row['n_with_p']:,}", *shares, *numbers])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def contrast(results: Sequence[Result]) -> str:
    """Return a Markdown table of what tests of single responses give on the same placebos."""
    lines = [["answers", "groups", "tables", "row-level p ≤ .05", "permutation p ≤ .05"], ["---"] * 5]

    def by(result: Result) -> tuple[str, str]:
        kind = " (selection)" if result.axis.kind == "selection" else ""
        return f"{result.axis.category} {result.axis.measure}{kind}", result.shape

    for parts, members in groupby(sorted(results, key=by), key=by):
        row = pool(list(members))
        if row["n_with_p"] and "rows_share_0.05" in row:
            rows = f"{row['rows_share_0.05']:.3f} [{row['rows_low_0.05']:.3f}, {row['rows_high_0.05']:.3f}]"
            lines.append([*parts, f"{row['n_rows']:,}", rows, f"{row['share_0.05']:.3f}"])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def write_md(
    path: Path, results: Sequence[Result], rows: Sequence[dict], axes: Sequence[Axis], copies: int
) -> None:
    """Write what was asked, what came out, and how to read it."""
    blocked = [r for r in results if r.permutation in BY_BLOCKS and r.deal != "answers"]
    answers = [r for r in results if r.deal == "answers"]
    fallen = [r for r in results if r.permutation not in BY_BLOCKS and r.deal != "answers"]
    first = {"outcome": "chi_square", "score": "max_abs_dbi", "selection": "range"}
    dealt = [r for r in blocked if r.deal == "whole_blocks" and r.statistic == first[r.axis.kind]]
    outcomes = [r for r in dealt if r.axis.kind == "outcome"]
    chi = pool(outcomes)
    tested = [r for r in rows if r["permutation"] in BY_BLOCKS and r["deal"] != "answers" and r["n_with_p"]]
    ks = np.array([r["ks_p_random"] for r in tested])
    configs = ", ".join(sorted({axis.config for axis in axes}))
    text = f"""# Placebo attributes: are the permutation p-values uniform?

Written by `experiments/placebo.py` on {datetime.now(UTC):%Y-%m-%d}; seed {SEED}, {copies} copies of each
design, {PERMUTATIONS} relabellings a test. Answers: {configs} ({len({a.identity for a in axes})} outcomes and
scores, as the warehouse holds them). Every {CHECKED_EVERY}th copy's p-values were compared with those of
`ingest.inference` and are equal. One row a design and statistic: `placebo_uniformity.csv`.

**Why blocks:** of the placebos dealt to whole blocks, the row-level chi-square test, which takes every
response for an independent one, calls {chi["rows_share_0.05"]:.1%} significant at 5 %
[{chi["rows_low_0.05"]:.1%}, {chi["rows_high_0.05"]:.1%}]; the permutation test of the same tables
{chi["share_0.05"]:.1%} [{chi["low_0.05"]:.1%}, {chi["high_0.05"]:.1%}] ({chi["n_with_p"]:,} copies).

## Tests by blocks

{table(blocked, lambda r: (r.deal, r.permutation, r.statistic), ("deal", "shuffled", "statistic"))}

Ties. p = (1 + relabellings at least as extreme)/(1 + B) counts every tie as extreme, so with few blocks or
few distinct answers it is larger than uniform, never smaller: "KS p, too small" is the one-sided
Kolmogorov-Smirnov test against p-values that are too small. "Ties drawn" puts the observed value at a random
place among the relabellings that tie with it; such p-values are exactly uniform if the labels are
exchangeable, and the two-sided test says whether they are. Statistics of one deal share their copies; designs
do not.

Design by design: of {len(ks)} two-sided tests with ties drawn, {int((ks < 0.05).sum())} are below .05
({0.05 * len(ks):.1f} expected), {int((ks < 0.01).sum())} below .01 ({0.01 * len(ks):.1f} expected); the
smallest is {ks.min():.2g} (Bonferroni {min(1.0, ks.min() * len(ks)):.2g}).

## What the row-level test says of the same placebos (dealt to whole blocks)

{contrast(dealt)}

The row-level test is chi-square for outcomes and selections, Welch's t (two groups) or F for scores.

## Axes that are not tested by blocks

Where every group holds a single block, `resampling_unit` goes down to prompts or responses: the question is
then whether these prompts differ, not whether people do. With the answers shuffled over that unit:

{table(answers, lambda r: (r.permutation, r.statistic), ("shuffled", "statistic"))}

Where the labels move instead, as above, one group to each block, or where a combination is missing, the same
test finds what the prompts are like, which is no effect of the placebo: such a p-value speaks of these very
prompts.

{table(fallen, lambda r: (r.deal, r.permutation, r.statistic), ("deal", "shuffled", "statistic"))}
"""
    path.write_text(text)


def main() -> None:
    """Run the experiment."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path("data"), help="folder of audit.duckdb")
    parser.add_argument("--suite", help="only this suite's answers")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results", help="where to write")
    parser.add_argument("--copies", type=int, default=COPIES, help=f"copies of a design (default {COPIES})")
    arguments = parser.parse_args()
    try:
        axes = read_axes(arguments.data, arguments.suite)
    except PlumblineError as error:
        parser.exit(1, f"{error.format_message()}\n")
    if not axes:
        parser.exit(1, "The warehouse holds no analysis of that suite.\n")
    wanted = list(designs(axes))
    started, results = time.monotonic(), []
    for done, design in enumerate(wanted, start=1):
        results += run(*design, arguments.copies)
        if done % 20 == 0 or done == len(wanted):
            seconds = time.monotonic() - started
            print(f"{done} of {len(wanted)} designs, {seconds:.0f} s", file=sys.stderr, flush=True)
    arguments.out.mkdir(parents=True, exist_ok=True)
    rows = write_csv(arguments.out / "placebo_uniformity.csv", results)
    write_md(arguments.out / "placebo_uniformity.md", results, rows, axes, arguments.copies)


if __name__ == "__main__":
    main()
