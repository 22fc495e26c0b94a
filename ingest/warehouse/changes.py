"""What of the marts has to be made anew: what each of dbt's nodes is made of, kept in `built_from`.

A node is made of its code, of what its parents are made of, and at the bottom of raw tables. Of models whose
`meta` says `changes_with: rows` the rows count, not what they were made of: a threshold that is changed in a
suite leaves alone what reads other parts of suites. These are small. Views of raw tables among them show what
there is without being made anew; the others are made first. `changes_with: build` is said of what tells all
code that computes (ingest/provenance.py).
"""

import importlib.metadata
import json
from collections.abc import Collection, Mapping, Set
from contextlib import ExitStack
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

import duckdb
import yaml

from ingest.errors import PlumblineError
from ingest.inference.kept import HASH, inference_code
from ingest.keys import key
from ingest.paths import PROJECT, dbt_project, files_below, known_sha256
from ingest.provenance import build_hash
from ingest.store import AUDIT_NAME, RAW_NAME, Store
from ingest.store.opening import MARTS, attach, open_database
from ingest.store.tables import content_hashes
from ingest.warehouse.history import KEPT_IN
from ingest.warehouse.marts import BUILT_FROM, raw_state

PROJECT_FILES = ("models", "macros", "seeds", "tests/data_quality", "tests/generic", "tests/fairness")
PROJECT_SUFFIXES = {".sql", ".py", ".yml", ".yaml", ".csv", ".md"}
# Where dbt looks for what another project than ours has, unless its dbt_project.yml says otherwise.
OWN_FILES = {
    "model-paths": "models",
    "macro-paths": "macros",
    "seed-paths": "seeds",
    "snapshot-paths": "snapshots",
    "test-paths": "tests",
}
SETTINGS = ("dbt_project.yml", "profiles.yml", "packages.yml", "package-lock.yml", "selectors.yml")
ENGINES = ("dbt-core", "dbt-duckdb", "duckdb")
READ_BY_CODE = ("vars", "dispatch")  # of dbt_project.yml: any model or macro may ask for it
MADE = ("model", "seed", "snapshot", "test")
WHOLE = "project"  # the row of a whole build
# When and where dbt read a node, and what it writes into the same objects as it runs them.
OF_THE_DAY = ("created_at", "build_path", "compiled_path", "compiled_code", "compiled")
OF_A_RUN = ("extra_ctes", "extra_ctes_injected", "depends_on")

Node = Mapping[str, Any]


def project_inputs() -> str:
    """Return a hash of the project's files and of the libraries that compute."""
    folders = _projects()
    files = [folder / name for folder in folders for name in SETTINGS]
    for folder in folders:
        for part in _folders(folder):
            files += files_below(folder / part, PROJECT_SUFFIXES)
    hashes = sorted(known_sha256(file) for file in files if file.is_file())
    return key(hashes, _versions())


def _folders(project: Path) -> Collection[str]:
    """Return the folders of a project that dbt reads; of ours, those that an audit builds and tests."""
    if project == PROJECT:
        return PROJECT_FILES
    named = project_said(project)
    return [str(part) for kind, usual in OWN_FILES.items() for part in named.get(kind) or [usual]]


def _projects() -> set[Path]:
    """Return the folders of the project that is built and of all that it imports."""
    imported = dbt_project() / "dbt_packages"
    others = {place.resolve() for place in imported.iterdir()} if imported.is_dir() else set()
    return {PROJECT, dbt_project()} | {place for place in others if (place / "dbt_project.yml").is_file()}


def project_said(project: Path, file: str = "dbt_project.yml") -> Mapping[str, Any]:
    """Return what a file of a dbt project says; nothing where it cannot be read."""
    try:
        said = yaml.safe_load((project / file).read_text("utf-8"))
    except (OSError, ValueError, yaml.YAMLError):  # dbt will say so
        said = None
    return said if isinstance(said, dict) else {}


def _read_by_code() -> list[str]:
    """Return what projects say that no node shows: what models ask for by `var` is not in them."""
    said = ([project_said(project).get(name) for name in READ_BY_CODE] for project in _projects())
    return sorted(json.dumps(one, default=str, sort_keys=True) for one in said)


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
    return found == (key(project_inputs(), raw_state(data), sorted(there)),)


class Changes:
    """The nodes of a parsed project against what `built_from` knows of them."""

    def __init__(self, data: Path, manifest: Any) -> None:
        self.data = data
        self.project: str = manifest.project_inputs  # as they were read, whatever has become of them
        macros = {name: macro.macro_sql for name, macro in manifest.macros.items()}
        code = key(macros, _versions(), _read_by_code())
        self.nodes: dict[str, Node] = {
            name: node.to_dict(omit_none=True)
            for name, node in manifest.nodes.items()
            if node.resource_type in MADE and "fairness_gate" not in node.tags
        }
        self.code = {name: key(code, _defined(node)) for name, node in self.nodes.items()}
        self.code |= {
            name: key(self.code[name], build_hash())
            for name, node in self.nodes.items()
            if _changes_with(node) == "build"
        }
        self.sources = {name: source.identifier for name, source in manifest.sources.items()}
        self.parents = {
            name: set(node.get("depends_on", {}).get("nodes", ())) for name, node in self.nodes.items()
        }
        self.order = _in_order(self.parents)
        self.ancestors: dict[str, set[str]] = {}
        for name in self.order:
            if name in self.nodes:
                above = (self.ancestors.get(parent, set()) for parent in self.parents[name])
                self.ancestors[name] = {name}.union(*above)
        self.read_raw()
        with ExitStack() as held:
            if (data / AUDIT_NAME).exists():  # open meanwhile, its catalogue is read once
                held.enter_context(open_database(data / AUDIT_NAME, True, {}, MARTS))
            self.known, self.contents, there = _known(data)
            for name, node in self.nodes.items():
                if self._is_missing(node, there):  # somebody has dropped it
                    self.known.pop(name, None)
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
        found = {name for name, table in self.sources.items() if table in KEPT_IN}
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

    def selection(self, chosen: Set[str]) -> list[str]:
        """Return dbt's arguments that choose these nodes; tests come with the models that they are of."""
        models = {name for name in chosen if not name.startswith("test.")}
        alone = {name for name in chosen - models if not self.parents[name] & models}
        return ["--select", *self.names(models | alone)]

    def names(self, nodes: Set[str]) -> list[str]:
        """Return the names that dbt chooses nodes by."""
        return sorted(".".join(self.nodes[name]["fqn"]) for name in nodes)

    def look(self, made: Collection[str]) -> None:
        """Take in what was made, and that the tests of nothing else were run."""
        self._read({name for name in made if self._counts_by_rows(name)})
        everything = set(made)
        tests = {name for name in self.nodes if name.startswith("test.") and self.parents[name] <= everything}
        inputs = self.inputs()
        self.known |= {name: inputs[name] for name in tests.union(made)}

    def stale(self) -> set[str]:
        """Nodes that are not made of what is there."""
        return {name for name, made_of in self.inputs().items() if self.known.get(name) != made_of}

    def inputs(self) -> dict[str, str]:
        """A hash of what each node is made of. A view is made of code alone: it shows what rows there are."""
        code: dict[str, str] = {}
        found: dict[str, str] = {}
        for name in self.order:
            if name in self.sources:
                found[name] = self.raw.get(self.sources[name], "")
            elif name in self.nodes:
                parents = sorted(self.parents[name])
                code[name] = key(self.code[name], [code.get(one, "") for one in parents])
                of_parents = [self.contents.get(one, found.get(one, "")) for one in parents]
                found[name] = key(self.code[name], of_parents)
        return {name: code[name] if self._is_view(name) else found[name] for name in self.nodes}

    def record(self) -> None:
        """Write down what each node is made of, once all is made and its tests have passed."""
        rows = [(name, inputs, self.contents.get(name)) for name, inputs in self.inputs().items()]
        with open_database(self.data / AUDIT_NAME, False, {}, MARTS) as marts:
            rows.append((WHOLE, key(self.project, self.state, sorted(_relations(marts))), None))
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
        with open_database(self.data / AUDIT_NAME, True, {}, MARTS) as marts:
            attach(marts, self.data / RAW_NAME, "raw")
            for name in names:
                relation = self.nodes[name]["relation_name"]
                rows = f"select count(*), sum(hash(rows)) from {relation} as rows"
                self.contents[name] = key(*map(str, marts.execute(rows).fetchone() or ()))

    def _is_missing(self, node: Node, there: Set[str]) -> bool:
        is_kept = node["resource_type"] != "test" and node["config"].get("materialized") != "ephemeral"
        return is_kept and f"{node['schema']}.{node['alias']}" not in there

    def _counts_by_rows(self, name: str) -> bool:
        return _changes_with(self.nodes[name]) == "rows"

    def _is_view(self, name: str) -> bool:
        return bool(self.nodes[name]["config"].get("materialized") == "view")

    def _shows_raw(self, name: str) -> bool:
        """Whether its rows count, and it is a view of raw tables, or of other views of them."""
        return self._counts_by_rows(name) and all(map(self._is_view, self.ancestors[name]))


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


def _relations(marts: duckdb.DuckDBPyConnection) -> set[str]:
    """Tables and views, by schema and name."""
    found = marts.execute(
        "select schema_name || '.' || table_name from duckdb_tables()"
        " where not internal and database_name = current_catalog() union all"
        " select schema_name || '.' || view_name from duckdb_views()"
        " where not internal and database_name = current_catalog()"
    )
    return {name for (name,) in found.fetchall()}


def _known(data: Path) -> tuple[dict[str, str], dict[str, str], set[str]]:
    """What each node was made of, what tables whose rows count hold, and which tables there are."""
    if not (data / AUDIT_NAME).exists():
        return {}, {}, set()
    with open_database(data / AUDIT_NAME, True, {}, MARTS) as marts:
        try:
            rows = marts.execute(
                f"select model, inputs, content from {BUILT_FROM} where inputs is not null and model <> ?",
                [WHOLE],
            ).fetchall()
        except (duckdb.CatalogException, duckdb.BinderException):  # there is none, or an older version's
            return {}, {}, set()
        there = _relations(marts)
    inputs = {name: made_of for name, made_of, _ in rows}
    return inputs, {name: content for name, _, content in rows if content is not None}, there


def _changes_with(node: Node) -> str | None:
    """What a model's `meta` says of what it changes with."""
    found: str | None = node["config"].get("meta", {}).get("changes_with")
    return found


def _defined(node: Node) -> dict[str, Any]:
    """What a node's project says of it, and the code of this package that a Python model calls."""
    own = {name: value for name, value in node.items() if name not in OF_THE_DAY + OF_A_RUN}
    own["parents"] = sorted(node.get("depends_on", {}).get("nodes", ()))  # a run adds macros, which all count
    if node.get("language") == "python":
        own["inference"] = inference_code()
    if node.get("checksum", {}).get("name") == "path":  # dbt does not read a seed of more than a megabyte
        own["sha256"] = known_sha256(Path(node["root_path"], node["original_file_path"]))
    return own


def _versions() -> list[str]:
    return [*(importlib.metadata.version(name) for name in ENGINES), inference_code()]
