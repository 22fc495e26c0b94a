"""`plumbline init`: a suite to start from."""

import re
from pathlib import Path

import click

from ingest.errors import PlumblineError
from ingest.suite import json_schema

STARTER = Path(__file__).parent / "suite" / "starter.yml"
SCHEMA = "suite.schema.json"  # beside a suite: editors offer its keys and say what they are
MODEL = re.compile(r"[\w./:@-]{1,200}")


def starter_suite(name: str, model: str) -> str:
    """Return the text of a commented suite. Raises PlumblineError for a model's name that is none."""
    if not MODEL.fullmatch(model):
        raise PlumblineError(
            f"{model!r} is no model's name.", "Give it as `ollama list` shows it: llama3.1:8b."
        )
    return STARTER.read_text("utf-8").replace("__NAME__", name).replace("__MODEL__", f'"{model}"')


def suite_name(path: Path) -> str:
    """Return a suite's name made from its file's: `My audit.yml` -> my_audit."""
    name = re.sub(r"[^a-z0-9]+", "_", path.stem.casefold()).strip("_")[:60]
    return name if re.match(r"[a-z]", name) else f"suite_{name}".rstrip("_")


@click.command("init")
@click.argument(
    "path", metavar="[FILE]", default="suite.yml", type=click.Path(dir_okay=False, path_type=Path)
)
@click.option("--model", default="llama3.1:8b", show_default=True, help="Model to audit, as Ollama names it.")
@click.option("--force", is_flag=True, help="Replace FILE if it is there.")
def command(path: Path, model: str, force: bool) -> None:
    """Write a commented suite to FILE (suite.yml): change its questions and groups to your own.

    \b
    plumbline init hiring.yml --model llama3.1:8b
    plumbline generate --suite hiring.yml --dry-run    # calls, hours, and what the design can detect
    plumbline audit hiring.yml
    """
    text = starter_suite(suite_name(path), model)
    try:
        with path.open("w" if force else "x", encoding="utf-8") as file:
            file.write(text)
        path.with_name(SCHEMA).write_text(json_schema(), encoding="utf-8")
    except FileExistsError as error:
        raise PlumblineError(f"{path} is there already.", "Name another file, or add --force.") from error
    except OSError as error:
        raise PlumblineError(f"{path} cannot be written: {error.strerror}.", "Name another file.") from error
    click.echo(f"{path}: change its questions and groups, then `plumbline audit {path}`.")
