"""Inspect (inspect-ai): logs of the formats `.eval`, a zip of JSON packed with zstd, and `.json`.

Read without the package, which would bring some 300 MB: little of a log is read, and pyarrow unpacks zstd.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ingest.asking.answer_status import whole_status
from ingest.backends.reasoning import split_reasoning
from ingest.errors import PlumblineError
from ingest.loading.problems import RowProblem, kind_of, shown
from ingest.loading.readers import Entry, Reader
from ingest.loading.readers.archive import MAX_ENTRY, TooLarge, opened
from ingest.loading.readers.documents import (
    Look,
    conversation,
    document,
    mapping,
    options_of,
    parsed,
    plain,
    sequence,
    spoken,
    text_of,
    unfolded,
)

INSPECT = "Inspect"
HEADERS = ("header.json", "_journal/start.json")  # the second alone where a run was killed
SAMPLES = "samples/"
LETTERS = {
    "C": "1",
    "I": "0",
    "P": "0.5",
    "N": "0",
}  # as Inspect counts what it calls correct, partly and not
CACHED = ("input_tokens_cache_read", "input_tokens_cache_write")
ATTACHED = "attachment://"


def fits(look: Look) -> bool:
    """Say whether a file is a log of Inspect."""
    if look.head.startswith(b"PK"):
        return look.path.suffix.lower() == ".eval"
    return look.has("eval", "version", "status") and "task" in mapping(look.sample["eval"])


def read(path: Path, _: Sequence[Path]) -> Iterator[Entry]:
    """Yield a record for each choice of each sample and epoch."""
    samples = _packed(path) if path.suffix.lower() == ".eval" else _written(path)
    for header, sample in samples:
        if isinstance(sample, dict):
            yield from _records(header, sample)
        else:
            yield (
                sample
                if isinstance(sample, RowProblem)
                else RowProblem("invalid_json", f"a sample is {kind_of(sample)}, not an object")
            )


def _written(path: Path) -> Iterator[tuple[dict[str, Any], Any]]:
    log = mapping(document(path))
    for sample in sequence(log.get("samples")):
        yield log, sample


def _packed(path: Path) -> Iterator[tuple[dict[str, Any], Any]]:
    with opened(path) as archive:
        names = archive.names()
        try:
            header = next(mapping(_json(archive.read(name))) for name in HEADERS if name in names)
        except (StopIteration, TooLarge, OSError) as error:
            raise PlumblineError(
                f"{shown(path)} is no log of Inspect: it has no header.", "Name a log of Inspect."
            ) from error
        for name in names:
            if not (name.startswith(SAMPLES) and name.endswith(".json")):
                continue
            try:
                yield header, _json(archive.read(name), f"{name}: ")
            except TooLarge:
                yield header, RowProblem("too_long", f"{name}: over {MAX_ENTRY >> 20} MB")
            except OSError as error:
                yield header, RowProblem("invalid_json", f"{name}: {error}")


def _json(content: bytes, where: str = "") -> Any:
    return parsed(content.decode("utf-8", "surrogateescape"), where)


def _records(log: dict[str, Any], sample: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a record for each choice; where no choice came, one. What was measured is of the first."""
    task, output = mapping(log.get("eval")), mapping(sample.get("output"))
    configured = [task.get("model_generate_config"), mapping(log.get("plan")).get("config")]
    choices = [*map(mapping, sequence(output.get("choices")))]
    asked = [n for one in configured if type(n := mapping(one).get("num_choices")) is int]
    n, epoch = max([1, len(choices), *asked]), sample.get("epoch")
    for i, choice in enumerate(choices or [{}]):
        record = _record(log, sample, choice, epoch=(epoch - 1) * n + i + 1 if type(epoch) is int else epoch)
        if not i:
            record |= _scores(mapping(sample.get("scores")))
        if n == 1:
            record["prompt_tokens"] = _tokens(output, "input_tokens", *CACHED)
            record["output_tokens"] = _tokens(output, "output_tokens")
        yield record


def _record(
    log: dict[str, Any], sample: dict[str, Any], choice: dict[str, Any], epoch: Any
) -> dict[str, Any]:
    task, output = mapping(log.get("eval")), mapping(sample.get("output"))
    attached = mapping(sample.get("attachments"))
    error = mapping(sample.get("error"))
    said = output.get("completion") if len(sequence(output.get("choices"))) < 2 else None
    if not isinstance(said, str):
        said = text_of(mapping(choice.get("message")).get("content"))
    said = split_reasoning(said)[0]
    messages = sequence(sample.get("messages"))
    talk = conversation(sample.get("input"))
    return {
        "id": plain(sample.get("id")),
        "epoch": plain(epoch),
        "repeat": plain(epoch - 1 if isinstance(epoch, int) else None),
        "prompt": _whole(talk["prompt"], attached),
        "system": _whole(spoken(messages, "system") or talk["system"], attached),
        "response": plain(error.get("message")) if error else _whole(said, attached),
        "target": plain(sample.get("target")),
        "model": plain(task.get("model")),
        "served_model": plain(output.get("model")),
        "status": "server_error" if error else whole_status(choice.get("stop_reason")),
        "finish_reason": plain(choice.get("stop_reason")),
        "options": options_of(task.get("model_generate_config"), mapping(log.get("plan")).get("config")),
        "task": plain(task.get("task")),
        **unfolded("task_args", mapping(task.get("task_args"))),
        **unfolded("metadata", mapping(sample.get("metadata"))),
    }


def _tokens(output: dict[str, Any], name: str, *others: str) -> str | None:
    """The tokens that an output says it used, with those of a cache."""
    usage = mapping(output.get("usage"))
    found = [n for one in (name, *others) if type(n := usage.get(one)) is int]
    return str(sum(found)) if type(usage.get(name)) is int else None


def _whole(text: str | None, attached: dict[str, Any]) -> str | None:
    """A text, or what stands in its place among the attachments."""
    if text and text.startswith(ATTACHED):
        return plain(attached.get(text.removeprefix(ATTACHED), text))
    return text


def _scores(scores: dict[str, Any]) -> dict[str, str | None]:
    """Each score as it is written; of a letter also its number."""
    fields: dict[str, str | None] = {}
    for name, score in scores.items():
        value = mapping(score).get("value")
        fields |= unfolded(f"score.{name}", value)
        if isinstance(value, str) and value in LETTERS:
            fields[f"score.{name}.number"] = LETTERS[value]
    return fields


READER = Reader(INSPECT, fits, read)
