"""Options that several commands have: `@limit_option(help="Load at most …")`."""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from ingest.scorers.model_files import DEVICES
from ingest.store import data_dir

COMPLETED = 200  # names that a shell is given at most
# A shell puts a name into the line as it is, and runs what it reads there: `$(…)`, say.
SAFE = re.compile(r"[A-Za-z0-9_.:/@+-]+")

suite_option = partial(
    click.option,
    "--suite",
    "suite_path",
    required=True,
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The suite file, such as suites/fair_sea.yml.",
)
variant_option = partial(
    click.option, "--variant", help="Outcome rules to use, in place of the suite's own choice."
)
model_dir_option = partial(
    click.option,
    "--model-dir",
    type=click.Path(path_type=Path),
    help="Folder of offline copies: each model in a folder named for its scorer.",
)
device_option = partial(
    click.option,
    "--device",
    type=click.Choice(DEVICES),
    default="auto",
    help="Where torch runs models that measure.  [default: a GPU where it finds one]",
)
config_option = partial(click.option, "--config", "only", metavar="LABEL")
configs_option = partial(click.option, "--configs", "n_configs", type=click.IntRange(min=1))
roots_option = partial(click.option, "--roots", type=click.IntRange(min=1))
limit_option = partial(click.option, "--limit", type=click.IntRange(min=1))
dry_run_option = partial(click.option, "--dry-run", is_flag=True)
allow_code_option = partial(click.option, "--allow-code", is_flag=True)
allow_host_option = partial(
    click.option,
    "--allow-host",
    "allowed_hosts",
    multiple=True,
    metavar="HOST",
    envvar="PLUMBLINE_ALLOW_HOST",
    help="Let the suite reach this host (HOST or HOST:PORT); remembered for the file as it is.",
)
concurrency_option = partial(click.option, "--concurrency", type=click.IntRange(min=1, max=256))
budget_option = partial(
    click.option,
    "--budget",
    type=click.FloatRange(min=0),
    metavar="AMOUNT",
    help="Stop before the suite's answers and votes cost more in all, in place of its `budget:`.",
)
stale_option = partial(
    click.option,
    "--stale",
    "is_stale_ok",
    is_flag=True,
    help="Go on even if the marts are older than the answers.",
)
send_key_option = partial(
    click.option,
    "--send-key",
    "hosts",
    multiple=True,
    metavar="HOST",
    help="Let this host have the key that the suite names.",
)


def asking_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of every command that asks models."""
    for option in reversed(
        (
            config_option(help="Ask this config only: model (role)."),
            configs_option(help="Ask only the first N configs, in place of the suite's `sample:`."),
            limit_option(help="Make at most this many requests."),
            concurrency_option(help="Requests under way at a time.  [default: what the config says, or 1]"),
            budget_option(),
            click.option("--retry-failed", is_flag=True, help="Also ask again what the server rejected."),
            send_key_option(),
        )
    ):
        command = option(command)
    return command


def completed(kind: str) -> Callable[[click.Context, click.Parameter, str], list[CompletionItem]]:
    """Complete a name of the audit that is there: kind is questions, attributes, configs or verdicts.

    Nothing is offered where nothing is built, nor a name that a shell could take for more than a name.
    """

    def complete(context: click.Context, _: click.Parameter, beginning: str) -> list[CompletionItem]:
        import duckdb

        from ingest.errors import PlumblineError
        from ingest.warehouse import Warehouse, evidence

        data = data_dir(context.find_root().params.get("data"))
        try:
            with Warehouse(data) as warehouse:
                if kind == "verdicts":
                    found = evidence.verdict_names(warehouse, beginning, COMPLETED)
                else:
                    category = context.params.get("category") if kind == "attributes" else None
                    names = evidence.configs if kind == "configs" else evidence.places
                    found = [(name, "") for name in names(warehouse, category)]
        except (PlumblineError, duckdb.Error):
            return []
        fitting = [(name, told) for name, told in found if name.lower().startswith(beginning.lower())]
        return [CompletionItem(name, help=told or None) for name, told in fitting if SAFE.fullmatch(name)][
            :COMPLETED
        ]

    return complete
