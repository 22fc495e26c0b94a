"""Langfuse: observations or traces, exported as JSON or JSON Lines, or of its blob storage."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

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
    spoken,
    text_of,
    unfolded,
)

CAPITAL = re.compile(r"(?<=[a-z0-9])([A-Z])")
ASKS_A_MODEL = ("GENERATION",)


def fits(look: Look) -> bool:
    """Say whether rows are observations or traces of Langfuse."""
    row = _snake(look.sample) if isinstance(look.sample, dict) else {}
    is_observation = {"id", "trace_id", "type", "input", "output"} <= set(row)
    is_trace = {"id", "input", "output", "metadata", "name"} <= set(row) and bool(
        {"observations", "scores", "release", "session_id"} & set(row)
    )
    return is_observation or is_trace


def _snake(row: dict[str, Any]) -> dict[str, Any]:
    """A row with its names as the blob storage spells them; the API writes traceId."""
    return {
        CAPITAL.sub(lambda match: f"_{match.group(1).lower()}", name): value for name, value in row.items()
    }


def read(path: Path, _: Sequence[Path]) -> Iterator[Entry]:
    """Yield a record for each generation; for a trace, those in it, or the trace where it has none."""
    for row in objects(path):
        if isinstance(row, RowProblem):
            yield row
            continue
        trace = _snake(row)
        inner = [_snake(one) for one in sequence(trace.get("observations")) if isinstance(one, dict)]
        generations = [one for one in inner if one.get("type") in ASKS_A_MODEL]
        if generations:
            yield from (_record(one, trace) for one in generations)
        elif trace.get("type", ASKS_A_MODEL[0]) in ASKS_A_MODEL:
            yield _record(trace, {})


def _record(row: dict[str, Any], trace: dict[str, Any]) -> dict[str, Any]:
    output = row.get("output")
    failed = str(row.get("level", "")).upper() == "ERROR"
    said, refusal = _answer(output)
    metadata = {**mapping(trace.get("metadata")), **mapping(row.get("metadata"))}
    scores = [*sequence(trace.get("scores")), *sequence(row.get("scores"))]
    return {
        "id": plain(row.get("id")),
        "trace": plain(row.get("trace_id") or trace.get("id")),
        "name": plain(row.get("name")),
        **conversation(row.get("input")),
        "response": plain(row.get("status_message")) if failed else refusal or said,
        "model": plain(row.get("provided_model_name") or row.get("model") or row.get("internal_model")),
        "status": "server_error" if failed else "refused" if refusal else "ok",
        "options": options_of(row.get("model_parameters")),
        "user": plain(row.get("user_id") or trace.get("user_id")),
        "tags": plain(row.get("tags") or trace.get("tags")),
        **unfolded("metadata", metadata),
        **_scores(scores),
    }


def _answer(output: Any) -> tuple[str | None, str | None]:
    """What a model said, and in what words it refused where it did so beside its answer."""
    messages = sequence(output) or [mapping(output)]
    if not any(isinstance(one, dict) and "role" in one for one in messages):
        return text_of(output) or plain(output), None
    # A message without a text is an empty answer, and not the JSON that says so.
    said = spoken(messages, "assistant") or text_of(output)
    refusals = (one.get("refusal") for one in messages if isinstance(one, dict))
    return said, None if said else plain(next(filter(None, refusals), None))


def _scores(scores: list[Any]) -> dict[str, str | None]:
    rows = [_snake(score) for score in scores if isinstance(score, dict)]
    return {
        f"score.{row['name']}": plain(row.get("value", row.get("string_value")))
        for row in rows
        if isinstance(row.get("name"), str)
    }


READER = Reader("Langfuse", fits, read)
