"""plumbline status: what a folder of data holds, and what is missing there."""

from pathlib import Path

import click

from ingest import warehouse
from ingest.errors import say
from ingest.store import AUDIT_NAME, Store
from ingest.store.journal import read_entries


@click.command("status")
@click.pass_obj
def command(data: Path) -> None:
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
