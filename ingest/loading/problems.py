"""Why a record of a file is not taken, and what its cells may be."""

from pathlib import Path
from typing import Any

from ingest.errors import cut, printable, shorten
from ingest.redaction import without_secrets

# Why a record is not taken: the closed list of `rejects.reason`.
REASONS = {
    "ragged_row": "its cells are not those that the columns ask for",
    "invalid_json": "the line is not one JSON object",
    "bad_encoding": "a cell is not UTF-8",
    "nul_byte": "a cell holds a NUL character",
    "wrong_type": "a cell holds something other than text",
    "too_long": "a cell is longer than its field may be",
    "missing_prompt": "the prompt is blank",
    "bad_messages": "what stood before the prompt is no list of turns",
    "missing_model": "the model is blank",
    "unknown_category": "the category is not declared in the suite",
    "missing_label": "an attribute is blank",
    "unknown_label": "an attribute's label is not declared in the suite",
    "bad_repeat": "the repeat is no whole number of 0 or more",
    "bad_tokens": "a number of tokens is no whole number of 0 or more",
    "missing_root": "the root is blank",
    "unknown_status": "the status is none of the closed list",
    "duplicate_key": "its model, prompt and repeat have another response already",
}


class RowProblem(Exception):
    """Why one record is not taken: a reason of REASONS and a short detail."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = shorten(without_secrets(printable(detail)), 200)


def shown(path: Path) -> str:
    """Return a file's name as a message may hold it."""
    return cut(printable(path.name), 100)


def kind_of(value: Any) -> str:
    """Return what a value is, in words."""
    kinds = {bool: "true or false", float: "a decimal number", int: "a number", str: "text", list: "a list"}
    kinds |= {dict: "an object", type(None): "null", bytes: "bytes"}
    return kinds.get(type(value), f"a {type(value).__name__}")
