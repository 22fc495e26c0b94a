"""A suite's own function in a child: loaded once, then asked for numbers of texts, messages, or an answer."""

import json
import math
from collections.abc import Callable
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any, TypeGuard

from ingest.apart.child import described

SHOWN = 60
ANSWER = {"text", "status", "trace", "prompt_tokens", "output_tokens"}


def named_function(module: str, file: str | None, function: str) -> Callable[..., Any] | None:
    """Import a function, of a file where one is given; None where the module has none of that name."""
    found = getattr(_imported(Path(file)) if file else import_module(module), function, None)
    return found if callable(found) else None


def _imported(path: Path) -> ModuleType:
    spec = spec_from_file_location(f"plumbline_own_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path.name} is no Python file")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Answers:
    """Answers {"load": [module, file, function]} first, then {"texts"}, {"messages"} or {"ask"}."""

    function: Callable[..., Any] | None = None

    def __call__(self, question: dict[str, Any]) -> dict[str, Any]:
        """Return {"loaded"}, {"values"}, {"messages"} or {"answer"}, else {"error"} or {"wrong"}."""
        try:
            if "load" in question:
                self.function = named_function(*question["load"])
                return {"loaded": self.function is not None}
            assert self.function is not None
            if "ask" in question:
                return _answer(self.function, question["ask"])
            if "messages" in question:
                return _messages(self.function, question["messages"])
            return _values(self.function, question["texts"])
        except BaseException as error:  # whatever the code does, SystemExit included
            return {"error": described(error)}


def _values(function: Callable[..., Any], texts: list[str]) -> dict[str, Any]:
    found = function(list(texts))
    try:
        values = iter(found)
    except TypeError:
        return {"wrong": _shown(found)}
    numbers = []
    for value in islice(values, len(texts) + 1):  # it may have no end
        try:
            numbers.append(None if value is None else _finite(float(value)))
        except BaseException:  # __float__ is the code's own
            return {"error": f"returned {_shown(value)}"}
    if len(numbers) != len(texts):
        n = f"{len(numbers):,}" if len(numbers) < len(texts) else f"over {len(texts):,}"
        return {"wrong": f"{n} values for {len(texts):,} texts"}
    return {"values": numbers}


def are_messages(found: Any) -> TypeGuard[list[dict[str, Any]]]:
    """Whether something is a list of messages, each with a role and a content."""
    is_list = isinstance(found, list) and bool(found)
    return is_list and all(isinstance(m, dict) and set(m) == {"role", "content"} for m in found)


def _messages(function: Callable[..., Any], messages: list[dict[str, str]]) -> dict[str, Any]:
    found = function(messages)
    if not are_messages(found):
        return {"wrong": _shown(found)}
    return {"messages": [{"role": str(m["role"]), "content": str(m["content"])} for m in found]}


def _answer(function: Callable[..., Any], messages: list[dict[str, str]]) -> dict[str, Any]:
    found = function(messages)
    if found is None or isinstance(found, str):
        return {"answer": {"text": found}}
    if not isinstance(found, dict) or not found.keys() <= ANSWER:
        return {"wrong": _shown(found)}
    try:
        return {"answer": json.loads(json.dumps(found, allow_nan=False))}
    except (TypeError, ValueError, RecursionError):
        return {"wrong": _shown(found)}


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _shown(value: Any) -> str:
    try:
        text = repr(value)
    except BaseException:
        return f"a {type(value).__name__}"
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
