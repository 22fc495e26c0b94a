"""OpenTelemetry: spans of the GenAI conventions, as OTLP's JSON or as a span a line.

What was said stands in `gen_ai.input.messages` and `gen_ai.output.messages`; in older spans in events
(`gen_ai.content.prompt`, `gen_ai.user.message`, `gen_ai.choice`) or in numbered attributes
(`gen_ai.prompt.0.content`).
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ingest.asking.answer_status import finish_status
from ingest.loading.problems import RowProblem
from ingest.loading.readers import Entry, Reader
from ingest.loading.readers.documents import (
    Look,
    conversation,
    mapping,
    objects,
    options_of,
    plain,
    sequence,
    text_of,
    unfolded,
)

NUMBERED = re.compile(r"gen_ai\.(prompt|completion)\.([0-9]{1,4})\.(role|content|finish_reason)")
ASKED = ("chat", "text_completion", "generate_content")
FAILED = (2, "2", "ERROR", "STATUS_CODE_ERROR")


def fits(look: Look) -> bool:
    """Say whether an object is OTLP's, or a span of a model."""
    if look.has("resourceSpans"):
        return True
    return look.has("attributes") and any(name.startswith("gen_ai.") for name in _attributes(look.sample))


def read(path: Path, _: Sequence[Path]) -> Iterator[Entry]:
    """Yield a record for each choice of each span in which a model was asked."""
    for row in objects(path):
        if isinstance(row, RowProblem):
            yield row
            continue
        for span in _spans(row):
            attributes = _attributes(span)
            operation = attributes.get("gen_ai.operation.name")
            if any(n.startswith("gen_ai.") for n in attributes) and operation in (None, *ASKED):
                yield from _records(span, attributes)


def _spans(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if "resourceSpans" not in row:
        yield row
        return
    for resource in map(mapping, sequence(row["resourceSpans"])):
        for scope in map(mapping, sequence(resource.get("scopeSpans"))):
            yield from (span for span in sequence(scope.get("spans")) if isinstance(span, dict))


def _attributes(row: Any) -> dict[str, Any]:
    """The attributes of a span or an event: an object, or OTLP's list of keys and values."""
    said = mapping(row).get("attributes")
    if isinstance(said, dict):
        return said
    pairs = (mapping(one) for one in sequence(said))
    return {one["key"]: _value(one.get("value")) for one in pairs if isinstance(one.get("key"), str)}


def _value(value: Any, depth: int = 20) -> Any:
    said = mapping(value)
    if not depth:
        return None
    if "arrayValue" in said:
        return [_value(one, depth - 1) for one in sequence(mapping(said["arrayValue"]).get("values"))]
    if "kvlistValue" in said:
        pairs = map(mapping, sequence(mapping(said["kvlistValue"]).get("values")))
        return {str(one.get("key")): _value(one.get("value"), depth - 1) for one in pairs}
    return next(iter(said.values()), None)


def _records(span: dict[str, Any], attributes: dict[str, Any]) -> Iterator[dict[str, Any]]:
    asked, choices = _said(span, attributes)
    finish = attributes.get("gen_ai.response.finish_reasons")
    reasons = sequence(finish) or [finish]
    status = mapping(span.get("status"))
    failed = status.get("code", status.get("status_code")) in FAILED or "error.type" in attributes
    record = _record(span, attributes, asked)
    if failed:
        said = plain(status.get("message", status.get("description")))
        yield {**record, "response": said, "status": "server_error"}
        return
    for i, choice in enumerate(choices or [{}]):
        ended = reasons[i] if i < len(reasons) else None
        yield {
            **record,
            "response": text_of(choice.get("content", choice.get("parts"))) or None,
            "status": finish_status(ended or choice.get("finish_reason")),
        }


def _record(span: dict[str, Any], attributes: dict[str, Any], asked: Any) -> dict[str, Any]:
    request = "gen_ai.request."
    system = text_of(sequence(attributes.get("gen_ai.system_instructions")))
    talk = conversation(asked)
    return {
        "id": plain(span.get("spanId", mapping(span.get("context")).get("span_id"))),
        "trace": plain(span.get("traceId", mapping(span.get("context")).get("trace_id"))),
        "name": plain(span.get("name")),
        "prompt": talk["prompt"],
        "system": system or talk["system"],
        "model": plain(attributes.get("gen_ai.request.model", attributes.get("gen_ai.response.model"))),
        "served_model": plain(attributes.get("gen_ai.response.model")),
        "options": options_of(
            {n.removeprefix(request): v for n, v in attributes.items() if n.startswith(request)}
        ),
        **{
            name: value
            for key, said in attributes.items()
            if not key.startswith(("gen_ai.prompt.", "gen_ai.completion."))
            for name, value in unfolded(f"attributes.{key}", said).items()
        },
    }


def _said(span: dict[str, Any], attributes: dict[str, Any]) -> tuple[Any, list[dict[str, Any]]]:
    """What was asked, and each choice of the model, wherever the span has it."""
    numbered: dict[tuple[str, int], dict[str, Any]] = {}
    for name, value in attributes.items():
        if match := NUMBERED.fullmatch(name):
            numbered.setdefault((match.group(1), int(match.group(2))), {})[match.group(3)] = value
    asked: Any = attributes.get("gen_ai.input.messages", attributes.get("gen_ai.prompt"))
    said = _choices(attributes.get("gen_ai.output.messages")) or _choices(attributes.get("gen_ai.completion"))
    asked = asked or [numbered[key] for key in sorted(numbered) if key[0] == "prompt"]
    said = said or [numbered[key] for key in sorted(numbered) if key[0] == "completion"]
    messages, chosen = [], []
    for event in map(mapping, sequence(span.get("events"))):
        parts, kind = _attributes(event), str(event.get("name"))
        if kind == "gen_ai.content.prompt":
            asked = asked or parts.get("gen_ai.prompt")
        elif kind == "gen_ai.content.completion":
            said = said or _choices(parts.get("gen_ai.completion"))
        elif kind in ("gen_ai.user.message", "gen_ai.system.message"):
            messages.append({"role": kind.split(".")[1], "content": parts.get("content")})
        elif kind == "gen_ai.choice":
            chosen.append({"content": parts.get("content"), **parts, **mapping(parts.get("message"))})
    return asked or messages, said or chosen


def _choices(said: Any) -> list[dict[str, Any]]:
    """The messages of a model, each of which is a choice; or the text in their place."""
    found = [one for one in map(mapping, sequence(said)) if one.get("role") == "assistant"]
    return found or ([{"content": said}] if said and isinstance(said, str) else [])


READER = Reader("OpenTelemetry", fits, read)
