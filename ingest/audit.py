"""plumbline audit: every stage of a suite in turn, then the marts, the card and the site."""

import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from ingest import assemble, branch, card, extract, generate, models, report, show, warehouse
from ingest.errors import PlumblineError, say
from ingest.judging.votes import MuteJudge
from ingest.labelling.loading import come_since, forgotten
from ingest.loading.beside import changed_since
from ingest.options import (
    allow_code_option,
    allow_host_option,
    asking_options,
    model_dir_option,
    roots_option,
    variant_option,
)
from ingest.prompts.shown import names_without_block, unshown
from ingest.scorers import Where
from ingest.store import AUDIT_NAME, NothingYet, Store
from ingest.store.opening import kept_open, stop_keeping
from ingest.suite import Suite, load_suite
from ingest.suite.definition import is_registered


@click.command("audit")
@click.argument("suite_path", metavar="[SUITE]", required=False, type=click.Path(path_type=Path))
@click.option(
    "--responses",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Answers you already have: a table, or a log of another tool. Repeat it for more files.",
)
@variant_option()
@model_dir_option()
@roots_option(help="Ask at most this many roots of each category: a sample.")
@asking_options
@allow_code_option(help="Run the Python code that the suite names.")
@allow_host_option()
@click.option(
    "--full", "is_full", is_flag=True, help="Build and test everything anew, not what changed alone."
)
@click.option(
    "--site/--no-site",
    default=None,
    help="Build the site at the end; with --site exit 1 where it cannot be built.  [default: where it can]",
)
@click.option(
    "--mart",
    "marts",
    multiple=True,
    metavar="NAME",
    help="Build this mart and what it needs, nothing else: no tests, no site. Repeat it for more.",
)
@click.pass_context
def command(
    context: click.Context,
    /,
    suite_path: Path | None,
    responses: tuple[Path, ...],
    variant: str | None,
    model_dir: Path | None,
    roots: int | None,
    allow_code: bool,
    allowed_hosts: tuple[str, ...],
    is_full: bool,
    site: bool | None,
    marts: tuple[str, ...],
    **asking: Any,
) -> None:
    """Do it all: bring in answers, measure, build, judge, publish.

    Without --responses the suite's prompts are asked of its configs (for the shipped suites, a simulated
    model with planted bias). If files brought all its answers, no model is asked, and the same answers are
    audited again. A hosted model's server gets the key from the environment with --send-key. Safe to stop
    and start again: what is done is skipped, and what did not change is not built again.
    Verdicts of any kind end with 0: `plumbline gate` is what fails.

    \b
    plumbline audit suites/fair_sea.yml
    plumbline audit hiring.yml --responses answers.csv --no-site
    plumbline audit suites/g20.yml --roots 40 --configs 4     # a part; without the two it goes on
    plumbline audit hiring.yml --send-key api.example.com     # a hosted model; its key is in the environment
    plumbline audit hiring.yml --budget 5.00                  # stops before more is spent; see `prices:`
    plumbline audit suites/g20.yml --mart fct_disparities     # numbers to query, without a report
    """
    data: Path = context.obj
    if unknown := sorted(set(marts) - warehouse.mart_names()):
        raise click.UsageError(
            f"--mart {unknown[0]}: there is no such mart. `plumbline export` and docs/ name them."
        )
    suite_path = suite_path or _only_suite()
    suite = load_suite(suite_path, variant)
    models.check_models(suite, Where(model_dir, data=data))
    context.with_resource(kept_open())

    def stage(command: click.Command, **given: Any) -> None:
        # Between two stages lie hours of asking; half an audit of each of two suites is one of neither.
        if load_suite(suite_path, variant).suite_key != suite.suite_key:
            raise PlumblineError(
                f"{suite_path.name} was edited while it was audited, so nothing is judged yet.",
                "What is there is kept; the same command goes on with the file as it is now.",
            )
        context.invoke(command, suite_path=suite_path, **given)

    with warehouse.parsed_project(data, not _is_known(data, suite), is_full) as parsed:
        reached = {"allowed_hosts": allowed_hosts, "hosts": asking["hosts"]}
        of_judges = {name: asking[name] for name in extract.OF_JUDGES}
        judged = {**reached, **of_judges} if suite.judges else {}
        is_asking = any(value for name, value in asking.items() if name not in judged)
        if responses:
            if roots is not None or is_asking:
                options = "--roots, --send-key and others"
                raise click.UsageError(f"{options} say what to ask; --responses are answers already.")
            from ingest import load  # with all that reads answers

            stage(load.command, files=responses, variant=variant)
        elif roots is None and not is_asking and _is_loaded(data, suite.suite):
            say(f"The answers of {suite.suite} here were loaded, so nobody is asked.", err=True)
            say("Its own prompts, too: plumbline assemble, then plumbline generate.", err=True)
        else:
            if any(category.corpus for category in suite.categories.values()):
                from ingest import scrape  # with all that reads the web

                stage(scrape.command, **reached)
            stage(assemble.command, roots=roots, **reached)
            if suite.branches:
                stage(branch.command)
            stage(generate.command, allow_code=allow_code, allowed_hosts=allowed_hosts, **asking)
        mute = None
        # Ready measurements come without texts.
        if suite.measurements is None:
            given = {"variant": variant, "model_dir": model_dir, "allow_code": allow_code, **judged}
            try:
                stage(extract.command, **given)
            except MuteJudge as error:  # what others read is audited
                mute = error
        with Store(data, read_only=True) as store:
            for notes in (unshown, names_without_block, forgotten, come_since, changed_since):
                for line in notes(store, suite):
                    say(line, err=True)
        warehouse.build(data, marts, parsed, is_full, is_kept=True)
    if marts:
        say(f"Warehouse: {data / AUDIT_NAME} ({', '.join(marts)})")
        if mute:
            raise mute
        return
    context.invoke(card.command)
    unbuilt = None
    if site is not False:
        stop_keeping()  # for Evidence, which reads them too, and takes a while
        try:
            context.invoke(report.command)
        except PlumblineError as error:
            # Without Node the audit still ends with its verdicts; who publishes would publish an older site.
            unbuilt = error
            if not site:
                say(error.format_message(), err=True)
    is_terminal = sys.stdout.isatty()
    with warehouse.Warehouse(data) as opened:
        if not is_terminal:  # a line each is what a script can read
            warehouse.print_verdicts(opened)
        warehouse.print_lost(opened, suite.suite)
        warehouse.print_powerless(opened)
        show.closing(opened, suite.suite, is_terminal)
    say(f"Warehouse: {data / AUDIT_NAME}")
    if mute:
        raise mute
    if site and unbuilt:
        raise unbuilt


def _is_known(data: Path, suite: Suite) -> bool:
    """Say whether the suite was brought in as its file is now."""
    with suppress(NothingYet), Store(data, read_only=True) as store:
        return is_registered(store, suite)
    return False


def _is_loaded(data: Path, suite: str) -> bool:
    """Say whether all prompts of a suite came with answers: simulated ones among them would look real."""
    with suppress(NothingYet), Store(data, read_only=True) as store:
        methods = store.rows("select distinct method from prompts where suite = ?", [suite])
        return methods == [("loaded",)]
    return False


def _only_suite() -> Path:
    found = sorted(Path("suites").glob("*.yml"))
    if len(found) != 1:
        there = ", ".join(path.name for path in found) or "none"
        raise click.UsageError(f"Which SUITE? Name its file; suites/ holds {there}.")
    return found[0]
