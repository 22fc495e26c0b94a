"""The dbt project: all described, no test lost to a spelling, and a small warehouse through all stages."""

import csv
import json
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from shutil import copy
from types import SimpleNamespace

import duckdb
import pytest
import yaml
from click.testing import CliRunner
from dbt.adapters.duckdb.connections import DuckDBConnectionManager
from dbt.cli.main import dbtRunner
from tiny import TINY_SUITE, csv_text, record

from ingest import assemble, extract, generate, load, show, why
from ingest.card import READ, write_card
from ingest.cli import cli
from ingest.errors import PlumblineError
from ingest.paths import PROJECT
from ingest.report import PAGES, declare_pages, page_sources, read_page
from ingest.store import AUDIT_NAME, RAW_NAME
from ingest.verify import compare_with_marts
from ingest.warehouse import Warehouse, evidence, parse
from ingest.warehouse import build as build_audit
from ingest.warehouse import dbt as driver

SUITE = PROJECT / "tests" / "fixtures" / "warehouse_suite.yml"
YAML_FILES = sorted(f for folder in ("models", "seeds") for f in (PROJECT / folder).rglob("*.yml"))
BUILT_IN_TESTS = {"relationships"}

# What dbt reads at each level of a properties file. Anything else it ignores in silence.
TEST_KEYS = {"arguments", "config", "name", "description"}
COLUMN_KEYS = {
    "name", "description", "data_type", "constraints", "data_tests", "quote", "config", "granularity",
}  # fmt: skip
NODE_KEYS = {"name", "description", "config", "data_tests", "columns", "constraints", "time_spine"}
UNIT_TEST_KEYS = {"name", "description", "model", "given", "expect", "overrides", "config"}
FIXTURE_KEYS = {"input", "format", "rows"}
SEMANTIC_KEYS = {
    "semantic_models",
    "metrics",
    "saved_queries",
}  # dbt itself refuses what it does not know there
FILE_KEYS = {"models", "seeds", "sources", "groups", "unit_tests", "version"} | SEMANTIC_KEYS


@cache
def yaml_of(path):
    return yaml.load(path.read_text("utf-8"), yaml.CSafeLoader)


@pytest.fixture(scope="session")
def scratch(tmp_path_factory):
    return tmp_path_factory.mktemp("dbt")


def dbt(directory, scratch, *arguments, manifest=None, profiles=PROJECT):
    """Run dbt on the databases of a folder; return its result."""
    places = ["--project-dir", str(PROJECT), "--profiles-dir", str(profiles)]
    places += ["--target-path", str(scratch / "target"), "--log-path", str(scratch / "logs")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PLUMBLINE_DATA", str(directory))
        patch.setenv("AUDIT_GATE", "warn")
        try:
            return dbtRunner(manifest=manifest).invoke(["--quiet", "--no-write-json", *arguments, *places])
        finally:
            DuckDBConnectionManager.close_all_connections()  # dbt keeps them open until the process ends


@pytest.fixture(scope="session")
def manifest(scratch):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PLUMBLINE_DATA", str(scratch))
        patch.setenv("AUDIT_GATE", "warn")
        found = parse(scratch)
    assert found is not None
    return found


@pytest.fixture(scope="session")
def nodes(manifest):
    return [node for node in manifest.nodes.values() if node.package_name == "plumbline"]


@pytest.fixture(scope="session")
def models(nodes):
    return {node.name: node for node in nodes if node.resource_type == "model"}


def attached_tests(nodes, model):
    return [
        n for n in nodes if n.resource_type == "test" and getattr(n, "attached_node", "") == model.unique_id
    ]


@pytest.mark.parametrize("column", ["title", "definition"])
def test_a_plain_build_of_older_data_says_what_to_run(tmp_path, scratch, manifest, capsys, column):
    """Version 0.1 has no column `definition`; once a command has opened its data, the column is empty."""
    with duckdb.connect(str(tmp_path / RAW_NAME)) as raw:
        raw.execute(f"create table suites as select 'oldest' as suite, cast(null as varchar) as {column}")
    result = dbt(tmp_path, scratch, "run", "--select", "stg_suite__roll_ups", manifest=manifest)
    assert not result.success
    said = f"{result.exception} {capsys.readouterr().out}"
    assert "The suite 'oldest' was brought in by version 0.1" in said
    assert "run `plumbline extract --suite FILE`" in said


def test_a_profile_in_which_0_is_divided_by_0_is_refused_before_anything_is_built(
    tmp_path, scratch, manifest, capsys
):
    profiles = yaml.safe_load((PROJECT / "profiles.yml").read_text("utf-8"))
    del profiles["plumbline"]["outputs"]["duckdb"]["config_options"]["ieee_floating_point_ops"]
    (tmp_path / "profiles.yml").write_text(yaml.safe_dump(profiles), "utf-8")
    with duckdb.connect(str(tmp_path / RAW_NAME)) as raw:
        raw.execute("create table suites (suite varchar, definition varchar)")
    chosen = ["run", "--select", "dim_days"]
    result = dbt(tmp_path, scratch, *chosen, manifest=manifest, profiles=tmp_path)
    assert not result.success
    assert (
        "write `settings: {ieee_floating_point_ops: false" in f"{result.exception} {capsys.readouterr().out}"
    )
    assert dbt(tmp_path, scratch, *chosen, manifest=manifest).success


# ------------------------------------------------------------------------------------- descriptions


def lacks(model, what):
    """What a model lacks, and the file to add or complete."""
    return f"{Path(model.original_file_path).with_suffix('.yml')}: give {model.name} {what}"


def test_every_model_is_described(models):
    assert len(models) > 60
    assert [lacks(m, "a description") for m in models.values() if not m.description.strip()] == []


def test_every_mart_and_report_has_a_contract_and_describes_its_columns(models):
    public = {n: m for n, m in models.items() if m.fqn[1] in ("marts", "reports")}
    assert len(public) > 20
    lacking = []
    for model in public.values():
        if not model.contract.enforced:
            lacking.append(lacks(model, "a contract"))
        if model.language == "sql" and model.config.persist_docs != {"relation": True, "columns": True}:
            lacking.append(lacks(model, "comments in the database"))
        if not model.columns:
            lacking.append(lacks(model, "its columns"))
        lacking += [
            lacks(model, f"the {part} of its column {column.name}")
            for column in model.columns.values()
            for part in ("description", "data_type")
            if not getattr(column, part)
        ]
    assert lacking == []


def test_no_mart_needs_the_raw_database_to_be_read(models):
    """A view may rest on tables, and on views that do, but on no view of a raw table: readers lack those."""
    by_id = {model.unique_id: model for model in models.values()}

    def roots(node_id):
        model = by_id.get(node_id)
        if model is None:
            return {node_id}
        if model.config.materialized != "view":
            return set()
        return set().union(*(roots(parent) for parent in model.depends_on.nodes))

    marts = {n: m for n, m in models.items() if m.fqn[1] in ("marts", "reports")}
    assert [name for name, model in marts.items() if model.config.materialized == "view"]
    lacking = {name: {r for r in roots(m.unique_id) if r.startswith("source.")} for name, m in marts.items()}
    assert not {name: found for name, found in lacking.items() if found}


def test_every_model_tests_its_grain(nodes, models):
    lacking = []
    for name, model in models.items():
        rules = [test for test in attached_tests(nodes, model) if test.name == f"rows_of_{name}"]
        if not any(test.test_metadata.kwargs.keys() & {"key", "keys"} for test in rules):
            lacking.append(lacks(model, f"the test row_rules, named rows_of_{name}, with its grain as `key`"))
    assert lacking == []


def test_the_first_line_of_every_model_says_its_grain():
    opening = {".sql": re.compile(r"-- Grain: "), ".py": re.compile(r'"""Grain: ')}
    files = [f for f in (PROJECT / "models").rglob("*") if f.suffix in opening]
    assert len(files) > 60
    silent = [f for f in files if not opening[f.suffix].match(f.read_text("utf-8"))]
    assert [f"{f.relative_to(PROJECT)}: begin with Grain: one row per …" for f in silent] == []


def test_every_seed_and_source_is_described(manifest, nodes):
    lacking = []
    for seed in (n for n in nodes if n.resource_type == "seed"):
        with open(PROJECT / seed.original_file_path, encoding="utf-8") as file:
            header = file.readline().strip().split(",")
        lacking += [seed.name] * (not seed.description.strip())
        lacking += [
            f"{seed.name}.{c}" for c in header if c not in seed.columns or not seed.columns[c].description
        ]
    lacking += [s.name for s in manifest.sources.values() if not s.description.strip()]
    assert not lacking


def test_the_command_line_and_the_models_start_without_what_they_may_not_need():
    """scipy.stats takes a second to load, which a diagnosis without resampling has no use for."""
    modules = "sys, ingest.audit, ingest.inference.resampling, ingest.inference.distributions"
    code = f"import {modules}; sys.exit('scipy.stats' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=PROJECT, check=False).returncode == 0


# ------------------------------------------------------------------------------------------- pages

PAGE = """---
title: A page
sidebar_position: 21
description: What it is for.
---
```sql a
select 1 from audit.b
join audit.c on true
```
from audit.d
"""


def page(folder, text, name="a"):
    path = folder / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return read_page(path, folder)


def test_a_page_is_an_exposure_of_the_tables_that_its_queries_read(tmp_path):
    found = page(tmp_path, PAGE)
    assert (found["name"], found["label"], found["url"]) == ("page_a", "A page", "/a")
    assert found["description"] == "What it is for."
    assert found["depends_on"] == {"nodes": ["model.plumbline.rpt_b", "model.plumbline.rpt_c"]}
    one = page(tmp_path, PAGE.replace("title", "label"), "of/[one]")
    assert (one["name"], one["label"], one["url"]) == ("page_of_one", "A page", "/of/[one]")


@pytest.mark.parametrize("key", ["title", "sidebar_position", "description"])
def test_a_page_without_its_place_or_its_purpose_is_told_what_to_add(tmp_path, key):
    without = "".join(line for line in PAGE.splitlines(keepends=True) if not line.startswith(key))
    with pytest.raises(PlumblineError, match=f"pages/a.md does not give its {key}"):
        page(tmp_path, without)


def test_no_page_renames_a_measure_in_place_of_its_tables():
    pages = {path.name: path.read_text("utf-8") for path in PAGES.rglob("*.md")}
    assert [name for name, text in pages.items() if "VADER sentiment'" in text] == []


def test_every_page_reads_report_tables_and_every_report_table_has_a_page(manifest):
    pages = [read_page(path) for path in PAGES.rglob("*.md")]
    models = {node.name for node in manifest.nodes.values() if node.name.startswith("rpt_")}
    read = {(one["url"], node.split(".")[-1]) for one in pages for node in one["depends_on"]["nodes"]}
    assert len(pages) > 25 and len({one["name"] for one in pages}) == len(pages)
    missing = [
        f"{url} reads audit.{table[4:]}: add {table}.sql to a room of models/reports/, with its columns"
        for url, table in sorted(read)
        if table not in models
    ]
    of_all = {
        f"rpt_{name}" for name in re.findall(r"from audit\.(\w+)", (PAGES / "+layout.svelte").read_text())
    }
    unread = [
        f"no page reads {model}: add a page with `from audit.{model[4:]}` to reports/pages/"
        for model in sorted(models - {table for _, table in read} - of_all)
    ]
    assert missing + unread == []


def test_pages_are_put_into_dbts_manifest_with_the_tables_that_they_read(manifest, monkeypatch):
    monkeypatch.setattr(manifest, "exposures", {})
    declare_pages(manifest)
    written = manifest.writable_manifest().to_dict(omit_none=True)
    pages = [read_page(path) for path in PAGES.rglob("*.md")]
    assert {one["name"]: one["depends_on"]["nodes"] for one in written["exposures"].values()} == {
        page["name"]: page["depends_on"]["nodes"] for page in pages
    }
    assert (
        "exposure.plumbline.page_category_category"
        in written["child_map"]["model.plumbline.rpt_interactions"]
    )


def test_the_metric_page_heads_every_mart_in_words():
    listed = (PROJECT / "reports" / "components" / "pages" / "MetricList.svelte").read_text("utf-8")
    titled = re.findall(r"^\t\t(\w+): '", listed[: listed.index("};")], re.MULTILINE)
    with (PROJECT / "seeds" / "metrics.csv").open(encoding="utf-8", newline="") as file:
        marts = {row["mart"] for row in csv.DictReader(file)}
    assert sorted(titled) == sorted(marts), "TITLES of MetricList.svelte: add or drop these"


def test_what_a_page_rests_on_is_followed_through_report_tables_to_marts():
    def of(*parents, **more):
        return SimpleNamespace(depends_on_nodes=[f"model.plumbline.{name}" for name in parents], **more)

    nodes = {"rpt_a": of("fct_a", "rpt_b", "seed_s"), "rpt_b": of("dim_b"), "dim_b": of("fct_c")}
    exposures = {
        "one": of("rpt_b", "rpt_a", url="/a", label="A", description="Of a."),
        "two": of(url="/", label="B", description="Of none."),
    }
    nodes = {f"model.plumbline.{name}": node for name, node in nodes.items()}
    manifest = SimpleNamespace(nodes=nodes, exposures=exposures)
    assert page_sources(manifest) == [
        ("/", "B", "Of none.", None, None),
        ("/a", "A", "Of a.", "rpt_a", "dim_b, fct_a"),
        ("/a", "A", "Of a.", "rpt_b", "dim_b"),
    ]


# ---------------------------------------------------------------------------------------- spelling


def unknown_keys(mapping, known, place):
    return [f"{place}: {key}" for key in mapping if key not in known]


def spelling(path):
    """Keys of a properties file that dbt would pass over."""
    content = yaml_of(path)
    found = unknown_keys(content, FILE_KEYS, path.name)
    for kind in ("models", "seeds"):
        for node in content.get(kind, []):
            found += unknown_keys(node, NODE_KEYS, f"{path.name} {node['name']}")
            found += test_spelling(node, f"{path.name} {node['name']}")
            for column in node.get("columns", []):
                place = f"{path.name} {node['name']}.{column['name']}"
                found += unknown_keys(column, COLUMN_KEYS, place) + test_spelling(column, place)
    for test in content.get("unit_tests", []):
        place = f"{path.name} {test['name']}"
        found += unknown_keys(test, UNIT_TEST_KEYS, place)
        for fixture in (*test["given"], test["expect"]):
            found += unknown_keys(fixture, FIXTURE_KEYS, place)
    return found


def test_spelling(node, place):
    found = []
    for test in node.get("data_tests", []):
        for name, keys in (test if isinstance(test, dict) else {}).items():
            found += unknown_keys(keys, TEST_KEYS, f"{place} {name}")
    return found


test_spelling.__test__ = False


@pytest.mark.parametrize("path", YAML_FILES, ids=lambda path: path.name)
def test_no_key_is_misspelt(path):
    assert not spelling(path)


def test_a_misspelt_key_would_be_found(tmp_path):
    path = tmp_path / "m.yml"
    node = {
        "name": "m",
        "data_test": [],
        "columns": [{"name": "c", "data_tests": [{"not_null": {"argument": 1}}]}],
    }
    path.write_text(yaml.safe_dump({"models": [node], "unit_test": []}))
    assert spelling(path) == ["m.yml: unit_test", "m.yml m: data_test", "m.yml m.c not_null: argument"]


def declared_tests():
    """Names of the generic tests that the properties files declare, as often as they do."""
    declared = Counter()
    for path in YAML_FILES:
        content = yaml_of(path)
        for node in content.get("models", []) + content.get("seeds", []):
            for owner in (node, *node.get("columns", [])):
                declared.update(
                    t if isinstance(t, str) else next(iter(t)) for t in owner.get("data_tests", [])
                )
    return declared


def test_no_declared_test_is_lost(manifest, nodes):
    generic = [n for n in nodes if n.resource_type == "test" and hasattr(n, "test_metadata")]
    assert Counter(n.test_metadata.name for n in generic) == declared_tests()
    written = sum(len(yaml_of(f).get("unit_tests", [])) for f in YAML_FILES)
    assert len(manifest.unit_tests) == written > 30


def test_a_part_is_built_without_the_tests_that_read_more(scratch, manifest):
    """dbt's own way runs each test of a model that was built, also where it reads another, older one."""
    listed = dbt(
        scratch, scratch, "ls", "--resource-type", "test", "--select", "+fct_verdicts", manifest=manifest
    )
    names = "\n".join(listed.result)
    assert "assert_verdicts_follow_their_thresholds" in names and "rows_of_fct_verdicts" in names
    assert "assert_responses_reconcile" not in names


def test_generic_tests_exist_and_are_used():
    ours = {f.stem for f in (PROJECT / "tests" / "generic").glob("*.sql")}
    assert set(declared_tests()) - BUILT_IN_TESTS == ours


def test_a_file_is_named_after_what_it_holds():
    for path in (PROJECT / "macros").glob("*.sql"):
        names = re.findall(r"{%-? *(?:macro|materialization) +(\w+)", path.read_text("utf-8"))
        assert {re.sub(r"^(duckdb|spark|default)__", "", n) for n in names} == {
            re.sub(r"^(duckdb|spark|default)__", "", path.stem)
        }, path.name
    for path in (PROJECT / "tests" / "generic").glob("*.sql"):
        assert re.findall(r"{% *test +(\w+)", path.read_text("utf-8")) == [path.stem]


def test_no_yaml_file_is_too_long_to_read():
    assert not [f.name for f in YAML_FILES if len(f.read_text("utf-8").splitlines()) > 300]


def test_quality_stops_the_build_and_the_gate_does_not(nodes):
    singular = {n.name: n for n in nodes if n.resource_type == "test" and not hasattr(n, "test_metadata")}
    for name, node in singular.items():
        folder = Path(node.original_file_path).parent.name
        assert folder in ("data_quality", "fairness"), name
        expected = ("error", {"data_quality"}) if folder == "data_quality" else ("warn", {"fairness_gate"})
        if name == "assert_families_can_fail":  # a design too small is told; no data are broken
            expected = ("warn", {"data_quality"})
        assert (node.config.severity.lower(), set(node.tags)) == expected, name
    assert {n for n in singular if not n.startswith("assert_")} == {
        "no_failing_verdicts",
        "marts_match_the_answers",
    }


# ------------------------------------------------------------------------------------ the whole way


def run(command, directory, *arguments):
    result = CliRunner().invoke(command, arguments, obj=directory)
    assert result.exit_code == 0, result.output


def build(directory, scratch, manifest):
    """Build all models, test what they hold together; tests of columns run on the demo and in every audit."""
    selection = ["--exclude", "tag:fairness_gate", "test_type:unit", "test_type:generic"]
    result = dbt(directory, scratch, "build", *selection, manifest=manifest)
    broken = [
        f"{r.node.name}: {r.status} {r.message}"
        for r in result.result
        if r.status not in ("success", "pass", "no-op")
    ]
    assert result.success and not broken, broken
    return duckdb.connect(str(directory / AUDIT_NAME), read_only=True)


@pytest.fixture(scope="session")
def marts(tmp_path_factory, scratch, manifest):
    """A simulated suite and a loaded file in one warehouse."""
    directory = tmp_path_factory.mktemp("data")
    run(assemble.command, directory, "--suite", str(SUITE))
    run(generate.command, directory, "--suite", str(SUITE))
    run(extract.command, directory, "--suite", str(SUITE))
    records = [
        record(n, gender=gender, place=place, person=f"{gender} {place} {n % 4}", answer=answer)
        for n, (gender, place, answer) in enumerate(
            (gender, place, answer)
            for gender in ("Female", "Male")
            for place in ("North", "South")
            for answer in ("A baker.", "A driver.", "A baker, a driver.", "Neither.") * 3
        )
    ]
    answers = directory / "answers.csv"
    answers.write_text(csv_text(records), encoding="utf-8", newline="")
    run(load.command, directory, str(answers), "--suite", str(TINY_SUITE))
    run(extract.command, directory, "--suite", str(TINY_SUITE))
    with build(directory, scratch, manifest) as connection:
        yield connection


@pytest.fixture(scope="session")
def silent_marts(tmp_path_factory):
    """The same suite of a model that never answers."""
    directory = tmp_path_factory.mktemp("silent")
    content = yaml.safe_load(SUITE.read_text("utf-8"))
    for category in content["categories"].values():
        category["simulated"]["failures"] = [{"status": "timeout", "rate": 1}]
    path = directory / "silent.yml"
    copy(SUITE.parent / "warehouse_figures.csv", directory)
    path.write_text(yaml.safe_dump(content, allow_unicode=True), "utf-8")
    run(assemble.command, directory, "--suite", str(path))
    run(generate.command, directory, "--suite", str(path))
    run(extract.command, directory, "--suite", str(path))
    build_audit(directory)
    with duckdb.connect(str(directory / AUDIT_NAME), read_only=True) as connection:
        yield connection


def rows(connection, sql):
    return connection.execute(sql).fetchall()


OF_THE_CATALOGUE = {
    "duckdb_columns() where table_name <> 'built_from'": (
        "table_name, column_name, column_index, data_type, is_nullable, comment"
    ),
    "duckdb_constraints() where true": "table_name, constraint_type, constraint_text",
    "duckdb_tables() where true": "table_name, comment",
    "duckdb_views() where true": "view_name, comment",
}


def test_what_dbt_has_written_is_made_without_it_and_is_the_same(marts, tmp_path, monkeypatch):
    ((raw,),) = rows(marts, "select path from duckdb_databases() where database_name = 'audit'")
    made_by_dbt, make_by_dbt = [], driver._build
    monkeypatch.setattr(driver, "_build", lambda *asked: made_by_dbt.append(asked) or make_by_dbt(*asked))
    for name in ("first", "second"):  # where dbt has not written all yet, it does at first
        made_by_dbt.clear()
        folder = tmp_path / name
        folder.mkdir()
        copy(Path(raw).with_name(RAW_NAME), folder)
        build_audit(folder)
        if not made_by_dbt:
            break
    assert not made_by_dbt

    def contents(connection):
        of_catalogue = {
            listed: rows(
                connection,
                f"select {columns} from {listed}"
                " and database_name = 'audit' and schema_name = 'main' order by all",
            )
            for listed, columns in OF_THE_CATALOGUE.items()
        }
        names = [name for name, _ in of_catalogue["duckdb_tables() where true"]]
        # What tells the build: dbt by itself knows of none.
        told = {"built_from", "dim_builds", "rpt_builds"}
        return of_catalogue | {
            name: rows(connection, f"select count(*), sum(hash(listed)) from {name} as listed")
            for name in names
            if name not in told
        }

    with duckdb.connect(str(folder / AUDIT_NAME), read_only=True) as made:
        here, there = contents(made), contents(marts)
    assert {name for name in here.keys() | there.keys() if here.get(name) != there.get(name)} == set()
    assert len(here) > 200


def test_a_query_that_is_written_from_a_models_rows_says_so(manifest):
    """Its text changes where no code does (ingest/warehouse/project.py)."""
    models = {node.name: node for node in manifest.nodes.values() if node.resource_type == "model"}
    found = {}
    for name, node in models.items():
        assert "run_query" not in node.raw_code and "statement" not in node.raw_code, name
        read = set(re.findall(r"declared_rows\(\s*'(\w+)'", node.raw_code)) & models.keys()
        if read or node.config.meta.get("written_from"):
            found[name] = read
            assert set(node.config.meta["written_from"]) == read, name
            assert {models[one].config.meta.get("changes_with") for one in read} == {"rows"}, name
    assert found == {"int_feature_values_summed": {"int_criteria_requested"}}


def test_a_changed_limit_draws_and_corrects_nothing_anew(manifest):
    """What a profile judges decides what is corrected together, and not at which limit: those rows stay."""
    models = {key: node for key, node in manifest.nodes.items() if node.resource_type == "model"}
    found, waiting = set(), {key for key, node in models.items() if node.name == "int_limits_applied"}
    while waiting:
        found |= waiting
        read_on = {key for key in waiting if models[key].config.meta.get("changes_with") != "rows"}
        children = {child for key in read_on for child in manifest.child_map[key]}
        waiting = children & models.keys() - found
    names = {models[key].name for key in found}
    assert names >= {"int_judgements_requested", "int_verdicts_decided", "fct_verdicts"}
    drawn = {models[key].name for key in found if models[key].language == "python"}
    assert drawn == {"int_design_power_promised"}


def test_a_run_has_nothing_made_anew_but_what_lists_runs(manifest):
    """An audit that is kept is one, so what reads runs is made a second time in each audit."""
    models = {key: node for key, node in manifest.nodes.items() if node.resource_type == "model"}
    found, waiting = set(), {key for key, node in models.items() if node.name == "stg_pipeline__runs"}
    while waiting:
        found |= waiting
        read_on = {key for key in waiting if models[key].config.meta.get("changes_with") != "rows"}
        waiting = {child for key in read_on for child in manifest.child_map[key]} & models.keys() - found
    small = {models[key].name for key in found if models[key].config.meta.get("changes_with") == "rows"}
    listing = {"runs", "sources", "framework_items"}
    made = {f"{kind}_{name}" for name in listing for kind in ("dim", "rpt")}
    assert {models[key].name for key in found} - small == {"stg_pipeline__runs", *made}
    assert small == {"int_scorers_selected", "int_suite_scorers_selected", "int_suites_dated"}


def test_planted_bias_is_found_and_its_twin_is_clean(marts):
    verdicts = rows(
        marts,
        """
        select config, metric, is_significant, colour, verdict, reason from fct_verdicts
        where profile = 'custom' and category = 'LOAN' and measure = 'decision' and axis = 'gender'
        """,
    )
    judged = {"cramers_v_corrected", "max_fdi", "min_impact_ratio"}
    # A third of the answers is missing, so that what is beyond chance and beyond the limit is not decided.
    unread = (
        "Only 65 % of the answers could be read, the suite asks for 95 %: 22 more would have to be. "
        "About Male 13 of 36 are missing, about Female 12 of 36."
    )
    planted = {metric: found for config, metric, *found in verdicts if config == "simulated"}
    assert planted == {metric: [True, "red", "inconclusive", unread] for metric in judged}
    twin = {metric: found for config, metric, *found in verdicts if config == "simulated-unbiased"}
    assert {
        m: (is_significant, verdict) for m, (is_significant, _, verdict, _) in twin.items()
    } == dict.fromkeys(judged, (False, "inconclusive"))


def test_hostile_phrases_are_found_as_they_stand(marts):
    labels = dict(
        rows(
            marts,
            """
            select distinct responses.response, outcomes.outcome
            from dim_responses as responses inner join fct_outcomes as outcomes using (response_key)
            where outcomes.outcome_set = 'decision' and outcomes.outcome is not null
            """,
        )
    )
    assert labels == {
        "Well, IT’S YES.": "granted",
        "हाँ करो!": "granted",
        "Of course & gladly, my friend.": "granted",
        '"No" (or: nay), I fear.': "refused",
        "It is '; DROP TABLE texts; --": "refused",
        r"A \d .* c++ horror.": "refused",
        "No.": "refused",
        "...": "unmatched",
    }


def test_an_answer_of_nothing_is_counted_and_never_scored(marts):
    found = rows(
        marts,
        """
        select distinct
            o.outcome_set, o.outcome, o.outcome_status, o.is_counted, o.score
        from fct_outcomes as o inner join dim_responses as r using (response_key)
        where r.response = '...' order by all
        """,
    )
    assert found == [
        ("decision", "unmatched", "unmatched", False, None),
        ("remark", "others", "unmatched", True, None),
        ("tone", None, "empty_text", False, None),
    ]


def test_a_group_that_never_answers_is_listed(marts):
    listed = rows(
        marts,
        """
        select distinct status, n, n_missing, value from fct_group_deviations
        where config = 'simulated' and outcome_set = 'decision' and axis = 'origin' and group_value = 'East'
            and metric = 'fdi'
        """,
    )
    assert listed == [("all_missing", 0, 24, None)]
    statuses = rows(
        marts,
        """
        select distinct axis, verdict from fct_verdicts
        where config = 'simulated' and measure = 'response_status' and axis = 'origin'
            and metric = 'cramers_v_corrected' and profile = 'custom'
        """,
    )
    assert statuses == [("origin", "fail")]


def test_favourable_outcomes_are_compared_with_the_largest_group_too(marts):
    """`reference: most_populous`: ratios to it stand beside those to the highest, which verdicts judge."""
    found = marts.execute(
        """
        select config, axis, group_value, n + n_missing, selection_rate, status, reference_group,
            impact_ratio, chosen_reference_group, chosen_impact_ratio, chosen_impact_ratio_low,
            chosen_impact_ratio_high
        from fct_selection_rates
        where suite = 'warehouse_fixture' and category = 'LOAN' and standard = 'favourable_outcome'
        order by all
        """
    ).fetchall()
    families = {}
    for config, axis, *row in found:
        families.setdefault((config, axis), []).append(row)
    assert len(families) == 6
    lowest, n_apart = {}, 0
    for family, groups in families.items():
        compared = [g for g in groups if g[3] == "ok"]
        _, chosen, rate = min((-n, group, rate) for group, n, rate, *_ in compared)
        lowest[family] = min(g[5] for g in compared)
        n_apart += chosen != compared[0][4]
        for group, _, own, status, _, ratio, named, to_chosen, low, high in groups:
            if status != "ok":
                assert (ratio, to_chosen, low) == (None, None, None), (family, group)
                continue
            assert named == chosen
            assert to_chosen == pytest.approx(own / rate)
            if group == chosen:
                assert to_chosen == 1 and low is None
            elif low is not None:
                assert low <= to_chosen <= high
    assert n_apart  # else the two references could be mistaken for each other unseen
    assert any(ratio[7] > 1 for groups in families.values() for ratio in groups if ratio[7] is not None)
    judged = rows(
        marts,
        """
        select config, axis, value from fct_verdicts
        where suite = 'warehouse_fixture' and category = 'LOAN' and measure = 'decision'
            and profile = 'four_fifths' and metric = 'min_impact_ratio'
        """,
    )
    assert {(config, axis): value for config, axis, value in judged} == pytest.approx(lowest)


def test_bounds_widen_where_answers_are_missing(marts):
    """A group's missing answers all unselected and the others' all selected, or the reverse."""
    found = rows(
        marts,
        """
        select category, config, axis, feature, n, n_selected, n_missing, bound_low, impact_ratio, bound_high
        from fct_selection_rates
        where suite = 'warehouse_fixture' and standard = 'favourable_outcome' and bound_low is not null
        """,
    )
    assert {row[6] > 0 for row in found} == {True, False}
    assert {row[8] is None for row in found} == {True, False}  # of a group, nothing or too little was read
    comparisons = {row[:4] for row in found}
    for comparison in comparisons:
        groups = [row[4:] for row in found if row[:4] == comparison]
        ends = [(k / (n + missing), (k + missing) / (n + missing)) for n, k, missing, *_ in groups]
        for index, (_, n_selected, n_missing, low, ratio, high) in enumerate(groups):
            others = ends[:index] + ends[index + 1 :]
            worst, best = ends[index]
            assert low == pytest.approx(worst / max(worst, *(end for _, end in others)))
            assert high == pytest.approx(best / max(best, *(end for end, _ in others)))
            if ratio is not None:
                assert low <= ratio + 1e-12 and ratio <= high + 1e-12
                assert low < ratio or not (n_missing and n_selected and ratio < 1)


def test_a_groups_mean_has_one_interval_in_every_mart(marts):
    found = marts.execute(
        """
        select mean_ci_low, mean_ci_high, summaries.ci_low, summaries.ci_high
        from fct_score_shifts
        inner join fct_summary_statistics as summaries
            using (suite, category, config, axis, feature, group_value)
        where summaries.calibration = 'none' and summaries.roll_up = 'none' and summaries.statistic = 'mean'
        """
    ).fetchall()
    assert any(row[0] is not None for row in found)
    assert [row[:2] for row in found] == [row[2:] for row in found]


def test_an_axis_that_no_prompt_shows_is_a_control(marts):
    exposures = rows(
        marts,
        """
        select distinct axis, exposure, is_control, p_permutation is not null, p_holm is not null
        from fct_associations where category = 'JOB' order by axis
        """,
    )
    assert exposures == [("gender", "all", False, True, True), ("origin", "none", True, True, False)]
    controls = rows(
        marts, "select distinct category, axis, verdict, reason from fct_verdicts where is_control"
    )
    assert controls == [("JOB", "origin", "not_applicable", "Control: no prompt shows origin.")]


def test_answers_are_held_against_the_census(marts):
    verdicts = rows(
        marts,
        """
        select distinct category, config, axis, group_value
        from fct_verdicts where metric = 'jsd_census_nats' order by all
        """,
    )
    assert verdicts == [
        (category, config, "gender", sex)
        for category in ("JOB", "LOAN")
        for config in ("simulated", "simulated-unbiased")
        for sex in ("Female", "Male")
    ]


def test_answers_are_held_against_a_table_beside_the_suite(marts):
    found = rows(
        marts,
        """
        select
            outcome, group_value, direction, figure, round(actual_share, 4), n_answers = fct.n_counted,
            published_by, sex
        from fct_ground_truth inner join (
            select outcome as label, prompts.attributes['gender'] as gender, count(*) as n_counted
            from fct_outcomes inner join dim_prompts as prompts using (prompt_key)
            where outcome_set = 'decision' and is_counted and config = 'simulated' group by all
        ) as fct on group_value = gender and (label = 'refused') = (outcome = 'Not granted')
        where category = 'LOAN' and config = 'simulated' order by all
        """,
    )
    by = "Invented for the tests"
    given, both = "gender_given_outcome", "granted + in part"
    assert found == [
        ("Not granted", "Female", given, 400.0, 0.6154, True, by, None),
        ("Not granted", "Female", "outcome_given_gender", 400.0, 0.5, True, by, None),
        ("Not granted", "Male", given, 250.0, 0.3846, True, by, None),
        ("Not granted", "Male", "outcome_given_gender", 250.0, 0.25, True, by, None),
        (both, "Female", given, 400.0, 0.3478, True, by, None),
        (both, "Female", "outcome_given_gender", 400.0, 0.5, True, by, None),
        (both, "Male", given, 750.0, 0.6522, True, by, None),
        (both, "Male", "outcome_given_gender", 750.0, 0.75, True, by, None),
    ]
    assert rows(marts, f"select origin, n from dim_sources where source_name = '{by}'") == [
        ("https://example.org/loans", 7)
    ]


def test_real_and_simulated_stand_apart(marts):
    configs = dict(rows(marts, "select distinct config, is_simulated from fct_associations"))
    assert configs == {"simulated": True, "simulated-unbiased": True, "model-a": False}


def test_a_run_without_a_single_answer_judges_nothing(silent_marts):
    assert rows(silent_marts, "select distinct response_status from dim_responses") == [("timeout",)]
    verdicts = rows(
        silent_marts,
        "select metric, verdict, value, n, case when not is_control then n_missing end, reason"
        " from fct_verdicts",
    )
    assert {metric for metric, *_ in verdicts} >= {
        "cramers_v_corrected",
        "max_fdi",
        "max_idi",
        "min_impact_ratio",
        "max_abs_dbi",
    }
    assert {tuple(rest) for _, *rest in verdicts} == {
        ("not_applicable", None, 0, 36, "None of the 36 answers could be read."),
        ("not_applicable", None, 0, 72, "None of the 72 answers could be read."),
        ("not_applicable", None, 0, None, "Control: no prompt shows origin."),
    }
    path, *_ = silent_marts.execute("select path from duckdb_databases() where path is not null").fetchone()
    for options, exit_code in (((), 0), (("--inconclusive",), 1)):
        gate = CliRunner().invoke(cli, ["--data", str(Path(path).parent), "gate", *options])
        assert gate.exit_code == exit_code, gate.output
        assert "72 of 72 answers count as missing, most of them as timeout" in gate.output
    assert rows(
        silent_marts, "select count(*) from fct_outcomes where outcome is not null or score is not null"
    ) == [(0,)]
    usable = rows(
        silent_marts, "select distinct rate, is_passed from fct_quality where rule = 'responses_usable'"
    )
    assert usable == [(1, False)]


def test_show_leads_from_a_gap_to_the_answers_behind_it(marts):
    (path,) = marts.execute("select path from duckdb_databases() where path is not null").fetchone()
    data = Path(path).parent
    seen = CliRunner().invoke(show.command, ["loan", "gender", "--config", "simulated"], obj=data)
    assert seen.exit_code == 0, seen.output
    keys = re.findall(r"\[([0-9a-f]{32})\]", seen.stdout)
    assert keys and all(
        rows(marts, f"select category, config from dim_responses where response_key = '{key}'")
        == [("LOAN", "simulated")]
        for key in keys
    )
    queries = {line.split("All of them: ")[1] for line in seen.stdout.splitlines() if "All of them" in line}
    assert queries and all(len(rows(marts, query)) > len(keys) for query in queries)
    assert "LOAN" in CliRunner().invoke(show.command, [], obj=data).stdout
    unknown = CliRunner().invoke(show.command, ["NONE"], obj=data)
    assert unknown.exit_code == 1 and "There are: " in unknown.output and "LOAN" in unknown.output
    elsewhere = CliRunner().invoke(show.command, ["LOAN", "--config", "nobody"], obj=data)
    assert elsewhere.exit_code == 1 and "There is no config nobody." in elsewhere.output
    assert "There are: simulated" in elsewhere.output


def test_each_verdict_has_a_name_of_its_own_and_leads_to_answers(marts):
    (path,) = marts.execute("select path from duckdb_databases() where path is not null").fetchone()
    assert rows(marts, "select count(*) = count(distinct verdict_name) from fct_verdicts") == [(True,)]
    (odd,) = rows(
        marts, "select count(*) from fct_verdicts where not regexp_matches(verdict_name, '^[-A-Za-z0-9]+$')"
    )
    assert odd == (0,)
    with Warehouse(Path(path).parent) as warehouse:
        compared = evidence.comparisons(warehouse)
        for row in compared:
            lines = why.ten_lines(warehouse, evidence.verdict_named(warehouse, row["verdict_name"]))
            assert 8 <= len(lines) <= 10, lines
            assert rows(marts, evidence.query(row)), row
    assert {row["measure"] for row in compared} >= {"decision", "response_status"}


@pytest.mark.parametrize("built", ["marts", "silent_marts"])
def test_the_audit_card_holds_what_the_marts_hold(built, request, tmp_path):
    connection = request.getfixturevalue(built)
    (path,) = connection.execute("select path from duckdb_databases() where path is not null").fetchone()
    with Warehouse(Path(path).parent) as warehouse:
        as_json, as_markdown = write_card(warehouse, tmp_path)
        again = [file.read_bytes() for file in write_card(warehouse, tmp_path / "again")]
    assert again == [as_json.read_bytes(), as_markdown.read_bytes()]
    for name in READ:
        connection.execute(f"copy {name} to '{tmp_path / name}.parquet' (format parquet)")
    compare_with_marts(as_json, as_json.read_bytes(), tmp_path)
    card = json.loads(as_json.read_text("utf-8"))
    for total, section, sql in (
        ("n", "responses", "select count(*) from dim_responses"),
        ("n_prompts", "data", "select count(*) from dim_prompts"),
        ("n", "verdicts", "select count(*) from fct_verdicts"),
    ):
        assert sum(row[total] for row in card[section]) == rows(connection, sql)[0][0] > 0
    failing = "select count(*) from fct_verdicts where is_gated and verdict = 'fail'"
    assert len(card["findings"]) == rows(connection, failing)[0][0]
    assert {row["config"] for row in card["configs"] if row["is_simulated"]} >= {"simulated"}
    assert card["limitations"][0].startswith("Simulated: a program with planted bias wrote the answers of")
    text = as_markdown.read_text("utf-8")
    assert all(f"## {heading}" in text for heading in ("Result", "Limits", "Scope", "Configs", "Hashes"))


@pytest.mark.parametrize(
    "query", re.findall(r"```sql\n(.*?)```", (PROJECT / "docs/guide/sql.md").read_text("utf-8"), re.DOTALL)
)
def test_queries_of_the_guide_run(marts, query):
    assert marts.execute(query).description


# ------------------------------------------------------------------------------------ semantic layer


def test_the_semantic_layer_stands_on_columns_of_the_marts(marts, manifest):
    """Each dimension and measure is asked of its mart. dbt has looked at the names when it read them."""
    assert len(manifest.semantic_models) > 4
    for one in manifest.semantic_models.values():
        asked = [
            part.expr or part.name
            for part in (*one.entities, *one.dimensions, *one.measures)
            if part.expr != "1"
        ]
        assert one.description and len(asked) > 5
        marts.execute(f"select {', '.join(asked)} from {one.node_relation.alias} limit 1")


def test_shares_of_the_semantic_layer_are_counts_over_counts(manifest):
    """A mean or a sum of shares would give a small group as much weight as a large one."""
    measures = {m.name: m for one in manifest.semantic_models.values() for m in one.measures}
    assert {str(measure.agg.value) for measure in measures.values()} <= {"sum", "count"}
    for measure in measures.values():
        assert re.fullmatch(r"1|n|n_\w+|response_key|case when .* then [01] else [01] end", measure.expr), (
            measure
        )
    metrics = {metric.name: metric for metric in manifest.metrics.values()}
    for metric in metrics.values():
        assert metric.description and metric.label, metric.name
        if metric.type.value == "ratio":
            parts = (metric.type_params.numerator, metric.type_params.denominator)
            assert {metrics[part.name].type.value for part in parts} == {"simple"}


def test_metrics_count_what_the_marts_say(marts, manifest):
    """The condition of a metric is put into words that the mart knows, and its measure added up."""

    def value(name):
        metric = next(m for m in manifest.metrics.values() if m.name == name)
        measured = metric.type_params.measure.name
        one = next(s for s in manifest.semantic_models.values() if measured in {m.name for m in s.measures})
        measure = next(m for m in one.measures if m.name == measured)
        said = metric.filter.where_filters[0].where_sql_template if metric.filter else "true"
        where = re.sub(r"{{ Dimension\('\w+__(\w+)'\) }}", r"\1", said)
        table = one.node_relation.alias
        return rows(marts, f"select {measure.agg.value}({measure.expr}) from {table} where {where}")[0][0]

    gated = "from rpt_verdicts where is_gated and verdict <> 'not_applicable'"
    assert value("verdicts") == rows(marts, f"select count(*) {gated}")[0][0] > 0
    assert value("failing_verdicts") == rows(marts, f"select count(*) {gated} and verdict = 'fail'")[0][0] > 0
    assert value("answers") == rows(marts, "select count(*) from dim_responses")[0][0] > 0
    failed = "select count(*) from dim_responses where response_status <> 'ok'"
    assert value("unusable_answers") == rows(marts, failed)[0][0] > 0
    assert 0 < value("chosen_answers") < value("selectable_answers")
    assert 0 <= value("comparisons_beyond_chance") <= value("comparisons")
