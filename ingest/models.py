"""`plumbline models`: do the classifiers that a suite names load, and read what they should?"""

from contextlib import closing
from pathlib import Path

import click

from ingest.errors import PlumblineError, say
from ingest.measuring.texts import needs
from ingest.options import device_option, model_dir_option
from ingest.scorers import Where
from ingest.scorers.classifier import SCORERS
from ingest.scorers.known_texts import told_apart
from ingest.suite import Suite, load_suite


@click.group("models")
def command() -> None:
    """Look after the models that measure texts."""


def check_models(suite: Suite, where: Where) -> None:
    """Raise PlumblineError where a classifier of the suite does not load, or misreads two known texts.

    Files that passed before are not read again: `models.lock.json` keeps it.
    """
    for name in _classifiers(suite):
        with closing(SCORERS[name](name, where)) as scorer:
            if not scorer.is_checked:
                say(f"Trying {name} on known texts …", err=True)
                told_apart(scorer, suite.asked_languages)


@command.command("check")
@click.argument("suite_path", metavar="[SUITE]", required=False, type=click.Path(path_type=Path))
@click.option(
    "--scorer",
    "names",
    multiple=True,
    type=click.Choice(sorted(SCORERS)),
    metavar="NAME",
    help="This classifier, in all languages that it reads. Repeat it for more.",
)
@model_dir_option()
@device_option()
@click.pass_obj
def check(
    data: Path, suite_path: Path | None, names: tuple[str, ...], model_dir: Path | None, device: str
) -> None:
    """Load each classifier of a suite, and have it score two known texts a feature and language.

    A classifier that is not installed, has no safetensors, gives other labels than documented or puts the two
    texts in the wrong order is named in a line, and the command exits with 1. `plumbline audit` does the same
    before it asks for an answer. A model that is not on this machine yet is downloaded.

    \b
    plumbline models check suites/mine.yml
    plumbline models check suites/mine.yml --model-dir weights    # offline copies
    plumbline models check --scorer toxicity --scorer regard
    """
    if not (suite_path or names):
        raise click.UsageError("Name a SUITE, or scorers: --scorer regard.")
    suite = load_suite(suite_path) if suite_path else None
    wanted = dict.fromkeys([*(_classifiers(suite) if suite else ()), *names])
    n_failed = 0
    for name in wanted:
        try:
            with closing(SCORERS[name](name, Where(model_dir, device, data))) as scorer:
                reads = told_apart(
                    scorer, suite.asked_languages if suite and name not in names else scorer.languages
                )
                say(f"{name}: loads ({scorer.model}, revision {scorer.revision[:19]}).")
        except PlumblineError as error:
            n_failed += 1
            say(f"{name}: {error.format_message()}")
        else:
            for read in reads:
                say(f"  {read}")
    if n_failed:
        raise click.exceptions.Exit(1)
    if not wanted:
        say("The suite names no classifier.")


def _classifiers(suite: Suite) -> list[str]:
    return [name for name in needs(suite) if name in SCORERS and suite.measurements is None]
