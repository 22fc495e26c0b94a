"""OpenAI's Batch API: the output file, and the input file that says what was asked."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ingest.asking.answer_status import FAILURES, fault_status
from ingest.loading.problems import RowProblem
from ingest.loading.readers import Entry, Reader
from ingest.loading.readers.batches import answered
from ingest.loading.readers.documents import (
    Look,
    answers_of,
    conversation,
    mapping,
    options_of,
    plain,
    unfolded,
)


def fits(look: Look) -> bool:
    """Say whether lines are answers of a batch."""
    return look.has("custom_id", "response")


def is_input(look: Look) -> bool:
    """Say whether lines are requests of a batch."""
    return look.has("custom_id", "body") and not look.has("response")


def read(path: Path, beside: Sequence[Path]) -> Iterator[Entry]:
    """Yield a record for each answer, with the request of the same `custom_id`."""
    for found in answered(path, beside, is_input, "body"):
        if isinstance(found, RowProblem):
            yield found
        else:
            yield from _records(*found)


def _records(row: dict[str, Any], asked: dict[str, Any]) -> Iterator[dict[str, Any]]:
    response = mapping(row.get("response"))
    body = mapping(response.get("body"))
    code = response.get("status_code")
    error = row.get("error") or body.get("error")
    is_answer = code == 200 and not error
    for said, status in answers_of(body) if is_answer else [(plain(error), _failed(code, error))]:
        yield _record(row, asked, body, said, status)


def _record(
    row: dict[str, Any], asked: dict[str, Any], body: dict[str, Any], said: str | None, status: str
) -> dict[str, Any]:
    return {
        "id": plain(row.get("custom_id")),
        **conversation(asked.get("messages", asked.get("input", asked.get("prompt")))),
        **({"system": plain(asked["instructions"])} if "instructions" in asked else {}),
        "response": said,
        "model": plain(asked.get("model")),
        "served_model": plain(body.get("model")),
        "status": status,
        # A request for a response says it in an object of its own.
        "options": options_of({"reasoning_effort": mapping(asked.get("reasoning")).get("effort")}, asked),
        **unfolded("metadata", mapping(asked.get("metadata"))),
    }


def _failed(code: Any, error: Any) -> str:
    if (name := str(mapping(error).get("code"))) in FAILURES:
        return FAILURES[name]
    if code == 429:
        return "rate_limited"
    if code in (408, 504):
        return "timeout"
    is_rejected = isinstance(code, int) and 400 <= code < 500
    return fault_status(str(error), "client_error" if is_rejected else "server_error")


READER = Reader("OpenAI's Batch API", fits, read, is_input)
