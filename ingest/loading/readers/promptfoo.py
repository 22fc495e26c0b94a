"""promptfoo: `promptfoo eval --output results.json`, or .jsonl."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ingest.asking.answer_status import whole_status
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

ERROR = 2  # promptfoo's failureReason of a request that failed


def fits(look: Look) -> bool:
    """Say whether results, or rows of them, are promptfoo's."""
    if look.has("promptIdx", "testIdx"):
        return True
    inner = look.sample["results"] if look.has("results") else None
    rows = inner.get("results") if isinstance(inner, dict) else inner
    first = rows[0] if isinstance(rows, list) and rows else None
    is_row = isinstance(first, dict) and {"provider", "prompt"} <= set(first) and "success" in first
    return is_row or (isinstance(inner, dict) and {"results", "stats", "version"} <= set(inner))


def read(path: Path, _: Sequence[Path]) -> Iterator[Entry]:
    """Yield a record for each result."""
    for row in objects(path):
        if isinstance(row, RowProblem):
            yield row
            continue
        inner = row.get("results", [row])
        rows = inner.get("results", []) if isinstance(inner, dict) else inner
        for one in sequence(rows):
            yield (
                _record(one) if isinstance(one, dict) else RowProblem("invalid_json", "a result is no object")
            )


def _record(row: dict[str, Any]) -> dict[str, Any]:
    provider, prompt, response = row.get("provider"), mapping(row.get("prompt")), mapping(row.get("response"))
    case, grading = mapping(row.get("testCase")), mapping(row.get("gradingResult"))
    error = row.get("error") or response.get("error")
    failed = bool(error) and (row.get("failureReason") == ERROR or response.get("output") is None)
    output = response.get("output", row.get("output"))
    named = {**mapping(grading.get("namedScores")), **mapping(row.get("namedScores"))}
    return {
        "id": plain(row.get("id")),
        **conversation(prompt.get("raw")),
        "prompt_label": plain(prompt.get("label")),
        "response": plain(error) if failed else text_of(output) or plain(output),
        "model": plain(mapping(provider).get("id") or provider),
        "provider_label": plain(mapping(provider).get("label")),
        "status": "server_error" if failed else _ended(response),
        "finish_reason": plain(response.get("finishReason")),
        "options": options_of(prompt.get("config"), mapping(provider).get("config")),
        "test": plain(row.get("testIdx")),
        "success": plain(row.get("success")),
        "score": plain(row.get("score")),
        **unfolded("score", named),
        **unfolded("vars", mapping(row.get("vars")) or mapping(case.get("vars"))),
        **unfolded("metadata", {**mapping(case.get("metadata")), **mapping(row.get("metadata"))}),
    }


def _ended(response: dict[str, Any]) -> str:
    """How an answer ended, as the provider says: cut off, filtered, refused, or as it should."""
    said = whole_status(response.get("finishReason"))
    return "refused" if said == "ok" and response.get("isRefusal") is True else said


READER = Reader("promptfoo", fits, read)
