"""Marts of a test's own answers, made as an audit makes them: without dbt where it has written all."""

from pathlib import Path

from ingest.store import AUDIT_NAME, RAW_NAME
from ingest.store.opening import MARTS, attached, open_database
from ingest.warehouse import build, read_project, run_dbt, running
from ingest.warehouse import dbt as driver
from ingest.warehouse.changes import Changes
from ingest.warehouse.project import Project


def build_tested(data: Path, *marts: str, is_every: bool = False) -> None:
    """Build marts and all that they need, and run the project's tests that read nothing else.

    What tables hold together is tested, and where it `is_every` test what each table's own rows hold, too.
    """
    build(data, marts)
    # What is kept may be of another: a report that is made meanwhile adds a file to the project for a while.
    project = driver._known_project() or Project.of(read_project(data))
    with driver._environment(data) as told:
        settings = running.profile(data)
    assert settings is not None
    changes = Changes(data, project, told)
    made = changes.needed_by(marts)
    tests = {
        name
        for name in changes.with_tests(made, is_all_there=False) - made
        if is_every or project.nodes[name].path.startswith("tests/")
    }
    if unwritten := changes.unwritten(tests):
        manifest = read_project(data)
        run_dbt(data, ["test", "--select", *changes.names(unwritten)], lambda: manifest)
        changes.add_queries(manifest, unwritten)
        project.keep()
    queries = changes.queries(tests)
    assert tests and queries.keys() == tests
    broken = {}
    with (
        open_database(data / AUDIT_NAME, True, settings.config, MARTS) as opened,
        attached(opened, data / RAW_NAME, "raw"),
    ):
        for name, query in queries.items():
            ((n_rows,),) = opened.execute(f"select count(*) from (\n{query}\n)").fetchall()
            if n_rows and not project.nodes[name].is_warning:
                broken[name] = n_rows
    assert broken == {}
