"""Stage compare: an earlier run beside this one -> `earlier_runs`, `earlier_outcomes`, `earlier_comparables`.

What the earlier run read from its answers is taken from its marts; the differences themselves are models
(`fct_config_differences`), the same for two runs as for two configs of one run.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import click
import duckdb

from ingest.errors import PlumblineError, p_in_words, printable, say
from ingest.inference.constants import ALPHA
from ingest.options import stale_option
from ingest.store import Store
from ingest.warehouse import Warehouse, check_inputs, run_dbt
from ingest.warehouse.foreign import ANOTHER, foreign_marts
from ingest.warehouse.kept_audits import audits, changes, is_failing, print_audits, print_changes

MARTS = ("dim_comparables", "dim_responses", "dim_runs", "fct_outcomes")
STATES = ("worse", "better", "no_evidence", "not_comparable")
BUILT = ("int_run_definitions_listed+", "stg_compare__earlier_runs+", "stg_compare__earlier_outcomes+")
COUNTS_ALL = "dim_framework_items+"  # the rows of marts that a comparison does not make
# Cast, because a stranger's file may hold anything.
OUTCOMES = """
    select
        cast(outcomes.suite as varchar) as suite, cast(outcomes.category as varchar) as category,
        cast(outcomes.config as varchar) as config, cast(outcomes.model as varchar) as model,
        cast(outcomes.role as varchar) as role, cast(outcomes.is_simulated as boolean) as is_simulated,
        cast(outcomes.outcome_set as varchar) as outcome_set,
        cast(outcomes.rule_kind as varchar) as rule_kind, cast(outcomes.prompt_key as varchar) as prompt_key,
        cast(responses.repeat_index as integer) as repeat_index, cast(outcomes.outcome as varchar) as outcome,
        cast(outcomes.is_counted as boolean) as is_counted, cast(outcomes.score as double) as score
    from fct_outcomes as outcomes
    inner join dim_responses as responses on outcomes.response_key = responses.response_key
    where
        list_contains(?, outcomes.suite)
        and (outcomes.is_counted or (outcomes.rule_kind = 'score' and outcomes.score is not null))
    union all
    select
        cast(suite as varchar), cast(category as varchar), cast(config as varchar), cast(model as varchar),
        cast(role as varchar), cast(is_simulated as boolean), 'response_status', 'status',
        cast(prompt_key as varchar), cast(repeat_index as integer), cast(response_status as varchar), true,
        null
    from dim_responses
    where list_contains(?, suite)
    order by all
    """
COMPARABLES = """
    select
        cast(part as varchar) as part, cast(suite as varchar) as suite, cast(category as varchar) as category,
        cast(outcome_set as varchar) as outcome_set, cast(item as varchar) as item,
        cast(definition as varchar) as definition
    from dim_comparables
    where suite = '' or list_contains(?, suite)
    order by all
    """


def earlier_marts(path: Path) -> AbstractContextManager[duckdb.DuckDBPyConnection]:
    """Open the marts of an earlier run, wherever they are, for reading."""
    return foreign_marts(path, MARTS)


def take_in(store: Store, path: Path, run_id: str) -> int:
    """Put what an earlier run read in the place of what was there; return the number of its outcomes.

    Raises PlumblineError where `path` holds no marts, or none of a suite of this data folder.
    """
    suites = [suite for (suite,) in store.rows("select suite from suites order by suite")]
    with earlier_marts(path) as marts:
        there = [suite for (suite,) in marts.execute("select distinct suite from fct_outcomes").fetchall()]
        shared = [suite for suite in suites if suite in there]
        if not shared:
            raise PlumblineError(
                f"{path} is of {_listed(there)}, this data folder of {_listed(suites)}.",
                "Two runs of one suite can be compared.",
            )
        outcomes = marts.execute(OUTCOMES, [shared, shared]).to_arrow_table()
        comparables = marts.execute(COMPARABLES, [shared]).to_arrow_table()
        ((ended,),) = marts.execute("select cast(max(ended_at) as timestamp) from dim_runs").fetchall()
    kinds = zip(outcomes["suite"].to_pylist(), outcomes["rule_kind"].to_pylist(), strict=True)
    counts = Counter(suite for suite, kind in kinds if kind != "status")
    about = {"name": path.resolve().name, "last_ended_at": ended, "run_id": run_id}
    runs = [{"suite": suite, "n_outcomes": counts[suite], **about} for suite in shared]
    with store.transaction():
        forget(store)
        store.append_arrow("earlier_outcomes", outcomes)
        store.append_arrow("earlier_comparables", comparables)
        store.append("earlier_runs", runs)
    return counts.total()


def forget(store: Store) -> None:
    """Remove the earlier run."""
    for table in ("earlier_runs", "earlier_outcomes", "earlier_comparables"):
        store.connection.execute(f"delete from {table}")


def _listed(suites: Sequence[str]) -> str:
    return ", ".join(printable(suite) for suite in suites) or "no suite"


def differences(marts: Warehouse, margin: float | None) -> list[dict[str, Any]]:
    """Return what two runs are compared by, the worst first, with `is_failing`.

    A row fails where it is worse and all of its interval lies beyond the margin: the given one, in the unit
    of each metric, or the metric's own.
    """
    rows = marts.rows(
        """
        select
            suite, category, config_b as config, measure, axis, metric, unit, value_a, value_b, difference,
            ci_low, ci_high, p_value, p_holm, n_tests, coalesce(?, margin) as margin, state, reason, n_pairs,
            n_unpaired_a, n_unpaired_b, resampling_unit, n_units, is_control, is_simulated,
            coalesce(state = 'worse' and worsening_low > coalesce(?, margin), false) as is_failing
        from fct_config_differences
        where compared = 'runs'
        order by suite, config, category, measure, axis, metric
        """,
        [margin, margin],
    )
    return sorted(rows, key=lambda row: (STATES.index(row["state"]), not row["is_failing"]))


def moves(marts: Warehouse) -> list[str]:
    """Say which groups moved beyond chance where their gap shows no change: it may have turned round."""
    rows = marts.rows(
        """
        select
            moved.config_b as config, moved.category, moved.measure, moved.axis, moved.metric,
            moved.group_value, moved.value_a, moved.value_b, moved.p_holm
        from fct_config_group_differences as moved
        inner join fct_config_differences as gaps
            using (compared, suite, category, config_a, config_b, measure, axis)
        where
            compared = 'runs' and gaps.state = 'no_evidence' and gaps.metric = moved.metric || '_range'
            and not moved.is_control and moved.p_holm <= $level and (moved.ci_low > 0 or moved.ci_high < 0)
        order by suite, config, category, measure, axis, group_value
        """,
        {"level": ALPHA},
    )
    groups: dict[str, list[str]] = {}
    for row in rows:
        about = (
            f"{printable(row['config'])}, {printable(row['category'])} {printable(row['measure'])}, "
            f"by {printable(row['axis'])}, {row['metric']}"
        )
        groups.setdefault(about, []).append(
            f"{printable(row['group_value'])} {_number(row['value_a'])} to {_number(row['value_b'])} "
            f"(p Holm {p_in_words(row['p_holm'], '')})"
        )
    return [
        f"No evidence that the gap changed, yet groups moved beyond chance: {about}: {'; '.join(moved)}"
        for about, moved in groups.items()
    ]


def print_differences(rows: Sequence[dict[str, Any]]) -> None:
    """Print rows as a table on stdout."""
    head = ("", "config", "question", "by", "metric", "earlier", "now", "difference")
    cells = [(*head, "95 % interval", "p Holm", "n")]
    for row in rows:
        state = row["state"].replace("_", " ")
        if row["state"] == "worse" and not row["is_failing"]:
            state = f"worse, within {row['margin']:g}"
        cells.append(
            (
                state,
                printable(row["config"]),
                f"{printable(row['category'])} {printable(row['measure'])}",
                printable(row["axis"]),
                row["metric"],
                _number(row["value_a"]),
                _number(row["value_b"]),
                _number(row["difference"], "+"),
                "–" if row["ci_low"] is None else f"{row['ci_low']:+.3f} to {row['ci_high']:+.3f}",
                "–" if row["p_holm"] is None else p_in_words(row["p_holm"], ""),
                f"{row['n_pairs']:,}",
            )
        )
    widths = [max(len(line[column]) for line in cells) for column in range(len(cells[0]))]
    for line in cells:
        say("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def _number(value: float | None, sign: str = "") -> str:
    return "–" if value is None else f"{value:{sign}.3f}"


@click.command("compare")
@click.argument("earlier", required=False, type=click.Path(path_type=Path))
@click.argument("later", required=False)
@click.option(
    "--margin",
    type=click.FloatRange(min=0),
    help="How much worse is tolerated, in each metric's unit.  [default: 0.05]",
)
@click.option("--all", "shows_all", is_flag=True, help="Also list what shows no difference.")
@click.option("--json", "as_json", is_flag=True, help="Print every row as a line of JSON.")
@click.option(
    "--not-comparable", "is_strict", is_flag=True, help="Also fail where something cannot be compared."
)
@click.option("--list", "is_listed", is_flag=True, help="List the kept audits, then stop.")
@click.option("--forget", "is_forgotten", is_flag=True, help="Remove the earlier run, then stop.")
@stale_option()
@click.pass_obj
def command(
    data: Path,
    earlier: Path | None,
    later: str | None,
    margin: float | None,
    shows_all: bool,
    as_json: bool,
    is_strict: bool,
    is_listed: bool,
    is_forgotten: bool,
    is_stale_ok: bool,
) -> None:
    """Compare this run with an earlier one; exit 1 where it is worse.

    EARLIER is another data folder, its audit.duckdb, or a folder that `plumbline export` wrote. It is
    kept until another one takes its place. So the report shows the comparison, too, and without EARLIER the
    kept run is used.

    Answers to the same repeat of the same prompt are paired, config by config. A disparity is worse where
    its whole 95 % interval lies beyond 0 and chance seldom gives as much (p after Holm at most 0.05). The
    command fails only where the whole interval lies beyond the margin. An example with a margin of 0.05:
    Cramér's V +0.10 (+0.06 to +0.14) fails; +0.10 (+0.03 to +0.17) is worse and does not fail. Where prompts,
    rules, scorers or metric versions differ, nothing is compared, and the row says so.

    Every audit of this data folder is kept with its numbers. EARLIER and LATER may name two of them, each by
    the beginning of its fingerprint or by its date. Without LATER, the second is what the marts hold now, or
    else the newest one. A date means the last whole audit of that day, or the last look of `watch` if there
    is none. Answers of kept audits may be gone. So each difference gets its interval from both audits'
    intervals, as if they had asked different prompts.

    \b
    plumbline export last/                 # when a release is good
    plumbline compare last/                # after the next audit
    plumbline compare ../old/data --margin 0.1
    plumbline compare --list               # the audits that are kept
    plumbline compare 2026-03-02 2026-03-09
    """
    if is_forgotten and earlier is not None:
        raise click.UsageError("--forget removes the earlier run: name none.")
    check_inputs(data, is_stale_ok)
    if is_listed:
        with Warehouse(data) as marts:
            print_audits(audits(marts))
        return
    if earlier is not None and (later is not None or not earlier.exists()):
        _compare_audits(data, str(earlier), later, margin, shows_all, as_json, is_strict)
        return
    with Store(data) as store:
        if is_forgotten:
            with store.transaction():
                forget(store)
        elif earlier is not None:
            with store.run("compare", {"earlier": earlier.resolve().name}) as run_id:
                n = take_in(store, earlier, run_id)
            say(f"{n:,} outcomes of the earlier run", err=True)
        elif not store.value("select count(*) from earlier_runs"):
            raise PlumblineError("No earlier run was named yet.", ANOTHER)
    if not run_dbt(
        data, ["build", "--exclude-resource-type", "unit_test", "--select", *BUILT, "--exclude", COUNTS_ALL]
    ):
        raise PlumblineError(
            "The comparison stopped: a model or a data-quality test failed (see above).",
            f"{data / 'logs' / 'dbt.log'} holds the details. Was this folder built by this version? "
            "`plumbline audit SUITE` builds it.",
        )
    if is_forgotten:
        say("The earlier run is removed.")
        return
    with Warehouse(data) as marts:
        rows = differences(marts, margin)
        moved = moves(marts)
        asked = marts.rows("select distinct suite, config, category from fct_outcomes")
    with Store(data, read_only=True) as store:
        before = store.rows("select distinct suite, config, category from earlier_outcomes")
    alone = _alone({tuple(row.values()) for row in asked}, set(before))
    failing = [row for row in rows if row["is_failing"]]
    lost = [row for row in rows if row["state"] == "not_comparable" and not row["is_control"]]
    if as_json:
        for row in rows:
            say(json.dumps(row, ensure_ascii=False, default=str))
    else:
        _print_result(rows, [*moved, *alone], lost, shows_all)
    if failing or (is_strict and (lost or not rows)):
        raise click.exceptions.Exit(1)


def _compare_audits(
    data: Path,
    earlier: str,
    later: str | None,
    margin: float | None,
    shows_all: bool,
    as_json: bool,
    is_strict: bool,
) -> None:
    """Say what changed between two kept audits; exit 1 where a number is worse beyond the margin."""
    a, b, rows = changes(data, earlier, later)
    if as_json:
        for row in rows:
            say(json.dumps(row | {"is_failing": is_failing(row, margin)}, ensure_ascii=False, default=str))
    else:
        print_changes(a, b, rows, shows_all, margin)
    is_lost = is_strict and any(row["state"] in ("new", "gone", "not_comparable") for row in rows)
    if is_lost or any(is_failing(row, margin) for row in rows):
        raise click.exceptions.Exit(1)


def _alone(this: Set[tuple[str, ...]], earlier: Set[tuple[str, ...]]) -> Iterator[str]:
    """Say which configs one run lacks, and which questions of the others; of (suite, config, category)."""
    suites = {suite for suite, *_ in this}
    earlier = {row for row in earlier if row[0] in suites}
    for run, own, other in (("the earlier run", earlier, this), ("this run", this, earlier)):
        known = {row[:2] for row in other}
        for config in sorted({row[1] for row in own if row[:2] not in known}):
            yield f"Only in {run}: {printable(config)}"
        for _, config, category in sorted(row for row in own - other if row[:2] in known):
            yield f"Only in {run}: {printable(config)}, question {printable(category)}"


def _print_result(
    rows: Sequence[dict[str, Any]],
    notes: Iterable[str],
    lost: Sequence[dict[str, Any]],
    shows_all: bool,
) -> None:
    listed = [row for row in rows if shows_all or row["state"] in ("worse", "better")]
    if listed:
        print_differences(listed)
    for line in notes:
        say(line)
    for reason, n in Counter(row["reason"] for row in lost).most_common():
        say(f"Not comparable ({n:,}): {printable(reason)}")
    counts = Counter(row["state"] for row in rows if not row["is_control"])
    n_failing = sum(row["is_failing"] for row in rows)
    say(
        f"{counts['worse']:,} worse ({n_failing:,} beyond the margin), {counts['better']:,} better, "
        f"{counts['no_evidence']:,} without evidence, {counts['not_comparable']:,} not comparable"
    )
    if not any(row["state"] != "not_comparable" for row in rows):
        say("Nothing could be compared: this proves nothing.", err=True)
