"""Langfuse: observations or traces, exported as JSON or JSON Lines, or of its blob storage."""

import re
from collections.abc import Iterator, Sequence, Set
from itertools import groupby
from pathlib import Path
from typing import Any

from ingest.loading.problems import RowProblem
from ingest.loading.readers import Entry, Reader
from ingest.loading.readers.documents import (
    Look,
    answers_of,
    chosen,
    conversation,
    mapping,
    objects,
    options_of,
    plain,
    sequence,
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
    """Yield the records of each generation; for a trace, those in it, or the trace where it has none."""
    for row in objects(path):
        if isinstance(row, RowProblem):
            yield row
            continue
        trace = _snake(row)
        inner = [_snake(one) for one in sequence(trace.get("observations")) if isinstance(one, dict)]
        generations = [one for one in inner if one.get("type") in ASKS_A_MODEL]
        if generations:
            names = {plain(one.get("id")) for one in generations}
            for one in generations:
                yield from _records(one, trace, names - {plain(one.get("id"))})
        elif trace.get("type", ASKS_A_MODEL[0]) in ASKS_A_MODEL:
            yield from _records(trace, {}, set())


def _records(row: dict[str, Any], trace: dict[str, Any], others: Set[str | None]) -> Iterator[dict[str, Any]]:
    """Yield a record for each choice. What was measured is of the first.

    A trace lists the scores of all its observations beside its own: those of `others` are left out.
    """
    failed = str(row.get("level", "")).upper() == "ERROR"
    metadata = {**mapping(trace.get("metadata")), **mapping(row.get("metadata"))}
    record = {
        "id": plain(row.get("id")),
        "trace": plain(row.get("trace_id") or trace.get("id")),
        "name": plain(row.get("name")),
        **conversation(row.get("input")),
        "model": plain(row.get("provided_model_name") or row.get("model") or row.get("internal_model")),
        "options": options_of(row.get("model_parameters")),
        "user": plain(row.get("user_id") or trace.get("user_id")),
        "tags": plain(row.get("tags") or trace.get("tags")),
        **unfolded("metadata", metadata),
    }
    scores = _scores(sequence(trace.get("scores")), others) | _scores(sequence(row.get("scores")), others)
    answers = [(plain(row.get("status_message")), "server_error")] if failed else _answers(row.get("output"))
    for i, (said, status) in enumerate(answers):
        yield {**record, "response": said, "status": status, **({} if i else scores)}


def _answers(output: Any) -> list[tuple[str | None, str]]:
    """What a model said, a text for each choice, and how it ended."""
    body = mapping(output)
    if sequence(body.get("choices")) or body.get("object") == "response":
        return answers_of(body)
    messages = [one for one in map(mapping, sequence(output) or [body]) if "role" in one]
    if not messages:
        return [(text_of(output) or plain(output), "ok")]
    # Where others spoke between, as tools do, what the model said last is its answer.
    runs = [[*run] for is_model, run in groupby(messages, lambda m: m["role"] == "assistant") if is_model]
    if not runs:
        return [(text_of(output), "ok")]
    if all(message.get("type") == "message" for message in runs[-1]):
        return answers_of({"output": runs[-1]})  # parts of one response, which has no choices
    found = [chosen({**message, "message": message}) for message in runs[-1]]
    # Beside an answer a call is a turn before it.
    return [
        one for one, message in zip(found, runs[-1], strict=True) if not message.get("tool_calls")
    ] or found


def _scores(scores: list[Any], others: Set[str | None]) -> dict[str, str | None]:
    """Return a score for each name: of several the observation's own before its trace's, then the newest."""
    rows = [_snake(score) for score in scores if isinstance(score, dict)]
    rows.sort(key=lambda row: (plain(row.get("observation_id")) is not None, str(row.get("timestamp") or "")))
    return {
        # A score that is a word may have a `value` of null beside it.
        f"score.{row['name']}": plain(row.get("string_value") if row.get("value") is None else row["value"])
        for row in rows
        if isinstance(row.get("name"), str) and plain(row.get("observation_id")) not in others - {None}
    }


READER = Reader("Langfuse", fits, read)
