"""What code and pages point to exists: requirements, decisions, links, paths, models, commands, imports."""

import ast
import csv
import os
import re
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import get_args
from urllib.parse import unquote

import click
import pytest

from ingest import help_page
from ingest.cli import COMMANDS, cli
from ingest.suite.fields import Flag

PROJECT = Path(__file__).parents[1]
CODE_FOLDERS = (
    "bench",
    "experiments",
    "ingest",
    "macros",
    "models",
    "reports",
    "scripts",
    "seeds",
    "suites",
    "tests",
)
CODE_KINDS = {".py", ".sql", ".yml", ".csv", ".js", ".mjs", ".svelte", ".sh"}
NOT_OURS = {"node_modules", ".evidence", "build", "__pycache__", "static"}
# What a reader makes, and a checkout does not hold.
MADE = ("reports/build", "reports/node_modules", "suites/hiring.yml")

CODE = re.compile(r"\b[A-Z]{2,3}-\d+\b")
CITATION = re.compile(r"\bSPEC ((?:[A-Z]{2,3}-\d+|\d+(?:\.\d+)?)(?:(?:,| to| and|;) [A-Z]{2,3}-\d+)*)")
DECISION = re.compile(r"\b[Dd]ecisions? (\d+)\b|decisions/(\d{4})")
LINK = re.compile(r"(?<!!)!?\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+?)\s*$", re.MULTILINE)
ANCHOR = re.compile(r'<a id="([^"]+)"')
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
MODEL = re.compile(r"\b(?:fct|dim|rpt|int|stg)_[a-z0-9_]*[a-z0-9]\b(?!\*)")
PLACE = re.compile(r"`([\w./-]+)::(\w+)`")
CALL = re.compile(r"`(macros/[\w/]+\.sql)`[^`.|;]*called by\s+`(models/[\w/]+\.sql)`")
# How a name is made in a language: `%s` is the name.
DEFINED = {
    ".py": r"^(?:(?:async )?def|class) %s\b|^%s(?::[^=]+)? = ",
    ".sh": r"^%s\(\) \{",
    ".js": r"\b(?:function|const) %s\b|^\s*%s: ",
}


def code_files() -> list[Path]:
    files = []
    for folder in CODE_FOLDERS:
        for parent, folders, names in os.walk(PROJECT / folder):
            folders[:] = [f for f in folders if f not in NOT_OURS]  # a site beside us may come and go
            files += [path for path in (Path(parent, n) for n in names) if path.suffix in CODE_KINDS]
    return files


def pages() -> list[Path]:
    folders = (PROJECT / "docs", PROJECT / "experiments", PROJECT / "suites")
    return [*PROJECT.glob("*.md"), *(page for folder in folders for page in folder.rglob("*.md"))]


def name(file: Path) -> str:
    return file.relative_to(PROJECT).as_posix()


def anchors(page: Path) -> set[str]:
    """The anchors of a page, headings named as GitHub names them."""
    text = page.read_text()
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in HEADING.findall(text))
    return {*plain, *ANCHOR.findall(text)}


@pytest.fixture(scope="module")
def requirements() -> set[str]:
    return anchors(PROJECT / "docs/spec.md")


def test_every_cited_requirement_can_be_opened(requirements: set[str]) -> None:
    areas = {anchor.split("-")[0] for anchor in requirements if re.fullmatch(r"[a-z]+-\d+", anchor)}
    missing = []
    n_cited = 0
    for file in code_files():
        text = file.read_text(errors="replace")
        cited = {code for code in CODE.findall(text) if code.split("-")[0].lower() in areas}
        for citation in CITATION.findall(text):
            first = citation.split(",")[0]
            cited |= {first} if first[0].isdigit() else set(CODE.findall(citation))
        n_cited += len(cited)
        for code in cited:
            anchor = f"spec-{code}" if code[0].isdigit() else code.lower()
            if anchor not in requirements:
                missing.append(f"{name(file)}: SPEC {code}")
    assert n_cited > 300
    assert missing == [], "add it to docs/spec.md, or mend the citation"


def test_every_cited_decision_exists() -> None:
    decisions = {int(page.name[:4]) for page in (PROJECT / "docs/decisions").glob("*.md")}
    missing = [
        f"{name(file)}: decision {number}"
        for file in [*code_files(), *pages()]
        for numbers in DECISION.findall(file.read_text(errors="replace"))
        for number in filter(None, numbers)
        if int(number) not in decisions
    ]
    assert missing == []


def test_scripts_import_what_the_package_holds() -> None:
    missing = []
    n_imported = 0
    for file in code_files():
        if file.suffix != ".py" or file.is_relative_to(PROJECT / "ingest"):  # mypy reads these
            continue
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "ingest":
                held = names_in(node.module)
                n_imported += len(node.names)
                absent = [alias.name for alias in node.names if alias.name not in held]
                missing += [f"{name(file)}: from {node.module} import {imported}" for imported in absent]
    assert n_imported > 300
    assert missing == []


@cache
def names_in(module: str) -> set[str]:
    """What a module of ours defines or imports, or a package holds."""
    place = PROJECT / module.replace(".", "/")
    held = {path.stem for path in place.glob("*")}
    file = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    for node in ast.walk(ast.parse(file.read_text())) if file.exists() else ():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            held.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            held.add(node.id)
        elif isinstance(node, ast.alias):
            held.add(node.asname or node.name)
    return held


@pytest.mark.parametrize("page", pages(), ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    broken = []
    for target in LINK.findall(FENCE.sub("", page.read_text())):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / unquote(path)).resolve() if path else page
        if not file.exists() or (anchor and anchor not in anchors(file)):
            broken.append(target)
    assert broken == []


def written_pages() -> list[Path]:
    """Pages that tell a reader where things are, by hand."""
    docs = PROJECT / "docs"
    return [
        PROJECT / "README.md",
        PROJECT / "CONTRIBUTING.md",
        docs / "architecture.md",
        docs / "security.md",
        *(docs / "guide").glob("*.md"),
        *(docs / "decisions").glob("*.md"),
    ]


@pytest.mark.parametrize("page", written_pages(), ids=name)
def test_named_paths_and_models_exist(page: Path) -> None:
    text = page.read_text()
    top = {entry.name for entry in PROJECT.iterdir() if entry.is_dir()} - {"data", "target", "logs"}
    missing = []
    for named in re.findall(r"`([\w./<>*\[\]+-]+)`", FENCE.sub("", text)):
        if "/" not in named or named.split("/")[0] not in top or named.startswith(MADE):
            continue
        pattern = re.sub(r"<[^>]*>", "*", named).replace("[", "[[]").rstrip("/")
        if not any(PROJECT.glob(pattern)):
            missing.append(named)
    models = {file.stem for file in (PROJECT / "models").rglob("*") if file.suffix in {".sql", ".py"}}
    missing += sorted(set(MODEL.findall(text)) - models)
    assert missing == []


@pytest.mark.parametrize("page", [p for p in written_pages() if CALL.search(p.read_text())], ids=name)
def test_a_macro_is_called_where_a_page_says(page: Path) -> None:
    wrong = [
        f"{model} calls no {macro}"
        for macro, model in CALL.findall(page.read_text())
        if not re.search(rf"\b{Path(macro).stem}\(", (PROJECT / model).read_text())
    ]
    assert wrong == []


def test_the_threat_model_names_what_is_there() -> None:
    """Each line says where it is enforced and which test proves it; both can be opened."""
    page = (PROJECT / "docs/security.md").read_text()
    rows = [line.split(" | ") for line in page.splitlines() if re.match(r"\| (?!It must not|---)", line)]
    assert len(rows) > 40
    missing = []
    for promise, enforced, proved in rows:
        places = {"code": re.findall(PLACE, enforced), "test": re.findall(PLACE, proved)}
        missing += [f"{promise}: no {kind}" for kind, found in places.items() if not found]
        missing += [f"{path} is no test" for path, _ in places["test"] if not path.startswith("tests/")]
    for path, named in re.findall(PLACE, page):
        file = PROJECT / path
        known = DEFINED[file.suffix].replace("%s", named)
        if not file.is_file() or not re.search(known, file.read_text(), re.MULTILINE):
            missing.append(f"{path}::{named}")
    assert missing == []


def test_each_flag_of_a_prompt_is_explained_where_flags_are_shown() -> None:
    flags = {flag for flag in get_args(Flag) if not flag.startswith("baseline_")}
    guide = (PROJECT / "docs/guide/benchmark.md").read_text("utf-8")
    page = (PROJECT / "reports/pages/quality.md").read_text("utf-8")
    assert sorted(flag for flag in flags if f"| `{flag}` |" not in guide) == []
    assert sorted(flag for flag in flags if f"*{flag.replace('_', ' ').capitalize()}*: " not in page) == []


def test_the_page_of_commands_is_what_the_commands_say() -> None:
    page = (PROJECT / help_page.PAGE).read_text("utf-8")
    assert page == help_page.render(cli), "run `plumbline docs`"
    assert all(f"## {command}" in page for command in COMMANDS)


@pytest.mark.parametrize("page", written_pages(), ids=name)
def test_commands_and_their_options_exist(page: Path) -> None:
    """Each line of a block, and what stands in a sentence; a value may be left out there."""
    text = page.read_text().replace("\\\n", " ")
    lines = [line for block in FENCE.findall(text) for line in block.splitlines()]
    said = re.findall(r"`(plumbline [^`]+)`", FENCE.sub("", text))
    wrong = []
    for line in (*lines, *said):
        if not (found := re.search(r"^(?:.*/)?plumbline (.*?)(?: && .*| \| .*)?$", line)):
            continue
        words, context = shlex.split(found[1], comments=True), click.Context(cli)
        try:
            while isinstance(context.command, click.Group):
                _, words, _ = context.command.make_parser(context).parse_args(words)
                if not words:
                    break
                if (inner := context.command.get_command(context, words[0])) is None:
                    raise click.UsageError(f"no command {words[0]}")
                context, words = click.Context(inner, parent=context), words[1:]
            else:
                context.command.make_parser(context).parse_args(words)
        except click.BadOptionUsage:
            continue
        except click.UsageError as error:
            wrong.append(f"{line}: {error.format_message()}")
    assert wrong == []


def test_a_column_of_each_model_becomes_a_row_of_each_answer(tmp_path: Path) -> None:
    """Also of an empty answer, and each as it is written, whatever the other columns hold."""
    page = (PROJECT / "docs/guide/own-answers.md").read_text("utf-8")
    (command,) = re.findall(r"^python (-c .*unpivot.*)$", page, re.MULTILINE)
    (tmp_path / "wide.csv").write_text("id,model_a,model_b\n01,True,7.50\n02,,7\n", "utf-8")
    subprocess.run(f"{sys.executable} {command}", shell=True, check=True, cwd=tmp_path)
    rows = (tmp_path / "answers.csv").read_text("utf-8").splitlines()
    assert rows == ["id,model,answer", "01,model_a,True", "01,model_b,7.50", "02,model_a,", "02,model_b,7"]


def test_the_guide_says_how_many_tables_an_export_has() -> None:
    page = (PROJECT / "docs/guide/publishing.md").read_text("utf-8")
    marts = {path.stem for path in (PROJECT / "models/marts").rglob("*") if path.suffix in (".sql", ".py")}
    assert f"{len(marts)} tables, each as" in page


def test_what_spark_costs_is_what_was_measured() -> None:
    page = " ".join((PROJECT / "docs/guide/spark.md").read_text("utf-8").split())
    with (PROJECT / "bench/results.csv").open(newline="") as file:
        seconds = {row["name"]: row["seconds"] for row in csv.DictReader(file)}
    for size in ("spark", "spark_growth"):
        spark, duckdb = (float(seconds[f"{size}.{of}"]) for of in ("seconds", "duckdb"))
        assert re.search(rf"{spark:,.0f} s in place of {duckdb:.0f}\b", page), (
            f"{size}: bench/results.csv has others"
        )
