"""Nodes made without dbt: what dbt wrote of them before is run, two at a time, as dbt would run it.

dbt reads, checks and writes the project's queries, which takes it a third of an audit of few answers; while
no file of the project changes they stay the same. What goes wrong here is left to dbt, which makes the same
nodes again and says what is wrong.
"""

import errno
import heapq
import linecache
import os
import re
from collections.abc import Callable, Mapping, Set
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from graphlib import TopologicalSorter
from pathlib import Path
from threading import Thread
from types import ModuleType
from typing import Any

import duckdb
import yaml

from ingest.errors import SHOWN, PlumblineError, is_ctrl_c, printable, say, shorten, shown
from ingest.inference.workers import stopped
from ingest.paths import PROJECT, dbt_project
from ingest.store import AUDIT_NAME, RAW_NAME
from ingest.store.opening import MARTS, attached, open_database
from ingest.warehouse.marts import BUILT_FROM
from ingest.warehouse.project import TARGET, WHOLE, Node, project_said, target
from ingest.warehouse.room import stopped_by_memory

OF_ENVIRONMENT = re.compile(r"\{\{ \(?env_var\('(\w+)', '([^']*)'\)(?: or '([^']*)')?\)?( \| int)? \}\}")
THREADS = "PLUMBLINE_DUCKDB_THREADS"
KNOWN = {"path", "attach", "threads", "config_options", "retries"}  # what a profile may say
PROMPT = 0.1  # seconds until what is still at work is interrupted again
PYTHON_WEIGHT = 20  # of queries: a model in Python takes about as long
Told = Callable[[str, int], None]


@dataclass(frozen=True)
class Profile:
    """What dbt's profile says of the databases."""

    threads: int
    config: dict[str, Any]


def check_environment() -> None:
    """Raise PlumblineError where a variable says what no profile could use: dbt would not name it."""
    n_threads = os.environ.get(THREADS) or "1"
    if not re.fullmatch(r"[0-9]{1,4}", n_threads) or not int(n_threads):
        raise PlumblineError(
            f"{THREADS}={shown(n_threads)} is no number of threads.",
            "Give a whole number, such as 1, or unset it.",
        )
    with suppress(OSError, ValueError, TypeError, KeyError, yaml.YAMLError):  # dbt will say so
        chosen = _chosen()
        if os.environ.get(TARGET) and TARGET in chosen["target"] and target() not in chosen["outputs"]:
            known = ", ".join(chosen["outputs"])
            raise PlumblineError(
                f"{TARGET}={shown(target())} is no target of profiles.yml.",
                f"Give one of {known}, or unset it.",
            )


def profile(data: Path) -> Profile | None:
    """Return what the profile says, None where it says anything that is not known here."""
    try:
        chosen = _chosen()
        said = _filled(chosen["outputs"]["duckdb"])
        if _filled(chosen["target"]) != "duckdb" or said.pop("type") != "duckdb" or set(said) - KNOWN:
            return None
        there = [{"path": f"{data.resolve() / RAW_NAME}", "alias": "raw", "read_only": True}]
        if said["path"] != f"{data.resolve() / AUDIT_NAME}" or said["attach"] != there:
            return None
        return Profile(int(said["threads"]), dict(said.get("config_options", {})))
    except (OSError, ValueError, TypeError, KeyError, AttributeError, yaml.YAMLError):
        return None


def _chosen() -> Any:
    """The profile that the project names, as its file has it."""
    project = dbt_project()
    path = project / "profiles.yml" if (project / "profiles.yml").exists() else PROJECT / "profiles.yml"
    return yaml.safe_load(path.read_text("utf-8"))[project_said(project)["profile"]]


def _filled(said: Any) -> Any:
    """Put what the environment says into texts of a profile. Raises ValueError at other code in them."""
    match said:
        case dict():
            return {name: _filled(value) for name, value in said.items()}
        case list():
            return [_filled(value) for value in said]
        case str():
            is_number = (found := OF_ENVIRONMENT.fullmatch(said)) and found[4]
            text = OF_ENVIRONMENT.sub(lambda one: os.environ.get(one[1]) or one[2] or one[3] or "", said)
            if "{{" in OF_ENVIRONMENT.sub("", said) or "{%" in said:
                raise ValueError(said)
            return int(text) if is_number else text
    return said


def run(
    data: Path,
    nodes: Mapping[str, Node],
    parents: Mapping[str, Set[str]],
    queries: Mapping[str, str],
    state: Mapping[str, str | None],
    told: Told,
) -> bool:
    """Make models and seeds, and run tests; return whether all went well. `told` hears each name as it ends.

    `parents` are those of `nodes` that one reads, be it through views that are not made anew.

    Nothing is known of the models until all is made; then `state` of the raw tables is written down, as
    macros/engine/ does. Raises PlumblineError where the memory is too small, OSError where the disk is full.
    """
    settings = profile(data)
    if settings is None:
        return False
    try:
        connection = open_database(data / AUDIT_NAME, False, settings.config, MARTS)
    except PlumblineError:  # dbt waits for who has it open
        return False
    running = _Running(connection, nodes, parents, queries)
    try:
        with connection as marts, attached(marts, data / RAW_NAME, "raw"):
            models = [name for name, node in nodes.items() if node.kind == "model"]
            _forget(marts, list(nodes), models)
            if not running.run(settings.threads, told):
                say(f"Without dbt the test {running.stopped_at} failed; dbt builds it now.", err=True)
                return False
            marts.execute(
                f"update {BUILT_FROM} set answers = ?, earlier = ?"
                " where model in (select unnest(?::varchar[]))",
                [state.get("answers"), state.get("earlier"), models],
            )
            return True
    except Exception as error:
        if is_ctrl_c(error):
            raise
        if stopped := stopped_by_memory(running.stopped_at, f"{type(error).__name__}: {error}"):
            raise stopped from error
        if os.strerror(errno.ENOSPC) in str(error):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(data)) from error
        where, what = running.stopped_at or "the start", shorten(printable(str(error)), SHOWN)
        say(f"Without dbt the build stopped at {where} ({what}); dbt builds it now.", err=True)
        return False


def _forget(marts: duckdb.DuckDBPyConnection, nodes: list[str], models: list[str]) -> None:
    """Write down that nothing is known of nodes, nor of the project."""
    marts.execute(
        f"create table if not exists {BUILT_FROM}"
        " (model varchar primary key, answers varchar, earlier varchar);"
        f"alter table {BUILT_FROM} add column if not exists inputs varchar;"
        f"alter table {BUILT_FROM} add column if not exists content varchar"
    )
    marts.execute(f"delete from {BUILT_FROM} where model in (select unnest(?::varchar[]))", [[*nodes, WHOLE]])
    marts.execute(f"insert into {BUILT_FROM} (model) select unnest(?::varchar[])", [models])


class _Running:
    """Nodes on their way, in the order in which they read one another."""

    def __init__(
        self,
        marts: duckdb.DuckDBPyConnection,
        nodes: Mapping[str, Node],
        parents: Mapping[str, Set[str]],
        queries: Mapping[str, str],
    ) -> None:
        self.marts = marts
        self.nodes = nodes
        self.queries = queries
        self.parents = parents
        self.weights = self._weights()
        views = "select schema_name, view_name from duckdb_views() where database_name = current_catalog()"
        self.views = set(marts.execute(views).fetchall())
        tables = "select schema_name, table_name from duckdb_tables() where database_name = current_catalog()"
        self.tables = set(marts.execute(tables).fetchall())
        self.cursors: set[duckdb.DuckDBPyConnection] = set()
        self.stopped_at = ""

    def run(self, n_threads: int, told: Told) -> bool:
        """Run all; return whether every test passed. Raises what a node raised."""
        order = TopologicalSorter(self.parents)
        order.prepare()
        ready: list[tuple[float, str]] = []
        at_work: dict[Future[bool], str] = {}
        with ThreadPoolExecutor(n_threads) as threads:
            try:
                while order.is_active():
                    for name in order.get_ready():
                        heapq.heappush(ready, (-self.weights[name], name))
                    while ready and len(at_work) < n_threads:
                        _, name = heapq.heappop(ready)
                        at_work[threads.submit(self._make, name)] = name
                    for ended in wait(at_work, return_when=FIRST_COMPLETED).done:
                        name = at_work.pop(ended)
                        self.stopped_at = self.nodes[name].fqn[-1]
                        if not ended.result():
                            return False
                        order.done(name)
                        told(self.nodes[name].alias, len(self.nodes))
            finally:
                # By a thread of its own: what was begun as somebody stopped the audit stands in no list yet.
                ending = Thread(target=threads.shutdown)
                ending.start()
                with stopped():
                    while ending.is_alive():  # between two queries there is nothing to interrupt
                        ending.join(PROMPT)
                        for cursor in [*self.cursors]:
                            with suppress(duckdb.Error):  # it has just been closed
                                cursor.interrupt()
        return True

    def _weights(self) -> dict[str, float]:
        """How much waits for each node, itself included: what most waits for is made first."""
        weights: dict[str, float] = {}
        for name in reversed([*TopologicalSorter(self.parents).static_order()]):
            weights[name] = weights.get(name, 0.0) + (PYTHON_WEIGHT if self.nodes[name].is_python else 1)
            for parent in self.parents[name]:
                weights[parent] = max(weights.get(parent, 0.0), weights[name])
        return weights

    def _make(self, name: str) -> bool:
        node, query = self.nodes[name], self.queries[name]
        cursor = self.marts.cursor()
        self.cursors.add(cursor)
        try:
            if node.kind == "test":
                n_failing = cursor.execute(f"select count(*) from (\n{query}\n)").fetchone()
                return n_failing == (0,) or node.is_warning
            cursor.execute("begin")
            if old := self._of_another_kind(node):
                cursor.execute(f"drop {old} {node.relation}")
            if node.kind == "seed":
                _load(cursor, node, query)
            elif node.is_python:
                _compute(cursor, name, node, query)
            else:
                _select(cursor, node, query)
            cursor.execute(f"{node.comments}commit")
            return True
        finally:
            self.cursors.discard(cursor)
            cursor.close()

    def _of_another_kind(self, node: Node) -> str | None:
        place = (node.schema, node.alias)
        if node.is_view:
            return "table" if place in self.tables else None
        return "view" if place in self.views else None


def _load(cursor: duckdb.DuckDBPyConnection, node: Node, columns: str) -> None:
    """Load a seed's file, as dbt-duckdb does."""
    file = str(PROJECT / node.path).replace("'", "''")
    cursor.execute(f"create or replace table {node.relation} ({columns})")
    cursor.execute(f"copy {node.relation} from '{file}' (format csv, header true, delimiter ',')")


def _select(cursor: duckdb.DuckDBPyConnection, node: Node, query: str) -> None:
    """Make a table or a view of a query. Raises ValueError where the contract has other columns."""
    if node.columns:
        given = {
            name.lower(): kind.lower() for name, kind, *_ in cursor.execute(f"describe {query}").fetchall()
        }
        listed = {column.name.strip('"').lower(): column.type.lower() for column in node.columns}
        if given != listed:
            raise ValueError(f"{node.alias} has other columns than its contract.")
    if node.is_view or not node.columns:
        cursor.execute(f"create or replace {node.materialized} {node.relation} as (\n{query}\n)")
        return
    names = ", ".join(column.name for column in node.columns)
    defined = ", ".join(column.defined for column in node.columns)
    cursor.execute(f"create or replace table {node.relation} ({defined})")
    cursor.execute(f"insert into {node.relation} ({names}) select {names} from (\n{query}\n)")


def _compute(cursor: duckdb.DuckDBPyConnection, name: str, node: Node, code: str) -> None:
    """Make a table of what a model in Python returns, as dbt-duckdb does: its code is a module."""
    file = f"<{name}>"
    linecache.cache[file] = (len(code), None, code.splitlines(keepends=True), file)
    module = ModuleType(node.alias)
    exec(compile(code, file, "exec"), module.__dict__)
    dbt = module.dbtObj(lambda relation: cursor.query(f"select * from {relation}"))
    made = module.model(dbt, cursor)
    rows = f"rows_of_{node.alias}"
    cursor.register(rows, made)
    cursor.execute(f"create or replace table {node.relation} as select * from {rows}")
    cursor.unregister(rows)
