"""lm-evaluation-harness: `lm_eval --log_samples --output_path …`, a file of samples for each task.

`results_….json` beside it, of the same time, names the model. Where answers were given to choose from, the
model's answer is the one to which it gives most likelihood, as in the harness's `acc`.
"""

import math
import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

from ingest.loading.problems import RowProblem
from ingest.loading.readers import Entry, Reader
from ingest.loading.readers.documents import (
    Look,
    conversation,
    document,
    look_at,
    mapping,
    objects,
    options_of,
    plain,
    sequence,
    unfolded,
)

NAME = re.compile(r"samples_(?P<task>.+)_(?P<time>\d{4}-\d\d-\d\dT[\d.-]+)\.jsonl")
# What is no metric of a sample, in versions that do not list them.
FIELDS = {"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"}
FIELDS |= {"doc_hash", "prompt_hash", "target_hash"}


def fits(look: Look) -> bool:
    """Say whether lines are samples of a task."""
    return look.has("doc_id", "doc", "arguments", "resps")


def is_results(look: Look) -> bool:
    """Say whether a document is the summary of a run."""
    return look.has("results", "configs", "n-shot")


def read(path: Path, beside: Sequence[Path]) -> Iterator[Entry]:
    """Yield a record for each answer. What was measured is of the first of a sample's repeats.

    A sample stands there once for each way of reading it (`filter`). The first is the record; what the
    others measured are further scores of it.
    """
    named = NAME.fullmatch(path.name)
    run = _run(path, named["time"] if named else None, beside)
    first, further = _filters(path)
    for row in objects(path):
        if isinstance(row, RowProblem):
            yield row
        elif plain(row.get("filter")) == first:
            shared = {
                "id": plain(row.get("doc_id")),
                "model": plain(run.get("model_name") or mapping(run.get("config")).get("model")),
                "status": "ok",
                "task": named["task"] if named else None,
                "target": plain(row.get("target")),
                **unfolded("doc", row.get("doc")),
            }
            scores = {
                **{f"score.{name}": plain(row.get(name)) for name in _metrics(row)},
                **further.get(plain(row.get("doc_id")), {}),
            }
            for i, answer in enumerate(_answers(row)):
                if isinstance(answer, RowProblem):
                    yield answer
                    continue
                if run.get("system_instruction") and not answer["system"]:
                    answer["system"] = plain(run["system_instruction"])
                yield {**shared, **({} if i else scores), **answer}


def _run(path: Path, time: str | None, beside: Sequence[Path]) -> dict[str, Any]:
    """The summary of the run: of the same time, else the only one that was named."""
    own = path.with_name(f"results_{time}.json")
    if time and own.is_file():
        return mapping(document(own))
    named = [other for other in beside if other != path and is_results(look_at(other))]
    return mapping(document(named[0])) if len(named) == 1 else {}


def _filters(path: Path) -> tuple[str | None, dict[str | None, dict[str, str | None]]]:
    """The first filter, and the scores of all others by `doc_id`, as `score.METRIC.FILTER`."""
    first: str | None = None
    further: dict[str | None, dict[str, str | None]] = {}
    for n, row in enumerate(row for row in objects(path) if isinstance(row, dict)):
        name = plain(row.get("filter"))
        first = name if n == 0 else first
        if name != first:
            scores = further.setdefault(plain(row.get("doc_id")), {})
            scores |= {f"score.{metric}.{name}": plain(row.get(metric)) for metric in _metrics(row)}
    return first, further


def _metrics(row: dict[str, Any]) -> list[str]:
    return [str(name) for name in sequence(row.get("metrics")) or row.keys() - FIELDS]


def _answers(row: dict[str, Any]) -> Iterator[dict[str, Any] | RowProblem]:
    """What was asked and answered: each repeat of a text, or the likeliest of the answers to choose from."""
    asked = _requests(row.get("arguments"))
    said = [one if isinstance(one, list) else [one] for one in sequence(row.get("resps"))]
    if not asked or len(asked) != len(said):
        yield RowProblem("invalid_json", "it does not have one response for each request")
    elif isinstance(asked[0][-1], dict):
        for request, texts in zip(asked, said, strict=True):
            for repeat, text in enumerate(texts):
                given = mapping(request[-1])
                options = {"max_tokens": given.get("max_gen_toks"), "stop": given.get("until")}
                yield {
                    **conversation(_context(request)),
                    "response": plain(text),
                    "repeat": plain(repeat),
                    "options": options_of(options, given),
                }
    else:
        yield _chosen(asked, said)


def _chosen(asked: list[list[Any]], said: list[list[Any]]) -> dict[str, Any] | RowProblem:
    # The same answers may stand there once more after another beginning, to be weighed against.
    choices = [i for i, request in enumerate(asked) if len(request) > 1 and request[0] == asked[0][0]]
    blanks = _filled(asked)
    if blanks:
        choices = [*range(len(asked))]
    if len(choices) < 2:
        return RowProblem("missing_prompt", "no answers to choose from: the likelihood of a given text")
    found = {i: _likelihood(said[i]) for i in choices}
    if not all(map(math.isfinite, found.values())):
        return RowProblem("invalid_json", "a choice has no likelihood")
    best = max(choices, key=lambda i: found[i])
    prompt, said_best = blanks[best] if blanks else (_context(asked[best]), str(asked[best][1]))
    return {
        **conversation(prompt),
        "response": said_best.strip(),
        "choice": plain(choices.index(best)),
        "options": None,
    }


def _filled(asked: list[list[Any]]) -> list[tuple[str, str]]:
    """What is the same before a blank and how each goes on, where choices fill it, as in WinoGrande; or none.

    There the model is given each choice with what stands before it, and all go on alike.
    """
    if len({str(request[1:]) for request in asked}) > 1 or any(len(request) < 2 for request in asked):
        return []
    before = [request[0] for request in asked if isinstance(request[0], str)]
    if len(set(before)) < max(2, len(asked)) or any(text.lstrip().startswith("[{") for text in before):
        return []
    alike = takewhile(lambda column: len(set(column)) == 1, zip(*before, strict=False))
    shared = "".join(column[0] for column in alike)
    shared = shared[: shared.rfind(" ") + 1]  # no part of a word
    return [(shared.rstrip(), text[len(shared) :] + str(asked[0][1])) for text in before]


def _requests(arguments: Any) -> list[list[Any]]:
    """The arguments of each request, in the newer form of named ones and in the older one of lists."""
    listed = list(arguments.values()) if isinstance(arguments, dict) else sequence(arguments)
    requests = [list(one.values()) if isinstance(one, dict) else sequence(one) for one in listed]
    return requests if all(requests) else []


def _context(request: list[Any]) -> Any:
    """What stood before the answer; a chat is a list of one text of JSON."""
    context = request[0]
    return context[0] if isinstance(context, list) and len(context) == 1 else context


def _likelihood(response: list[Any]) -> float:
    """The logarithm of a likelihood, NaN where there is none; it may have a remark beside it."""
    value = response[0] if response else None
    value = value[0] if isinstance(value, list) and value else value
    try:
        return float(value) if isinstance(value, int | float | str) else math.nan
    except (ValueError, OverflowError):
        return math.nan


READER = Reader("lm-evaluation-harness", fits, read, is_results)
