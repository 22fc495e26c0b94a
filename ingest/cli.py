"""The command line: one command a file."""

from importlib import import_module
from pathlib import Path

import click

from ingest import __version__
from ingest.edge import OneLine
from ingest.store import data_dir

COMMANDS = (
    "assemble", "audit", "branch", "card", "compare", "completion", "docs", "export", "extract", "gate",
    "generate", "init", "labels", "load", "models", "plan", "raw", "report", "scrape", "show", "singstat",
    "status", "verify", "watch", "why",
)  # fmt: skip


class Commands(OneLine):
    """The commands by name. Only the file of the one that is asked for is read: all of them take a second."""

    def list_commands(self, context: click.Context) -> list[str]:
        """Return the names of the commands."""
        return [*COMMANDS]

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Return the command of a name, None where there is none."""
        found: click.Command | None = None
        if name in COMMANDS:
            found = import_module(f"ingest.{name}").command
        return found


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
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
    plumbline audit hiring.yml --responses answers.csv        # your own answers and suite
    plumbline gate                                            # exit 1 where a verdict is `fail`
    """
    context.obj = data_dir(data)


if __name__ == "__main__":
    cli(prog_name="plumbline")
