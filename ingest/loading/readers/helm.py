"""HELM: a run's `scenario_state.json`, and `per_instance_stats.json` beside it for what HELM measured."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ingest.asking.answer_status import finish_status
from ingest.loading.problems import RowProblem
from ingest.loading.readers import Entry, Reader
from ingest.loading.readers.documents import (
    Look,
    conversation,
    document,
    mapping,
    options_of,
    plain,
    sequence,
    text_of,
    unfolded,
)

STATS = "per_instance_stats.json"
Key = tuple[str, str, str]


def fits(look: Look) -> bool:
    """Say whether a document is the state of a scenario."""
    return look.has("adapter_spec", "request_states")


def is_stats(look: Look) -> bool:
    """Say whether a document holds HELM's numbers of each instance."""
    return look.has("instance_id", "stats")


def read(path: Path, beside: Sequence[Path]) -> Iterator[Entry]:
    """Yield a record for each request of the run."""
    state = mapping(document(path))
    rows, adapter = sequence(state.get("request_states")), mapping(state.get("adapter_spec"))
    near = [path.parent / STATS, *(other for other in beside if other.parent == path.parent)]
    stats = _stats(next((other for other in near if other.name == STATS and other.is_file()), None))
    for row in rows:
        if not isinstance(row, dict):
            yield RowProblem("invalid_json", "a request state is no object")
            continue
        for completion in sequence(mapping(row.get("result")).get("completions")) or [None]:
            yield _record(row, mapping(completion), adapter, stats)


def _stats(path: Path | None) -> dict[Key, dict[str, str | None]]:
    found: dict[Key, dict[str, str | None]] = {}
    for row in map(mapping, sequence(document(path)) if path else []):
        scores = found.setdefault(_key(row.get("instance_id"), row.get("perturbation"), row), {})
        for stat in map(mapping, sequence(row.get("stats"))):
            name, n = mapping(stat.get("name")).get("name"), stat.get("count")
            if (
                isinstance(name, str)
                and isinstance(n, int)
                and n
                and isinstance(stat.get("sum"), int | float)
            ):
                scores[f"score.{name}"] = plain(stat["sum"] / n)
    return found


def _key(instance: Any, perturbation: Any, row: dict[str, Any]) -> Key:
    return str(instance), str(plain(perturbation)), str(row.get("train_trial_index", 0))


def _record(
    row: dict[str, Any],
    completion: dict[str, Any],
    adapter: dict[str, Any],
    stats: dict[Key, dict[str, str | None]],
) -> Entry:
    instance, request = mapping(row.get("instance")), mapping(row.get("request"))
    result = mapping(row.get("result"))
    finish = mapping(completion.get("finish_reason")).get("reason")
    is_answer = bool(completion) and result.get("success", True) is not False
    status = finish_status(finish)
    if status == "truncated_output" and not _is_cut(completion, request):
        status = "ok"
    # The request holds examples and instructions, too; the instance alone is what differs between groups.
    asked = conversation(request.get("messages") or request.get("prompt"))
    return {
        "id": plain(instance.get("id")),
        **asked,
        "instance": text_of(instance.get("input")),
        "response": completion.get("text") if is_answer else plain(result.get("error")),
        "model": plain(request.get("model_deployment") or request.get("model") or adapter.get("model")),
        "status": status if is_answer else "server_error",
        "options": options_of(adapter, request),
        "split": plain(instance.get("split")),
        "sub_split": plain(instance.get("sub_split")),
        "trial": plain(row.get("train_trial_index")),
        "perturbation": plain(mapping(instance.get("perturbation")).get("name")),
        **unfolded("metadata", mapping(instance.get("extra_data"))),
        **stats.get(_key(instance.get("id"), instance.get("perturbation"), row), {}),
    }


def _is_cut(completion: dict[str, Any], request: dict[str, Any]) -> bool:
    """A limit of a few tokens is how HELM asks for one letter."""
    most = request.get("max_tokens")
    return not isinstance(most, int) or most > 10


READER = Reader("HELM", fits, read, is_stats)
