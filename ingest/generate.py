"""Stage generate: every config is asked every prompt; `responses` keeps every answer."""

from contextlib import ExitStack
from pathlib import Path

import click

from ingest.asking.budget import spent_on
from ingest.asking.designs import Earlier, questions
from ingest.asking.flagged import left_out
from ingest.asking.forecast import findable, forecast
from ingest.asking.judged import judged_by
from ingest.asking.plan import asked_configs, check_consent, plan
from ingest.asking.run import Stop, generate_answers, raise_stopped
from ingest.asking.senders import Counters
from ingest.backends import RunsCode
from ingest.errors import is_ctrl_c, say
from ingest.options import (
    allow_code_option,
    allow_host_option,
    asking_options,
    dry_run_option,
    suite_option,
)
from ingest.reach import asked_places, check_reach
from ingest.store import opened
from ingest.store.journal import read_entries
from ingest.suite import load_suite
from ingest.suite.definition import register_suite
from ingest.suite.own_code import OwnCode


@click.command("generate")
@suite_option()
@asking_options
@dry_run_option(help="Say how many requests, tokens and hours it takes, and what it can show; then stop.")
@click.option("--rate", type=click.FloatRange(min=0, min_open=True), help="Requests a minute, for --dry-run.")
@click.option(
    "--reference-rate",
    type=click.FloatRange(0, 1, min_open=True),
    help="Share of favourable answers in all groups but one, for --dry-run.  "
    "[default: that of earlier answers, or 0.5]",
)
@allow_code_option(help="Run the Python code that the suite names as `wrapper:` or `function:`.")
@allow_host_option()
@click.pass_obj
def command(
    directory: Path,
    suite_path: Path,
    only: str | None,
    n_configs: int | None,
    limit: int | None,
    dry_run: bool,
    concurrency: int | None,
    budget: float | None,
    retry_failed: bool,
    rate: float | None,
    reference_rate: float | None,
    allow_code: bool,
    hosts: tuple[str, ...],
    allowed_hosts: tuple[str, ...],
) -> None:
    """Ask every config of a suite every prompt, and keep every answer.

    Safe to stop and start again: what is answered is skipped. After time-outs, rate limits and server
    errors the next run asks again; the earlier failure stays in `superseded_responses`. Where a suite has
    `roles:`, each config is asked in each of them, in their order.

    \b
    plumbline generate --suite suites/mine.yml --dry-run         # requests, tokens, hours, power
    plumbline generate --suite suites/mine.yml --limit 20        # a first look
    plumbline generate --suite suites/mine.yml --concurrency 4   # all that is left
    plumbline generate --suite suites/mine.yml --send-key api.example.com --budget 5.00
    """
    suite = load_suite(suite_path).sampled(configs=n_configs)
    folder = suite_path.parent
    with opened(directory, dry_run) as store, ExitStack() as stack:
        if dry_run and (n_waiting := len(read_entries(directory)[0])):
            say(f"{n_waiting:,} answers of a run that was killed come in first.", err=True)
        check_reach(
            store, suite_path, asked_places(asked_configs(suite, only).values()), (*allowed_hosts, *hosts)
        )
        tasks = plan(store, suite, only, folder, retry_failed=retry_failed, hosts=hosts)
        for line in left_out(store, suite):
            say(line, err=not dry_run)
        for task in tasks:
            say(task.headline(), err=not dry_run)
            if dry_run and task.n_pending and task.max_output_tokens is not None:
                senders = concurrency or task.config.concurrency
                say(f"  {forecast(store, suite, task, rate, senders).line()}")
        if dry_run:
            asked = list(questions(store, suite, Earlier(directory, suite.suite), None, reference_rate))
            for line in findable(asked, judged_by(suite), suite):
                say(line)
            if asked:
                say(f"What more would take: plumbline plan {suite_path}")
            return
        check_consent(tasks, allow_code)
        for backend in {id(task.backend): task.backend for task in tasks}.values():
            if isinstance(backend, RunsCode):
                stack.callback(backend.close)
        hidden = suite.key_variables
        wrappers = {
            name: stack.enter_context(OwnCode(name, folder, "wrapper", f"The wrapper {name!r}", hidden))
            for name in dict.fromkeys(task.config.wrapper for task in tasks if task.n_pending)
            if name
        }
        detail = {
            "suite": suite.suite,
            "suite_key": suite.suite_key,
            "config": only,
            "limit": limit,
            "models": {task.label: task.snapshot() for task in tasks},
        }
        counters = Counters()
        stopped: list[Stop] = []
        with store.run("generate", detail) as run_id:
            register_suite(store, suite, suite_path, run_id)
            try:
                statuses = generate_answers(
                    store,
                    suite,
                    tasks,
                    run_id,
                    limit,
                    concurrency,
                    wrappers=wrappers,
                    counters=counters,
                    budget=budget,
                    stopped=stopped,
                )
            except BaseException as error:
                if is_ctrl_c(error):
                    say("\nStopped. The answers so far are kept; the same command goes on.", err=True)
                raise
            for task in tasks:
                new = statuses[task.label]
                by_status = ", ".join(f"{n:,} {status}" for status, n in sorted(new.items())) or "0 new"
                n_again = sum(n for status, n in new.items() if status in task.asked_again)
                say(
                    f"{task.row['config']}: {by_status}; {task.n_pending - new.total() + n_again:,} left"
                    + (f", {n_again:,} of them failed: run the command again" if n_again else "")
                )
            if (spent := spent_on(store, suite)) is not None:
                say(f"{suite.suite}: its answers cost {spent} so far", err=True)
            if str(counters):
                say(str(counters), err=True)
            raise_stopped(stopped)
