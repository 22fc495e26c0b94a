"""Command docs: every page that is written, and the check that the metric dictionary leaves nothing out."""

from pathlib import Path

import click

from ingest import guide_tables, help_page
from ingest.errors import PlumblineError, say
from ingest.metrics_page.closure import gaps
from ingest.metrics_page.dictionary import METRICS, dictionary, read_metrics
from ingest.metrics_page.examples import worked_examples
from ingest.metrics_page.page import render
from ingest.paths import PROJECT
from ingest.suite import json_schema

SUITE_SCHEMA = Path("docs/suite.schema.json")


@click.command(name="docs")
@click.option("--check", is_flag=True, help="Write nothing; exit 1 where a page is not up to date.")
@click.pass_context
def command(context: click.Context, check: bool) -> None:
    """Write docs/metrics.md and docs/metrics/, docs/guide/commands.md and docs/suite.schema.json.

    Writes the guide's tables of words, outcome rules, scorers and backends, too. The metrics' examples are
    computed anew. Ends with an error where something that is computed has no entry, unit, example or report,
    or where a rule, scorer or backend does not say what it is; it names the file to add.

    \b
    plumbline docs
    plumbline docs --check   # what CI runs
    """
    entries = read_metrics(PROJECT)
    rows = dictionary(PROJECT, entries)
    examples = worked_examples(PROJECT, entries)
    pages = render(PROJECT, entries, rows, examples)
    pages[help_page.PAGE] = help_page.render(context.find_root().command)
    pages[SUITE_SCHEMA] = json_schema()
    pages |= guide_tables.render(PROJECT)
    kept = {path.relative_to(PROJECT) for path in (PROJECT / METRICS).glob("*.md")}
    left_over = sorted(kept - set(pages))
    stale = []
    for path, text in pages.items():
        place = PROJECT / path
        if place.exists() and place.read_text(encoding="utf-8") == text:
            continue
        stale.append(path)
        if not check:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
    if lacking := [*gaps(PROJECT, entries, rows, examples), *guide_tables.lacking(PROJECT)]:
        say("\n".join(lacking), err=True)
        raise PlumblineError(
            f"The dictionary lacks {len(lacking):,} things, which stand above.", "Add these."
        )
    if not check:
        say(f"Wrote {', '.join(map(str, stale)) or 'nothing'}.", err=True)
    elif stale or left_over:
        names = ", ".join(map(str, [*stale, *left_over]))
        raise PlumblineError(
            f"Not up to date: {names}.", "Run `plumbline docs` and commit the result; delete what it leaves."
        )
