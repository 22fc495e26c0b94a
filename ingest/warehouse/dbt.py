"""dbt driven from this process: it reads the project and builds the marts."""

import atexit
import errno
import gc
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

import click
from threadpoolctl import threadpool_limits

from ingest.errors import PlumblineError, say, shown
from ingest.inference.workers import end_workers, stopped_by_ctrl_c
from ingest.paths import PROJECT, PROJECT_VARIABLE, dbt_project, files_below
from ingest.provenance import VARIABLE, build_said
from ingest.store import AUDIT_NAME, RAW_NAME, Store
from ingest.store.opening import (
    IS_LOCKED,
    LOCKED,
    MARTS,
    attached,
    close_kept,
    drop_unreadable_log,
    open_database,
)
from ingest.store.private import private
from ingest.terminal.progress import building, waiting
from ingest.warehouse import running
from ingest.warehouse.changes import Changes, forget, is_current
from ingest.warehouse.dbt_shortcuts import take_shortcuts
from ingest.warehouse.history import keep_audit
from ingest.warehouse.project import Project, project_inputs, project_said, read_folder, target
from ingest.warehouse.room import check_disk, check_memory, stopped_by_memory

Parsed = Callable[[], Any]

BUILDING = "Building the marts"
ROW_RULES = "rows_of_"  # how tests/generic/row_rules.sql is named where it is used
MEASURED = "answers_measured"
MEASURE = " Measure what is not measured yet: `plumbline extract --suite FILE`, with the file of {}."
BLOCKING_RULES = "assert_blocking_rules_are_passed"  # its rows are those of fct_quality
COMMENT = re.compile(r"(?:--.*\n)+")
OPTIONS_KEPT = {"DBT_SEND_ANONYMOUS_USAGE_STATS", "DBT_ENGINE_SEND_ANONYMOUS_USAGE_STATS"}
BLAS_THREADS = "OPENBLAS_NUM_THREADS"  # NumPy and SciPy come with OpenBLAS
# Unit tests are about the models, not about these answers: `make test` runs them.
CHECKED = ["--exclude-resource-type", "unit_test", "--exclude", "tag:fairness_gate"]
MADE = ["--resource-type", "model", "--resource-type", "seed"]

# What dbt has read goes with the process; to look through it for garbage on the way out takes a second.
atexit.register(gc.freeze)


@contextmanager
def _set(values: Mapping[str, str | None]) -> Iterator[None]:
    """Set variables of the environment for a while; None takes one out."""
    before = {name: os.environ.get(name) for name in values}
    _put(values)
    try:
        yield
    finally:
        _put(before)


def _put(values: Mapping[str, str | None]) -> None:
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def _without_options() -> AbstractContextManager[None]:
    """Take dbt's own options out of the environment for a while.

    They are those of other projects: DBT_EMPTY would empty every table, and the queries that are kept.
    """
    from dbt.cli.params import KNOWN_ENV_VARS

    names = {name for one in KNOWN_ENV_VARS for name in (one.name, one.old_name) if name} - OPTIONS_KEPT
    return _set(dict.fromkeys(names & os.environ.keys()))


_told: list[str] = []  # what is said of the build that is under way


@contextmanager
def _environment(data: Path, is_new: bool = False) -> Iterator[str]:
    """Set what the project and its profile read from the environment; yield what is said of the build.

    To look through the project for that takes time: inside another one it is known, unless a build `is_new`.
    """
    _told.append(build_said() if is_new or not _told else _told[-1])
    # An empty one says nothing; a profile may not know.
    empty = [name for name, said in os.environ.items() if name.startswith("PLUMBLINE_") and not said]
    values: dict[str, str | None] = dict.fromkeys(empty) | {
        "PLUMBLINE_DATA": str(data.resolve()),
        "AUDIT_GATE": "warn",
        PROJECT_VARIABLE: str(PROJECT),
        VARIABLE: _told[-1],
    }
    try:
        with _set(values):
            yield _told[-1]
    finally:
        _told.pop()


@contextmanager
def _rarely_collected() -> Iterator[None]:
    """Look for garbage less often: dbt drops few objects, and looking costs it a tenth of its time."""
    before = gc.get_threshold()
    gc.set_threshold(100_000, 50, 50)
    try:
        yield
    finally:
        gc.set_threshold(*before)


@contextmanager
def one_thread_a_product() -> Iterator[None]:
    """Multiply matrices in one thread: with more, last bits differ, and models that run side by side wait."""
    # The variable is for a library that is loaded meanwhile.
    with _set({BLAS_THREADS: "1"}), threadpool_limits(limits=1, user_api="blas"):
        yield


@contextmanager
def _at_work(data: Path) -> Iterator[None]:
    with _environment(data), _rarely_collected(), private(), one_thread_a_product():
        try:
            yield
        finally:
            end_workers()


@contextmanager
def _without_what_is_there() -> Iterator[None]:
    """Look for garbage only in what is made from now on: not in the project, a million objects."""
    is_first = gc.get_freeze_count() == 0
    if is_first:
        gc.freeze()
    try:
        yield
    finally:
        if is_first:
            gc.unfreeze()


def _places(data: Path) -> list[str]:
    project = dbt_project()
    profiles = project if (project / "profiles.yml").exists() else PROJECT
    places = ["--project-dir", str(project), "--profiles-dir", str(profiles)]
    return [*places, "--log-path", str(data.resolve() / "logs")]


def _lacks_packages(project: Path) -> bool:
    """Whether a project's packages are not installed: ours is another now, or one was added."""
    installed = project / "dbt_packages"
    if (installed / "plumbline").resolve() != PROJECT:
        return True
    listed = project_said(project, "packages.yml").get("packages")
    return isinstance(listed, list) and len(listed) > sum(place.is_dir() for place in installed.iterdir())


def _is_torn(manifest: Any) -> bool:
    """Whether a node reads one that is gone: of two models with one name, dbt keeps that of the other."""
    return any(
        parent.startswith("model.") and parent not in manifest.nodes
        for node in manifest.nodes.values()
        for parent in node.depends_on_nodes
    )


def parse(data: Path) -> Any:
    """Return dbt's manifest of the project, None where dbt cannot read it: a build will then say why.

    What dbt has read is kept beside the project, one copy for every folder of data: files that have not
    changed since are not read again. Nothing is kept beside an installed package. Takes `PLUMBLINE_DATA` and
    `AUDIT_GATE` from the environment.
    """
    project, kept = dbt_project(), read_folder(data)
    try:
        kept.mkdir(parents=True, exist_ok=True)
        written = kept if os.access(kept, os.W_OK) else None
    except OSError:
        written = None
    silent = ["--log-level", "none", "--log-level-file", "none", "--no-write-json"]
    with _rarely_collected():
        from dbt.cli.main import dbtRunner

        take_shortcuts()
        with _without_options():
            if project != PROJECT and _lacks_packages(project):
                dbtRunner().invoke([*silent, "deps", *_places(data)])
            places = [*_places(data), "--target-path", str((written or data / "target").resolve())]
            inputs = project_inputs()
            manifest: Any = dbtRunner().invoke([*silent, "parse", *places]).result
            if manifest is not None and _is_torn(manifest):
                manifest = dbtRunner().invoke([*silent, "--no-partial-parse", "parse", *places]).result
    if manifest is not None:
        manifest.project_inputs = inputs
    return manifest


@contextmanager
def parsed_project(data: Path, is_changing: bool = True, is_by_dbt: bool = False) -> Iterator[Parsed]:
    """dbt imported and the project parsed by a thread, while this process brings data in.

    Not `is_changing`, nothing is known yet that will have to be built; `is_by_dbt`, dbt will build it. What
    is yielded waits for the thread and returns what `parse` does; it parses only when asked where a build
    most likely needs no dbt.
    PLUMBLINE_DATA holds the folder meanwhile, for the whole process.
    """
    running.check_environment()
    with _environment(data), ThreadPoolExecutor(1) as thread:
        drop_unreadable_log(data / AUDIT_NAME)
        is_changing = is_changing or not is_current(data)
        close_kept()  # to ask may take hours, in which others may build
        if is_by_dbt or (is_changing and _known_project() is None):
            yield thread.submit(parse, data).result
        else:
            yield cache(partial(parse, data))


def run_dbt(data: Path, arguments: Sequence[str], parsed: Parsed | None = None) -> bool:
    """Run dbt in this process on the databases in `data`; return whether all of it succeeded.

    Raises PlumblineError where there is nothing to build from.
    """
    on_spark = target() == "spark"
    _check_ready(data, is_build=arguments[0] == "build")
    if parsed is not None:
        parsed()  # its thread imports dbt; two imports at once can lock one another
    from dbt.adapters.duckdb.connections import DuckDBConnectionManager
    from dbt.cli.main import dbtRunner

    if on_spark:
        from ingest.spark import build as spark_build
    errors: list[str] = []

    def hear(event: Any) -> None:
        if event.info.level == "error":
            errors.append(event.info.msg)

    level = ["--log-level", "none", "--log-level-file", "info"]  # each line of the file costs
    level += [] if arguments[0] == "docs" else ["--no-write-json"]  # of the whole project, a second each time
    # Tests still come before what reads their models; dbt's own way writes down each of 16,000 such pairs.
    once = ["--use-fast-test-edges"] if arguments[0] == "build" else []
    # All that is stale is selected here, so a test may read what was not.
    if arguments[0] == "build" and "--indirect-selection" not in arguments:
        once += ["--indirect-selection", "eager"]
    close_kept()
    try:
        with _at_work(data):
            manifest = parse(data) if parsed is None else parsed()
            places = [*_places(data), "--target-path", str(data.resolve() / "target")]
            with _without_what_is_there(), _without_options(), _shown(data, arguments) as count:
                runner = dbtRunner(manifest=manifest, callbacks=[hear, count])
                with stopped_by_ctrl_c():
                    result = runner.invoke([*level, *arguments, *once, *places])
            if on_spark and result.success and arguments[0] == "build":
                spark_build.after(data, manifest)
    finally:
        # dbt keeps the databases open until the process ends; nobody else could open them in this one.
        DuckDBConnectionManager.close_all_connections()
    if isinstance(result.exception, KeyboardInterrupt):
        raise result.exception
    results = getattr(result.result, "results", ())
    for node in results:
        if error := stopped_by_memory(node.node.name, node.message or ""):
            raise error
    said_wrong = "\n".join([str(result.exception), *errors])
    if os.strerror(errno.ENOSPC) in said_wrong:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(data))
    if IS_LOCKED in said_wrong:
        raise PlumblineError(f"A database in {shown(data)} is open in another process.", LOCKED)
    for line in errors:
        say(click.unstyle(line), err=True)
    if not on_spark:
        for line in _broken_rules(data, results):
            say(line, err=True)
    if result.exception is not None:
        raise PlumblineError(
            f"dbt stopped: {result.exception}", f"{data / 'logs' / 'dbt.log'} holds the details."
        )
    return bool(result.success)


def _check_ready(data: Path, is_build: bool) -> None:
    """Raise PlumblineError where there is nothing to build from, or no room to build in."""
    # Data brought in by an older version lacks the raw tables that models have come to read since.
    with Store(data, must_exist=True) as store:
        for (suite,) in store.rows("select suite from suites where definition is null order by suite"):
            raise PlumblineError(
                f"The suite {suite!r} was brought in by version 0.1, which kept suites in another form.",
                "Run `plumbline extract --suite FILE` with its file, then the command again.",
            )
        if target() == "spark":
            from ingest.spark import build as spark_build

            spark_build.before(data, store)
        elif is_build:
            check_memory(store)
    if is_build:
        check_disk(data)


@contextmanager
def _shown(data: Path, arguments: Sequence[str]) -> Iterator[Callable[[Any], None]]:
    """Show how far dbt is where it builds; yield what hears its events."""
    if arguments[0] == "build":
        with building(BUILDING, data) as shown_build:
            yield shown_build.hear
    else:
        yield lambda _: None


def _broken_rules(data: Path, results: Iterable[Any]) -> Iterator[str]:
    """Say which rules of which table are broken, and how often: dbt gives the number of rules.

    A test that is a query says in its first lines what holds; it is named with its first sentence.
    """
    blocking, of_rows = [], []
    for node, n_rows in ((one.node, one.failures) for one in results if one.status == "fail"):
        if node.name == BLOCKING_RULES:
            blocking.append(node)
        elif node.name.startswith(ROW_RULES):
            of_rows.append(node)
        elif told := COMMENT.match(node.raw_code):
            holds, *_ = " ".join(told[0].replace("\n--", " ").split()).removeprefix("-- ").split(". ")
            yield f"{node.name}: not so: {holds.rstrip('.')} ({n_rows:,} times)"
    if not blocking and not of_rows:
        return
    with (
        open_database(data / AUDIT_NAME, True, {}, MARTS) as marts,
        attached(marts, data / RAW_NAME, "raw"),
    ):
        for node in blocking:
            rows = marts.sql(node.compiled_code)
            named = rows.project("suite, category, config, scope, n_failing, n_records, rule, description")
            for *places, n_failing, n_records, rule, said in named.order("all").fetchall():
                where = ", ".join(part for part in places if part)
                todo = MEASURE.format(places[0]) if rule == MEASURED else ""
                yield f"{where}: {n_failing:,} of {n_records:,} break the rule {rule}: {said}{todo}"
        for node in of_rows:
            for rule, n_rows in marts.execute(node.compiled_code).fetchall():
                yield f"{node.name.removeprefix(ROW_RULES)}: not so: {rule} ({n_rows:,} times)"


def read_project(data: Path) -> Any:
    """Return dbt's manifest of the project as it is now.

    Raises PlumblineError where dbt cannot read its own project.
    """
    with _environment(data):
        manifest = parse(data)
    if manifest is None:
        raise PlumblineError(
            "dbt could not read its models.", f"{data / 'logs' / 'dbt.log'} holds the details."
        )
    return manifest


def mart_names() -> set[str]:
    """Names of the marts, and of the models of the working folder's own dbt project."""
    marts = files_below(PROJECT / "models" / "marts", {".sql"})
    if (project := dbt_project()) != PROJECT:
        for named in project_said(project).get("model-paths") or ["models"]:
            marts += files_below(project / str(named), {".sql", ".py"})
    return {path.stem for path in marts}


@_rarely_collected()
def build(
    data: Path,
    marts: Sequence[str] = (),
    parsed: Parsed | None = None,
    is_full: bool = False,
    is_kept: bool = False,
) -> None:
    """Build what changed since the last build, and run the data-quality tests of what was built.

    With `marts` these models alone are built, and what they need, without tests; with `is_full` every model
    is, and every test is run. With `is_kept` what the audit judged is kept, and the marts of kept audits show
    it; on Spark, where all would be built a second time for it, no audit is kept. Raises PlumblineError where
    a test fails.
    """
    running.check_environment()
    drop_unreadable_log(data / AUDIT_NAME)
    by_dbt = ["--select", *(f"+{mart}" for mart in marts), *MADE] if marts else CHECKED
    if target() == "spark":  # whose tables are not in audit.duckdb
        _build(data, by_dbt, parsed)
        return
    if is_full:
        if not marts:
            forget(data)
    elif is_current(data) and (marts or not (is_kept and keep_audit(data))):
        say("Nothing has changed since the last build.", err=True)
        return
    parsed = cache(partial(_read, data)) if parsed is None else parsed
    project = None if is_full else _known_project()
    if project is None:
        if parsed() is None:  # a build says why
            _build(data, by_dbt)
            return
        project = Project.of(parsed())

    def read() -> Any:
        manifest = parsed()
        if manifest is not None and manifest.project_inputs != project.inputs:  # None: a build says why
            raise PlumblineError(
                "A file of the project was changed while the audit was made.", "Run the command again."
            )
        return manifest

    def keep_queries(written: Set[str]) -> None:
        if project.is_plain:
            changes.add_queries(read(), written)
            project.keep()

    def run(chosen: Set[str], arguments: Sequence[str]) -> None:
        unwritten = changes.unwritten(chosen)
        # What tells the commit is written anew with each one, and nothing else is.
        is_told_alone = unwritten and project.queries and unwritten <= changes.telling(chosen) and not is_full
        if is_told_alone and run_dbt(data, ["compile", "--select", *changes.names(unwritten)], read):
            keep_queries(unwritten)
        if is_full or not _run_written(data, changes, chosen):
            _build(data, [*CHECKED, *arguments], read)
            changes.look(chosen)
            keep_queries(chosen)
        else:
            changes.look(chosen)

    def run_named(chosen: Set[str]) -> None:
        run(chosen, ["--select", *changes.names(chosen), "--indirect-selection", "empty"])

    def make_marts() -> None:
        needed = changes.needed_by(marts)
        if is_full or not (changes.known or project.queries):
            run_named(needed)
            return
        if first := changes.first() & needed:
            run_named(first)
        if stale := changes.stale() & needed:
            run_named(stale)

    def make(later: Set[str] = frozenset()) -> None:
        if not changes.known and (is_full or not project.queries):
            run(changes.nodes.keys() - later, changes.names(later))  # which `--exclude` ends with
            return
        if first := changes.first():
            run_named(changes.with_tests(first, is_all_there=False) - later)
        if stale := changes.stale() - later:
            run_named(changes.with_tests(stale) - later)

    with _environment(data, is_new=True) as told:
        changes = Changes(data, project, told)
        if marts:
            make_marts()
            return
        # What shows kept audits and runs is made once this one is kept.
        if is_kept:
            make(later=changes.after_keeping())
            if keep_audit(data):
                changes.read_raw()
        make()
        changes.record()


def _read(data: Path) -> Any:
    with _environment(data), waiting("Reading the models", data):
        return parse(data)


def _known_project() -> Project | None:
    """Return the project as it was kept, None where it has changed since, or dbt has to make it."""
    kept = Project.kept()
    return kept if kept is not None and kept.is_plain and kept.is_current else None


def _run_written(data: Path, changes: Changes, chosen: Set[str]) -> bool:
    """Make nodes without dbt; return whether all is made, and every test has passed."""
    if not changes.project.is_plain or changes.unwritten(chosen):
        return False
    _check_ready(data, is_build=True)
    nodes = {name: changes.nodes[name] for name in chosen}
    with _at_work(data), building(BUILDING, data) as shown_build:
        parents, queries = changes.parents_among(chosen), changes.queries(chosen)
        return running.run(data, nodes, parents, queries, changes.state, shown_build.count)


def _build(data: Path, chosen: Sequence[str], parsed: Parsed | None = None) -> None:
    if not run_dbt(data, ["build", *chosen], parsed):
        raise PlumblineError(
            "The build stopped: a model or a data-quality test failed (see above).",
            f"{data / 'logs' / 'dbt.log'} holds the details. A finding stops no build; broken data does.",
        )
