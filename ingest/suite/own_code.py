"""A suite's own code: a wrapper around requests, such as retrieval, or a scorer.

A suite is a file from anywhere, so its code runs only where the user says so (`--allow-code`), and only
from beside the suite file or from an installed package.
"""

from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Any

from ingest.apart.function import named_function
from ingest.errors import PlumblineError
from ingest.paths import file_sha256
from ingest.plugins import one_line


def code_digest(name: str, folder: Path, role: str) -> str:
    """Return the SHA-256 of the file that holds a function (`module:function`), without running any of it.

    `role` is the suite's key that names it. Raises PlumblineError where there is none.
    """
    return file_sha256(_file(name, folder, role))


def load_function(name: str, folder: Path, role: str) -> Callable[..., Any]:
    """Import a function, which runs code that the suite names. Raises PlumblineError where that fails."""
    with one_line(f"The {role} {name!r} does not load", f"Correct it, or `{role}:` in the suite."):
        found = named_function(*where(name, folder))
    if found is None:
        raise no_function(name, role)
    return found


def where(name: str, folder: Path) -> tuple[str, str | None, str]:
    """Return what `named_function` takes: the module, its file if it lies beside the suite, the function."""
    module, _, function = name.partition(":")
    beside = _beside(module, folder)
    return module, str(beside.resolve()) if beside.is_file() else None, function


def no_function(name: str, role: str) -> PlumblineError:
    """Return the error of a module that has no function of that name."""
    module, _, function = name.partition(":")
    return PlumblineError(
        f"The {role} {name!r}: {module} has no function {function!r}.",
        f"Correct `{role}: module:function` in the suite.",
    )


def _file(name: str, folder: Path, role: str) -> Path:
    module_name = name.partition(":")[0]
    beside = _beside(module_name, folder)
    if beside.is_file():
        return beside
    spec: ModuleSpec | None = None
    where: Sequence[str] | None = None
    # Not importlib.util.find_spec: that imports the packages above a module.
    for depth in range(len(module_name.split("."))):
        spec = PathFinder.find_spec(".".join(module_name.split(".")[: depth + 1]), where)
        where = spec.submodule_search_locations if spec else None
        if spec is None or (where is None and depth < module_name.count(".")):
            spec = None
            break
    if spec is None or spec.origin is None or not Path(spec.origin).is_file():
        raise PlumblineError(
            f"The {role} {name!r}: no module {module_name!r} is installed or lies beside the suite.",
            f"Correct `{role}: module:function` in the suite.",
        )
    return Path(spec.origin)


def _beside(module_name: str, folder: Path) -> Path:
    return folder.joinpath(*module_name.split(".")).with_suffix(".py")
