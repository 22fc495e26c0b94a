"""Which module may import which: a package never imports a command, and no modules import one another."""

import ast
import subprocess
import sys
from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from places import ROOT

from ingest.cli import COMMANDS

INGEST = ROOT / "ingest"


def module_files(folder: Path) -> dict[str, Path]:
    """Return module name -> file, of a package's folder."""
    found = {}
    for path in folder.rglob("*.py"):
        parts = path.relative_to(folder.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(path: Path, modules: Mapping[str, Path]) -> set[str]:
    """Return the modules that a file imports, anywhere in it: inside functions and for types, too."""
    named = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            named |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: write imports from `ingest`"
            inside = {f"{node.module}.{alias.name}" for alias in node.names}
            named |= {name if name in modules else str(node.module) for name in inside}
    return {name for name in named if name in modules}


def commands(modules: Mapping[str, Path], folder: Path) -> set[str]:
    """Return the modules that are a command: files beside the packages that decorate a function with one."""
    return {
        name
        for name, path in modules.items()
        if path.parent == folder
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef)
        and any(".command(" in f"{ast.unparse(decorator)}(" for decorator in node.decorator_list)
    }


def packages_that_import_a_command(folder: Path) -> list[str]:
    """Return `module imports command` for each module of a package that does."""
    modules = module_files(folder)
    of_commands = commands(modules, folder)
    return [
        f"{name} imports {other}"
        for name, path in sorted(modules.items())
        if path.parent != folder
        for other in sorted(imports(path, modules) & of_commands)
    ]


def circle(folder: Path) -> list[str]:
    """Return modules of which each imports the next, the first again last; nothing where there are none."""
    modules = module_files(folder)
    graph = {name: imports(path, modules) - {name} for name, path in modules.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1][::-1]
    return []


def test_no_package_imports_a_command() -> None:
    modules = module_files(INGEST)
    assert {"ingest.audit", "ingest.generate", "ingest.extract"} <= commands(modules, INGEST)
    assert packages_that_import_a_command(INGEST) == []


def test_no_module_imports_one_that_imports_it() -> None:
    assert circle(INGEST) == []


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A package of a command and a room."""
    room = tmp_path / "house" / "room"
    room.mkdir(parents=True)
    (room.parent / "__init__.py").touch()
    (room / "__init__.py").touch()
    (room.parent / "cook.py").write_text("import click\n@click.command()\ndef command(): pass\n")
    (room / "table.py").write_text("import house.room.chair\n")
    (room / "chair.py").write_text("import ast\n")
    return room.parent


def test_a_sound_house_passes(house: Path) -> None:
    assert packages_that_import_a_command(house) == []
    assert circle(house) == []


def test_an_import_of_a_command_is_named(house: Path) -> None:
    (house / "room" / "chair.py").write_text("def f():\n    from house.cook import command\n")
    assert packages_that_import_a_command(house) == ["house.room.chair imports house.cook"]


def test_a_circle_hidden_in_a_function_is_named(house: Path) -> None:
    (house / "room" / "chair.py").write_text("def f():\n    from house.room import table\n")
    found = circle(house)
    assert set(found) == {"house.room.table", "house.room.chair"}
    assert found[0] == found[-1]


def test_a_command_does_not_pay_for_libraries_that_it_does_not_use():
    loaded = "import sys, ingest.audit, ingest.cli; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", loaded], capture_output=True, text=True, check=True, cwd=ROOT
    )
    slow = (
        "dbt",
        "pandas",
        "scipy.linalg",
        "scipy.sparse",
        "scipy.special",
        "scipy.stats",
        "statsmodels",
        "torch",
    )
    assert not {*done.stdout.split()} & {*slow}


def test_a_command_does_not_pay_for_the_others():
    asked = "from ingest.cli import cli; cli(['gate', '--help'], standalone_mode=False)"
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; {asked}; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    of_ingest = {name for name in done.stdout.split() if name.startswith("ingest.")}
    assert of_ingest & commands(module_files(INGEST), INGEST) == {"ingest.gate"}
    assert "ingest.suite" not in of_ingest  # a schema, which takes as long as all the rest


def test_every_command_is_named() -> None:
    assert {f"ingest.{name}" for name in COMMANDS} == commands(module_files(INGEST), INGEST)


def test_the_commands_run_as_a_module_too():
    run = [sys.executable, "-m", "ingest.cli", "--version"]
    assert "plumbline, version" in subprocess.run(run, capture_output=True, text=True, cwd=ROOT).stdout
