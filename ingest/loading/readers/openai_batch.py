"""OpenAI's Batch API: the output file, and the input file that says what was asked."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ingest.errors import PlumblineError, shorten
from ingest.loading.problems import RowProblem, shown
from ingest.loading.readers import Entry, Reader
from ingest.loading.readers.documents import (
    Look,
    answers_of,
    conversation,
    look_at,
    mapping,
    objects,
    options_of,
    plain,
    unfolded,
)

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
                    name, body = str(row.get("custom_id")), mapping(row.get("body"))
                    if requests.setdefault(name, body) != body:
                        raise PlumblineError(
                            f"{shown(path)}: two requests of the input files are called {shorten(name)!r}, "
                            "so nobody knows which of them was answered.",
                            "Load each batch by itself: its own input file and its output file. "
                            "Nothing of this file was loaded.",
                        )
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
            yield from _records(row, requests[name])


def _records(row: dict[str, Any], asked: dict[str, Any]) -> Iterator[dict[str, Any]]:
    response = mapping(row.get("response"))
    body = mapping(response.get("body"))
    code = response.get("status_code")
    error = row.get("error") or body.get("error")
    is_answer = code == 200 and not error
    for said, status in answers_of(body) if is_answer else [(plain(error), _failed(code))]:
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
        "options": options_of(asked),
        **unfolded("metadata", mapping(asked.get("metadata"))),
    }


def _failed(code: Any) -> str:
    if code == 429:
        return "rate_limited"
    if code in (408, 504):
        return "timeout"
    return "client_error" if isinstance(code, int) and 400 <= code < 500 else "server_error"


READER = Reader("OpenAI's Batch API", fits, read, is_input)
