"""plumbline gate: an exit code for a pipeline."""

from pathlib import Path

import click

from ingest import warehouse
from ingest.errors import say
from ingest.options import stale_option


@click.command("gate")
@click.option(
    "--inconclusive", is_flag=True, help="Fail on `inconclusive` too, and where no answer could be read."
)
@stale_option()
@click.pass_obj
def command(data: Path, inconclusive: bool, is_stale_ok: bool) -> None:
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
