"""LangFair: what its generators return, as JSON: `prompt` and `response`, or one of each for every group.

Their data frames as CSV or Parquet are tables, and need no reader.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ingest.loading.problems import RowProblem
from ingest.loading.readers import Entry, Reader
from ingest.loading.readers.documents import Look, document, mapping, options_of, plain

PROMPT, RESPONSE = "prompt", "response"
FAILED = "Unable to get response"  # what LangFair writes in the place of an answer that did not come


def fits(look: Look) -> bool:
    """Say whether a document has columns of prompts and responses."""
    return look.has("data", "metadata") and bool(_groups(mapping(look.sample["data"])))


def _groups(data: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Return prompts and responses by group; '' where there is one column of each."""
    found = {}
    for name in data:
        if name.endswith(PROMPT):
            group = name.removesuffix(PROMPT)
            if group + RESPONSE in data:
                found[group.rstrip("_")] = (_column(data[name]), _column(data[group + RESPONSE]))
    return found


def _column(values: Any) -> list[Any]:
    """A column as a list, or as pandas writes one: an object of row numbers."""
    return list(values.values()) if isinstance(values, dict) else values if isinstance(values, list) else []


def read(path: Path, _: Sequence[Path]) -> Iterator[Entry]:
    """Yield a record for each response; `group` says of which group, `root` of which prompt."""
    content = mapping(document(path))
    metadata = mapping(content.get("metadata"))
    for group, (prompts, responses) in _groups(mapping(content.get("data"))).items():
        for i in range(max(len(prompts), len(responses))):
            if i >= min(len(prompts), len(responses)):
                yield RowProblem("ragged_row", f"row {i + 1:,}: a prompt without a response, or the reverse")
                continue
            yield {
                "prompt": plain(prompts[i]),
                "response": plain(responses[i]),
                "status": "server_error" if responses[i] in (FAILED, None) else "ok",
                "system": plain(metadata.get("system_prompt")),
                "options": options_of(metadata),
                "group": group or None,
                "root": _root(metadata, i, len(prompts)),
            }


def _root(metadata: dict[str, Any], i: int, n: int) -> str:
    """Which prompt it is, as each is asked `count` times in a row."""
    count = metadata.get("count")
    is_repeated = isinstance(count, int) and count > 0 and n % count == 0
    return str(i // count if is_repeated and isinstance(count, int) else i)


READER = Reader("LangFair", fits, read)
