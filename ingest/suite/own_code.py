"""A suite's own code: a wrapper around requests, such as retrieval, or a scorer.

A suite is a file from anywhere, so its code runs only where the user says so (`--allow-code`), and only
from beside the suite file or from an installed package. It runs in processes of its own, within limits of
time and memory, and without the keys of the environment.
"""

from collections.abc import Collection, Sequence
from contextlib import suppress
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Self

from ingest.apart.process import RAISE_LIMITS, Child, CodeFailed, limits_of_code
from ingest.errors import PlumblineError
from ingest.paths import file_sha256

LOAD_SECONDS = 60.0  # at least, for what a function imports


class OwnCode:
    """A function that a suite names, in child processes: as many as ask at a time, each kept for the next.

    `role` is the suite's key that names it, `what` how errors call it; `hidden` are variables that it must
    not see, beside those that look like keys. No code runs before `with` or the first question.
    """

    def __init__(self, name: str, folder: Path, role: str, what: str, hidden: Collection[str] = ()) -> None:
        self.name = name
        self._folder, self._role, self._what, self._hidden = folder, role, what, hidden
        self._idle: SimpleQueue[Child] = SimpleQueue()

    def __enter__(self) -> Self:
        """Load the function in a first process. Raises PlumblineError where that fails."""
        self._idle.put(self._started())
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """Return the answer of `ingest.apart.function` to a question.

        Raises CodeFailed where the function fails, Stopped where its process ends or has to be ended, and
        PlumblineError where it does not load.
        """
        try:
            child = self._idle.get_nowait()
        except Empty:
            child = self._started()
        reply = child.ask(question)
        self._idle.put(child)
        if not isinstance(reply, dict):
            return {"wrong": "something else than was asked for"}
        if error := reply.get("error"):
            raise CodeFailed(str(error))
        return reply

    def close(self) -> None:
        """End the processes."""
        with suppress(Empty):
            while True:
                self._idle.get_nowait().close()

    def _started(self) -> Child:
        child = Child("ingest.apart.function:Answers", limits_of_code(), self._hidden)
        try:
            reply = child.ask({"load": _where(self.name, self._folder)}, LOAD_SECONDS)
            if error := reply.get("error"):
                raise CodeFailed(str(error))
        except CodeFailed as error:
            child.close()
            raise PlumblineError(
                f"{self._what} does not load: {error}.",
                f"Correct it, or `{self._role}:` in the suite. {RAISE_LIMITS}",
            ) from error
        if not reply.get("loaded"):
            child.close()
            module, _, function = self.name.partition(":")
            raise PlumblineError(
                f"The {self._role} {self.name!r}: {module} has no function {function!r}.",
                f"Correct `{self._role}: module:function` in the suite.",
            )
        return child


def code_digest(name: str, folder: Path, role: str) -> str:
    """Return the SHA-256 of the file that holds a function (`module:function`), without running any of it.

    `role` is the suite's key that names it. Raises PlumblineError where there is none.
    """
    return file_sha256(_file(name, folder, role))


def _where(name: str, folder: Path) -> tuple[str, str | None, str]:
    """Return the module, its file if it lies beside the suite, the function."""
    module, _, function = name.partition(":")
    beside = _beside(module, folder)
    return module, str(beside.resolve()) if beside.is_file() else None, function


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
