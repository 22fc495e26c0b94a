"""The command line: one command a stage."""

import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from ingest import (
    __version__,
    assemble,
    branch,
    card,
    compare,
    completion,
    docs,
    extract,
    generate,
    init,
    labels,
    load,
    models,
    plan,
    raw,
    report,
    scrape,
    show,
    singstat,
    verify,
    warehouse,
    watch,
    why,
)
from ingest.asking.inspect_task import TASK, write_task
from ingest.edge import OneLine
from ingest.errors import PlumblineError, say
from ingest.labelling.loading import come_since, forgotten
from ingest.loading.beside import changed_since
from ingest.options import (
    allow_code_option,
    allow_host_option,
    asking_options,
    model_dir_option,
    roots_option,
    stale_option,
    variant_option,
)
from ingest.prompts.shown import unshown
from ingest.scorers import Where
from ingest.store import AUDIT_NAME, NothingYet, Store, data_dir
from ingest.store.journal import read_entries
from ingest.suite import Suite, load_suite
from ingest.suite.definition import is_registered


@click.group(cls=OneLine, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="plumbline")
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the two databases.  [default: data, or PLUMBLINE_DATA]",
)
@click.pass_context
def cli(context: click.Context, data: Path | None) -> None:
    """Audit language models for bias: responses in, verdicts with their evidence out.

    \b
    plumbline audit suites/fair_sea.yml                       # simulated demo, everything
    plumbline audit suites/fair_sea.yml --responses FILE.csv  # your own answers
    plumbline gate                                            # exit 1 where a verdict is `fail`
    """
    context.obj = data_dir(data)


STAGES = (
    init, scrape, assemble, branch, plan, generate, load, extract, models, singstat, labels, report, show,
    why, card, verify, compare, watch, raw, completion, docs,
)  # fmt: skip
for stage in STAGES:
    cli.add_command(stage.command)


@cli.command()
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
@click.option("--site/--no-site", default=True, help="Build the site at the end.  [default: --site]")
@click.option(
    "--mart",
    "marts",
    multiple=True,
    metavar="NAME",
    help="Build this mart and what it needs, nothing else: no tests, no site. Repeat it for more.",
)
@click.pass_context
def audit(
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
    site: bool,
    marts: tuple[str, ...],
    **asking: Any,
) -> None:
    """Do it all: bring in answers, measure, build, judge, publish.

    Without --responses the suite's prompts are asked of its configs (for the shipped suites, a simulated
    model with planted bias). Where all its answers were loaded nobody is asked, and they are audited again. A
    hosted model's server gets the key from the environment with --send-key. Safe to stop and start again:
    what is done is skipped, and what did not change is not built again.

    \b
    plumbline audit suites/fair_sea.yml
    plumbline audit suites/fair_sea.yml --responses answers.csv --no-site
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
    with warehouse.parsed_project(data, not _is_known(data, suite)) as parsed:
        reached = {"allowed_hosts": allowed_hosts, "hosts": asking["hosts"]}
        judged = {**reached, "concurrency": asking["concurrency"]} if suite.judges else {}
        if responses:
            if roots is not None or any(value for name, value in asking.items() if name not in judged):
                options = "--roots, --send-key and others"
                raise click.UsageError(f"{options} say what to ask; --responses are answers already.")
            context.invoke(load.command, files=responses, suite_path=suite_path, variant=variant)
        elif roots is None and not any(asking.values()) and _is_loaded(data, suite.suite):
            say(f"The answers of {suite.suite} here were loaded, so nobody is asked.", err=True)
            say("Its own prompts, too: plumbline assemble, then plumbline generate.", err=True)
        else:
            if any(category.corpus for category in suite.categories.values()):
                context.invoke(scrape.command, suite_path=suite_path, **reached)
            context.invoke(assemble.command, suite_path=suite_path, roots=roots, **reached)
            if suite.branches:
                context.invoke(branch.command, suite_path=suite_path)
            context.invoke(
                generate.command,
                suite_path=suite_path,
                allow_code=allow_code,
                allowed_hosts=allowed_hosts,
                **asking,
            )
        # Ready measurements come without texts.
        if suite.measurements is None:
            given = {"variant": variant, "model_dir": model_dir, "allow_code": allow_code, **judged}
            context.invoke(extract.command, suite_path=suite_path, **given)
        with Store(data, read_only=True) as store:
            for notes in (unshown, forgotten, come_since, changed_since):
                for line in notes(store, suite):
                    say(line, err=True)
        warehouse.build(data, marts, parsed, is_full, is_kept=True)
    if marts:
        say(f"Warehouse: {data / AUDIT_NAME} ({', '.join(marts)})")
        return
    context.invoke(card.command)
    if site:
        try:
            context.invoke(report.command)
        except PlumblineError as error:
            # Without Node the audit still ends with its verdicts.
            say(error.format_message(), err=True)
    is_terminal = sys.stdout.isatty()
    with warehouse.Warehouse(data) as opened:
        if not is_terminal:  # a line each is what a script can read
            warehouse.print_verdicts(opened)
        warehouse.print_lost(opened, suite.suite)
        warehouse.print_powerless(opened)
        show.closing(opened, suite.suite, is_terminal)
    say(f"Warehouse: {data / AUDIT_NAME}")


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


@cli.command()
@click.option(
    "--inconclusive", is_flag=True, help="Fail on `inconclusive` too, and where no answer could be read."
)
@stale_option()
@click.pass_obj
def gate(data: Path, inconclusive: bool, is_stale_ok: bool) -> None:
    """Exit 1 where a verdict of the gate's profile is `fail`; list them.

    \b
    plumbline gate
    AUDIT_GATE=error dbt test --selector gate   # the same as dbt tests
    """
    warehouse.check_inputs(data, is_stale_ok)
    with warehouse.Warehouse(data) as opened:
        warehouse.print_verdicts(opened)
        warehouse.print_lost(opened)
        failing = warehouse.findings(opened, inconclusive)
        for row in failing:
            say(warehouse.describe_finding(row))
    if failing:
        raise click.exceptions.Exit(1)


@cli.command()
@click.pass_obj
def status(data: Path) -> None:
    """Say what is there and what is missing."""
    with Store(data, read_only=True) as store:
        for (suite,) in store.rows("select suite from suites order by suite"):
            _print_suite_status(store, suite)
    if n_waiting := len(read_entries(data)[0]):
        say(f"{n_waiting:,} answers of a run that was killed are not counted: the next run brings them in.")
    if not (data / AUDIT_NAME).exists():
        say("The marts are not built yet: run `dbt build` or `plumbline audit SUITE`.")
        return
    warehouse.check_inputs(data, is_stale_ok=True)
    try:
        with warehouse.Warehouse(data) as opened:
            warehouse.print_verdicts(opened)
            warehouse.print_lost(opened)
    except warehouse.NotBuilt:
        say("The verdicts are not built yet: run `dbt build` or `plumbline audit SUITE`.")


def _print_suite_status(store: Store, suite: str) -> None:
    prompts = store.value("select count(*) from prompts where suite = ?", [suite])
    say(f"{suite}: {prompts:,} prompts")
    for config, backend, state, n in store.rows(
        """
        select c.config, c.backend, r.response_status, count(*)
        from responses r join prompts p using (prompt_key) join configs c using (config_key)
        where p.suite = ? group by all order by 1, 2, 4 desc
        """,
        [suite],
    ):
        say(f"  {config} ({backend})  {state}: {n:,}")
    for config, n, sent_at in store.rows(
        """
        select c.config, count(*), b.sent_at
        from batches b join batch_requests h using (batch_key)
        join prompts p using (prompt_key) join configs c on c.config_key = b.config_key
        where p.suite = ? and b.batch_status in ('sending', 'open') group by all order by all
        """,
        [suite],
    ):
        say(
            f"  {config}: {n:,} requests are in a batch of {sent_at:%Y-%m-%d %H:%M} UTC: "
            "`plumbline generate --suite FILE` brings its answers."
        )
    missing = store.value(
        """
        select count(distinct r.text_key)
        from responses r join prompts p using (prompt_key)
        where p.suite = ? and r.response_status = 'ok'
          and r.text_key not in (select text_key from text_variants)
        """,
        [suite],
    )
    if missing:
        say(f"  {missing:,} texts are not measured yet: run `plumbline extract --suite FILE`.")


@cli.command()
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--inspect",
    "suite_path",
    metavar="SUITE",
    type=click.Path(path_type=Path),
    help="Write this suite's prompts as a task of Inspect instead.",
)
@stale_option()
@click.pass_obj
def export(data: Path, directory: Path, suite_path: Path | None, is_stale_ok: bool) -> None:
    """Write the marts as Parquet and CSV into DIRECTORY; or a suite, for Inspect to ask.

    \b
    plumbline export out/                                 # out/fct_verdicts.parquet, out/fct_verdicts.csv, …
    plumbline export task/ --inspect suites/mine.yml      # then inspect eval task/task.py --model NAME
    """
    if suite_path is not None:
        with Store(data, read_only=True) as store:
            n = write_task(store, load_suite(suite_path), directory)
        say(f"{n:,} prompts in {directory}: inspect eval {directory / TASK} --model NAME")
        say(f"Then: plumbline load logs/*.eval --suite {suite_path}")
        return
    warehouse.check_inputs(data, is_stale_ok)
    with warehouse.Warehouse(data) as opened:
        written = opened.export(directory)
    n_tables = len({file.mart for file in written})
    say(f"{n_tables} tables, each as .parquet and .csv, in {directory}")
