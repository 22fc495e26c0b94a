"""The project as dbt read it, and the queries that dbt wrote of it, kept until one of its files changes."""

import importlib.metadata
import json
import os
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import yaml

from ingest.inference.kept import inference_code
from ingest.keys import key
from ingest.paths import IS_PACKAGED, PROJECT, dbt_project, files_below, known_sha256

PROJECT_FILES = ("models", "macros", "seeds", "tests/data_quality", "tests/generic", "tests/fairness")
PROJECT_SUFFIXES = {".sql", ".py", ".yml", ".yaml", ".csv", ".md"}
# Where dbt looks for what another project than ours has, unless its dbt_project.yml says otherwise.
OWN_FILES = {
    "model-paths": "models",
    "macro-paths": "macros",
    "seed-paths": "seeds",
    "snapshot-paths": "snapshots",
    "test-paths": "tests",
    "function-paths": "functions",
}
SETTINGS = (
    "dbt_project.yml", "profiles.yml", "packages.yml", "package-lock.yml", "selectors.yml", ".dbtignore"
)  # fmt: skip
ENGINES = ("dbt-core", "dbt-duckdb", "duckdb")
READ_BY_CODE = ("vars", "dispatch")  # of dbt_project.yml: any model or macro may ask for it
MADE = ("model", "seed", "snapshot", "test")
# When and where dbt read a node, and what it writes into the same objects as it runs them.
OF_THE_DAY = ("created_at", "build_path", "compiled_path", "compiled_code", "compiled")
OF_A_RUN = ("extra_ctes", "extra_ctes_injected", "depends_on")
NAME = "plumbline"
TARGET = "PLUMBLINE_TARGET"
OF_DBT = ("dbt", "dbt_duckdb")  # packages whose macros come with it
KEPT = "written.json"
WHOLE = "project"  # the row of a whole build
ENFORCED = {"not_null": "not null", "check": "check ({})"}  # constraints, as DuckDB writes them
PLAIN = {"table", "view", "seed", "test"}  # how nodes are made, by macros/engine/
PLAIN_TEST = {"fail_calc": "count(*)", "error_if": "!= 0", "warn_if": "!= 0", "limit": None}
MOST_QUERIES = 8  # of one node, whose query is not written from code alone


@dataclass(frozen=True)
class Column:
    """A column of a contract: its name as SQL writes it, its type, and both with its constraints."""

    name: str
    type: str
    defined: str


@dataclass(frozen=True)
class Node:
    """What is made, as dbt's project says it. `code` is a hash of all that the project says of it."""

    kind: str
    fqn: list[str]
    parents: list[str]
    schema: str
    alias: str
    relation: str | None
    materialized: str
    changes_with: str | None
    written_from: list[str]
    code: str
    path: str
    is_python: bool
    is_warning: bool
    columns: list[Column]
    comments: str

    @property
    def name(self) -> str:
        """Name that dbt chooses it by."""
        return ".".join(self.fqn)

    @property
    def is_view(self) -> bool:
        """Whether it shows what rows there are, without being made anew."""
        return self.materialized == "view"


@dataclass
class Project:
    """Nodes and sources by dbt's names of them, and what is known of their queries.

    `inputs` is a hash of the files that it was read from. `is_plain`: whether all is made as macros/engine/
    makes it, so that it can be made without dbt. `queries` has what dbt wrote of a node, by a hash of what it
    wrote that from.
    """

    inputs: str
    nodes: dict[str, Node]
    sources: dict[str, str]
    is_plain: bool
    queries: dict[str, dict[str, str]] = field(default_factory=dict)

    @classmethod
    def of(cls, manifest: Any) -> "Project":
        """Return the project that dbt has read, with queries that are known from before."""
        before = cls.kept()
        macros = {name: macro.macro_sql for name, macro in manifest.macros.items()}
        sources = {name: source.relation_name for name, source in manifest.sources.items()}
        everything = key(macros, sources, _versions(), _read_by_code())
        made = {
            name: node
            for name, node in manifest.nodes.items()
            if node.resource_type in MADE and "fairness_gate" not in node.tags
        }
        is_plain = target() == "duckdb" and all(map(_is_plain, made.values())) and not _is_anothers(manifest)
        queries = before.queries if before and is_plain else {}
        return cls(
            manifest.project_inputs,  # as they were read, whatever has become of them
            {name: _node(node, everything) for name, node in made.items()},
            {name: source.identifier for name, source in manifest.sources.items()},
            is_plain,
            {name: known for name, known in queries.items() if name in made},
        )

    @classmethod
    def kept(cls) -> "Project | None":
        """Return what was kept, None where there is nothing of this version."""
        with suppress(OSError, ValueError, TypeError, KeyError, AttributeError):
            if (folder := _kept_in()) is not None:
                read = json.loads((folder / KEPT).read_text("utf-8"))
                nodes = read.pop("nodes")
                return cls(**read, nodes={name: _read_node(node) for name, node in nodes.items()})
        return None

    @property
    def is_current(self) -> bool:
        """Whether the project's files are those that it was read from."""
        return self.inputs == project_inputs()

    def keep(self) -> None:
        """Keep it for the next build, with what another wrote meanwhile; what cannot be kept is no loss."""
        if (other := self.kept()) is not None and other.inputs == self.inputs:
            for name, known in other.queries.items():
                both = {**known, **self.queries.get(name, {})}
                self.queries[name] = dict([*both.items()][-MOST_QUERIES:])
        with suppress(OSError):
            if (folder := _kept_in()) is not None:
                folder.mkdir(parents=True, exist_ok=True)
                partial = folder / f"{KEPT}.{os.getpid()}"
                try:
                    partial.write_text(json.dumps(asdict(self)), "utf-8")
                    partial.replace(folder / KEPT)
                finally:
                    partial.unlink(missing_ok=True)

    def add_query(self, name: str, written_from: str, query: str) -> None:
        """Take in what dbt wrote of a node."""
        node = self.nodes[name]
        has_several = bool(node.written_from) or node.changes_with == "build"
        known = self.queries.get(name, {}) if has_several else {}
        known.pop(written_from, None)
        self.queries[name] = dict([*known.items(), (written_from, query)][-MOST_QUERIES:])


def project_inputs() -> str:
    """Return a hash of the project's files, of the libraries that compute, and of the code that reads it.

    A model is named after its file, and set by its folder, so where a file lies in its project counts, too.
    """
    files: set[tuple[Path, Path]] = set()
    for folder in _projects():
        files |= {(folder, folder / name) for name in SETTINGS}
        for part in _folders(folder):
            files |= {(folder, file) for file in files_below(folder / part, PROJECT_SUFFIXES)}
    hashes = sorted(
        (os.path.relpath(file, folder), known_sha256(file)) for folder, file in files if file.is_file()
    )
    return key(hashes, _versions(), known_sha256(Path(__file__)))


def read_folder(data: Path) -> Path:
    """Return the folder in which what dbt has read is kept: beside the project, and not beside a package."""
    project = dbt_project()
    return (data if project == PROJECT and IS_PACKAGED else project) / "target" / f"read-{target()}"


def target() -> str:
    """Return what the profile builds on."""
    return os.environ.get(TARGET) or "duckdb"


def project_said(project: Path, file: str = "dbt_project.yml") -> Mapping[str, Any]:
    """Return what a file of a dbt project says; nothing where it cannot be read."""
    try:
        said = yaml.safe_load((project / file).read_text("utf-8"))
    except (OSError, ValueError, yaml.YAMLError):  # dbt will say so
        said = None
    return said if isinstance(said, dict) else {}


def _kept_in() -> Path | None:
    """The folder of the project's own; a folder of data may be somebody else's, and queries are code."""
    return None if IS_PACKAGED and dbt_project() == PROJECT else read_folder(PROJECT)


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


def _read_by_code() -> list[str]:
    """Return what projects say that no node shows: what models ask for by `var` is not in them."""
    said = ([project_said(project).get(name) for name in READ_BY_CODE] for project in _projects())
    return sorted(json.dumps(one, default=str, sort_keys=True) for one in said)


def _versions() -> list[str]:
    return [*(importlib.metadata.version(name) for name in ENGINES), inference_code()]


def _node(node: Any, everything: str) -> Node:
    said = node.to_dict(omit_none=True)
    meta = said["config"].get("meta", {})
    is_contracted = bool(said.get("contract", {}).get("enforced"))
    columns = [_column(column) for column in node.columns.values()] if is_contracted else []
    return Node(
        kind=str(node.resource_type),
        fqn=node.fqn,
        parents=said.get("depends_on", {}).get("nodes", []),
        schema=node.schema,
        alias=node.alias,
        relation=said.get("relation_name"),
        materialized=str(node.config.materialized),
        changes_with=meta.get("changes_with"),
        written_from=[f"model.{node.package_name}.{one}" for one in meta.get("written_from", [])],
        code=key(everything, _defined(said)),
        path=node.original_file_path,
        is_python=said.get("language") == "python",
        is_warning=said["config"].get("severity", "").lower() == "warn",
        columns=columns,
        comments=_comments(node) if is_contracted else "",
    )


def _read_node(read: dict[str, Any]) -> Node:
    columns = [Column(**column) for column in read.pop("columns")]
    return Node(**read, columns=columns)


def _defined(said: Mapping[str, Any]) -> dict[str, Any]:
    """What a node's project says of it, and the code of this package that a Python model calls."""
    own = {name: value for name, value in said.items() if name not in OF_THE_DAY + OF_A_RUN}
    own["parents"] = sorted(said.get("depends_on", {}).get("nodes", ()))  # a run adds macros, which all count
    if said.get("language") == "python":
        own["inference"] = inference_code()
    if said.get("checksum", {}).get("name") == "path":  # dbt does not read a seed of more than a megabyte
        own["sha256"] = known_sha256(Path(said["root_path"], said["original_file_path"]))
    return own


def _column(column: Any) -> Column:
    name = _name(column)
    enforced = [ENFORCED.get(one.type.value, "").format(one.expression) for one in column.constraints]
    return Column(name, column.data_type or "", " ".join([name, column.data_type or "", *enforced]))


def _name(column: Any) -> str:
    return '"' + column.name.replace('"', '""') + '"' if column.quote else str(column.name)


def _comments(node: Any) -> str:
    """The statements that write a node's descriptions into the database."""
    kept = node.config.persist_docs
    relation, kind = node.relation_name, node.config.materialized
    told = [(f"{kind} {relation}", node.description)] if kept.get("relation") else []
    if kept.get("columns"):
        told += [
            (f"column {relation}.{_name(column)}", column.description) for column in node.columns.values()
        ]
    quoted = [(what, text.replace("'", "''")) for what, text in told if text]
    return "".join(f"comment on {what} is '{text}';\n" for what, text in quoted)


def _is_plain(node: Any) -> bool:
    """Whether a node is made as macros/engine/ makes it, with nothing of its own before, after or beside."""
    config = node.config
    if node.package_name != NAME or str(config.materialized) not in PLAIN:
        return False
    if node.resource_type == "test":
        asked = {name: getattr(config, name) for name in PLAIN_TEST}
        return asked == PLAIN_TEST and not config.store_failures
    of_columns = [one for column in node.columns.values() for one in column.constraints]
    is_contracted = config.contract.enforced and node.resource_type == "model"
    return (
        node.schema == "main"
        and not config.pre_hook
        and not config.post_hook
        and not (any(config.persist_docs.values()) and not is_contracted)
        and not getattr(node, "constraints", None)
        and all(one.type.value in ENFORCED for one in of_columns)
    )


def _is_anothers(manifest: Any) -> bool:
    """Whether another project does something before or after a build, has macros, or asks the environment.

    Macros may replace ours; what the environment says changes without a file.
    """
    hooks = [one for one in manifest.nodes.values() if one.resource_type == "operation"]
    packages = {one.package_name for one in (*hooks, *manifest.macros.values())}
    asks = any("env_var" in str(project_said(project)) for project in _projects())
    return asks or bool(packages - {NAME, *OF_DBT})
