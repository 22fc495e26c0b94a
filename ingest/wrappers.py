"""A suite's own code around a request, such as retrieval: messages in, messages out.

A suite is a file from anywhere, so its code runs only where the user says so (`--allow-code`), and only
from beside the suite file or from an installed package.
"""

import hashlib
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from ingest.asking import Wrapper
from ingest.errors import PlumblineError


def wrapper_digest(name: str, folder: Path) -> str:
    """Return the SHA-256 of the file that holds a wrapper (`module:function`), without running any of it.

    Raises PlumblineError where there is none.
    """
    return hashlib.sha256(_file(name, folder).read_bytes()).hexdigest()


def load_wrapper(name: str, folder: Path) -> Wrapper:
    """Import a wrapper, which runs code that the suite names. Raises PlumblineError where there is none."""
    module_name, _, function = name.partition(":")
    beside = _beside(module_name, folder)
    module = _import_file(beside) if beside.is_file() else import_module(module_name)
    found = getattr(module, function, None)
    if not callable(found):
        raise PlumblineError(
            f"The wrapper {name!r}: {module_name} has no function {function!r}.",
            "Correct `wrapper: module:function` in the suite.",
        )
    wrapper: Wrapper = found
    return wrapper


def _file(name: str, folder: Path) -> Path:
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
            f"The wrapper {name!r}: no module {module_name!r} is installed or lies beside the suite.",
            "Correct `wrapper: module:function` in the suite.",
        )
    return Path(spec.origin)


def _beside(module_name: str, folder: Path) -> Path:
    return folder.joinpath(*module_name.split(".")).with_suffix(".py")


def _import_file(path: Path) -> ModuleType:
    spec = spec_from_file_location(f"plumbline_wrapper_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise PlumblineError(f"{path} cannot be imported.", "Is it a Python file?")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
