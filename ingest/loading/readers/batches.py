"""What readers of batches share: an answer has the name of its request, which is in a file of its own."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ingest.errors import PlumblineError, shorten
from ingest.loading.problems import RowProblem, shown
from ingest.loading.readers.documents import Look, look_at, mapping, objects, sequence

MAX_REQUESTS = 1_000_000


def answered(
    path: Path, beside: Sequence[Path], is_input: Callable[[Look], bool], asked_in: str
) -> Iterator[RowProblem | tuple[dict[str, Any], dict[str, Any]]]:
    """Yield each line of a batch's output with the request of the same `custom_id`.

    `asked_in`: the field of a line of the input that holds what was asked. Raises PlumblineError where no
    input file is among `beside`, and where two requests have one name.
    """
    requests: dict[str, dict[str, Any]] = {}
    for other in beside:
        if other != path and is_input(look_at(other)):
            for row in _listed(other):
                if len(requests) < MAX_REQUESTS:
                    name, asked = str(row.get("custom_id")), mapping(row.get(asked_in))
                    if requests.setdefault(name, asked) != asked:
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
    for line in objects(path):
        if isinstance(line, RowProblem):
            yield line
        elif (name := str(line.get("custom_id"))) not in requests:
            yield RowProblem("missing_prompt", f"the input file has no request {name!r}")
        else:
            yield line, requests[name]


def _listed(path: Path) -> Iterator[dict[str, Any]]:
    """The requests of a file: one a line, or one request to the API that lists them."""
    for row in objects(path):
        if isinstance(row, dict) and "requests" in row:
            yield from map(mapping, sequence(row["requests"]))
        elif isinstance(row, dict):
            yield row
