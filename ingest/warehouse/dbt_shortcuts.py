"""What dbt does anew at each of a thousand nodes, done once: what it makes and says stays the same.

dbt has no settings for these. Each was measured: together they are a tenth of an audit of few answers.
"""

import logging
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any

QUOTES = '"`'  # of names, in DuckDB and in Spark


@cache
def take_shortcuts() -> None:
    """Take all of them, for the rest of this process."""
    of_reading = (_databases, _messages, _texts, _flags, _templates, _deprecations, _configs)
    of_nodes = (_names, _graphs, _macros, _relations, _types, _files)
    for take in of_reading + of_nodes:
        take()


def _databases() -> None:
    """Keep what was read of the project wherever the databases are: no model knows their place."""
    from dbt.adapters.duckdb.credentials import DuckDBCredentials

    DuckDBCredentials._connection_keys = lambda _: ("database", "schema")  # type: ignore[method-assign]


def _messages() -> None:
    """Make no messages of level debug: dbt writes twenty a model, and its log at level info drops them."""
    from dbt_common.events.base_types import DebugLevel
    from dbt_common.events.event_manager import EventManager

    fire = EventManager.fire_event

    def fire_others(manager: EventManager, e: Any, *arguments: Any, **values: Any) -> None:
        if not isinstance(e, DebugLevel):
            fire(manager, e, *arguments, **values)

    logging.raiseExceptions = False  # where its log has no room on the disk, dbt would say so line by line
    DebugLevel.__init__ = lambda *_, **__: None  # type: ignore[method-assign]
    EventManager.fire_event = fire_others  # type: ignore[method-assign,assignment]


def _names() -> None:
    """Find nodes that are chosen by their whole name in an index: dbt compares each name with each node."""
    from dbt.graph.selector_methods import QualifiedNameSelectorMethod

    search = QualifiedNameSelectorMethod.search
    indexed: list[Any] = [None, {}]

    def search_index(method: Any, included_nodes: set[Any], selector: str) -> Iterator[Any]:
        if indexed[0] is not method.manifest:
            found: dict[str, list[str]] = {}  # a model and a test may have one name
            for unique_id, node in method.manifest.nodes.items():
                found.setdefault(".".join(node.fqn), []).append(unique_id)
            indexed[:] = method.manifest, found
        named = [unique_id for unique_id in indexed[1].get(selector, ()) if unique_id in included_nodes]
        yield from named or search(method, included_nodes, selector)

    QualifiedNameSelectorMethod.search = search_index  # type: ignore[method-assign,assignment]


def _graphs() -> None:
    """Keep no summary of the graph, look for a cycle where there is one, and copy what is chosen from.

    Of a view of the graph dbt would ask each node for each name that is chosen.
    """
    import networkx as nx  # type: ignore[import-untyped]
    from dbt.compilation import Linker
    from dbt.graph.graph import Graph

    find = Linker.find_cycles

    def find_one(linker: Any) -> str | None:
        if nx.is_directed_acyclic_graph(linker.graph):
            return None
        return str(find(linker))  # type: ignore[no-untyped-call]

    Linker.get_graph_summary = lambda *_: {}  # type: ignore[method-assign]
    Linker.find_cycles = find_one  # type: ignore[method-assign]
    Graph.subgraph = lambda self, nodes: Graph(self.graph.subgraph(nodes).copy())  # type: ignore[method-assign]


def _texts() -> None:
    """Parse a text once a process, and look for plugins once, as dbt does in its own tests."""
    from dbt_common.tests import enable_test_caching

    enable_test_caching()


def _flags() -> None:
    """Ask the frames for the module that sets a flag: dbt asks each module whether its file is theirs."""
    from dbt_common import behavior_flags

    def calling() -> str:
        frame = sys._getframe(1)
        while frame.f_back and frame.f_globals.get("__name__") == behavior_flags.__name__:
            frame = frame.f_back
        return str(frame.f_globals.get("__name__", "Unknown"))

    behavior_flags.BehaviorFlagRendered._default_source = staticmethod(calling)  # type: ignore[method-assign]


def _templates() -> None:
    """Compile a template's text once, and plain text never: a hundred columns have one description."""
    from dbt.clients import jinja
    from dbt_common.clients.jinja import catch_jinja, get_environment

    class PlainTexts(dict[str, str]):
        """What dbt has rendered of texts without a template: themselves, with ends of lines alike."""

        def __contains__(self, _: object) -> bool:
            return True

        def __missing__(self, text: str) -> str:
            return text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n")

    environment = cache(lambda is_native: get_environment(native=is_native))
    compiled = cache(lambda text, is_native: environment(is_native).compile(text))

    def get_compiled(
        string: str, ctx: dict[str, Any], node: Any = None, capture_macros: bool = False, native: bool = False
    ) -> Any:
        with catch_jinja(node):
            own = get_environment(node, True, native) if capture_macros else environment(native)
            code = compiled(str(string), native)
            return own.template_class.from_code(own, code, own.make_globals(ctx))

    jinja._render_cache = PlainTexts()
    jinja.get_template = get_compiled  # type: ignore[attr-defined]


def _deprecations() -> None:
    """Do not ask dbt's schemas what is deprecated in each file: at log level none nobody reads it."""
    from dbt.jsonschemas import jsonschemas

    jsonschemas._can_run_validations = lambda: False


def _configs() -> None:
    """Hold a node's settings against their schema once: of three thousand, a hundred differ."""
    from dbt_common.contracts.config.base import BaseConfig
    from dbt_common.dataclass_schema import dbtClassMixin

    validate: Callable[[Any, Any], None] = dbtClassMixin.validate.__func__  # type: ignore[attr-defined]
    valid = set()

    def validate_once(cls: Any, data: Any) -> None:
        found = cls, repr(data) if issubclass(cls, BaseConfig) else None
        if found not in valid:
            validate(cls, data)
            if found[1] is not None:
                valid.add(found)

    dbtClassMixin.validate = classmethod(validate_once)  # type: ignore[assignment]


def _macros() -> None:
    """Lay out the macros that a package's nodes see once a thread: dbt sorts in each of 800, twice a node."""
    from dbt.clients.jinja import MacroGenerator
    from dbt.context.macros import MacroNamespace, MacroNamespaceBuilder
    from dbt.context.providers import ModelContext
    from dbt.task.base import BaseRunner

    class Namespace(dict[str, Any]):
        """The macros and packages that a node sees, by name."""

        get_from_package = MacroNamespace.get_from_package

    def remember(
        generator: Any, macro: Any, context: Any = None, node: Any = None, stack: Any = None
    ) -> None:
        generator.macro, generator.context, generator.node, generator.stack = macro, context, node, stack

    def build_namespace(
        builder: Any, macros_by_package: Mapping[str, Mapping[str, Any]], ctx: dict[str, Any]
    ) -> Namespace:
        node, stack = builder.node, builder.thread_ctx
        packages = {
            package: {name: MacroGenerator(macro, ctx, node, stack) for name, macro in macros.items()}
            for package, macros in macros_by_package.items()
        }
        generators = [one for macros in packages.values() for one in macros.values()]
        internal: dict[str, Any] = {}
        for package in reversed(builder.internal_package_names_order):
            internal.update(packages.get(package, {}))
        packages = {name: own for name, own in packages.items() if name not in builder.internal_package_names}
        own = packages.get(builder.search_package, {})
        is_root = builder.search_package == builder.root_package
        of_root = {} if is_root else packages.get(builder.root_package, {})
        namespace = Namespace()
        for found in reversed([*MacroNamespace(of_root, own, internal, packages)._search_order()]):
            namespace.update(found)
        namespace.packages, namespace.global_project_namespace = packages, internal  # type: ignore[attr-defined]
        namespace.generators = generators  # type: ignore[attr-defined]
        return namespace

    of_thread = threading.local()
    run = BaseRunner.compile_and_execute
    lay_out: Callable[[Any], Any] = ModelContext._build_namespace

    def run_alone(runner: Any, *arguments: Any) -> Any:
        outer = vars(of_thread).get("node")
        of_thread.node = runner.node.unique_id if outer is None else ""
        try:
            return run(runner, *arguments)
        finally:
            of_thread.node = outer

    def take_over(context: Any) -> Any:
        """Return what is laid out: when a node is run, or the next one compiled, what came before is over."""
        node, kept = context.model, vars(of_thread)
        if type(context) is not ModelContext or kept.get("node") != node.unique_id:
            return lay_out(context)
        if kept.get("manifest") is not context.manifest:
            of_thread.manifest, of_thread.packages = context.manifest, {}
        if context.search_package not in of_thread.packages:
            namespace = lay_out(context)
            of_thread.packages[context.search_package] = namespace, context._ctx, context.macro_stack
        namespace, context._ctx, context.macro_stack = of_thread.packages[context.search_package]
        context._ctx.clear()
        for generator in namespace.generators:
            generator.node = node
        return namespace

    MacroGenerator.__init__ = remember  # type: ignore[method-assign,assignment]
    MacroNamespaceBuilder.build_namespace = build_namespace  # type: ignore[method-assign,assignment]
    BaseRunner.compile_and_execute = run_alone  # type: ignore[method-assign,assignment]
    ModelContext._build_namespace = take_over  # type: ignore[method-assign,assignment]


def _relations() -> None:
    """Compare a table's name only with such as are spelled alike: dbt compares database and schema first."""
    from dbt.adapters.base.impl import BaseAdapter

    match: Callable[..., list[Any]] = BaseAdapter._make_match

    def match_alike(adapter: Any, relations: list[Any], database: str, schema: str, name: str) -> list[Any]:
        spelled = str(name).lower().strip(QUOTES)
        alike = [one for one in relations if str(one.identifier).lower().strip(QUOTES) == spelled]
        return match(adapter, alike, database, schema, name)

    BaseAdapter._make_match = match_alike  # type: ignore[method-assign,assignment]


def _types() -> None:
    """Make what tells the types of a query's columns once for the same columns: dates take it a while."""
    from dbt_common.clients import agate_helper

    build = cache(agate_helper.build_type_tester)

    def build_once(text_columns: Iterable[str], string_null_values: Iterable[str] = ("null", "")) -> Any:
        return build(tuple(sorted(text_columns)), tuple(string_null_values))

    agate_helper.build_type_tester = build_once  # type: ignore[assignment]


def _files() -> None:
    """Write a node's query once, into `compiled`: `run` has it again, with the statement around it."""
    from dbt.contracts.graph.nodes import ParsedNode

    write = ParsedNode.write_node

    def write_compiled(node: Any, project_root: str, compiled_path: str, compiled_code: str) -> None:
        if compiled_path != node.build_path:
            write(node, project_root, compiled_path, compiled_code)

    ParsedNode.write_node = write_compiled  # type: ignore[method-assign,assignment]
