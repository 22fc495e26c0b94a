"""What changed is built, nothing else is, and tables are those of a build from nothing: on six models."""

import json
import os
import random
import shutil
import signal
import threading
import time
from contextlib import contextmanager

import dbt.cli.main
import duckdb
import pytest
from places import ROOT

from ingest import provenance
from ingest.errors import PlumblineError
from ingest.keys import key
from ingest.store import AUDIT_NAME, RAW_NAME, Store
from ingest.warehouse import build, changes, check_inputs, running
from ingest.warehouse import dbt as driver
from ingest.warehouse import project as kept_project

FILES = {
    "dbt_project.yml": """
name: plumbline
profile: plumbline
flags: {send_anonymous_usage_stats: false}
on-run-start: ["{{ inputs_forgotten() }}"]
on-run-end: ["{{ inputs_recorded(results) }}"]
models: {+materialized: table}
""",
    "models/models.yml": """
sources: [{name: raw, database: raw, schema: main, tables: [{name: suites}, {name: measurements}]}]
models:
  - name: titles
    config: {materialized: view, meta: {changes_with: rows}}
    data_tests: [row_rules: {name: rows_of_titles, arguments: {key: [suite], never_null: [title]}}]
  - {name: limits, config: {meta: {changes_with: rows}}, columns: [{name: suite, data_tests: [unique]}]}
  - name: counted
    data_tests: [row_rules: {name: rows_of_counted, arguments: {key: [suite, config], never_null: ["n"]}}]
  - {name: drawn, columns: [{name: suite, data_tests: [unique]}]}
  - name: judged
    columns: [{name: suite, data_tests: [{relationships: {arguments: {to: ref('limits'), field: suite}}}]}]
""",
    "models/limits.sql": """
select suite, cast(definition -> 'limit' as double) as limit_value from {{ source('raw', 'suites') }}
""",
    "models/named.sql": """
select suite, definition ->> 'title' as title from {{ source('raw', 'suites') }}
""",
    "models/titles.sql": """
select suite, definition ->> 'title' as title from {{ source('raw', 'suites') }}
""",
    "models/listed.sql": "select title, count(*) as n_suites from {{ ref('titles') }} group by title",
    "models/answers.sql": """
{{ config(materialized='view') }}
select scorer_key as suite, feature as config, value from {{ source('raw', 'measurements') }}
""",
    "models/counted.sql": """
select suite, config, count(*) as n from {{ ref('answers') }} group by all
""",
    "models/drawn.py": """
from ingest.inference.kept import Kept
from ingest.inference.tables import rows_by, types


def model(dbt, session):
    dbt.config(materialized="table")
    kept = Kept(dbt, session, types("suite string, n int64"))
    counted = dbt.ref("counted").order("suite, config")
    for suite, rows in rows_by(counted, "suite, config, n").items():
        kept.add(drawn, suite, rows)
    return kept.relation()


def drawn(suite, rows):
    yield {"suite": suite, "n": sum(n for _, n in rows)}
""",
    "models/judged.sql": """
select drawn.suite, drawn.n, drawn.n * weights.weight > limits.limit_value as is_high
from {{ ref('drawn') }} as drawn
inner join {{ ref('limits') }} as limits using (suite)
cross join {{ ref('weights') }} as weights
""",
    "models/other.sql": "select count(*) as n_suites from {{ ref('named') }}",
    "seeds/weights.csv": "weight\n1\n",
    "tests/data_quality/no_suite_is_bad.sql": "select * from {{ ref('drawn') }} where suite = 'bad'",
}
EVERY = {
    "limits", "named", "titles", "listed", "answers", "counted", "drawn", "judged", "other", "weights"
}  # fmt: skip

ENDLESS = """
import signal
import threading
import time

from ingest.inference.kept import Kept
from ingest.inference.tables import types


def model(dbt, session):
    dbt.config(materialized="table")
    dbt.ref("limits")
    kept = Kept(dbt, session, types("n int64"))
    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
    for n in range(10_000):
        kept.add(_counted, n)
    return kept.relation()


def _counted(n):
    time.sleep(0.05)
    yield {"n": n}
"""


class Project:
    """A project of a few models in a folder, its data, and what dbt built last."""

    def __init__(self, folder):
        self.folder = folder / "project"
        self.data = folder / "data"
        self.built, self.without_dbt = set(), set()
        self.of_the_build = self.data / AUDIT_NAME, self.folder / "target" / "read-duckdb" / kept_project.KEPT

    def begin(self):
        for name, text in FILES.items():
            self.write(name, text)
        shutil.copytree(ROOT / "macros" / "engine", self.folder / "macros")
        shutil.copytree(ROOT / "tests" / "generic", self.folder / "tests" / "generic")
        shutil.copy(ROOT / "profiles.yml", self.folder)
        with self.raw():
            pass
        self.suite("s", limit=10)
        self.suite("t", limit=20)
        self.answers("s", "k", 12)
        self.answers("t", "k", 3)

    def take(self, other, *files):
        """Take over files of another project, or all."""
        for file in files or (other.folder, other.data):
            place = self.folder.parent / file.relative_to(other.folder.parent)
            (shutil.copytree if file.is_dir() else shutil.copy)(file, place)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")

    def raw(self):
        return Store(self.data)

    def suite(self, name, **definition):
        with self.raw() as store:
            store.connection.execute("delete from suites where suite = ?", [name])
            row = [name, key(definition), "", json.dumps({"title": "T", **definition}), "r"]
            store.connection.execute(
                "insert into suites by name select ? as suite, ? as suite_key, ? as file_sha256,"
                " ? as definition, ? as run_id",
                row,
            )

    def answers(self, suite, config, n):
        with self.raw() as store:
            store.connection.execute(
                "insert into measurements select uuid(), ?, ?, 1, 'ok' from range(?)", [suite, config, n]
            )

    def build(self, **options):
        self.built, self.without_dbt, self.parents = set(), set(), {}
        build(self.data, **options)
        return self.built

    def tables(self, data=None):
        with duckdb.connect(str((data or self.data) / AUDIT_NAME), read_only=True) as marts:
            marts.execute(f"attach '{self.data / RAW_NAME}' as raw (read_only)")
            return {name: sorted(map(repr, marts.sql(f"from {name}").fetchall())) for name in EVERY}

    def is_as_from_nothing(self):
        fresh = self.data.with_name("fresh")
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir()
        shutil.copy(self.data / RAW_NAME, fresh)
        build(fresh)
        return self.tables() == self.tables(fresh)


@contextmanager
def in_its_folder(project):
    """Have commands take the project for ours."""
    with pytest.MonkeyPatch.context() as patched:
        for module in (driver, kept_project, provenance, running):
            patched.setattr(module, "PROJECT", project.folder)
            patched.setattr(module, "dbt_project", lambda: project.folder)
        yield


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """The project, built from nothing."""
    project = Project(tmp_path_factory.mktemp("begun"))
    project.begin()
    with in_its_folder(project):
        project.build()
    return project


@pytest.fixture
def project(begun, tmp_path, monkeypatch):
    """A copy of the project that dbt has read, and not built."""
    project = Project(tmp_path)
    project.take(begun)
    for file in project.of_the_build:
        file.unlink()

    class Recording(dbt.cli.main.dbtRunner):
        def invoke(self, arguments, **options):
            done = super().invoke(arguments, **options)
            if "build" in arguments and done.result is not None:  # stopped
                nodes = [result.node for result in done.result.results]
                project.built |= {node.name for node in nodes if node.resource_type != "operation"}
            return done

    run = running.run

    def run_recorded(data, nodes, parents, *arguments):
        is_made = run(data, nodes, parents, *arguments)
        project.parents |= {
            node.fqn[-1]: {nodes[one].fqn[-1] for one in parents[name]} for name, node in nodes.items()
        }
        if is_made:
            project.without_dbt |= {node.fqn[-1] for node in nodes.values()}
        project.built |= project.without_dbt
        return is_made

    monkeypatch.setattr(dbt.cli.main, "dbtRunner", Recording)
    monkeypatch.setattr(running, "run", run_recorded)
    with in_its_folder(project):
        yield project


@pytest.fixture
def is_built(project, begun):
    """Have the project built already, as its first build makes it."""
    project.take(begun, *begun.of_the_build)


def test_each_change_builds_what_reads_it_and_tests_that(project):
    with driver.parsed_project(project.data) as parsed:  # dbt reads once; an audit builds again to be kept
        built = project.build(parsed=parsed)
        assert built >= EVERY and "no_suite_is_bad" in built
        project.answers("t", "another", 5)
        built = project.build(parsed=parsed)
    assert project.build() == set()
    assert built >= {"counted", "drawn", "judged", "no_suite_is_bad", "rows_of_counted"}
    assert not built & {"answers", "limits", "named", "other", "weights", "unique_limits_suite"}

    project.suite("s", limit=11)
    built = project.build()
    assert built & EVERY == {"limits", "named", "other", "judged"}
    assert {"unique_limits_suite", "relationships_judged_suite__suite__ref_limits_"} <= built
    assert not {"no_suite_is_bad", "unique_drawn_suite", "rows_of_titles"} & built

    # The table of limits is as it was: what reads it is left alone. The view of titles shows others.
    project.suite("s", limit=11, title="Another")
    built = project.build()
    assert built & EVERY == {"limits", "named", "other", "listed"} and "rows_of_titles" in built

    project.write("models/titles.sql", FILES["models/titles.sql"].replace("title'", "title' || '.'"))
    assert project.build() == {"titles", "rows_of_titles", "listed"}

    project.write("seeds/weights.csv", "weight\n5\n")
    assert project.build() & EVERY == {"weights", "judged"}

    project.write("models/other.sql", "select count(*) as n_suites, 1 as one from {{ ref('named') }}")
    assert project.build() == {"other"}

    project.write("tests/data_quality/no_suite_is_bad.sql", "select * from {{ ref('drawn') }} where n < 0")
    assert project.build() == {"no_suite_is_bad"}
    check_inputs(project.data)
    assert project.is_as_from_nothing()
    assert project.build(is_full=True) >= EVERY


def test_what_changes_while_marts_are_built_is_built_the_next_time(project, monkeypatch):
    def build_while(change):
        def look(changes, made):
            looked(changes, made)
            change()

        looked = changes.Changes.look
        with monkeypatch.context() as patched:
            patched.setattr(changes.Changes, "look", look)
            return project.build()

    build_while(lambda: project.answers("t", "late", 5))
    other = "select 7 as n_suites"
    assert {"counted", "drawn", "judged"} <= build_while(lambda: project.write("models/other.sql", other))
    assert project.build() == {"other"}
    assert project.build() == set() and project.is_as_from_nothing()


def test_what_tells_the_build_is_made_anew_with_any_code_and_alone_where_nothing_reads_it(
    project, monkeypatch
):
    def told():
        with duckdb.connect(str(project.data / AUDIT_NAME), read_only=True) as marts:
            return marts.sql("from told").fetchall()

    model = "select {{ build_said('build_hash') }} as build_hash"
    project.write("models/told.sql", "{{ config(meta={'changes_with': 'build'}) }} " + model)
    project.build()
    before = told()
    assert before == [(provenance.build_hash(),)]
    project.write("tests/data_quality/no_suite_is_bad.sql", "select * from {{ ref('drawn') }} where n < 0")
    assert project.build() == {"no_suite_is_bad"} and told() == before
    project.write("models/other.sql", "select count(*) as n_suites, 1 as one from {{ ref('named') }}")
    assert project.build() == {"other", "told"} and told() == [(provenance.build_hash(),)] != before

    # Another commit of the same code: dbt writes this one query, and the rest is made without dbt.
    monkeypatch.setattr(provenance, "commit_of", lambda folder: provenance.Commit("c1", True))
    assert project.is_as_from_nothing() and project.without_dbt >= EVERY | {"told"}


def test_what_a_project_of_its_own_has_is_noticed_wherever_dbt_looks_for_it(project, monkeypatch):
    monkeypatch.setattr(kept_project, "PROJECT", ROOT)  # the folder is another project than ours
    named = "test-paths: [tests, checks]\nmodel-paths: [models, more]\n"
    project.write("dbt_project.yml", FILES["dbt_project.yml"] + named)
    project.build()
    assert project.build() == set()
    project.write("tests/none_is_high.sql", "select * from {{ ref('judged') }} where n < 0")
    assert project.build() == {"none_is_high"}
    project.write("checks/none_is_low.sql", "select * from {{ ref('judged') }} where n < 0")
    assert project.build() == {"none_is_low"}
    project.write("more/own.sql", "select 1 as n")
    assert project.build() == {"own"}
    project.write("models/own.yaml", "models: [{name: own, columns: [{name: n, data_tests: [unique]}]}]")
    assert "unique_own_n" in project.build()
    project.write("tests/none_is_high.sql", "select * from {{ ref('judged') }}")
    with pytest.raises(PlumblineError, match="data-quality test failed"):
        project.build()


def test_a_model_that_is_renamed_or_moved_is_noticed(project):
    project.write("models/own.sql", "select 1 as n")
    project.write("models/views/kept.sql", "select 2 as n")
    settings = "{+materialized: table, plumbline: {views: {+materialized: view}}}"
    project.write("dbt_project.yml", FILES["dbt_project.yml"].replace("{+materialized: table}", settings))
    assert project.build() >= EVERY | {"own", "kept"} and project.build() == set()
    models = project.folder / "models"
    (models / "own.sql").rename(models / "renamed.sql")
    assert project.build() == {"renamed"}
    (models / "renamed.sql").rename(models / "views" / "renamed.sql")
    assert project.build() == {"renamed"}
    with duckdb.connect(str(project.data / AUDIT_NAME), read_only=True) as marts:
        views = marts.sql("select view_name from duckdb_views() where not internal order by all").fetchall()
    assert {("kept",), ("renamed",)} <= set(views)


def test_what_no_node_shows_of_a_project_is_noticed_too(project, monkeypatch):
    monkeypatch.setattr(kept_project, "PROJECT", ROOT)  # the folder is another project than ours

    def said(variable):
        return FILES["dbt_project.yml"] + f"vars: {{most: {variable}}}\n"

    def rows(table):
        with duckdb.connect(str(project.data / AUDIT_NAME), read_only=True) as marts:
            return marts.sql(f"select * from {table} order by all").fetchall()

    project.write("dbt_project.yml", said(1))
    project.write("models/own.sql", "select {{ var('most') }} as most")
    columns = "config(unique_key='suite', strategy='check', check_cols=['n'])"
    snapshot = "{% snapshot earlier %}{{ " + columns + " }}select suite, n from {{ ref('drawn') }}"
    project.write("snapshots/earlier.sql", snapshot + "{% endsnapshot %}")
    project.write("models/told.sql", "select count(*) as n from {{ ref('earlier') }}")
    long = "n,said\n" + f"1,{'x' * 10_000}\n" * 120  # more than dbt reads to see a change
    project.write("seeds/long.csv", long)
    theirs = project.folder.with_name("theirs")
    project.write("../theirs/dbt_project.yml", "name: theirs\n")
    project.write("../theirs/models/shared.sql", "select 1 as n")
    project.write("packages.yml", "packages: [{local: ../theirs}]")
    (project.folder / "dbt_packages").mkdir()
    (project.folder / "dbt_packages" / "theirs").symlink_to(theirs)
    assert project.build() >= EVERY | {"own", "earlier", "told", "long", "shared"}
    assert project.build() == set() and rows("told") == [(2,)]

    project.answers("t", "k", 1)
    assert {"drawn", "earlier", "told"} <= project.build() and rows("told") == [(3,)]
    project.write("seeds/long.csv", long.replace("1,", "2,"))
    assert project.build() == {"long"} and rows("(select distinct n from long)") == [(2,)]
    project.write("../theirs/models/shared.sql", "select 2 as n")
    assert project.build() == {"shared"} and rows("shared") == [(2,)]
    project.write("dbt_project.yml", said(2))
    assert "own" in project.build() and rows("own") == [(2,)]
    assert driver.run_dbt(project.data, ["snapshot"])
    assert "earlier" in project.build()
    check_inputs(project.data)
    project.write("models/own.sql", "select 3 as most")
    assert project.build() == {"own"} and rows("own") == [(3,)]
    for file in (".dbtignore", "functions/twice.sql"):
        before = kept_project.project_inputs()
        project.write(file, "models/none.sql")
        assert kept_project.project_inputs() != before, file


def test_what_dbt_has_written_is_made_without_it_until_the_project_changes(project):
    assert project.build() and project.without_dbt == set()
    project.answers("t", "another", 5)
    built = project.build()
    assert project.without_dbt == built >= {"counted", "drawn", "judged", "no_suite_is_bad"}
    assert project.is_as_from_nothing() and project.without_dbt >= EVERY

    project.write("models/other.sql", "select count(*) as n_suites, 1 as one from {{ ref('named') }}")
    assert project.build() == {"other"} and project.without_dbt == set()
    project.suite("s", limit=12)
    built = project.build()
    assert project.without_dbt == built >= {"limits", "other", "judged"}
    assert project.build(is_full=True) >= EVERY and project.without_dbt == set()


def test_a_mart_is_made_with_what_it_needs_and_without_dbt_where_its_queries_are_known(project):
    needed = {"answers", "counted", "drawn", "limits", "weights", "judged"}
    assert project.build(marts=["judged"]) == needed and project.without_dbt == set()
    project.answers("t", "k", 4)
    assert project.build(marts=["judged"]) == needed == project.without_dbt
    with duckdb.connect(str(project.data / AUDIT_NAME), read_only=True) as marts:
        assert marts.sql("select suite, n from judged order by all").fetchall() == [("s", 12), ("t", 7)]
    # No test has been run, so an audit makes all of it again.
    assert project.build() >= EVERY and project.is_as_from_nothing()
    project.suite("s", limit=15)
    assert project.build(marts=["judged"]) == {"limits", "judged"} == project.without_dbt
    assert project.build() >= {"limits", "judged", "other"} and project.is_as_from_nothing()
    assert project.build(marts=["judged"]) == set()
    assert project.build(marts=["judged"], is_full=True) == needed and project.without_dbt == set()
    project.write(
        "models/counted.sql", "select suite, config, 2 * count(*) as n from {{ ref('answers') }} group by all"
    )
    assert project.build(marts=["drawn"]) == {"answers", "counted", "drawn"} and project.without_dbt == set()


def test_what_is_read_through_a_view_is_made_first(project):
    """The view is not made anew: it shows what rows there are."""
    of_view = "{{ config(materialized='view') }} "
    project.write("models/shown.sql", of_view + "select suite, n from {{ ref('drawn') }}")
    project.write("models/shown_again.sql", of_view + "from {{ ref('shown') }}")
    project.write("models/totals.sql", "select sum(n) as n from {{ ref('shown_again') }}")
    project.write("tests/data_quality/some.sql", "from {{ ref('shown_again') }} where n < 0")
    project.build()
    project.answers("t", "k", 1)
    assert "shown" not in project.build() and {"drawn", "totals", "some"} <= project.without_dbt
    assert project.parents["totals"] == {"drawn"} == project.parents["some"]
    assert project.parents["judged"] == {"drawn"} and project.parents["drawn"] == {"counted"}


def test_options_of_dbt_in_the_environment_are_those_of_other_projects(project, monkeypatch):
    theirs = {
        "DBT_EMPTY": "1",
        "DBT_ENGINE_RESOURCE_TYPES": "model",
        "DBT_TARGET": "prod",
        "DBT_PROFILE": "theirs",
        "DBT_WARN_ERROR": "1",
    }
    for name, value in theirs.items():
        monkeypatch.setenv(name, value)
    assert project.build(is_full=True) >= EVERY | {"no_suite_is_bad"}
    assert theirs.items() <= os.environ.items()
    assert project.tables()["counted"] == ["('s', 'k', 12)", "('t', 'k', 3)"]
    project.answers("t", "k", 1)
    assert project.build() == project.without_dbt and project.is_as_from_nothing()


@pytest.mark.usefixtures("is_built")
def test_what_goes_wrong_without_dbt_is_left_to_dbt(project, monkeypatch, capsys):
    def build_with(part, instead):
        project.answers("t", "k", 1)
        with monkeypatch.context() as patched:
            patched.setattr(running, part, instead)
            return project.build()

    def stop(error):
        return lambda *_: (_ for _ in ()).throw(error)

    for error in (duckdb.CatalogException("no"), ValueError("other columns"), PlumblineError("locked", "")):
        part = "open_database" if isinstance(error, PlumblineError) else "_select"
        assert {"counted", "drawn", "judged"} <= build_with(part, stop(error)) and not project.without_dbt
    assert "stopped at counted (other columns); dbt builds it now." in capsys.readouterr().err
    assert {"drawn", "judged"} <= build_with("profile", lambda data: None) and not project.without_dbt
    for part in ("attached", "_forget"):
        locked = duckdb.IOException("IO Error: Could not set lock on file")
        assert {"counted", "drawn", "judged"} <= build_with(part, stop(locked)) and not project.without_dbt
    for error in (duckdb.OutOfMemoryException("Out of Memory Error: failed"), MemoryError("of an array")):
        with pytest.raises(PlumblineError, match=r"The build stopped at drawn: .*memory"):
            build_with("_compute", stop(error))
    with pytest.raises(OSError, match="No space left"):
        build_with("_compute", stop(duckdb.IOException("IO Error: No space left on device")))
    assert {"drawn", "judged"} <= project.build() == project.without_dbt
    assert project.is_as_from_nothing()
    project.answers("bad", "k", 1)
    with pytest.raises(PlumblineError, match="data-quality test failed"):
        project.build()
    assert "Without dbt the test no_suite_is_bad failed; dbt builds it now." in capsys.readouterr().err


def test_a_query_that_is_written_from_rows_is_written_for_each(project):
    wide = """
-- depends_on: {{ ref('limits') }}
select 1 as one {%- if execute %}
    {%- for row in run_query('select suite, limit_value from ' ~ ref('limits') ~ ' order by suite').rows %}
    , {{ row['limit_value'] }} as {{ row['suite'] }}
    {%- endfor %}
{%- endif %}
"""
    of_limits = "{{ config(meta={'written_from': ['limits']}) }}"
    project.write("models/wide.sql", of_limits + wide)

    def found():
        with duckdb.connect(str(project.data / AUDIT_NAME), read_only=True) as marts:
            return marts.sql("from wide").fetchall()

    project.build()
    assert found() == [(1, 10.0, 20.0)]
    for limit, is_new in ((30, True), (10, False), (30, False)):
        project.suite("s", limit=limit)
        assert "wide" in project.build() and found() == [(1, float(limit), 20.0)]
        assert ("wide" in project.without_dbt) is not is_new


@pytest.mark.usefixtures("is_built")
def test_a_source_that_is_another_table_has_its_queries_written_anew(project):
    assert project.build() == set()
    with project.raw() as store:
        store.connection.execute("create table other_suites as from suites where suite = 's'")
    another = "{name: suites, identifier: other_suites}"
    project.write("models/models.yml", FILES["models/models.yml"].replace("{name: suites}", another))
    assert {"limits", "named", "titles"} <= project.build()
    with duckdb.connect(str(project.data / AUDIT_NAME), read_only=True) as marts:
        assert marts.sql("from limits").fetchall() == [("s", 10.0)]


@pytest.mark.usefixtures("is_built")
def test_what_dbt_reads_of_other_files_is_not_kept_under_these(project, monkeypatch):
    """A file is changed while an audit asks its model, and changed back; another build keeps the project."""
    before = FILES["models/other.sql"]
    project.write("models/other.sql", "select 7 as n_suites")
    with driver.parsed_project(project.data) as parsed:
        parsed()
        project.write("models/other.sql", before)
        project.suite("u", limit=1)
        monkeypatch.setattr(running, "run", lambda *_: False)
        with pytest.raises(PlumblineError, match="changed while"):
            project.build(parsed=parsed)
    assert "other" in project.build() and project.is_as_from_nothing()


@pytest.mark.usefixtures("is_built")
def test_another_projects_way_of_making_things_is_dbts(project):
    """Macros of theirs may replace ours, a hook may write what a model reads, the environment is no file."""
    profile = (ROOT / "profiles.yml").read_text("utf-8")
    ours = FILES["dbt_project.yml"]
    project.write("../theirs/dbt_project.yml", "name: theirs\n")
    project.write("../theirs/macros/theirs.sql", "{% macro theirs() %}{% endmacro %}")
    (project.folder / "dbt_packages").mkdir()
    (project.folder / "dbt_packages" / "theirs").symlink_to(project.folder.with_name("theirs"))
    for name, text in {
        "packages.yml": "packages: [{local: ../theirs}]",
        "models/listed.sql": "{{ config(post_hook='select 1') }} " + FILES["models/listed.sql"],
        "profiles.yml": profile.replace("threads: 2", "threads: 2\n      schema: main"),
        "dbt_project.yml": ours + "seeds: {+tags: \"{{ env_var('OWN_TAG', 'own') }}\"}",
    }.items():
        before = path.read_text("utf-8") if (path := project.folder / name).exists() else ""
        project.write(name, text)
        project.build()
        project.answers("t", "k", 1)
        assert project.build() and project.without_dbt == set(), name
        project.write(name, before)
        if name == "packages.yml":
            shutil.rmtree(project.folder / "dbt_packages")
    project.write("dbt_project.yml", ours.replace("name: plumbline", "name: own"))
    project.build()
    project.answers("t", "k", 1)
    assert project.build() and project.without_dbt == set()


@pytest.mark.usefixtures("is_built")
def test_what_another_version_kept_is_not_taken(project, monkeypatch):
    other = project.folder.with_name("project.py")
    other.write_text("# Another version's.", "utf-8")
    with monkeypatch.context() as patched:
        assert kept_project.Project.kept().is_current
        patched.setattr(kept_project, "__file__", str(other))
        assert not kept_project.Project.kept().is_current
    for text in ("", "[]", "{}", '{"nodes": null}', '{"nodes": {"a": {}}}'):
        project.write(f"target/read-duckdb/{kept_project.KEPT}", text)
        assert kept_project.Project.kept() is None, text
    project.answers("t", "k", 1)
    assert project.build() >= {"drawn", "judged"} and project.without_dbt == set()
    project.answers("t", "k", 1)
    assert project.build() == project.without_dbt and project.is_as_from_nothing()


@contextmanager
def ends_with_ctrl_c(seconds):
    """The block ends so within some seconds. Who starts the tests with `&` has them ignore it: not here."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        started = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            yield
        assert time.monotonic() - started < seconds
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("is_built")
def test_ctrl_c_stops_a_model_between_two_queries(project, monkeypatch):
    """What Python computes goes on; the query that it then asks is stopped."""
    project.answers("t", "k", 1)

    def compute(cursor, *_):
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        time.sleep(0.5)
        cursor.execute(
            "select sum(hash(a.range + b.range)) from range(1e7::bigint) as a, range(1e7::bigint) as b"
        )

    with monkeypatch.context() as patched, ends_with_ctrl_c(30):
        patched.setattr(running, "_compute", compute)
        project.build()
    assert project.build() == project.without_dbt >= {"drawn", "judged"} and project.is_as_from_nothing()


def test_ctrl_c_stops_a_model_that_dbt_runs(project):
    """dbt waits for its threads: whatever computes there has to hear of it."""
    project.write("models/endless.py", ENDLESS)
    with ends_with_ctrl_c(60):
        project.build()
    (project.folder / "models/endless.py").unlink()
    assert project.build() >= {"drawn", "judged"} and project.is_as_from_nothing()


@pytest.mark.usefixtures("is_built")
def test_ctrl_c_stops_a_model_that_has_just_been_begun(project, monkeypatch):
    project.answers("t", "k", 1)
    endless = "select sum(hash(a.range + b.range)) from range(1e7::bigint) as a, range(1e7::bigint) as b"

    def submit(executor, *work):
        begun(executor, *work)
        time.sleep(0.5)
        raise KeyboardInterrupt

    begun = running.ThreadPoolExecutor.submit
    with monkeypatch.context() as patched:
        patched.setattr(running, "_select", lambda cursor, *_: cursor.execute(endless))
        patched.setattr(running.ThreadPoolExecutor, "submit", submit)
        with pytest.raises(KeyboardInterrupt):
            project.build()
    assert project.build() == project.without_dbt >= {"drawn", "judged"} and project.is_as_from_nothing()


@pytest.mark.usefixtures("is_built")
def test_ctrl_c_during_a_query_of_the_build_leaves_nothing_to_dbt(project, monkeypatch):
    project.answers("t", "k", 1)

    def forget(*_):
        raise RuntimeError("Query interrupted") from KeyboardInterrupt()  # as DuckDB does

    with monkeypatch.context() as patched:
        patched.setattr(running, "_forget", forget)
        with pytest.raises(RuntimeError, match="Query interrupted"):
            project.build()


def test_models_that_read_one_another_in_a_circle_are_named(project):
    project.write("models/own.sql", "select * from {{ ref('round') }}")
    project.write("models/round.sql", "select * from {{ ref('own') }}")
    with pytest.raises(PlumblineError, match=r"in a circle: (own|round) → (own|round) → "):
        project.build()


@pytest.mark.usefixtures("is_built")
def test_what_is_not_known_is_built(project):
    # dbt alone: it vouches for nothing that it made.
    assert driver.run_dbt(project.data, ["run", "--select", "judged"])
    assert project.build() & EVERY == {"judged"}
    # A table that somebody dropped.
    with duckdb.connect(str(project.data / AUDIT_NAME)) as marts:
        marts.execute("drop table judged")
        marts.execute("drop view titles")
    assert project.build() & EVERY == {"judged", "titles"}
    # Tables and views of which somebody made others of the same name.
    with duckdb.connect(str(project.data / AUDIT_NAME)) as marts:
        marts.execute("alter table judged rename column n to m")
        marts.execute("create table kept_apart as from counted")
        marts.execute("drop table counted")
        marts.execute("create view counted as from kept_apart limit 1")
        marts.execute("drop view titles")
        marts.execute("create table titles as select 's' as suite, 'U' as title")
    assert project.build() & EVERY == {"judged", "counted", "titles"} and project.is_as_from_nothing()
    assert project.build() == set()
    # A seed that is loaded, and whose file then goes back.
    project.write("seeds/weights.csv", "weight\n7\n")
    assert driver.run_dbt(project.data, ["seed"])
    project.write("seeds/weights.csv", FILES["seeds/weights.csv"])
    assert "weights" in project.build() and project.is_as_from_nothing()
    # A build that failed half-way.
    project.suite("bad", limit=1)
    project.answers("bad", "k", 1)
    with pytest.raises(PlumblineError, match="data-quality test failed"):
        project.build()
    with pytest.raises(PlumblineError, match="not whole"):
        check_inputs(project.data)
    with pytest.raises(PlumblineError, match="data-quality test failed"):
        project.build()
    project.write("tests/data_quality/no_suite_is_bad.sql", "select * from {{ ref('drawn') }} where n < 0")
    assert "judged" in project.build()
    check_inputs(project.data)
    assert project.is_as_from_nothing()


@pytest.mark.usefixtures("is_built")
def test_a_history_of_random_changes_ends_as_a_build_from_nothing(project):
    chance = random.Random(20_261_123)
    for _ in range(5):
        suite, n = chance.choice("stuv"), chance.randrange(1, 9)
        match chance.randrange(4):
            case 0:
                project.suite(suite, limit=n)
            case 1:
                project.answers(suite, chance.choice("kl"), n)
            case 2:
                project.write("seeds/weights.csv", f"weight\n{n}\n")
            case 3:
                assert driver.run_dbt(
                    project.data, ["run", "--select", chance.choice(("counted+", "judged"))]
                )
        if chance.random() < 0.7:
            project.build()
    project.build()
    assert project.is_as_from_nothing()


def test_an_audit_is_kept_once_its_tests_passed_and_what_shows_it_is_made_then(project, monkeypatch):
    sources = FILES["models/models.yml"].replace("{name: suites}", "{name: runs}, {name: suites}")
    project.write("models/models.yml", sources)
    project.write("models/logged.sql", "select count(*) as n_runs from {{ source('raw', 'runs') }}")
    of_rows = "{{ config(meta={'changes_with': 'rows'}) }} "
    project.write("models/started.sql", "{{ config(materialized='view') }} from {{ source('raw', 'runs') }}")
    project.write("tests/data_quality/none_started.sql", "from {{ ref('started') }} where run_id is null")
    project.write("models/settled.sql", of_rows + "select 0 * count(*) as n from {{ ref('started') }}")
    project.write("models/resting.sql", "select * from {{ ref('settled') }}")
    there = []

    def logged():
        with duckdb.connect(str(project.data / AUDIT_NAME), read_only=True) as marts:
            return marts.sql("from logged").fetchall()

    def keep_audit(data):
        with duckdb.connect(str(data / AUDIT_NAME), read_only=True) as marts:
            there.append({name for (name,) in marts.sql("select name from (show tables)").fetchall()})
        with project.raw() as store, store.run("audit", {}):
            pass
        return True

    monkeypatch.setattr(driver, "keep_audit", keep_audit)
    # A view of runs is made early, for what reads it; its test waits until the audit is kept.
    assert project.build(is_kept=True) >= EVERY | {"logged", "no_suite_is_bad", "none_started"}
    assert {"judged", "resting"} <= there[0] and "logged" not in there[0] and logged() == [(1,)]
    assert project.build() == set()

    project.answers("t", "k", 1)
    assert project.build(is_kept=True) >= {"judged", "logged"} and logged() == [(2,)]
    assert project.build(is_kept=True) == {"logged", "settled", "none_started"}  # nothing else is new
    monkeypatch.setattr(driver, "keep_audit", lambda data: False)
    assert project.build(is_kept=True) == set()

    # What fails its tests is not kept.
    monkeypatch.setattr(driver, "keep_audit", lambda data: pytest.fail("kept"))
    project.suite("bad", limit=1)
    project.answers("bad", "k", 1)
    with pytest.raises(PlumblineError, match="data-quality test failed"):
        project.build(is_kept=True)
