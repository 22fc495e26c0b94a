"""OpenAI's Batch API: the output file, and the input file that says what was asked."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ingest.errors import PlumblineError
from ingest.loading.problems import RowProblem, shown
from ingest.loading.readers import Entry, Reader
from ingest.loading.readers.documents import (
    Look,
    conversation,
    look_at,
    mapping,
    objects,
    options_of,
    plain,
    sequence,
    spoken,
    text_of,
    unfolded,
)

FINISHED = {"length": "truncated_output", "content_filter": "content_filtered"}
MAX_REQUESTS = 1_000_000


def fits(look: Look) -> bool:
    """Say whether lines are answers of a batch."""
    return look.has("custom_id", "response")


def is_input(look: Look) -> bool:
    """Say whether lines are requests of a batch."""
    return look.has("custom_id", "body") and not look.has("response")


def read(path: Path, beside: Sequence[Path]) -> Iterator[Entry]:
    """Yield a record for each answer, with the request of the same `custom_id`."""
    requests: dict[str, dict[str, Any]] = {}
    for other in beside:
        if other != path and is_input(look_at(other)):
            for row in objects(other):
                if isinstance(row, dict) and len(requests) < MAX_REQUESTS:
                    requests[str(row.get("custom_id"))] = mapping(row.get("body"))
    if not requests:
        raise PlumblineError(
            f"{shown(path)} has the answers of a batch, and nobody knows what was asked.",
            "Name the batch's input file, too: `plumbline load input.jsonl output.jsonl --suite …`.",
        )
    for row in objects(path):
        if isinstance(row, RowProblem):
            yield row
        elif (name := str(row.get("custom_id"))) not in requests:
            yield RowProblem("missing_prompt", f"the input file has no request {name!r}")
        else:
            yield _record(row, requests[name])


def _record(row: dict[str, Any], asked: dict[str, Any]) -> dict[str, Any]:
    response = mapping(row.get("response"))
    body = mapping(response.get("body"))
    code = response.get("status_code")
    error = row.get("error") or body.get("error")
    is_answer = code == 200 and not error
    said, status = _answer(body) if is_answer else (plain(error), _failed(code))
    return {
        "id": plain(row.get("custom_id")),
        **conversation(asked.get("messages", asked.get("input", asked.get("prompt")))),
        **({"system": plain(asked["instructions"])} if "instructions" in asked else {}),
        "response": said,
        "model": plain(asked.get("model")),
        "served_model": plain(body.get("model")),
        "status": status,
        "options": options_of(asked),
        **unfolded("metadata", mapping(asked.get("metadata"))),
    }


def _answer(body: dict[str, Any]) -> tuple[str | None, str]:
    """The text of a chat completion, a completion or a response, and how it ended."""
    for choice in sequence(body.get("choices"))[:1]:
        message = mapping(choice).get("message")
        refusal = mapping(message).get("refusal")
        said = text_of(mapping(message).get("content")) or text_of(mapping(choice).get("text"))
        if refusal and not said:
            return plain(refusal), "refused"
        return said, FINISHED.get(str(mapping(choice).get("finish_reason")), "ok")
    why = mapping(body.get("incomplete_details")).get("reason")
    ended = {"max_output_tokens": "truncated_output", "content_filter": "content_filtered"}.get(
        str(why), "ok"
    )
    return spoken(body.get("output"), "assistant"), ended


def _failed(code: Any) -> str:
    if code == 429:
        return "rate_limited"
    if code in (408, 504):
        return "timeout"
    return "client_error" if isinstance(code, int) and 400 <= code < 500 else "server_error"


READER = Reader("OpenAI's Batch API", fits, read, is_input)
