"""Stage watch: a suite is asked again and again, a part of it each time -> `watch_plans`, `audits`."""

import re
import shutil
import time
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import click

from ingest import extract, generate, warehouse
from ingest.asking.plan import plan as left_to_ask
from ingest.errors import PlumblineError, p_in_words, printable, say
from ingest.keys import key
from ingest.options import (
    allow_code_option,
    allow_host_option,
    asking_options,
    model_dir_option,
    roots_option,
    variant_option,
)
from ingest.reach import named_hosts, remember_hosts
from ingest.store import AUDIT_NAME, Store, is_begun, utc_now
from ingest.store.sampled_roots import copy_sample
from ingest.suite import Suite, load_suite

N_LOOKS, N_ROOTS = 12, 20
MOST_LOOKS = 520  # ten years of weeks
READ = ("fct_verdicts", "dim_builds", "int_failure_gaps_absent")  # what a look is built for
UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


class Plan(NamedTuple):
    """A row of `watch_plans`, and how far it has got."""

    plan_key: str
    suite_key: str
    n_looks: int
    n_roots: int
    n_done: int
    last_at: datetime | None

    def folder(self, data: Path, look: int) -> Path:
        """Return where a look's answers lie."""
        return data / "watch" / self.plan_key[:12] / f"{look:03}"


class Every(click.ParamType[timedelta]):
    """How long from one look to the next: a number and m, h, d or w."""

    name = "span"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> timedelta:
        """Return the time that a text like 7d means."""
        if isinstance(value, timedelta):
            return value
        found = re.fullmatch(r"([1-9][0-9]{0,3})([mhdw])", value)
        if found is None:
            self.fail(f"{value!r} is no span of time: write 7d, 12h, 30m or 2w.", param, ctx)
        return timedelta(**{UNITS[found[2]]: int(found[1])})


def current_plan(store: Store, suite: str) -> Plan | None:
    """Return the plan of a suite that began last."""
    rows = store.rows(
        """
        select p.plan_key, p.suite_key, p.n_looks, p.n_roots, coalesce(max(a.look), 0), max(a.audited_at)
        from watch_plans as p
        left join audits as a using (plan_key)
        where p.suite = ?
        group by p.plan_key, p.suite_key, p.n_looks, p.n_roots, p.started_at
        order by p.started_at desc
        limit 1
        """,
        [suite],
    )
    return Plan(*rows[0]) if rows else None


def planned(store: Store, suite: Suite, n_looks: int | None, n_roots: int | None, is_new: bool) -> Plan:
    """Return the suite's plan, a new one where there is none or `is_new`.

    Raises PlumblineError where the suite has no prompts yet, and where it, or what is asked for, is not what
    the plan began with: its looks would not be alike.
    """
    n_prompts = store.value(
        "select count(*) from prompts where suite = ? and method <> 'loaded'", [suite.suite]
    )
    if not n_prompts:
        raise _nothing_asked(suite)
    plan = None if is_new else current_plan(store, suite.suite)
    if plan is None:
        started = utc_now()
        plan_key = key("plan", suite.suite, suite.suite_key, started.isoformat())
        plan = Plan(plan_key, suite.suite_key, n_looks or N_LOOKS, n_roots or N_ROOTS, 0, None)
        sizes = {"n_looks": plan.n_looks, "n_roots": plan.n_roots}
        named = {"plan_key": plan_key, "suite": suite.suite, "suite_key": suite.suite_key, **sizes}
        with store.run("watch", named) as run_id:
            store.append("watch_plans", [{**named, "started_at": started, "run_id": run_id}])
        return plan
    changed = [
        what
        for what, was, now in (
            ("suite", plan.suite_key, suite.suite_key),
            ("number of looks", plan.n_looks, n_looks or plan.n_looks),
            ("number of roots", plan.n_roots, n_roots or plan.n_roots),
        )
        if was != now
    ]
    if changed:
        raise PlumblineError(
            f"The {changed[0]} is not what the plan of {plan.n_looks} looks began with.",
            "--restart begins a new plan, from its first look.",
        )
    return plan


def _nothing_asked(suite: Suite) -> PlumblineError:
    return PlumblineError(
        f"{suite.suite} has no prompts in this data folder yet, so there is nothing to ask again.",
        "Run `plumbline audit SUITE` first.",
    )


def take_look(
    context: click.Context, data: Path, suite: Suite, plan: Plan, **given: Any
) -> list[dict[str, Any]]:
    """Ask the part of the suite whose turn it is, judge it, keep it; return its numbers, alarms first.

    `given` is what the commands generate and extract are to be told. A look that was stopped goes on.
    Raises PlumblineError where prompts are left without an answer: no part of a look is judged.
    """
    look = plan.n_done + 1
    folder = plan.folder(data, look)
    say(f"Look {look} of {plan.n_looks} at {suite.suite}", err=True)
    with Store(folder) as store:
        copy_sample(data, store, suite.suite, plan.plan_key, look, plan.n_roots)
    nested = click.Context(context.command, obj=folder, parent=None)
    asked = {name: given[name] for name in ("suite_path", "allow_code", "allowed_hosts")}
    nested.invoke(generate.command, **asked, **given["asking"])
    _check_answered(folder, look, given["suite_path"], given["asking"])
    measured = {name: given[name] for name in ("suite_path", "variant", "model_dir", "allow_code")}
    if suite.judges:
        measured |= {name: given["asking"][name] for name in extract.OF_JUDGES}
        measured["allowed_hosts"] = given["allowed_hosts"]
    nested.invoke(extract.command, **measured)
    say("Building the look …", err=True)
    warehouse.build(folder, READ)
    if not warehouse.keep_audit(data, built=folder, plan=plan.plan_key, look=look):
        raise PlumblineError(
            f"The look judged no number of {suite.suite}, so there is nothing to watch.",
            "Give the suite `profiles:` or `thresholds:`, then begin with --restart.",
        )
    return finish_look(data, plan, look)


def finish_look(data: Path, plan: Plan, look: int) -> list[dict[str, Any]]:
    """Have the marts show a look that is kept, and return its numbers; its own marts go after that."""
    warehouse.build(data)
    # The answers were paid for and stay; marts can be built again.
    folder = plan.folder(data, look)
    (folder / AUDIT_NAME).unlink()
    for leftover in ("target", "logs"):
        shutil.rmtree(folder / leftover, ignore_errors=True)
    return numbers_of(data, plan.plan_key, look)


def _check_answered(folder: Path, look: int, suite_path: Path, asking: dict[str, Any]) -> None:
    suite = load_suite(suite_path).sampled(configs=asking["n_configs"])
    with Store(folder) as store:
        tasks = left_to_ask(store, suite, asking["only"], suite_path.parent, hosts=asking["hosts"])
    if n_left := sum(task.n_pending for task in tasks):
        raise PlumblineError(
            f"{n_left:,} answers of look {look} are missing, so it is not judged yet.",
            "The same command goes on with them.",
        )


def numbers_of(data: Path, plan_key: str, look: int) -> list[dict[str, Any]]:
    """Return the numbers of a look that was taken, alarms first."""
    with warehouse.Warehouse(data) as marts:
        return marts.rows(
            """
            select
                numbers.*, audits.look, audits.n_looks,
                (
                    select string_agg('look ' || look, ' and before ' order by look) from dim_audits
                    where plan_key = audits.plan_key and look <= audits.look
                        and contains(changed_parts, 'code')
                ) as looks_of_other_code
            from fct_audit_numbers as numbers
            inner join dim_audits as audits using (audit_key)
            where audits.plan_key = ? and audits.look = ?
            order by numbers.is_alarm desc, numbers.p_holm, numbers.number_key
            """,
            [plan_key, look],
        )


def print_look(numbers: Sequence[dict[str, Any]]) -> int:
    """Say what a look found, on stdout; return the number of alarms."""
    alarms = [row for row in numbers if row["is_alarm"]]
    for row in alarms:
        parts = (
            row["config"],
            row["category"],
            row["measure"],
            "by",
            row["axis"],
            row["group_value"],
            row["metric"],
        )
        is_worse = (row["shift"] > 0) == (row["direction"] == "higher_is_worse")
        low, high = row["changed_place_low"], row["changed_place_high"]
        when = f"since look {row['changed_place']}" + (f" ({low} to {high})" if low < high else "")
        say(
            f"{'worse' if is_worse else 'better'}  {' '.join(printable(part) for part in parts if part)}: "
            f"{row['shift']:+.3f} {row['unit']} {when}, now {row['value']:.3f} "
            f"[{row['ci_low']:.3f}, {row['ci_high']:.3f}], n {row['n']:,}, "
            f"{p_in_words(row['p_holm'])}, corrected over {row['n_tests']:,} numbers and all looks"
        )
    n_tested = sum(row["p_holm"] is not None for row in numbers)
    if not numbers:
        say("The look judged no number.")
        return 0
    first = numbers[0]
    if n_tested or first["look"] > 1:
        said = f"{len(alarms):,} of {n_tested:,} numbers changed"
    else:
        n = "1 number" if len(numbers) == 1 else f"{len(numbers):,} numbers"
        said = f"{n}, to which later looks are compared"
    say(f"Look {first['look']} of {first['n_looks']}: {said}.")
    if alarms and first["looks_of_other_code"]:
        say(
            f"Plumbline's own code changed before {first['looks_of_other_code']}. A number that it computes "
            "otherwise since then moves without the model."
        )
    if all(row["ci_low"] is None or row["ci_high"] is None for row in numbers):
        say(
            "No number has an interval, so no look of this plan can tell a change. An interval needs ten "
            "names, texts or roots, five a group: --restart with more --roots.",
            err=True,
        )
    return len(alarms)


@click.command("watch")
@click.argument("suite_path", metavar="SUITE", type=click.Path(path_type=Path))
@click.option(
    "--every", type=Every(), default="7d", show_default=True, help="Time between looks: 7d, 12h, 30m, 2w."
)
@click.option("--once", "is_once", is_flag=True, help="Take one look now, then stop: for cron, or for CI.")
@click.option(
    "--looks", "n_looks", type=click.IntRange(2, MOST_LOOKS), help=f"How many looks.  [default: {N_LOOKS}]"
)
@roots_option(help=f"Roots of each category that a look asks, or a few more.  [default: {N_ROOTS}]")
@click.option("--restart", "is_new", is_flag=True, help="Begin a new plan, from its first look.")
@variant_option()
@model_dir_option()
@asking_options
@allow_code_option(help="Run the Python code that the suite names.")
@allow_host_option()
@click.pass_context
def command(
    context: click.Context,
    /,
    suite_path: Path,
    every: timedelta,
    is_once: bool,
    n_looks: int | None,
    roots: int | None,
    is_new: bool,
    variant: str | None,
    model_dir: Path | None,
    allow_code: bool,
    allowed_hosts: tuple[str, ...],
    **asking: Any,
) -> None:
    """Ask a part of a suite again every week, and say when a number has changed.

    Each look asks other roots, whole, with all their groups, and judges them as an audit does. Its answers
    lie in a folder of their own under data/watch/, so a model that has changed keeps its name. Where a model
    stays as it is, about 5 plans in 100 at most ever raise an alarm about it, although each week is looked at
    (docs/decisions/0020-looking-every-week.md). Exit 1 with --once where a number has changed.

    Run `plumbline audit SUITE` once before: a plan begins with its prompts. What was stopped goes on: a look
    is judged once all its prompts are answered. --budget and --limit count for one look, not for the plan.

    \b
    plumbline watch suites/mine.yml --every 7d                       # goes on until its looks are used up
    plumbline watch suites/mine.yml --once --send-key api.example.com   # from cron, once a week
    plumbline watch suites/mine.yml --once --looks 26 --roots 40     # half a year, larger samples
    """
    data: Path = context.obj
    suite = load_suite(suite_path, variant)
    given: dict[str, Any] = {
        "suite_path": suite_path,
        "variant": variant,
        "model_dir": model_dir,
        "allow_code": allow_code,
        "asking": asking,
    }
    if not is_begun(data):
        raise _nothing_asked(suite)
    # A look has a folder of its own, which knows of no host that was named before.
    with Store(data, must_exist=True) as store:
        given["allowed_hosts"] = named_hosts(store, suite_path, allowed_hosts)
        remember_hosts(store, suite_path, given["allowed_hosts"])
    while True:
        with Store(data, must_exist=True) as store:
            plan = planned(store, suite, n_looks, roots, is_new)
        is_new = False
        has_ended = plan.n_done >= plan.n_looks
        if plan.n_done and (plan.folder(data, plan.n_done) / AUDIT_NAME).exists():
            numbers = finish_look(data, plan, plan.n_done)  # it was stopped before anybody was told
        elif has_ended:
            say(f"All {plan.n_looks} looks are taken. --restart begins a new plan. The last look was:")
            numbers = numbers_of(data, plan.plan_key, plan.n_done)
        else:
            if not is_once and plan.last_at is not None and _waited(plan.last_at + every):
                suite = load_suite(suite_path, variant)  # it may have been edited in a week
                continue
            numbers = take_look(context, data, suite, plan, **given)
        n_alarms = print_look(numbers)
        if is_once and n_alarms:
            raise click.exceptions.Exit(1)
        if is_once or has_ended:
            return


def _waited(until: datetime) -> bool:
    """Wait until a time, and say so; return whether there was anything to wait for."""
    if (seconds := (until - utc_now()).total_seconds()) <= 0:
        return False
    say(f"Next look at {until:%Y-%m-%d %H:%M} UTC. Ctrl-C stops; nothing is lost.", err=True)
    time.sleep(seconds)
    return True
