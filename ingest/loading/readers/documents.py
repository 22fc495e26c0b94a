"""What readers of logs share: JSON within bounds, and values as texts."""

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from ingest.asking.answer_status import finish_status
from ingest.errors import PlumblineError, shorten
from ingest.loading.problems import RowProblem, kind_of, shown
from ingest.paths import reading

MAX_DOCUMENT = 256_000_000  # bytes of a file that is one JSON document
MAX_LINE = 16_000_000
MAX_DEPTH = 4  # of what is unfolded into fields of its own
MAX_FIELDS = 2_000  # of one record
JSON_NAMES = (".json", ".jsonl", ".ndjson")

THOUGHTS = ("reasoning", "thinking")  # types of parts of a message

# What changes an answer and is worth a config of its own; anything else that a log says of a request is left.
OPTIONS = (
    "temperature", "top_p", "top_k", "max_tokens", "max_completion_tokens", "max_output_tokens", "seed",
    "frequency_penalty", "presence_penalty", "stop", "stop_sequences", "reasoning_effort", "num_choices", "n",
)  # fmt: skip


class Look(NamedTuple):
    """The beginning of a file: its first bytes, and the first object of JSON Lines or the whole document."""

    path: Path
    head: bytes
    sample: Any = None
    is_document: bool = False

    def has(self, *names: str) -> bool:
        """Whether the first object has all of these keys."""
        return isinstance(self.sample, dict) and all(name in self.sample for name in names)


def look_at(path: Path) -> Look:
    """Return the beginning of a file."""
    with reading(path, "Name a file of responses; it is read twice, so save it to disk first.") as file:
        head = file.read(4)
        if path.suffix.lower() not in JSON_NAMES or head.startswith(
            (b"PK", b"\x1f\x8b", b"\xff\xfe", b"\xfe\xff")
        ):
            return Look(path, head)
        file.seek(0)
        line = _without_mark(file.readline(MAX_LINE)).strip()
    is_document = line in (b"{", b"[") or line.startswith(b"[") or len(line) >= MAX_LINE - 2
    if not is_document:
        first = parsed(line.decode("utf-8", "replace"))
        return Look(path, head, None if isinstance(first, RowProblem) else first)
    try:
        content = document(path)
    except PlumblineError:
        if path.stat().st_size > MAX_DOCUMENT:
            raise
        return Look(path, head)
    if isinstance(content, list):
        return Look(path, head, content[0] if content else None)
    return Look(path, head, content, is_document=True)


def document(path: Path) -> Any:
    """Return what a file of one JSON document holds; kept until `forget`, because files are read twice.

    Raises PlumblineError where it is too large or no JSON.
    """
    found = path.stat()
    return _document(path, found.st_size, found.st_mtime_ns)


@lru_cache(maxsize=1)
def _document(path: Path, size: int, _changed: int) -> Any:
    if size > MAX_DOCUMENT:
        raise PlumblineError(
            f"{shown(path)} is one JSON document of {size / 1e6:,.0f} MB, above {MAX_DOCUMENT / 1e6:,.0f}.",
            "Export it in parts, or as JSON Lines.",
        )
    with reading(path) as file:
        text = _without_mark(file.read(MAX_DOCUMENT + 1)).decode("utf-8", "surrogateescape")
    content = parsed(text)
    if isinstance(content, RowProblem):
        raise PlumblineError(f"{shown(path)} is no JSON: {content.detail}.", "Is it cut off? Write it again.")
    return content


def forget() -> None:
    """Let go of the last document, which may fill much memory."""
    _document.cache_clear()


def _without_mark(content: bytes) -> bytes:
    return content.removeprefix(b"\xef\xbb\xbf")


def parsed(text: str, where: str = "") -> Any:
    """Return what a text of JSON says, a RowProblem where it is none."""
    try:
        return json.loads(text, object_pairs_hook=_object)
    except (ValueError, RecursionError) as error:
        return RowProblem("invalid_json", f"{where}{flaw(error)}")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content: dict[str, Any] = {}
    for name, value in pairs:
        if name in content:
            raise ValueError(f"the key {shorten(name)!r} stands there twice")
        content[name] = value
    return content


def flaw(error: Exception) -> str:
    """Return why a text is no JSON, in words for a user."""
    if isinstance(error, RecursionError):
        return "nested too deep"
    if "integer string conversion" in str(error):  # Python's advice is none for a user
        return "a number of too many digits"
    return shorten(str(error), 150)


def objects(path: Path) -> Iterator[dict[str, Any] | RowProblem]:
    """Yield the objects of a file: of JSON Lines, of one array, or the one document that it is."""
    look = look_at(path)
    with reading(path) as file:
        is_array = _without_mark(file.read(16)).lstrip().startswith(b"[")
    if look.is_document or is_array:
        content = document(path)
        rows = content if isinstance(content, list) else [content]
        for i, row in enumerate(rows, start=1):
            yield row if isinstance(row, dict) else _no_object(f"element {i:,}", row)
        return
    with reading(path) as file:
        number = 0
        while line := file.readline(MAX_LINE):
            number += 1
            if len(line) == MAX_LINE and not line.endswith(b"\n"):
                raise PlumblineError(
                    f"{shown(path)} has a line of over {MAX_LINE:,} bytes.", "Is it a log of answers?"
                )
            text = _without_mark(line).decode("utf-8", "surrogateescape")
            if text.strip():
                row = parsed(text, f"line {number:,}: ")
                yield row if isinstance(row, dict | RowProblem) else _no_object(f"line {number:,}", row)


def _no_object(where: str, value: Any) -> RowProblem:
    return RowProblem("invalid_json", f"{where}: {kind_of(value)}, not an object")


def mapping(value: Any) -> dict[str, Any]:
    """Return an object, also one that is written as a text of JSON; {} for anything else."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        value = parsed(value)
    return value if isinstance(value, dict) else {}


def sequence(value: Any) -> list[Any]:
    """Return a list, also one that is written as a text of JSON; [] for anything else."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        value = parsed(value)
    return value if isinstance(value, list) else []


def plain(value: Any) -> str | None:
    """Return a value as a text: numbers and truths as JSON writes them, whole numbers without a point.

    >>> plain(3.0), plain(True), plain({"a": 1}), plain("x")
    ('3', 'true', '{"a": 1}', 'x')
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    try:
        return json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):
        return None


def unfolded(prefix: str, value: Any, depth: int = MAX_DEPTH) -> dict[str, str | None]:
    """Return the parts of a value as fields: `metadata.group`, `metadata.person.age`; lists as JSON.

    >>> unfolded("metadata", {"a": 1, "b": {"c": "x"}})
    {'metadata.a': '1', 'metadata.b.c': 'x'}
    """
    if not isinstance(value, dict) or not depth:
        return {prefix: plain(value)}
    fields: dict[str, str | None] = {}
    for name, part in value.items():
        fields |= unfolded(f"{prefix}.{name}", part, depth - 1)
        if len(fields) > MAX_FIELDS:
            break
    return fields


def options_of(*said: Any) -> str | None:
    """Return the options of a request as JSON, None where nothing is said; later ones go first."""
    found: dict[str, Any] = {}
    for one in map(mapping, said):
        found |= {name: one[name] for name in OPTIONS if one.get(name) is not None}
    return json.dumps(found, sort_keys=True, ensure_ascii=False) if found else None


def text_of(content: Any) -> str:
    """Return the text of a message's content: a text, or parts of which some hold one.

    What a model thought before it answered is no part of what it said.
    """
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        if content.get("type") in THOUGHTS:
            return ""
        for name in ("text", "content", "value"):
            if isinstance(content.get(name), str | list):
                return text_of(content[name])
        return ""
    if isinstance(content, list):
        return "\n".join(filter(None, map(text_of, content)))
    return ""


def spoken(messages: Any, *roles: str) -> str:
    """Return what was said in messages by these roles, in their order."""
    said = []
    for message in sequence(messages):
        if isinstance(message, dict) and message.get("role") in roles:
            said.append(text_of(message.get("content", message.get("parts"))))
    return "\n\n".join(filter(None, said))


def conversation(asked: Any) -> dict[str, str | None]:
    """Return `prompt` and `system` of what a model was asked: a text, or messages, also as JSON.

    Of several turns, `prompt` has all that the user said.
    """
    messages = sequence(asked) or sequence(mapping(asked).get("messages"))
    if messages and all(isinstance(message, dict) for message in messages):
        system = spoken(messages, "system", "developer")
        return {"prompt": spoken(messages, "user", "human") or None, "system": system or None}
    return {"prompt": asked if isinstance(asked, str) else plain(asked), "system": None}


def answers_of(body: dict[str, Any]) -> list[tuple[str | None, str]]:
    """Return the texts of a chat completion, a completion or a response, and how each ended."""
    if choices := sequence(body.get("choices")):
        return [chosen(mapping(choice)) for choice in choices]
    why = mapping(body.get("incomplete_details")).get("reason")
    ended = {"max_output_tokens": "truncated_output", "content_filter": "content_filtered"}.get(
        str(why), "ok"
    )
    said = spoken(body.get("output"), "assistant")
    parts = [
        mapping(part)
        for message in map(mapping, sequence(body.get("output")))
        for part in sequence(message.get("content"))
    ]
    refusal = next((part["refusal"] for part in parts if part.get("refusal")), None)
    return [(plain(refusal), "refused")] if refusal and not said else [(said, ended)]


def chosen(choice: dict[str, Any]) -> tuple[str | None, str]:
    """Return the text of a choice and how it ended; a refusal may stand beside the text."""
    message = mapping(choice.get("message"))
    said = text_of(message.get("content", message.get("parts"))) or text_of(choice.get("text"))
    if message.get("refusal") and not said:
        return plain(message["refusal"]), "refused"
    reason = choice.get("finish_reason") or ("tool_calls" if message.get("tool_calls") else None)
    return said, finish_status(reason)
