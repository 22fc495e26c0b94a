"""Anthropic's Message Batches: the results, and the requests that say what was asked."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ingest.asking.answer_status import FAILURES, fault_status, finish_status
from ingest.loading.problems import RowProblem
from ingest.loading.readers import Entry, Reader
from ingest.loading.readers.batches import answered
from ingest.loading.readers.documents import (
    Look,
    conversation,
    mapping,
    options_of,
    plain,
    sequence,
    text_of,
    unfolded,
)


def fits(look: Look) -> bool:
    """Say whether lines are results of a batch."""
    return look.has("custom_id", "result")


def is_input(look: Look) -> bool:
    """Say whether lines are requests of a batch, or a document is the request that lists them."""
    listed = sequence(look.sample["requests"]) if look.has("requests") else [look.sample]
    return bool(listed) and {"custom_id", "params"} <= set(mapping(listed[0]))


def read(path: Path, beside: Sequence[Path]) -> Iterator[Entry]:
    """Yield a record for each result, with the request of the same `custom_id`."""
    for found in answered(path, beside, is_input, "params"):
        yield found if isinstance(found, RowProblem) else _record(*found)


def _record(row: dict[str, Any], asked: dict[str, Any]) -> dict[str, Any]:
    result = mapping(row.get("result"))
    message = mapping(result.get("message"))
    said = conversation(asked.get("messages"))
    if "system" in asked:
        said["system"] = text_of(asked["system"])
    if result.get("type") == "succeeded":
        response: str | None = _joined(message.get("content"))
        status = finish_status(message.get("stop_reason"))
    else:
        error = mapping(result.get("error"))
        error = mapping(error.get("error")) or error
        ended = plain(result.get("type"))
        response = plain(error or ended)
        failed = FAILURES.get(str(error.get("type") or ended), "client_error")
        status = fault_status(str(response), failed)
    return {
        "id": plain(row.get("custom_id")),
        **said,
        "response": response,
        "model": plain(asked.get("model")),
        "served_model": plain(message.get("model")),
        "status": status,
        "finish_reason": plain(message.get("stop_reason")),
        "options": options_of(asked),
        **unfolded("metadata", mapping(asked.get("metadata"))),
    }


def _joined(content: Any) -> str:
    """The text of an answer; what the model thought is another kind of block."""
    blocks = map(mapping, sequence(content))
    return "".join(text_of(block.get("text")) for block in blocks if block.get("type") == "text")


READER = Reader("Anthropic's Message Batches", fits, read, is_input)
