"""`plumbline init`: a suite to start from, or a folder that holds all that an audit needs."""

import re
import shlex
from collections.abc import Sequence
from pathlib import Path

import click

from ingest.benchmarks import offered
from ingest.benchmarks.suite import SAME, Made, suite_of
from ingest.errors import PlumblineError, say
from ingest.loading.draft import Drafted, draft_suite
from ingest.paths import PROJECT, PROJECT_VARIABLE
from ingest.suite import json_schema

STARTER = Path(__file__).parent / "suite" / "starter.yml"
SCHEMA = "suite.schema.json"  # beside a suite: editors offer its keys and say what they are
MODEL = re.compile(r"[\w./:@-]{1,200}")
DEFAULT_MODEL = "llama3.1:8b"

DBT_PROJECT = """\
# `plumbline audit` and plain `dbt build` build Plumbline's models here, and yours: a file in models/ reads a
# mart as {{{{ ref('plumbline', 'fct_verdicts') }}}}.
name: {name}_audit
version: "1.0"
config-version: 2
profile: plumbline
flags: {{send_anonymous_usage_stats: false, indirect_selection: buildable}}
# Its unit tests compare numbers by a macro of its own.
dispatch: [{{macro_namespace: dbt, search_order: [{name}_audit, plumbline, dbt]}}]
"""
PACKAGES = """\
# Where Plumbline's dbt project is: `plumbline` sets the variable, plain dbt takes the place given here.
packages:
  - local: "{{{{ env_var('{variable}', '') or '{project}' }}}}"
"""
IGNORED = "data/\ndbt_packages/\nlogs/\ntarget/\n"


def starter_suite(name: str, model: str | None) -> str:
    """Return the text of a commented suite; without a model its answers are simulated."""
    text = STARTER.read_text("utf-8").replace("__NAME__", name)
    if model is None:
        text = text.replace("    options:", "    # options:")
        return text.replace("__BACKEND__", "simulated").replace("__MODEL__", "simulated")
    return text.replace("__BACKEND__", "ollama").replace("__MODEL__", f'"{model}"')


def starter_folder(name: str) -> dict[str, str]:
    """Return the files of an audit's own folder but for its suite, path -> text."""
    return {
        "dbt_project.yml": DBT_PROJECT.format(name=name),
        "packages.yml": PACKAGES.format(variable=PROJECT_VARIABLE, project=PROJECT.as_posix()),
        "profiles.yml": (PROJECT / "profiles.yml").read_text("utf-8"),
        "selectors.yml": (PROJECT / "selectors.yml").read_text("utf-8"),
        ".gitignore": IGNORED,
    }


def suite_name(path: Path) -> str:
    """Return a suite's name made from its file's: `My audit.yml` -> my_audit."""
    name = re.sub(r"[^a-z0-9]+", "_", path.stem.casefold()).strip("_")[:60]
    return name if re.match(r"[a-z]", name) else f"suite_{name}".rstrip("_")


@click.command("init")
@click.argument("path", metavar="[DIR|FILE.yml]", required=False, type=click.Path(path_type=Path))
@click.option(
    "--from",
    "published",
    type=(click.Choice(sorted(offered())), click.Path(path_type=Path)),
    metavar="BENCHMARK DIR",
    help=f"Ask a published benchmark, from the files in DIR: {', '.join(sorted(offered()))}.",
)
@click.option(
    "--responses",
    type=click.Path(path_type=Path),
    multiple=True,
    help="Draft the suite from a file of answers, or a log of another tool. Repeat it for more.",
)
@click.option(
    "--model",
    help=f"Model to audit, as Ollama names it.  [default: {DEFAULT_MODEL}; in a DIR and of a benchmark, "
    "simulated answers]",
)
@click.option("--force", is_flag=True, help="Replace what is there.")
def command(
    path: Path | None,
    published: tuple[str, Path] | None,
    responses: tuple[Path, ...],
    model: str | None,
    force: bool,
) -> None:
    """Write a suite with comments: change its questions and groups to your own.

    A DIR gets the suite and what dbt needs to build its marts there: an audit needs no clone of Plumbline. A
    FILE.yml (suite.yml) is the suite alone. --from makes a suite of a benchmark's files that you have,
    --responses drafts one from answers that you have.

    \b
    plumbline init hiring && cd hiring && plumbline audit    # simulated answers, to see what comes out
    plumbline init hiring.yml --model llama3.1:8b
    plumbline generate --suite hiring.yml --dry-run          # calls, hours, and what the design can detect
    plumbline audit hiring.yml
    plumbline init --from bbq ~/BBQ/data --model llama3.1:8b # bbq.yml, and its prompts beside it
    plumbline init hiring.yml --responses logs/first.eval    # what the log's fields mean, guessed; look at it
    """
    if model is not None and not MODEL.fullmatch(model):
        raise PlumblineError(
            f"{model!r} is no model's name.", f"Give it as `ollama list` shows it: {DEFAULT_MODEL}."
        )
    if responses and (published or model):
        raise PlumblineError(
            "A file of answers asks no model and no benchmark.", "Leave --model and --from out."
        )
    path = path or Path(f"{published[0]}.yml" if published else "suite.yml")
    is_suite = path.suffix in (".yml", ".yaml")
    name = suite_name(path if is_suite else path.resolve())
    suite = path if is_suite else path / "suites" / f"{name}.yml"
    files = {} if is_suite else {path / file: text for file, text in starter_folder(name).items()}
    if responses:
        drafted = draft_suite(responses, name)
        files[suite] = drafted.text
        done = _drafted(drafted, suite, responses)
    elif published is None:
        asked = DEFAULT_MODEL if is_suite and model is None else model
        files[suite] = starter_suite(name, asked)
        done = f"{path}: change its questions and groups, then `plumbline audit {path}`."
        if not is_suite:
            done = f"{path}: `cd {path}`, then `plumbline audit`. Its questions are in suites/{name}.yml."
    else:
        benchmark, folder = offered()[published[0]], published[1]
        made = suite_of(benchmark, folder, name, str(suite), model)
        files |= {Path(file): text for file, text in made.files.items()}
        _tell(made)
        categories = "1 category" if made.n_categories == 1 else f"{made.n_categories:,} categories"
        done = f"{suite}: {made.n_prompts:,} prompts of {categories}; " + (
            f"`plumbline audit {suite}`." if is_suite else f"`cd {path}`, then `plumbline audit`."
        )
    if there := [file for file in files if file.exists() and not force]:
        raise PlumblineError(f"{there[0]} is there already.", "Give another name, or add --force.")
    files[suite.with_name(SCHEMA)] = json_schema()
    for file, text in files.items():
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        except OSError as error:
            raise PlumblineError(
                f"{file} cannot be written: {error.strerror}.", "Give another name."
            ) from error
    say(done)


def _drafted(drafted: Drafted, suite: Path, responses: Sequence[Path]) -> str:
    groups = ", ".join(f"{name} ({len(values)})" for name, values in drafted.attributes.items())
    named = " ".join(f"--responses {shlex.quote(str(file))}" for file in responses)
    return (
        f"{suite}: drafted from {drafted.n_records:,} records. Groups: {groups or 'none found'}; scores: "
        f"{', '.join(drafted.scores) or 'none'}. Look at it, then `plumbline audit {suite} {named}`."
    )


def _tell(made: Made) -> None:
    """Say which records gave no prompt, and why."""
    for reason, n in made.rejected.most_common():
        what = ("prompt" if reason == SAME else "record") + "s" * (n != 1)
        say(f"{n:,} {what} left out: {reason}, the first is {made.examples[reason]}", err=True)
