"""`plumbline labels`: answers for people to read, and what they read in them -> `label_samples`, `labels`."""

from pathlib import Path

import click

from ingest.errors import PlumblineError, say, shown
from ingest.labelling.drawing import Sample, Wanted, draw
from ingest.labelling.files import write_files
from ingest.labelling.loading import Reading, Taken, take_in
from ingest.labelling.questions import questions
from ingest.options import dry_run_option, stale_option, variant_option
from ingest.store import Store
from ingest.suite import Suite, load_suite
from ingest.suite.definition import is_registered
from ingest.warehouse import check_inputs


@click.group("labels")
def command() -> None:
    """Have people read some answers, to know how often the rules read them wrong."""


@command.command("sample")
@click.argument("suite_path", metavar="SUITE", type=click.Path(path_type=Path))
@click.option("--n", type=click.IntRange(min=1), default=400, show_default=True, help="Draw so many answers.")
@click.option(
    "--category",
    "categories",
    multiple=True,
    metavar="CODE",
    help="Of this question only. Repeat it for more.",
)
@click.option(
    "--set", "sets", multiple=True, metavar="NAME", help="Of this outcome set only. Repeat it for more."
)
@click.option(
    "--config", "configs", multiple=True, metavar="NAME", help="Of this config only. Repeat it for more."
)
@click.option(
    "--by",
    "axis",
    metavar="AXIS",
    help="The groups to draw from.  [default: all attributes together, or the first if these are too many]",
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Another seed draws others."
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder to write into.  [default: labels in --data]",
)
@variant_option()
@stale_option()
@click.pass_obj
def sample(
    data: Path,
    suite_path: Path,
    n: int,
    categories: tuple[str, ...],
    sets: tuple[str, ...],
    configs: tuple[str, ...],
    axis: str | None,
    seed: int,
    out: Path | None,
    variant: str | None,
    is_stale_ok: bool,
) -> None:
    """Draw answers for people to read, as a sheet and as a table.

    The sheet is one HTML file that works offline: open it in a browser, choose by keys, save to a file. The
    table is CSV: fill in its columns `label` and `annotator` in a spreadsheet. Either is brought in by
    `plumbline labels load`. Words that show an answer's group are hidden in both.

    The draw is random within strata: config, question, outcome set, label as the rule reads it, group, and
    whether the rule was sure. How likely each answer was drawn is kept. Run it again for further answers.

    \b
    plumbline labels sample suites/fair_sea.yml                        # 400 of all
    plumbline labels sample suites/fair_sea.yml --category D1 --n 100
    plumbline labels sample suites/fair_sea.yml --by "gender & race"
    """
    suite = load_suite(suite_path, variant)
    _check_names(suite, categories, sets, axis)
    check_inputs(data, is_stale_ok)
    wanted = Wanted(n, categories, configs, sets, axis, seed)
    folder = out or data / "labels"
    with Store(data) as store:
        _check_suite(store, suite, suite_path)
        detail = {"suite": suite.suite, **wanted._asdict()}
        with store.run("labels sample", detail) as run_id, store.transaction():
            drawn = draw(store, data, suite, wanted, run_id)
            asked = questions(store, suite, drawn.parts)
            written = write_files(folder, suite, suite_path, drawn, asked)
    _tell_sample(drawn)
    say(f"Sheet: {written.sheet} (open it in a browser)")
    say(f"Table: {written.table} (fill in `label` and `annotator`)")
    say(f"Then: plumbline labels load {suite_path} FILE.csv")


def _check_names(suite: Suite, categories: tuple[str, ...], sets: tuple[str, ...], axis: str | None) -> None:
    """Raise UsageError for a name that the suite does not have."""
    for given, known, option in (
        (categories, [*suite.categories], "--category"),
        (sets, [*dict.fromkeys(rule.set for _, rule in suite.rules())], "--set"),
    ):
        if unknown := [name for name in given if name not in known]:
            raise click.UsageError(f"{option} {unknown[0]}: the suite has {', '.join(known)}.")
    if axis is not None:
        try:
            suite.axis_attributes(axis)
        except ValueError as error:
            raise click.UsageError(f"--by: {error}.") from error


def _check_suite(store: Store, suite: Suite, suite_path: Path) -> None:
    """Raise PlumblineError where the marts are of another suite, or of another state of this file."""
    if not is_registered(store, suite):
        raise PlumblineError(
            f"{shown(suite_path)}: suite {suite.suite} is not what was audited last here.",
            "Run `plumbline audit SUITE` first, with the same --variant.",
        )


def _tell_sample(drawn: Sample) -> None:
    n_new, n_all = sum(s.n_new for s in drawn.strata), sum(s.n for s in drawn.strata)
    n_before = sum(s.n_before for s in drawn.strata)
    earlier = f" {n_before:,} were drawn before." if n_before else ""
    say(
        f"Sample {drawn.sample_key[:8]}: {n_new:,} of {n_all:,} answers, each under one outcome set.{earlier}"
    )
    for (code, outcome_set), parts in drawn.parts.items():
        own = [s for s in drawn.strata if (s.category, s.outcome_set) == (code, outcome_set)]
        sizes, chosen = [s.n for s in own], [s.n_before + s.n_new for s in own]
        say(
            f"  {code} {outcome_set}: {sum(s.n_new for s in own):,} of {sum(sizes):,}, by {parts}: "
            f"{len(own):,} {'stratum' if len(own) == 1 else 'strata'} of {_span(sizes)}, "
            f"of each {_span(chosen)} drawn"
        )
    for note in drawn.notes:
        say(note, err=True)


def _span(numbers: list[int]) -> str:
    return f"{min(numbers):,}" if min(numbers) == max(numbers) else f"{min(numbers):,} to {max(numbers):,}"


@command.command("load")
@click.argument("suite_path", metavar="SUITE", type=click.Path(path_type=Path))
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--annotator", metavar="NAME", help="Who labelled, where a file does not say it.")
@click.option(
    "--example", "is_example", is_flag=True, help="Mark them as a worked example, not independent raters'."
)
@variant_option()
@dry_run_option(help="Say what would be loaded, then stop.")
@click.pass_obj
def load(
    data: Path,
    suite_path: Path,
    files: tuple[Path, ...],
    annotator: str | None,
    is_example: bool,
    variant: str | None,
    dry_run: bool,
) -> None:
    """Bring in what people read in the answers: files that a sheet saved, or tables filled in.

    All files or none: what cannot be used is named with its row. Loading a file again adds nothing. A later
    label by the same annotator takes the place of the earlier one. A row without a label is one that nobody
    looked at; `?` says that it cannot be told.

    \b
    plumbline labels load suites/fair_sea.yml fair_sea-1f2e3d4c-Ada.csv fair_sea-1f2e3d4c-Bo.csv
    plumbline labels load suites/fair_sea.yml filled_in.csv --annotator Ada
    """
    suite = load_suite(suite_path, variant)
    with Store(data, read_only=dry_run, must_exist=True) as store:
        source = "example" if is_example else "annotator"
        drawn = store.rows(
            "select distinct category, outcome_set from label_samples where suite = ?", [suite.suite]
        )
        reading = Reading(suite, questions(store, suite, drawn), annotator, source)
        if dry_run:
            taken = take_in(store, reading, files, "dry-run", is_dry=True)
        else:
            detail = {"suite": suite.suite, "files": [path.name for path in files]}
            with store.run("labels load", detail) as run_id, store.transaction():
                taken = take_in(store, reading, files, run_id)
    _tell_labels(taken)
    if dry_run:
        say("Dry run: nothing was written.", err=True)
    else:
        say(f"Next: plumbline audit {suite_path}, or `dbt build`.")


def _tell_labels(taken: Taken) -> None:
    for line in taken.lines():
        say(line)
