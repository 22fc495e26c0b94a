"""What dbt is spared gives what dbt's own way gives: the shortcuts beside modules that know none."""

import sys
from functools import partial
from importlib.util import find_spec, module_from_spec
from types import SimpleNamespace

import pytest

from ingest.warehouse.dbt_shortcuts import take_shortcuts


@pytest.fixture(autouse=True)
def _taken():
    take_shortcuts()


def untouched(name):
    """A second copy of a module, as the package has it."""
    spec = find_spec(name)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module is not sys.modules[name]
    return module


class Macro:
    def __init__(self, package_name, name):
        self.package_name, self.name = package_name, name
        self.unique_id = f"macro.{package_name}.{name}"


# Every name that several packages have: a node sees its own package's, then the root's, then dbt's.
PACKAGES = {
    package: {name: Macro(package, name) for name in names}
    for package, names in {
        "root": ("a", "b", "dbt_only"),
        "other": ("a", "c"),
        "third": ("c", "third"),
        "dbt": ("a", "d", "e"),
        "dbt_duckdb": ("d", "f", "dbt_only"),
    }.items()
}


@pytest.mark.parametrize("package", ["root", "other", "dbt", "missing"])
def test_a_node_sees_the_macros_that_dbt_shows_it(package):
    from dbt.context.macros import MacroNamespaceBuilder

    context, node, stack = {}, object(), object()
    arguments = ("root", package, stack, ["dbt_duckdb", "dbt"], node)
    ours = MacroNamespaceBuilder(*arguments).build_namespace(PACKAGES, context)
    dbts = untouched("dbt.context.macros").MacroNamespaceBuilder(*arguments)
    theirs = dbts.build_namespace(PACKAGES, context)

    def shown(found):
        if isinstance(found, dict):
            return {name: shown(one) for name, one in found.items()}
        assert found.context is context and found.node is node and found.stack is stack
        return found.macro.unique_id

    assert shown(dict(ours)) == shown(dict(theirs)) and len(ours) == len(theirs)
    for name in ("a", "d", "dbt_only", "absent"):
        for place in (None, "dbt", "other"):
            own, their = (found.get_from_package(place, name) for found in (ours, theirs))
            assert (own and shown(own)) == (their and shown(their))
    with pytest.raises(KeyError):
        ours["absent"]


class Node:
    def __init__(self, unique_id, package="root"):
        self.unique_id, self.package = unique_id, package


def seen_by(node, manifest, **members):
    """A context of dbt's for a node, its own members set and its macros laid out."""
    from dbt.context.macros import MacroNamespaceBuilder
    from dbt.context.providers import ModelContext

    context = ModelContext.__new__(ModelContext)
    context._ctx, context.macro_stack = {}, object()
    context.manifest, context.model, context.search_package = manifest, node, node.package
    packages = ["dbt_duckdb", "dbt"]
    context._get_namespace_builder = lambda: MacroNamespaceBuilder(
        "root", node.package, context.macro_stack, packages, node
    )
    context.namespace = context._build_namespace()
    context._ctx.update(members, **context.namespace)
    return context


class Done(Exception):
    """What a node is compiled and run for has been looked at."""


def run(node, inside):
    """Have dbt begin to compile and run a node, and do `inside` in the place of both."""
    from dbt.task import base

    def look():
        inside()
        raise Done

    with pytest.MonkeyPatch.context() as patched, pytest.raises(Done):
        patched.setattr(base, "get_flags", look)  # dbt's first step
        base.BaseRunner.compile_and_execute(SimpleNamespace(node=node), None, None)


def is_of(context, node):
    """Whether each macro that a context shows works in it, and for the node."""
    generators = [one for one in context._ctx.values() if hasattr(one, "macro")]
    generators += [one for own in context.namespace.packages.values() for one in own.values()]
    return len(generators) > 8 and all(
        one.context is context._ctx and one.node is node and one.stack is context.macro_stack
        for one in generators
    )


def test_what_is_laid_out_for_one_node_works_for_the_next():
    manifest = SimpleNamespace(get_macros_by_package=lambda: PACKAGES)
    another = SimpleNamespace(get_macros_by_package=lambda: {**PACKAGES, "root": {"z": Macro("root", "z")}})
    first, second, elsewhere = Node("first"), Node("second"), Node("elsewhere", "other")
    laid_out = []

    def compiled_and_run(node, manifest=manifest):
        def inside():
            for step in ("compiled", "run"):
                context = seen_by(node, manifest, **{step: True})
                assert is_of(context, node) and context._ctx[step] is True
                assert not {"compiled", "run"} - {step} & context._ctx.keys()
                laid_out.append(id(context._ctx["a" if "a" in context._ctx else "z"]))

        run(node, inside)

    for node in (first, second, first):
        compiled_and_run(node)
    assert len(set(laid_out)) == 1
    compiled_and_run(elsewhere)
    compiled_and_run(first, another)
    compiled_and_run(second)
    assert len({*laid_out[6:8]}) == len({*laid_out[8:10]}) == len({*laid_out[10:]}) == 1

    def asks_for_another():
        own = seen_by(first, manifest)
        others = [seen_by(second, manifest)]
        run(first, lambda: others.append(seen_by(first, manifest)))
        assert is_of(own, first) and [is_of(*one) for one in zip(others, (second, first), strict=True)] == [
            True,
            True,
        ]

    run(first, asks_for_another)
    alone = [seen_by(first, manifest), seen_by(first, manifest)]
    assert all(is_of(one, first) for one in alone) and alone[0]._ctx is not alone[1]._ctx


def test_a_table_is_found_by_its_name_and_one_of_another_spelling_is_an_error():
    from dbt.adapters.base.impl import BaseAdapter
    from dbt.adapters.duckdb.relation import DuckDBRelation
    from dbt.adapters.exceptions import ApproximateMatchError

    quoting = SimpleNamespace(quoting={"database": True, "schema": True, "identifier": True})
    adapter = SimpleNamespace(config=quoting)
    adapter._make_match_kwargs = partial(BaseAdapter._make_match_kwargs, adapter)
    there = [DuckDBRelation.create("audit", "main", name) for name in ("fct_a", "fct_ab", "Fct_b")]
    for name, found in (("fct_a", [there[0]]), ("fct", []), ("fct_ab", [there[1]])):
        assert BaseAdapter._make_match(adapter, there, "audit", "main", name) == found
    with pytest.raises(ApproximateMatchError):
        BaseAdapter._make_match(adapter, there, "audit", "main", "fct_b")


def test_columns_have_the_types_that_dbt_gives_them():
    from dbt_common.clients import agate_helper

    theirs = untouched("dbt_common.clients.agate_helper")
    rows = [{"a": "1", "b": 1, "c": "2026-01-02", "d": None, "e": [1]}, {"a": "", "b": 2.5, "c": "x"}]
    for names in (["a", "b", "c"], ["b", "c"], ["c", "b", "a"], ["a", "b", "c"]):
        data = [{name: row[name] for name in names} for row in rows]
        ours = agate_helper.table_from_data_flat(data, names)
        dbts = theirs.table_from_data_flat(data, names)
        assert [tuple(row) for row in ours.rows] == [tuple(row) for row in dbts.rows]
        assert [type(one).__name__ for one in ours.column_types] == [
            type(one).__name__ for one in dbts.column_types
        ]


@pytest.mark.parametrize("edges", [[("a", "b"), ("b", "c")], [("a", "b"), ("b", "a")], [("a", "a")], []])
def test_a_cycle_is_found_where_dbt_finds_one(edges):
    from dbt import compilation

    linkers = [compilation.Linker(), untouched("dbt.compilation").Linker()]
    for linker in linkers:
        for before, after in edges:
            linker.dependency(after, before)
    ours, theirs = (linker.find_cycles() for linker in linkers)
    assert ours == theirs and (theirs is None) == (edges in ([("a", "b"), ("b", "c")], []))


def test_what_is_chosen_from_is_what_dbt_chooses_from():
    import networkx as nx
    from dbt.graph.graph import Graph

    whole = nx.DiGraph([("a", "b"), ("b", "c"), ("c", "d")])
    whole.add_edge("a", "d", edge_type="parent_test")
    ours, theirs = (
        graph(whole).subgraph({"a", "b", "d"}) for graph in (Graph, untouched("dbt.graph.graph").Graph)
    )
    assert ours.nodes() == theirs.nodes() == {"a", "b", "d"}
    assert list(ours.graph.edges(data=True)) == list(theirs.graph.edges(data=True))
    for ask in ("select_children", "select_parents"):
        for node in "abd":
            assert getattr(ours, ask)({node}) == getattr(theirs, ask)({node})


def test_a_name_chooses_what_dbt_chooses_by_it():
    from dbt.graph import selector_methods

    nodes = {
        f"{kind}.own.{name}": SimpleNamespace(fqn=fqn, is_versioned=False)
        for kind, name, fqn in (
            ("model", "same", ["own", "same"]),
            ("test", "same", ["own", "same"]),
            ("model", "other", ["own", "folder", "other"]),
        )
    }
    manifest = SimpleNamespace(nodes=nodes)

    def chosen(module, name, included):
        method = module.QualifiedNameSelectorMethod(manifest, None, [])
        method.non_source_nodes = lambda among: [(one, nodes[one]) for one in nodes if one in among]
        return set(method.search(included, name))

    theirs = untouched("dbt.graph.selector_methods")
    for name in ("own.same", "own.folder.other", "other", "own.folder", "own.absent"):
        for included in (set(nodes), {"test.own.same"}, {"model.own.other"}):
            assert chosen(selector_methods, name, included) == chosen(theirs, name, included)


def test_a_flag_names_the_module_that_sets_it():
    from dbt_common import behavior_flags

    flag = {"name": "f", "default": True, "docs_url": "https://example.com"}
    for module in (behavior_flags, untouched("dbt_common.behavior_flags")):
        rendered = module.Behavior([flag], {}).f
        assert rendered._behavior_change_event.flag_source == __name__


TEXTS = [
    "",
    "plain",
    "two\r\nlines\n\n",
    "7",
    "'quoted'",
    "{{ word }}",
    " {{ n + 1 }}\n",
    "{{ 'a' ~ word }}",
    "{% if n %}y{% endif %}",
]


@pytest.mark.parametrize("is_native", [False, True])
@pytest.mark.parametrize("text", TEXTS)
def test_a_text_becomes_what_dbt_makes_of_it(text, is_native):
    from dbt.clients import jinja

    dbts = untouched("dbt.clients.jinja")
    for word in ("first", "second"):  # a text that is compiled already has the values of its time
        context = {"word": word, "n": 2}
        found = jinja.get_rendered(text, dict(context), native=is_native)
        expected = dbts.get_rendered(text, dict(context), native=is_native)
        assert (found, type(found)) == (expected, type(expected))


def test_a_wrong_text_is_as_wrong_as_for_dbt():
    from dbt.clients import jinja

    for text, capture in (("{{ open", False), ("{{ missing.part }}", False), ("{{ missing(1) }}", True)):
        said = []
        for module in (jinja, untouched("dbt.clients.jinja")):
            try:
                said.append(module.get_rendered(text, {}, SimpleNamespace(name="here"), capture))
            except Exception as error:
                said.append((type(error), str(error)))
        assert said[0] == said[1]


def test_settings_are_held_against_their_schema_at_each_other_value():
    from dbt.artifacts.resources import NodeConfig
    from dbt_common.dataclass_schema import ValidationError

    right = NodeConfig().to_dict(omit_none=False)
    for _ in range(2):
        NodeConfig.validate(right)
        with pytest.raises(ValidationError, match="enabled"):
            NodeConfig.validate(right | {"enabled": "perhaps"})
