"""What of the marts has to be made anew: what each of dbt's nodes is made of, kept in `built_from`.

A node is made of its code, of what its parents are made of, and at the bottom of raw tables. Of models whose
`meta` says `changes_with: rows` the rows count, not what they were made of: a threshold that is changed in a
suite leaves alone what reads other parts of suites. These are small. Views of raw tables among them show what
there is without being made anew; the others are made first. `changes_with: build` is said of what tells all
code that computes (ingest/provenance.py).
"""

import json
from collections.abc import Collection, Mapping, Set
from contextlib import ExitStack
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

import duckdb

from ingest.errors import PlumblineError
from ingest.inference.kept import HASH
from ingest.keys import key
from ingest.store import AUDIT_NAME, RAW_NAME, Store
from ingest.store.opening import MARTS, attached, open_database
from ingest.store.tables import content_hashes
from ingest.warehouse.history import KEPT_IN
from ingest.warehouse.marts import BUILT_FROM, raw_state
from ingest.warehouse.project import WHOLE, Node, Project, project_inputs


def is_current(data: Path) -> bool:
    """Whether the last build was whole, and of all that is there now."""
    if not (data / AUDIT_NAME).exists():
        return False
    with open_database(data / AUDIT_NAME, True, {}, MARTS) as marts:
        try:
            found = marts.execute(f"select inputs from {BUILT_FROM} where model = ?", [WHOLE]).fetchone()
        except (duckdb.CatalogException, duckdb.BinderException):  # there is none, or an older version's
            return False
        there = _relations(marts)
    return found == (key(project_inputs(), raw_state(data), sorted(there.items())),)


class Changes:
    """The nodes of a project against what `built_from` knows of them."""

    def __init__(self, data: Path, project: Project, told: str) -> None:
        """`told` is what is said of this build (ingest/provenance.py)."""
        self.data = data
        self.told = told
        self.project = project
        self.nodes = project.nodes
        computing = json.loads(self.told)["build_hash"]
        self.own_code = {
            name: key(node.code, computing) if node.changes_with == "build" else node.code
            for name, node in self.nodes.items()
        }
        self.parents = {name: set(node.parents) for name, node in self.nodes.items()}
        self.order = _in_order(self.parents)
        self.ancestors: dict[str, set[str]] = {}
        self.code: dict[str, str] = {}  # of a node and of all that it is made of
        for name in self.order:
            if name in self.nodes:
                above = (self.ancestors.get(parent, set()) for parent in self.parents[name])
                self.ancestors[name] = {name}.union(*above)
                of_parents = [self.code.get(one, "") for one in sorted(self.parents[name])]
                self.code[name] = key(self.own_code[name], of_parents)
        self.read_raw()
        with ExitStack() as held:
            if (data / AUDIT_NAME).exists():  # open meanwhile, its catalogue is read once
                held.enter_context(open_database(data / AUDIT_NAME, True, {}, MARTS))
            self.known, self.contents, shapes, there = _known(data)
            for name, node in self.nodes.items():
                if _is_kept(node) and there.get(_place(node)) != shapes.get(name, ""):
                    self.known.pop(name, None)  # somebody has dropped it, or made another of it
            stale = self.stale()
            self._read(
                {name for name in self.nodes if self._shows_raw(name) and not self.ancestors[name] & stale}
            )

    def read_raw(self) -> None:
        """Take in what raw tables hold; what comes while marts are built is for the next build."""
        self.state = raw_state(self.data)
        with Store(self.data, read_only=True) as store:
            self.raw = dict(store.rows(content_hashes()))

    def after_keeping(self) -> set[str]:
        """Nodes that read the tables that an audit is kept in, and that nothing else needs."""
        found = {name for name, table in self.project.sources.items() if table in KEPT_IN}
        for name in self.order:
            # Of tables whose rows count, the rows stay as they are.
            if name in self.nodes and self.parents[name] & found and not self._counts_by_rows(name):
                found.add(name)
        early = self.nodes.keys() - found
        return (found & self.nodes.keys()) - set().union(*(self.ancestors[name] for name in early))

    def first(self) -> set[str]:
        """Nodes to be made before it is known what else has: tables whose rows count, and what they read."""
        stale = self.stale()
        found: set[str] = set()
        waiting = {name for name in stale if self._counts_by_rows(name)}
        waiting |= {name for name in self.nodes if self._shows_raw(name) and self.ancestors[name] & stale}
        while waiting:
            found |= waiting
            waiting = {parent for name in waiting for parent in self.parents[name] & stale} - found
        return found

    def needed_by(self, models: Collection[str]) -> set[str]:
        """Return models of these names, and all that is made before them."""
        named = [name for name, node in self.nodes.items() if node.kind == "model" and node.fqn[-1] in models]
        return set().union(*(self.ancestors[name] for name in named))

    def with_tests(self, chosen: Set[str], is_all_there: bool = True) -> set[str]:
        """Return nodes, and tests that read any of them; unless all is there, such as read nothing else."""
        made = {name for name in chosen if self.nodes[name].kind != "test"}
        found = set(chosen)
        for name, node in self.nodes.items():
            read = self.parents[name] & self.nodes.keys()
            if node.kind == "test" and read & made and (is_all_there or read <= made):
                found.add(name)
        return found

    def parents_among(self, chosen: Set[str]) -> dict[str, set[str]]:
        """Return which of the chosen nodes each of them reads, be it through others, such as views."""
        found: dict[str, set[str]] = {}
        for name in self.order:
            read = self.parents.get(name, set())
            found[name] = (read & chosen).union(*(found[parent] for parent in read - chosen))
        return {name: found[name] for name in chosen}

    def names(self, nodes: Set[str]) -> list[str]:
        """Return the names that dbt chooses nodes by."""
        return sorted(self.nodes[name].name for name in nodes)

    def look(self, made: Collection[str]) -> None:
        """Take in what was made, and which tests were run."""
        self._read({name for name in made if self._counts_by_rows(name)})
        inputs = self.inputs()
        self.known |= {name: inputs[name] for name in made}

    def queries(self, chosen: Collection[str]) -> dict[str, str]:
        """Return what dbt wrote of nodes, as far as it has written them."""
        known = self.project.queries
        found = {name: known.get(name, {}).get(self._written_from(name)) for name in chosen}
        return {name: query for name, query in found.items() if query is not None}

    def unwritten(self, chosen: Set[str]) -> set[str]:
        """Return nodes of which dbt has written nothing yet."""
        return set(chosen - self.queries(chosen).keys())

    def telling(self, chosen: Set[str]) -> set[str]:
        """Return nodes that tell the build."""
        return {name for name in chosen if self.nodes[name].changes_with == "build"}

    def add_queries(self, manifest: Any, made: Collection[str]) -> None:
        """Take in what dbt wrote of nodes that it has just made."""
        seeds = [name for name in made if self.nodes[name].kind == "seed"]
        columns = _columns(self.data, {name: self.nodes[name] for name in seeds})
        for name in made:
            query = columns.get(name) or getattr(manifest.nodes[name], "compiled_code", None)
            if query:
                self.project.add_query(name, self._written_from(name), query)

    def stale(self) -> set[str]:
        """Nodes that are not made of what is there."""
        return {name for name, made_of in self.inputs().items() if self.known.get(name) != made_of}

    def inputs(self) -> dict[str, str]:
        """A hash of what each node is made of. A view is made of code alone: it shows what rows there are."""
        found: dict[str, str] = {}
        for name in self.order:
            if source := self.project.sources.get(name):
                found[name] = self.raw.get(source, "")
            elif name in self.nodes:
                of_parents = [
                    self.contents.get(one, found.get(one, "")) for one in sorted(self.parents[name])
                ]
                found[name] = key(self.own_code[name], of_parents)
        return {name: self.code[name] if node.is_view else found[name] for name, node in self.nodes.items()}

    def record(self) -> None:
        """Write down what each node is made of and is, once all is made and its tests have passed."""
        with open_database(self.data / AUDIT_NAME, False, {}, MARTS) as marts:
            there = _relations(marts)
            rows = [
                (name, f"{inputs} {there.get(_place(self.nodes[name]), '')}", self.contents.get(name))
                for name, inputs in self.inputs().items()
            ]
            rows.append((WHOLE, key(self.project.inputs, self.state, sorted(there.items())), None))
            marts.execute("begin")
            marts.execute(f"delete from {BUILT_FROM}")
            names, inputs, contents = map(list, zip(*rows, strict=True))
            marts.execute(
                f"insert into {BUILT_FROM} (model, answers, earlier, inputs, content)"
                " select unnest(?::varchar[]), ?, ?, unnest(?::varchar[]), unnest(?::varchar[])",
                [names, self.state.get("answers"), self.state.get("earlier"), inputs, contents],
            )
            marts.execute("commit")

    def _read(self, names: Set[str]) -> None:
        """Take in the rows of tables and views whose rows count."""
        if not names:
            return
        with (
            open_database(self.data / AUDIT_NAME, True, {}, MARTS) as marts,
            attached(marts, self.data / RAW_NAME, "raw"),
        ):
            for name in names:
                relation = self.nodes[name].relation
                rows = f"select count(*), sum(hash(rows)) from {relation} as rows"
                self.contents[name] = key(*map(str, marts.execute(rows).fetchone() or ()))

    def _written_from(self, name: str) -> str:
        """What dbt writes a node's query from: code, what tables hold that it reads, and the commit."""
        node = self.nodes[name]
        said = self.told if node.changes_with == "build" else None
        return key(self.code[name], [self.contents.get(one) for one in node.written_from], said)

    def _counts_by_rows(self, name: str) -> bool:
        return self.nodes[name].changes_with == "rows"

    def _shows_raw(self, name: str) -> bool:
        """Whether its rows count, and it is a view of raw tables, or of other views of them."""
        return self._counts_by_rows(name) and all(self.nodes[one].is_view for one in self.ancestors[name])


def _is_kept(node: Node) -> bool:
    """Whether it is a table or a view."""
    return node.kind != "test" and node.materialized != "ephemeral"


def _place(node: Node) -> str:
    return f"{node.schema}.{node.alias}"


def _in_order(parents: Mapping[str, Set[str]]) -> list[str]:
    """Return nodes, each behind its parents. Raises PlumblineError where these go round in a circle."""
    try:
        return list(TopologicalSorter(parents).static_order())
    except CycleError as error:
        circle = " → ".join(name.split(".", 2)[-1] for name in reversed(error.args[1]))
        raise PlumblineError(
            f"Models read one another in a circle: {circle}.", "Take one `ref` out of them."
        ) from error


def forget(data: Path) -> None:
    """Have the next build make everything anew, parts of tables that could be kept included."""
    if not (data / AUDIT_NAME).exists():
        return
    with open_database(data / AUDIT_NAME, False, {}, MARTS) as marts:
        marts.execute(f"drop table if exists {BUILT_FROM}")
        for (table,) in marts.execute(
            "select table_name from duckdb_columns() where column_name = ? and schema_name = 'main'"
            " and database_name = current_database()",
            [HASH],
        ).fetchall():
            marts.execute(f'drop table "{table}"')


def _relations(marts: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Tables and views by schema and name, and what each is: a hash of a table's columns, or a view.

    What DuckDB says of a view is in other words once it is read from its file.
    """
    found = marts.execute(
        "select schema_name || '.' || table_name, md5(sql) from duckdb_tables()"
        " where not internal and database_name = current_catalog() union all"
        " select schema_name || '.' || view_name, 'view' from duckdb_views()"
        " where not internal and database_name = current_catalog()"
    )
    return dict(found.fetchall())


def _known(data: Path) -> tuple[dict[str, str], dict[str, str], dict[str, str], dict[str, str]]:
    """What each node was made of, what tables whose rows count hold, what each was, and what is there."""
    if not (data / AUDIT_NAME).exists():
        return {}, {}, {}, {}
    with open_database(data / AUDIT_NAME, True, {}, MARTS) as marts:
        try:
            rows = marts.execute(
                f"select model, inputs, content from {BUILT_FROM} where inputs is not null and model <> ?",
                [WHOLE],
            ).fetchall()
        except (duckdb.CatalogException, duckdb.BinderException):  # there is none, or an older version's
            return {}, {}, {}, {}
        there = _relations(marts)
    split = {name: made_of.partition(" ") for name, made_of, _ in rows}
    inputs, shapes = ({name: parts[place] for name, parts in split.items()} for place in (0, 2))
    return inputs, {name: content for name, _, content in rows if content is not None}, shapes, there


def _columns(data: Path, tables: Mapping[str, Node]) -> dict[str, str]:
    """Names and types of the columns of tables, as a statement has them that makes such a table."""
    listed = (
        "select string_agg('\"' || replace(column_name, '\"', '\"\"') || '\" ' || data_type, ', '"
        " order by column_index) from duckdb_columns()"
        " where database_name = current_catalog() and schema_name = ? and table_name = ?"
    )
    with open_database(data / AUDIT_NAME, True, {}, MARTS) as marts:
        places = {name: [node.schema, node.alias] for name, node in tables.items()}
        found = {name: marts.execute(listed, place).fetchone() for name, place in places.items()}
    return {name: row[0] for name, row in found.items() if row and row[0]}
